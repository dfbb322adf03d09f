"""`aeon run`, `aeon run --dry-run`, `aeon log resume`: the main path, exit codes, what goes where."""

import json
from pathlib import Path

import pytest

from aeon.testing.wire_rules import EndlessStream, ErrorResponse, TextResponse


def widest(text: str) -> int:
    return max(map(len, text.splitlines()))


def test_a_plan_by_hand_runs_without_a_model(aeon, plan_file):
    """Core 3: arguments given, no model asked; the answer alone on stdout, the log's path on stderr."""
    ended = aeon("run", "--plan", plan_file)
    assert (ended.code, ended.out) == (0, "it is 352\n")
    assert 'calculator input: {"expression": "15*23+7"}' in ended.err
    assert "[1/2] complete s1: add" in ended.err
    assert 'result: {"result": 352}' in ended.err
    log = ended.err.strip().splitlines()[-1].removeprefix("log: ")
    assert Path(log).is_file()


def test_json_is_one_object_and_nothing_else(aeon, plan_file):
    ended = aeon("run", "--plan", plan_file, "--json", "--log", "run.jsonl")
    outcome = ended.json
    assert ended.code == 0
    assert outcome["status"] == "completed"
    assert outcome["answer"] == "it is 352"
    assert outcome["results"] == {"s1": {"result": 352}, "s2": {"text": "it is 352"}}
    assert outcome["log"] == "run.jsonl"
    assert [step["status"] for step in outcome["plan"]["steps"]] == ["complete", "complete"]


def test_a_request_is_planned_and_run(aeon, double, add):
    server = double(add)
    ended = aeon("run", "Tell me what is 15 * 23 plus 7?")
    assert (ended.code, ended.out) == (0, "it is 352\n")
    assert "plan: add two numbers and say so (2 steps)" in ended.err
    assert "made with the scripted at http" in ended.err
    assert len(server.requests) == 1


def test_the_request_comes_from_stdin(aeon, double, add):
    server = double(add)
    assert aeon("run", "-", stdin="sag mir: wie viel ist 15*23 plus 7? ü".encode()).code == 0
    assert "sag mir: wie viel ist 15*23 plus 7? ü" in str(server.requests[0].body)


def test_a_plan_is_made_and_runs_from_stdin(aeon, double, add):
    double(add)
    made = aeon("run", "--dry-run", "tell me 15*23 plus 7")
    assert made.code == 0
    assert [step["step_id"] for step in made.json["steps"]] == ["s1", "s2"]
    ran = aeon("run", "--plan", "-", stdin=made.out.encode())
    assert (ran.code, ran.out) == (0, "it is 352\n")


def test_a_yaml_plan_runs(aeon):
    Path("p.yaml").write_text(
        "goal: say it\nsteps:\n- step_id: a\n  description: say\n  tool: echo\n  arguments: {text: hi}\n"
    )
    assert aeon("run", "--plan", "p.yaml").out == "hi\n"


def test_ttl_expires_with_code_3_and_the_run_can_be_resumed(aeon, plan_file):
    """Core 5, core 13."""
    ended = aeon("run", "--plan", plan_file, "--ttl", 1, "--log", "run.jsonl")
    assert (ended.code, ended.out) == (3, "")
    assert "continue with: aeon log resume run.jsonl" in ended.err
    resumed = aeon("log", "resume", "run.jsonl")
    assert (resumed.code, resumed.out) == (0, "it is 352\n")
    assert "complete s1: add" in resumed.err
    again = aeon("log", "resume", "run.jsonl")
    assert again.code == 2
    assert "has ended" in again.err
    assert aeon("log", "verify", "run.jsonl").code == 0
    assert aeon("log", "replay", "run.jsonl").out == "3 entries reproduced byte for byte\n"


