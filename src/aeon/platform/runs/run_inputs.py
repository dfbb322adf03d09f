"""The checks of what a user gives a run: inputs and tags. Pure."""

from collections.abc import Mapping

from aeon.base.json import JsonObject, canonical_json
from aeon.platform.errors import RuleError
from aeon.platform.processes.model import Process
from aeon.platform.processes.text import join_names
from aeon.platform.processes.typed_inputs import complete_inputs, input_problems, inputs_step

MAX_INPUT_CHARS = 1024 * 1024
"""Maximum number of characters of a run's inputs as canonical JSON."""

MAX_TAGS, MAX_TAG_CHARS = 50, 200
"""Maximum number of tags of a run, and of characters of a name and of a value."""


def require_tags(tags: Mapping[str, str]) -> None:
    """Raise RuleError for tags that are too many or too long, or whose names mean something else in a filter."""
    wrong = [name for name, value in tags.items() if not 0 < len(name) <= MAX_TAG_CHARS or len(value) > MAX_TAG_CHARS]
    wrong += [name for name in tags if "=" in name]
    if wrong or len(tags) > MAX_TAGS:
        raise RuleError(
            f"The tags of a run are not valid: {join_names(wrong) if wrong else f'there are {len(tags)}'}.",
            rule="tags",
            field="$.tags",
            next_step=f"Give at most {MAX_TAGS}, with names without = and of at most {MAX_TAG_CHARS} characters.",
        )


def runnable_inputs(process: Process, inputs: JsonObject) -> JsonObject:
    """Return the inputs with the defaults of those that are left out.

    Raises RuleError, with every problem at once, if these inputs or the Process cannot run.
    """
    if not process.enabled:
        raise RuleError(
            f"The process {process.name!r} of {process.owner_id} is disabled.",
            rule="enabled",
            next_step="Enable it, or ask its owner to.",
        )
    complete = complete_inputs(process.definition, inputs)
    if problems := input_problems(process.definition, complete):
        raise RuleError(
            f"The inputs do not fit the process {process.name!r}: {'; '.join(problems)}.",
            rule="input_valid",
            field="$.inputs",
            next_step=inputs_step(process.definition),
        )
    if len(canonical_json(complete)) > MAX_INPUT_CHARS:
        raise RuleError(
            f"The inputs of a run of {process.name!r} are larger than {MAX_INPUT_CHARS // 1024} KiB of JSON.",
            rule="input_size",
            field="$.inputs",
            next_step="Keep large data where a tool can get them, and give their address.",
        )
    return complete
