"""The systems that are compared: Aeon, the same model asked directly, and Pydantic AI with the same model and tools."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from score import Answer

from aeon.base.errors import AeonError
from aeon.kernel.orchestrator import Orchestrator
from aeon.llm.adapters.llama_cpp import LlamaCppAdapter
from aeon.llm.interface import LLMRequest
from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

System = Callable[[dict[str, Any]], Answer]


@contextmanager
def aeon(weights: Path) -> Iterator[System]:
    """Aeon's kernel with the shipped tools."""
    with LlamaCppAdapter(weights) as model:

        def ask(question: dict[str, Any]) -> Answer:
            memory = InMemoryKVStore()
            for key, value in (question.get("stored") or {}).items():
                memory.write(key, value)
            tools = ToolRegistry(builtin_tools(memory))
            try:
                result = Orchestrator(model, memory, tools).execute(question["request"])
            except AeonError as error:
                return Answer(str(error), "failed")
            state = result["final_state"]
            used = [step.tool or "llm" for step in state.plan.steps]
            return Answer(
                result["answer"],
                result["status"],
                used,
                plan_is_valid=all(tool == "llm" or tools.get(tool) for tool in used),
                repairs=len(state.supervisor_actions),
                model_repairs=sum(action.model_output is not None for action in state.supervisor_actions),
            )

        yield ask


@contextmanager
def direct(weights: Path) -> Iterator[System]:
    """The same model, asked without tools; stored values are told to it."""
    with LlamaCppAdapter(weights) as model:

        def ask(question: dict[str, Any]) -> Answer:
            stored = question.get("stored") or {}
            system = "Answer shortly. End with the answer itself." + (f" Stored values: {stored}" if stored else "")
            return Answer(model.complete(LLMRequest(question["request"], system, 512, 0.0)).text, "completed")

        yield ask


@contextmanager
def pydantic_ai(weights: Path) -> Iterator[System]:
    """Pydantic AI over the model's own server, with the same tools as functions."""
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider
    from pydantic_ai.settings import ModelSettings

    from aeon.testing.llama_server import llama_server

    with llama_server(weights) as peer:
        model = OpenAIChatModel("local", provider=OpenAIProvider(base_url=peer.base_url, api_key=peer.api_key))

        def ask(question: dict[str, Any]) -> Answer:
            memory = InMemoryKVStore()
            for key, value in (question.get("stored") or {}).items():
                memory.write(key, value)
            used: list[str] = []
            agent = Agent(
                model,
                instructions="Use the tools where they help, then give the answer itself, shortly.",
                tools=_as_functions(memory, used),
                model_settings=ModelSettings(temperature=0.0, max_tokens=512),
            )
            return Answer(str(agent.run_sync(question["request"]).output), "completed", used)

        yield ask


def _as_functions(memory: InMemoryKVStore, used: list[str]) -> list[Callable[..., Any]]:
    tools = {tool.name: tool for tool in builtin_tools(memory)}

    def call(name: str, **arguments: Any) -> dict[str, Any]:
        used.append(name)
        return tools[name].invoke(**arguments)

    def calculator(expression: str) -> dict[str, Any]:
        """Compute the value of one arithmetic expression."""
        return call("calculator", expression=expression)

    def echo(text: str) -> dict[str, Any]:
        """Say a given text back exactly as it is."""
        return call("echo", text=text)

    def memory_write(key: str, value: str | float) -> dict[str, Any]:
        """Store a value under a short key, to be read again later."""
        return call("memory_write", key=key, value=value)

    def memory_read(key: str) -> dict[str, Any]:
        """Read the value stored under a key."""
        return call("memory_read", key=key)

    def memory_search(prefix: str) -> dict[str, Any]:
        """List stored keys that start with a prefix, with their values."""
        return call("memory_search", prefix=prefix)

    return [calculator, echo, memory_write, memory_read, memory_search]


SYSTEMS = {"aeon": aeon, "direct": direct, "pydantic-ai": pydantic_ai}