def test_a_failed_step_is_code_1_and_no_earlier_result_is_passed_off_as_the_answer(aeon, add):
    plan = {**add, "steps": [add["steps"][0], {**add["steps"][1], "tool": "memory_read", "arguments": {"key": "x"}}]}
    Path("p.json").write_text(json.dumps(plan))
    ended = aeon("run", "--plan", "p.json")
    assert (ended.code, ended.out) == (1, "")
    assert "[2/2] failed s2: say" in ended.err
    assert "Nothing is stored under 'x'" in ended.err


def test_a_missing_tool_is_warned_about_repaired_and_marked(aeon, double, add):
    """Core 2, FR-071: the name differs in case only, so it is repaired without the model."""
    double()
    plan = {**add, "steps": [{**add["steps"][0], "tool": "Calculator"}]}
    Path("p.json").write_text(json.dumps(plan))
    ended = aeon("run", "--plan", "p.json", "--repair")
    assert ended.code == 0
    told = " ".join(ended.err.split())
    assert "warning: step 's1' names the unknown tool 'Calculator' (did you mean 'calculator'?)" in told
    assert "missing tool repair by same_name" in ended.err
    assert "repaired: tool Calculator -> calculator" in ended.err


def test_a_step_without_a_tool_falls_back_to_the_model_and_shows_its_output(aeon, double):
    """FR-074, FR-075, core 17: the output of a fallback step is shown, as the model's own words."""
    double({"tool": None}, "by the model")
    Path("p.json").write_text(json.dumps({"goal": "g", "steps": [{"step_id": "a", "description": "d", "tool": "zzz"}]}))
    ended = aeon("run", "--plan", "p.json", "--allow-fallback", "--log", "run.jsonl")
    assert (ended.code, ended.out) == (4, "by the model\n")
    mark = "fallback: there is no tool 'zzz'; no tool did anything, and the words are the model's own"
    told = " ".join(ended.err.split())
    assert mark in told
    assert f"not trusted: step 'a': {mark}" in told
    assert "the model's own words: by the model" in ended.err
    shown = " ".join(aeon("log", "show", "run.jsonl").out.split())
    assert mark in shown
    assert "the model's own words: by the model" in shown
    assert aeon("log", "replay", "run.jsonl").code == 0


def test_a_models_server_that_never_ends_its_answer_is_cut_off_and_the_step_fails(aeon, double):
    double({"tool": None}, EndlessStream("again"))
    Path("p.json").write_text(json.dumps({"goal": "g", "steps": [{"step_id": "a", "description": "d", "tool": "zzz"}]}))
    ended = aeon("run", "--plan", "p.json", "--allow-fallback")
    assert (ended.code, ended.out) == (1, "")
    assert "The answer was cut off: it is too long" in " ".join(ended.err.split())


def test_the_beginning_of_an_answer_that_was_cut_off_is_shown_and_is_no_result(aeon, double):
    """Core 9: nothing on stdout, exit code 1; a user who waited for it reads it, and a program finds it."""
    plan = {"steps": [{"step_id": "s1", "description": "write a story", "agent": "llm"}]}
    cut = TextResponse("Once upon a time\nthere was", "length")
    double(plan, cut, plan, cut)
    ended = aeon("run", "Write a story.")
    assert (ended.code, ended.out) == (1, "")
    assert "the answer up to there: Once upon a time\nthere was\n" in ended.err
    ended = aeon("run", "Write a story.", "--json")
    assert (ended.code, ended.json["answer"]) == (1, None)
    assert ended.json["cut_text"] == "Once upon a time\nthere was"


@pytest.mark.parametrize("unknown", [True, False])
def test_a_plan_that_needs_a_model_is_refused_without_one(aeon, unknown):
    """Before anything runs; AEON_HOME is empty and --no-input fetches nothing."""
    step = {"step_id": "a", "description": "d", **({"tool": "calculater", "arguments": {}} if unknown else {})}
    Path("p.json").write_text(json.dumps({"goal": "g", "steps": [step]}))
    ended = aeon("run", "--plan", "p.json", "--no-input", "--allow-fallback")
    assert (ended.code, ended.out) == (2, "")
    assert "needs a language model" in ended.err
    assert "aeon model fetch" in ended.err
    assert ("did you mean 'calculator'?" in ended.err) is unknown
    assert not list(Path(".aeon/logs").glob("*.jsonl"))


