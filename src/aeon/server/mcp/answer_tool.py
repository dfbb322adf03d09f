"""The kernel as a tool: plans and runs a request as `aeon run` does."""

import secrets
import time
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from aeon.base.errors import AeonError, ToolDefinitionError, ToolError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.app import App
from aeon.kernel.input_checks import MAX_REQUEST
from aeon.kernel.orchestrator import Orchestrator
from aeon.observability.log import JsonlLog
from aeon.tools.interface import Tool
from aeon.tools.registry import ToolRegistry


class AnswerTool(Tool):
    """Runs a request with all registered tools and the matching skills; its log is beside those of `aeon run`."""

    name = "answer"
    description = "Plans a request and runs the plan step by step with the available tools and skills."
    timeout = None  # the TTL limits the steps of a run, and each step has a timeout

    def __init__(self, app: App) -> None:
        self._app = app
        self._model_lock = Lock()
        self.input_schema = {
            "type": "object",
            "required": ["request"],
            "properties": {"request": {"type": "string", "minLength": 1, "maxLength": MAX_REQUEST}},
            "additionalProperties": False,
        }
        self.output_schema = {
            "type": "object",
            "required": ["answer", "steps", "status", "trusted", "marks"],
            "properties": {
                "answer": {"type": ["string", "null"], "description": "the last step's result, null without one"},
                "status": {"enum": ["completed", "ttl_expired"]},
                "trusted": {"type": "boolean", "description": "false where marks say why to doubt the answer"},
                "marks": {
                    "type": "object",
                    "description": "by step: fallback, repaired, doubtful, declined, from the model, with the reason",
                    "additionalProperties": {"type": "array", "items": {"type": "string"}},
                },
                "steps": {"type": "array", "items": {"type": "object"}, "description": "what was done, in order"},
            },
        }

    def invoke(self, **kwargs: Any) -> JsonObject:
        """Return the outcome of the run. Raises ToolError if it failed."""
        try:
            with self._model_lock:
                self._app.model.supports_schema()  # opens the model once for concurrent calls
            return _result(_run(self._app, kwargs["request"]))
        except ToolError:
            raise
        except AeonError as error:
            raise ToolError(error.message, next_step=error.advice) from error


def _run(app: App, request: str) -> JsonObject:
    path = _new_log_path(app)
    log = JsonlLog(path)
    try:
        tools, ttl = _run_registry(app, request), app.settings.run.ttl
        on_missing_tool = app.settings.run.on_missing_tool
        return Orchestrator(app.model, app.memory, tools, ttl=ttl, log=log, on_missing_tool=on_missing_tool).execute(
            request
        )
    finally:
        log.close()
        if not log.entries:
            path.unlink(missing_ok=True)


def _run_registry(app: App, request: str) -> ToolRegistry:
    """Return a registry for this run alone: other runs are concurrent."""
    registry = ToolRegistry([tool for name in app.registry.list_all() if (tool := app.registry.get(name))])
    for tool in app.skills.tools_for(request):
        with suppress(ToolDefinitionError):  # `aeon skills check` reports scripts that cannot be registered
            registry.register(tool)
    return registry


def _result(result: JsonObject) -> JsonObject:
    if result["status"] == "failed":
        error: Json = result.get("error") or {}
        raise ToolError(
            str(error.get("message") or "A step of the run failed."),
            next_step=str(error.get("next_step") or "Say more exactly what is wanted."),
        )
    steps = [_step(step, result["results"]) for step in result["plan"]["steps"]]
    outcome: JsonObject = {name: result[name] for name in ("answer", "status", "trusted", "marks")}
    return {**outcome, "steps": steps}


def _step(step: JsonObject, results: JsonObject) -> JsonObject:
    shown = {name: step[name] for name in ("step_id", "description", "tool", "status") if step.get(name) is not None}
    return {**shown, "result": results[step["step_id"]]} if step["step_id"] in results else shown


def _new_log_path(app: App) -> Path:
    folder = Path(app.settings.run.log_dir).expanduser()
    return folder / f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(3)}.jsonl"
