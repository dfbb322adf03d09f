"""The kernel as a tool: plans and runs a request as `aeon run` does."""

from typing import Any

from aeon.application.requests import RequestResult, RequestService
from aeon.base.errors import AeonError, ToolError
from aeon.base.json import Json, JsonObject
from aeon.bootstrap.app import App
from aeon.kernel.request_text import MAX_REQUEST
from aeon.tools.interface import Tool


class AnswerTool(Tool):
    """Runs a request with all registered tools and the matching skills; its log is beside those of `aeon run`."""

    name = "answer"
    description = "Plans a request and runs the plan step by step with the available tools and skills."
    timeout = None  # the TTL limits the steps of a run, and each step has a timeout

    def __init__(self, app: App) -> None:
        self._requests = RequestService(app)
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
                "usage": {"type": "object", "description": "the model calls and their tokens; also of an error"},
            },
        }

    def invoke(self, **kwargs: Any) -> JsonObject:
        """Return the outcome of the run. Raises ToolError if it failed."""
        try:
            return _result(self._requests.ask(kwargs["request"]))
        except ToolError:
            raise
        except AeonError as error:
            raise ToolError(error.message, next_step=error.next) from error


def _result(result: RequestResult) -> JsonObject:
    if result.status == "failed":
        error: Json = result.error or {}
        raise ToolError(
            str(error.get("message") or "A step of the run failed."),
            next_step=str(error.get("next_step") or "Say more exactly what is wanted."),
            usage=result.usage.as_dict(),
        )
    return {
        "answer": result.answer,
        "status": result.status,
        "trusted": result.trusted,
        "marks": result.marks,
        "steps": [_step(step, result.results) for step in result.plan["steps"]],
        "usage": result.usage.as_dict(),
    }


def _step(step: JsonObject, results: JsonObject) -> JsonObject:
    shown = {name: step[name] for name in ("step_id", "description", "tool", "status") if step.get(name) is not None}
    return {**shown, "result": results[step["step_id"]]} if step["step_id"] in results else shown