def test_no_input_never_downloads(aeon):
    ended = aeon("run", "hello", "--no-input", "--model", "small")
    assert ended.code == 1
    assert "The weights of the model 'small' (0.5 GB) are not on this machine." in ended.err
    assert "`aeon model fetch small`" in ended.err


def test_a_model_that_refuses_ends_as_one_clear_error(aeon, double):
    double(ErrorResponse(401, "no such key"))
    ended = aeon("run", "tell me what is 2 + 2", "--json")
    assert ended.code == 1
    assert ended.json["error"]["type"] == "OrchestrationError"
    assert "Traceback" not in ended.err
    log = Path(ended.json["log"])
    shown = aeon("log", "show", log)
    assert "no plan could be made" in shown.out
    assert aeon("log", "resume", log).code == 1


def test_a_key_is_read_from_the_variable_that_is_named(aeon, double, monkeypatch, add):
    server = double(add)
    monkeypatch.setenv("AEON_MODEL_API_KEY_ENV", "MY_KEY")
    without = aeon("run", "hello")
    assert (without.code, "MY_KEY" in without.err) == (2, True)
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    assert aeon("run", "hello").code == 0
    assert server.requests[0].headers["authorization"] == "Bearer sk-very-secret"


def test_tools_that_print_do_not_spoil_stdout_and_escape_sequences_stay_harmless(aeon, plugin):
    plan = {
        "goal": "\x1b[2J",
        "steps": [{"step_id": "a", "description": "\x9b2J\x07", "tool": "noisy", "arguments": {}}],
    }
    Path("p.json").write_text(json.dumps(plan))
    ended = aeon("run", "--plan", "p.json")
    assert ended.code == 2, "a goal of control characters is no request"
    Path("p.json").write_text(json.dumps({**plan, "goal": "g\u202e"}))
    ended = aeon("run", "--plan", "p.json", "--log", "run.jsonl")
    assert ended.code == 0
    assert ended.out == "\\x1b[31mred\\x1b]0;title\\x07 \\u202eevil \\x9b2J\n"
    shown = aeon("log", "show", "run.jsonl")
    machine = aeon("run", "--plan", "p.json", "--json")
    assert machine.json["answer"] == "\x1b[31mred\x1b]0;title\x07 \u202eevil \x9b2J"
    for text in (ended.out, ended.err, shown.out, machine.out):
        assert not set(text) & {"\x1b", "\x9b", "\x07", "\u202e"}
    assert "printed by a tool" in ended.err


def test_lines_fit_80_columns_whatever_comes(aeon):
    wide = "長い文字列" * 60
    plan = {
        "goal": wide,
        "steps": [
            {"step_id": "s" * 300, "description": "word " * 100, "tool": "echo", "arguments": {"text": "x" * 500}},
            {"step_id": "b", "description": wide, "tool": "echo", "arguments": {"text": wide}},
            {"step_id": "c", "description": "d", "tool": "memory_read", "arguments": {"key": "nothing there " * 9}},
        ],
    }
    Path("p.json").write_text(json.dumps(plan))
    ended = aeon("run", "--plan", "p.json", "--log", "l.jsonl")
    from rich.cells import cell_len

    assert max(cell_len(line) for line in ended.err.splitlines()) <= 80
    assert max(cell_len(line) for line in aeon("log", "show", "l.jsonl").out.splitlines()) <= 80


def test_the_real_command_works_in_a_pipe(plan_file, process):
    ended = process("run", "--plan", plan_file, env={"PYTHONIOENCODING": "ascii", "COLUMNS": "200"})
    assert (ended.code, ended.out) == (0, "it is 352\n")
    assert "\x1b" not in ended.err
    assert widest(ended.err) <= 80


