"""Three other orchestrators on the shared work, each as its documentation shows it. None of them writes a log.

They are extras of the benchmark only (dependency group `bench`), so each is imported where it is prepared.
"""

import json
import operator
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, TypedDict

from systems import SHIPPED, Run
from work import TOOLS, calls, replies


class _State(TypedDict):
    turn: int
    asked: str
    results: Annotated[list[dict[str, Any]], operator.add]


def langgraph(steps: int, _folder: Path) -> Run:
    """The lightest LangGraph: a graph of two nodes, model and tools, without messages, checks or checkpoints."""
    from langgraph.graph import END, START, StateGraph

    answers = replies(steps)

    def model(state: _State) -> dict[str, Any]:
        turn = state["turn"]
        return {"turn": turn + 1, "asked": answers[turn] if turn < steps else ""}

    def tools(state: _State) -> dict[str, Any]:
        asked = json.loads(state["asked"])
        return {"results": [TOOLS[asked["tool"]](**asked["arguments"])]}

    graph = StateGraph(_State)
    graph.add_node("model", model)
    graph.add_node("tools", tools)
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", lambda state: "tools" if state["asked"] else END)
    graph.add_edge("tools", "model")
    compiled = graph.compile()

    def run() -> None:
        start: _State = {"turn": 0, "asked": "", "results": []}
        done = compiled.invoke(start, {"recursion_limit": 2 * steps + 5})
        assert len(done["results"]) == steps

    return run


def langgraph_agent(steps: int, _folder: Path) -> Run:
    """LangGraph's ready-made agent, `create_react_agent`."""
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.outputs import ChatGeneration, ChatResult
    from langchain_core.tools import StructuredTool
    from langgraph.prebuilt import create_react_agent

    class Model(BaseChatModel):
        script: Any = None

        @property
        def _llm_type(self) -> str:
            return "mock"

        def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
            del tools, kwargs
            return self

        def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
            del messages, stop, run_manager, kwargs
            number, call = next(self.script, (0, None))
            asked = [] if call is None else [{"name": call[0], "args": call[1], "id": f"c{number}"}]
            return ChatResult(
                generations=[ChatGeneration(message=AIMessage("" if asked else "done", tool_calls=asked))]
            )

    model = Model()
    tools = [
        StructuredTool.from_function(TOOLS[tool.name], name=tool.name, description=tool.description) for tool in SHIPPED
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it has moved to the package langchain, unchanged
        agent = create_react_agent(model, tools)

    def run() -> None:
        model.script = enumerate(calls(steps), 1)
        done = agent.invoke({"messages": [("user", "Do the work.")]}, {"recursion_limit": 2 * steps + 5})
        assert done["messages"][-1].content == "done"

    return run


def pydantic_ai(steps: int, _folder: Path) -> Run:
    """A Pydantic AI agent on its FunctionModel."""
    from pydantic_ai import Agent, Tool
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel
    from pydantic_ai.usage import UsageLimits

    script: Iterator[Any] = iter(())

    def answer(_messages: Any, _info: Any) -> ModelResponse:
        call = next(script, None)
        return ModelResponse(parts=[TextPart("done") if call is None else ToolCallPart(call[0], json.dumps(call[1]))])

    agent = Agent(FunctionModel(answer), tools=[Tool(function, name=name) for name, function in TOOLS.items()])

    def run() -> None:
        nonlocal script
        script = iter(calls(steps))
        assert agent.run_sync("Do the work.", usage_limits=UsageLimits(request_limit=None)).output == "done"

    return run


def openai_agents(steps: int, _folder: Path) -> Run:
    """An agent of the OpenAI Agents SDK on a mock Model, tracing off."""
    import agents
    from agents.tool_context import ToolContext
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    agents.set_tracing_disabled(True)

    class Model(agents.Model):
        script: Iterator[tuple[int, Any]] = iter(())

        async def get_response(self, *_args: Any, **_kwargs: Any) -> agents.ModelResponse:
            number, call = next(self.script, (0, None))
            output = _message() if call is None else _function_call(number, *call)
            return agents.ModelResponse(output=[output], usage=agents.Usage(), response_id=None)

        def stream_response(self, *_args: Any, **_kwargs: Any) -> Any:
            raise NotImplementedError

    def _message() -> ResponseOutputMessage:
        text = ResponseOutputText(text="done", type="output_text", annotations=[])
        return ResponseOutputMessage(id="m", content=[text], role="assistant", status="completed", type="message")

    def _function_call(number: int, tool: str, arguments: dict[str, Any]) -> ResponseFunctionToolCall:
        return ResponseFunctionToolCall(
            arguments=json.dumps(arguments), call_id=f"c{number}", name=tool, type="function_call"
        )

    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        return json.dumps(TOOLS[context.tool_name](**json.loads(arguments)))

    model = Model()
    tools = [
        agents.FunctionTool(tool.name, tool.description, tool.input_schema, invoke, strict_json_schema=False)
        for tool in SHIPPED
    ]
    agent = agents.Agent(name="worker", model=model, tools=tools)

    def run() -> None:
        model.script = iter(enumerate(calls(steps), 1))
        assert agents.Runner.run_sync(agent, "Do the work.", max_turns=steps + 2).final_output == "done"

    return run
