"""What conditions, inputs and templates of a Process mean: CEL, references, Handlebars."""

from typing import Final

from aeon.platform.processes.bindings import bind
from aeon.platform.processes.conditions.condition import holds
from aeon.platform.processes.running.semantics import Semantics
from aeon.platform.processes.templates import render

MEANING: Final = Semantics(holds, bind, render)
