"""Prompts made of Handlebars templates and an input's fields, which are data in them and never templates themselves."""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from aeon.base.errors import MissingExtraError
from aeon.base.json import JsonObject
from aeon.platform.catalog.calling import OperationError
from aeon.platform.handlebars import MAX_STEPS, EndlessTemplateError, render_template

if TYPE_CHECKING:
    from pydantic_handlebars import HandlebarsEnvironment

_MISSING = re.compile(r"'([^']*)' references missing")


def render_prompt(template: str, given: JsonObject) -> str:
    """The text of a template. Nothing is escaped; objects and lists are JSON.

    Raises OperationError that names the variable that was not given, and for a template that cannot be carried out.
    """
    environment = _environment()
    from pydantic_handlebars import HandlebarsError

    try:
        return render_template(environment, template, given)
    except EndlessTemplateError:
        raise OperationError(
            f"the prompt takes more than {MAX_STEPS:,} steps to make",
            next_step="Give shorter lists, or let the templates have fewer loops inside of loops.",
        ) from None
    except RecursionError:
        raise OperationError(
            "the blocks of the prompt are nested too deeply", next_step="Correct the operation's templates."
        ) from None
    except HandlebarsError as error:
        missing = _MISSING.search(str(error))
        if missing is None:
            raise OperationError("the prompt cannot be made", next_step="Correct the operation's templates.") from None
        raise OperationError(
            f"the prompt needs {missing[1]!r}, which was not given", next_step=f"Give {missing[1]!r} in the input."
        ) from None


@lru_cache(maxsize=1)
def _environment() -> "HandlebarsEnvironment":
    try:
        from pydantic_handlebars import HandlebarsEnvironment
    except ImportError as missing:
        raise MissingExtraError(
            "Prompts with variables need pydantic-handlebars.", next_step="Install aeon-orchestrator[platform]."
        ) from missing
    return HandlebarsEnvironment(strict=True, auto_escape=False)
