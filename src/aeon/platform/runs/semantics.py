"""The expression languages of Processes: CEL conditions, references, Handlebars templates."""

from typing import Final

from aeon.platform.processes.expressions.bindings import bind
from aeon.platform.processes.expressions.conditions import evaluate_text
from aeon.platform.processes.expressions.templates import render_output
from aeon.platform.runs.loop_values import list_items, read_wait_time, select_for_items
from aeon.platform.runs.machine.decide import Semantics

SEMANTICS: Final = Semantics(evaluate_text, bind, render_output, list_items, select_for_items, read_wait_time)
