"""Span and attribute names, pinned here only because the GenAI conventions are in flux.

Names that start with `gen_ai` are of the GenAI semantic conventions as of November 2026, `error.type` is of the
general ones; names without a convention start with `aeon`.
"""

from typing import Final

OPERATION: Final = "gen_ai.operation.name"
WORKFLOW: Final = "gen_ai.workflow.name"
TOOL: Final = "gen_ai.tool.name"
CALL_ID: Final = "gen_ai.tool.call.id"
MODEL: Final = "gen_ai.response.model"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
ERROR: Final = "error.type"

RUN_WORKFLOW: Final = "invoke_workflow"
RUN_TOOL: Final = "execute_tool"
ASK_MODEL: Final = "chat"
CALL_PROCESS: Final = "call_process"
ASK_PERSON: Final = "ask_person"
"""The values of `gen_ai.operation.name`; the last two are Aeon's own."""

RUN: Final = "aeon.run.id"
RUN_PHASE: Final = "aeon.run.phase"
RUN_TRIGGER: Final = "aeon.run.trigger"
RUN_TOKENS: Final = "aeon.run.tokens"
PROCESS: Final = "aeon.process.id"
DIGEST: Final = "aeon.process.digest"

STEP: Final = "aeon.step.id"
STEP_KIND: Final = "aeon.step.kind"
ATTEMPT: Final = "aeon.step.attempt"
OUTCOME: Final = "aeon.step.outcome"
TOKENS: Final = "aeon.step.tokens"
CACHED: Final = "aeon.step.cached"
TOOL_ID: Final = "aeon.tool.id"
SERVICE_TYPE: Final = "aeon.service.type"
WORKER: Final = "aeon.worker.id"

SKIPPED: Final = "aeon.step.skipped"
REFUSED: Final = "aeon.step.refused"
RETRIED: Final = "aeon.step.retried"
CANCEL_REQUESTED: Final = "aeon.run.cancel_requested"
DEADLINE_PASSED: Final = "aeon.run.deadline_passed"
"""Events of a run's own span."""

ARGUMENTS: Final = "gen_ai.tool.call.arguments"
RESULT: Final = "gen_ai.tool.call.result"
RUN_INPUTS: Final = "aeon.run.inputs"
RUN_OUTPUT: Final = "aeon.run.output"
REASON: Final = "aeon.reason"
"""Contents: only exported on request."""
