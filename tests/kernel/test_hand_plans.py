"""A plan that a person wrote runs as it stands, or not at all (core 17)."""

import pytest

from aeon.base.errors import ExecutionError, PlanError, RequestError
from aeon.kernel.orchestrator import Orchestrator
from aeon.kernel.state import restore_state
from aeon.observability.log import JsonlLog, read_log
from aeon.testing.llm import ScriptedAdapter
from aeon.testing.plans import calc, call, plan, step
from aeon.tools.interface import Tool


class Transfer(Tool):
    """Wants an amount in one of two forms."""

    name = "transfer"
    description = "Pays."
    input_schema = {
        "type": "object",
        "properties": {"to": {"type": "string", "minLength": 3}, "amount": {"type": "number", "maximum": 100}},
        "required": ["to", "amount"],
        "additionalProperties": False,
    }
    output_schema = {"type": "object"}

    def invoke(self, **kwargs):
        return dict(kwargs)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"to": "ann"}, "amount"),
        ({"to": "ann", "amount": "ten"}, "$.steps[1].arguments.amount"),
        ({"to": "ann", "amount": 1000}, "$.steps[1].arguments.amount"),
        ({"to": "ann", "amount": 1, "note": "x"}, "note"),
        ({"to": "{step.s.result}", "amount": "ten"}, "$.steps[1].arguments.amount"),
        ({"to": "{step.s.result}"}, "amount"),
    ],
)
def test_arguments_that_cannot_fit_are_refused_before_anything_runs(run, arguments, said):
    made = run([call("transfer", to="bob", amount=1)], Transfer())

    with pytest.raises(PlanError) as error:
        made.execute("pay", plan(calc("s", "1"), step("a", "pay", tool="transfer", arguments=arguments)))

    assert said in str(error.value)
    assert "repair=True" in error.value.advice
    assert made.model.requests == []
    assert made.events == []


def test_all_faults_are_told_at_once(run):
    steps = [step(f"s{n}", "pay", tool="transfer", arguments={"to": n}) for n in range(3)]

    with pytest.raises(PlanError) as error:
        run([], Transfer()).orchestrator.execute(
            "pay", _plan(*steps, step("x", "mail", tool="Calculater")), allow_fallback=False
        )

    told = str(error.value)
    assert all(f"$.steps[{n}].arguments" in told for n in range(3))
    assert "$.steps[3].tool: there is no tool 'Calculater'; did you mean 'calculator'?" in told


@pytest.mark.parametrize("amount", ["{step.s.result}", 1])
def test_what_a_reference_leaves_open_is_no_fault(run, amount):
    arguments = {"to": "{step.s.result} cents", "amount": amount}

    result = run([], Transfer()).execute(
        "pay", plan(calc("s", "1"), step("a", "pay", tool="transfer", arguments=arguments))
    )

    assert result["results"]["a"] == {"to": "1 cents", "amount": 1}


def test_what_turns_out_not_to_fit_fails_its_step_and_is_not_replaced(run):
    """No argument that a person wrote is replaced by one of the model's."""
    made = run([call("transfer", to="bob", amount=1)], Transfer())

    result = made.execute(
        "pay",
        plan(
            calc("s", "1000"), step("a", "pay", tool="transfer", arguments={"to": "ann", "amount": "{step.s.result}"})
        ),
    )

    assert result["status"] == "failed"
    assert made.model.requests == []
    assert result["final_state"].tool_history[-1].tool_name == "calculator"


def test_with_repair_the_model_is_asked_for_what_does_not_fit(run):
    made = run([call("transfer", to="ann", amount=1)], Transfer())

    result = made.execute("pay ann 1", plan(step("a", "pay", tool="transfer", arguments={"to": "ann"})), repair=True)

    assert result["results"]["a"] == {"to": "ann", "amount": 1}


def test_by_contract_an_unknown_tool_is_left_to_the_model_and_marked(run):
    result = run([{"tool": None}, "words"]).execute("go", plan(step("a", "mail", tool="send_mail")))

    assert (result["status"], result["trusted"]) == ("completed", False)


def test_a_resumed_run_is_under_the_policy_it_began_with(run, tmp_path):
    log = tmp_path / "run.jsonl"
    steps = [calc("s", "1000"), step("a", "pay", tool="transfer", arguments={"to": "ann", "amount": "{step.s.result}"})]
    made = run([], Transfer(), log=log, ttl=1)
    made.execute("pay", plan(*steps))
    made.orchestrator._log.close()
    history = read_log(log)
    model = ScriptedAdapter([call("transfer", to="bob", amount=1)])

    result = Orchestrator(model, made.memory, made.registry, log=JsonlLog(log, after=history)).resume(
        restore_state(history)
    )

    assert result["status"] == "failed"
    assert result["final_state"].errors[-1]["type"] == ExecutionError.__name__
    assert model.requests == []


def test_another_word_for_a_missing_tool_is_refused():
    with pytest.raises(RequestError, match="on_missing_tool is 'ignore'"):
        Orchestrator(ScriptedAdapter([]), on_missing_tool="ignore")  # type: ignore[arg-type]


def _plan(*steps):
    from aeon.plan.models import Plan

    return Plan.model_validate(plan(*steps))