def test_a_plan_by_hand_with_unknown_tools_and_unfit_arguments_is_refused_with_all_of_them_core_17(aeon, double):
    server = double("never asked")
    steps = [
        {"step_id": "a", "description": "mail it", "tool": "send_mail", "arguments": {"to": "ann"}},
        {"step_id": "b", "description": "say it", "tool": "echo", "arguments": {"message": "hi"}},
        {"step_id": "c", "description": "roll it", "tool": "dice-roller.rol", "arguments": {}},
    ]
    Path("p.json").write_text(json.dumps({"goal": "g", "steps": steps}))

    ended = aeon("run", "--plan", "p.json")

    told = " ".join(ended.err.split())
    assert (ended.code, ended.out) == (2, "")
    assert "$.steps[0].tool: there is no tool 'send_mail'; registered are: " in told
    assert "csv-report.report, " in told
    assert "$.steps[1].arguments" in told
    assert "$.steps[2].tool: there is no tool 'dice-roller.rol'; did you mean 'dice-roller.roll'?" in told
    assert "stored ones need --tools catalog" in told
    assert "'message'" in told
    assert "--repair" in told
    assert "--allow-fallback" in told
    assert server.requests == []
    assert not list(Path(".aeon/logs").glob("*.jsonl"))


def test_each_flag_lets_the_model_stand_in_for_its_own_kind_only_core_17(aeon, double):
    unknown = {"step_id": "a", "description": "mail it", "tool": "send_mail"}
    unfit = {"step_id": "b", "description": "say hi", "tool": "echo", "arguments": {"message": "hi"}}
    Path("unknown.json").write_text(json.dumps({"goal": "g", "steps": [unknown]}))
    Path("unfit.json").write_text(json.dumps({"goal": "g", "steps": [unfit]}))

    assert aeon("run", "--plan", "unfit.json", "--allow-fallback").code == 2

    double('{"tool": "echo", "arguments": {"text": "hi"}}')
    repaired = aeon("run", "--plan", "unfit.json", "--repair")
    assert (repaired.code, repaired.out) == (0, "hi\n")

    double({"tool": None})
    without = aeon("run", "--plan", "unknown.json", "--repair")
    assert (without.code, without.out) == (1, "")
    assert "There is no tool 'send_mail', and none was found for the step." in " ".join(without.err.split())


def test_the_flags_of_a_plan_by_hand_need_one(aeon):
    ended = aeon("run", "say hi", "--repair")
    assert ended.code == 2
    assert "Add --plan FILE." in ended.err


def test_a_missing_tool_can_be_set_to_fail_core_17(aeon, double, monkeypatch):
    monkeypatch.setenv("AEON_RUN_ON_MISSING_TOOL", "fail")
    plan = {"steps": [{"step_id": "s1", "description": "mail the invoice", "tool": "send_mail"}]}
    double(json.dumps(plan), '{"tool": null}', '{"tool": null}')

    ended = aeon("run", "mail 2 invoices of 30 euros", "--json")

    assert (ended.code, ended.json["status"], ended.json["answer"]) == (1, "failed", None)


def test_an_echo_of_the_request_ends_with_code_4_core_19(aeon, double):
    step = {"step_id": "s1", "description": "say", "tool": "echo", "arguments": {"text": "Say it to my dentist."}}
    double(json.dumps({"steps": [step]}))

    ended = aeon("run", "Say it to my dentist")

    assert (ended.code, ended.out) == (4, "Say it to my dentist.\n")
    assert "not trusted: step 's1': doubtful: the answer repeats the request" in " ".join(ended.err.split())


def test_the_log_says_that_code_made_a_plan(aeon):
    """Decision 52: no model is there, and none is needed."""
    assert aeon("run", "What is 15 * 23 plus 7?", "--no-input").out == "352\n"
    assert "plan by code, 1 step(s)" in aeon("log", "show", "last").out
    assert aeon("log", "replay", "last").code == 0
