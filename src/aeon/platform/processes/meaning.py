"""What conditions, inputs and templates of a Process mean: CEL, references, Handlebars."""

from typing import Final

from aeon.platform.processes.bindings import bind
from aeon.platform.processes.conditions.condition import evaluate_text
from aeon.platform.processes.running.interpreter import Semantics
from aeon.platform.processes.templates import render_output

SEMANTICS: Final = Semantics(evaluate_text, bind, render_output)
