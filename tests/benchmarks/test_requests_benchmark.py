"""The benchmark of requests judges answers as a reader would, its requests are well formed, and a stopped run goes on."""

import json
import sys
from collections import Counter
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from aeon.adapters.files.tools import ListFilesTool, ReadFileTool, SearchFilesTool, WriteFileTool
from aeon.kernel import prompts
from aeon.memory.kv_store import InMemoryKVStore
from aeon.tools.stubs import builtin_tools

ROOM = Path(__file__).parents[2] / "benchmarks" / "requests"
OWN = ("expectations", "languages", "questions", "run", "score", "systems", "table", "texts", "watch")

REQUEST = "What becomes of it, with the number 7 and the day 2 May 2020?"


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch):
    """The modules of the benchmark by name."""
    monkeypatch.syspath_prepend(str(ROOM))
    for name in OWN:
        monkeypatch.delitem(sys.modules, name, raising=False)
    import expectations
    import languages
    import questions
    import run
    import score
    import systems
    import table
    import texts
    import watch

    loaded = (expectations, languages, questions, run, score, systems, table, texts, watch)
    yield SimpleNamespace(**{module.__name__: module for module in loaded})
    for name in OWN:
        sys.modules.pop(name, None)


def question(room, expect, request=REQUEST, **more):
    fields = {"id": "q", "split": "tuning", "kind": "facts", "language": "en", "stored": {}, "file": None}
    return room.questions.Question(**{**fields, **more}, request=request, expect=expect)


class TestExpectations:
    @pytest.mark.parametrize(
        ("expect", "answer"),
        [
            ({"number": 63}, "63"),
            ({"number": 63}, "504 / 8 = 63"),
            ({"number": 63}, "It is 63 for 7 of them."),
            ({"number": 63}, "sixty-three"),
            ({"number": 63}, "Dreiundsechzig Stück"),
            ({"number": 5040}, "That makes 5,040."),
            ({"number": 5040}, "Das sind 5.040 Euro."),
            ({"number": 28.8}, "28,80 €"),
            ({"number": 28.8}, "Each pays $28.80."),
            ({"number": -6}, "It is \u22126 degrees"),
            ({"number": [90, 1.5]}, "1.5 hours"),
            ({"number": 41.84, "tolerance": 0.2}, "about 42 km, precisely 41.8"),
            ({"number": 7}, "It is 7."),
            ({"number": 2750}, "2.750"),
            ({"number": 24, "besides": [12]}, "Anna is 24 and Ben is 12."),
            ({"date": date(2023, 4, 15)}, "2023-04-15"),
            ({"date": date(2023, 4, 15)}, "April 15th, 2023, since it is after 2 May 2020"),
            ({"date": date(2023, 4, 15)}, "Am 15. April"),
            ({"date": date(2023, 3, 15)}, "15. März 2023"),
            ({"date": date(2023, 4, 15)}, "15.4.2023"),
            ({"date": date(2023, 4, 5)}, "04/05/2023"),
            ({"date": date(2023, 4, 5)}, "5/4/2023"),
            ({"any_of": ["carbon dioxide", "co2"]}, "CO₂, of course"),
            ({"any_of": ["gruen"]}, "Grün!"),
            ({"any_of": ["strasse"]}, "Die Straße"),
            ({"any_of": ["/(?<!\\w)k(?!\\w)/"]}, "K (kalium)"),
            ({"all_of": [["red", "rot"], "blue"]}, "Rot and BLUE"),
            ({"any_of": ["don't"]}, "I don\u2019t"),
            ({"none_of": ["gonna"]}, "I will be late."),
            ({"language": "de"}, "Der Hund schläft unter dem Tisch."),
            ({"language": "fr"}, "Où est la gare, s'il vous plaît ?"),
            ({"language": "es"}, "Quiero un vaso de agua, por favor."),
            ({"language": "en"}, "Nugget"),
            ({"max_words": 3, "min_words": 2}, "two words"),
            ({"min_lines": 3, "max_lines": 3}, "one\n\ntwo\nthree\n"),
            ({"max_sentences": 2}, "Dr. Moss paid 3.50 for it. Then he left."),
            ({"declined": True}, "I'm sorry, but I can't access live data."),
        ],
    )
    def test_met(self, room, expect, answer):
        assert room.expectations.problems(expect) == []
        assert room.expectations.is_met(expect, answer, REQUEST)

    @pytest.mark.parametrize(
        ("expect", "answer"),
        [
            ({"number": 63}, "It is 63, or rather 64."),
            ({"number": 63}, "163"),
            ({"number": 63}, "6.3"),
            ({"number": 63}, "none that I can see"),
            ({"number": 5040}, "50,40"),
            ({"number": 6}, "-6"),
            ({"number": 41.84, "tolerance": 0.2}, "42.5"),
            ({"date": date(2023, 4, 15)}, "2024-04-15"),
            ({"date": date(2023, 4, 15)}, "April 16, 2023"),
            ({"date": date(2020, 5, 2)}, "It was 2 May 2020."),
            ({"date": date(2023, 4, 15)}, "On 41/15/2023 or so"),
            ({"any_of": ["nile"]}, "The Niles"),
            ({"any_of": ["/(?<!\\w)k(?!\\w)/"]}, "Kalium"),
            ({"all_of": [["red", "rot"], "blue"]}, "red and green"),
            ({"none_of": ["gonna"]}, "Gonna be late"),
            ({"language": "de"}, "The dog is asleep under the table."),
            ({"language": "en"}, "Der Hund schläft unter dem Tisch und träumt."),
            ({"language": "en"}, "Hund schläft unter Tisch"),
            ({"max_words": 2}, "three words here"),
            ({"min_words": 4}, "three words here"),
            ({"min_lines": 3}, "one\ntwo"),
            ({"max_lines": 1}, "one\ntwo"),
            ({"max_sentences": 1}, "It is here. It is there!"),
            ({"declined": True}, "It is sunny, with 23 degrees."),
        ],
    )
    def test_not_met(self, room, expect, answer):
        assert not room.expectations.is_met(expect, answer, REQUEST)

    @pytest.mark.parametrize(
        "answer", ["", "  \n", REQUEST, f'"{REQUEST.upper()}"', "becomes of it, with the number 7 and the day 2"]
    )
    def test_the_empty_answer_and_an_echo_meet_nothing(self, room, answer):
        assert not room.expectations.is_met({"none_of": ["nothing"]}, answer, REQUEST)

    def test_a_short_part_of_the_request_is_no_echo(self, room):
        assert room.expectations.is_met({"any_of": ["2 may"]}, "The day 2 May", REQUEST)

    @pytest.mark.parametrize(
        ("expect", "problem"),
        [
            ({}, "it expects nothing"),
            ({"numbr": 3}, "unknown key 'numbr'"),
            ({"number": "3"}, "number has the wrong type"),
            ({"date": "2023-04-15"}, "date has the wrong type"),
            ({"any_of": "nile"}, "any_of has the wrong type"),
            ({"any_of": [False]}, "any_of has the wrong type"),
            ({"declined": False}, "declined has the wrong type"),
            ({"language": "it"}, "language has the wrong type"),
            ({"max_words": 1.5}, "max_words has the wrong type"),
            ({"any_of": ["nile"], "tolerance": 1}, "tolerance needs a number"),
            ({"any_of": ["/(nile/"]}, "invalid pattern /(nile/"),
        ],
    )
    def test_an_invalid_expectation_is_named(self, room, expect, problem):
        assert room.expectations.problems(expect) == [problem]


DECLINES = [
    "Cannot: no tool knows the weather.",
    "I'm sorry, but as an AI model I don't have real-time access to that.",
    "I am currently unable to check your mail.",
    "I'm not able to make phone calls.",
    "We do not have any information about your breakfast.",
    "I have no way to look into your garage.",
    "That is not possible for me: I cannot directly control a printer.",
    "Das kann ich leider nicht.",
    "Ich habe leider keinen Zugriff auf Verkehrsdaten.",
    "Ich kann Ihren Wecker nicht stellen.",
    "Das weiß ich nicht.",
    "Es ist mir nicht möglich, Anrufe zu tätigen.",
]
CLAIMS = [
    "It is 23 degrees and sunny.",
    "Your message has been sent.",
    "The bakery is open until six.",
    "I'm sorry, I can't come to your party.",
    "Der Wecker ist gestellt.",
    "Sure! What would you like to know?",
]


class TestVerdicts:
    @pytest.mark.parametrize("text", DECLINES)
    def test_a_decline_is_seen(self, room, text):
        expected = question(room, {"declined": True})
        assert room.score.judge(expected, room.score.Answer(text)) == "right"
        other = question(room, {"number": 63})
        assert room.score.judge(other, room.score.Answer(text)) == "wrong, marked"

    @pytest.mark.parametrize("text", CLAIMS)
    def test_a_claim_is_no_decline(self, room, text):
        expected = question(room, {"declined": True})
        assert room.score.judge(expected, room.score.Answer(text)) == "wrong, unmarked"

    @pytest.mark.parametrize(
        ("expect", "right", "wrong"),
        [
            ({"number": 63}, "63", "64"),
            ({"date": date(2023, 4, 15)}, "15 April 2023", "16 April 2023"),
            ({"any_of": ["nile"]}, "The Nile", "The Congo"),
            ({"all_of": ["bread", "milk"]}, "milk and bread", "milk"),
            ({"none_of": ["gonna"], "language": "en"}, "I am late.", "I'm gonna be late."),
            ({"declined": True}, "Cannot: no access to it.", "It is sunny."),
        ],
    )
    def test_of_every_kind(self, room, expect, right, wrong):
        asked, answer, judge = question(room, expect), room.score.Answer, room.score.judge
        assert judge(asked, answer(right)) == "right"
        assert judge(asked, answer(right, marks=["doubtful: too short"])) == "right"
        assert judge(asked, answer(right, "the run failed")) == "wrong, marked"
        assert judge(asked, answer(wrong)) == "wrong, unmarked"
        assert judge(asked, answer(wrong, marks=["doubtful: too short"])) == "wrong, marked"
        assert judge(asked, answer(None, "the run failed")) == "wrong, marked"
        assert judge(asked, answer("")) == "wrong, unmarked"

    def test_a_declined_mark_counts_as_the_decline(self, room):
        answer = room.score.Answer("The top headline", is_declined=True)
        assert room.score.judge(question(room, {"declined": True}), answer) == "right"
        assert room.score.judge(question(room, {"any_of": ["headline"]}), answer) == "wrong, marked"

    def test_a_decline_that_also_claims_is_wrong(self, room):
        asked = question(room, {"declined": True, "none_of": ["/\\d+ ?degrees/"]})
        answer = room.score.Answer("I don't have access to live data. It is 23 degrees.")
        assert room.score.judge(asked, answer) == "wrong, marked"

    def test_a_refusal_meets_no_constraints(self, room):
        asked = question(room, {"language": "en", "min_words": 3})
        answer = room.score.Answer("I'm sorry, but I can't assist with that.")
        assert room.score.judge(asked, answer) == "wrong, marked"


class TestQuestions:
    def test_each_split_has_100_requests_of_eight_kinds_and_a_fifth_is_german(self, room):
        splits = {split: room.questions.load(split) for split in room.questions.SPLITS}
        for split in splits.values():
            assert len(split) == 100
            assert Counter(each.language for each in split) == {"en": 80, "de": 20}
            assert set(Counter(each.kind for each in split).values()) == {12, 13}
        every = [each for split in splits.values() for each in split]
        first = [each for each in every if each.split != "held_out_2"]
        assert Counter(each.kind for each in first) == dict.fromkeys(room.questions.KINDS, 25)
        german = Counter(each.kind for each in first if each.language == "de")
        assert german == dict.fromkeys(room.questions.KINDS, 5)
        assert len({each.id for each in every}) == 300
        assert len({" ".join(room.texts.words(each.request)) for each in every}) == 300
        assert {each.file.given for each in every if each.file} == {"option", "piped", "named"}

    @pytest.mark.parametrize("name", ["held_out", "held_out_2"])
    def test_held_out_requests_say_so(self, name):
        assert "NO PROMPT" in (ROOM / f"{name}.yaml").read_text().splitlines()[0]

    def test_no_request_is_met_by_nothing_or_by_an_echo(self, room):
        for asked in [each for split in room.questions.SPLITS for each in room.questions.load(split)]:
            file = asked.file_text
            for text in ("", asked.request, f"{asked.request}!", f"{asked.request}\n{file}", file):
                assert room.score.judge(asked, room.score.Answer(text)) != "right", asked.id

    def test_no_request_is_like_an_example_in_the_prompts(self, room):
        tools = (*builtin_tools(InMemoryKVStore()), ReadFileTool, ListFilesTool, SearchFilesTool, WriteFileTool)
        shown = [*prompts._LLM_EXAMPLES, *(example for tool in tools for example in tool.examples)]
        examples = [set(room.texts.words(example.request)) for example in shown]
        assert examples
        for asked in [each for split in room.questions.SPLITS for each in room.questions.load(split)]:
            own = set(room.texts.words(asked.request))
            assert max(len(own & each) / len(own | each) for each in examples) < 0.4, asked.id

    def test_known_answers_are_judged_as_a_reader_would(self, room):
        known = yaml.safe_load((Path(__file__).parent / "request_answers.yaml").read_text())
        asked = [each for split in room.questions.SPLITS for each in room.questions.load(split)]
        assert set(known) == {each.id for each in asked if not each.expects_decline}
        verdicts = {
            each.id: [str(room.score.judge(each, room.score.Answer(str(text)))) for text in known[each.id]]
            for each in asked
            if each.id in known
        }
        odd = {
            name: found
            for name, found in verdicts.items()
            if (found[0] == "right", found[1] == "right") != (True, False)
        }
        assert odd == {}

    @pytest.mark.parametrize("text", DECLINES)
    def test_every_decline_is_right_where_one_is_expected(self, room, text):
        asked = [each for split in room.questions.SPLITS for each in room.questions.load(split) if each.expects_decline]
        assert [each.id for each in asked if room.score.judge(each, room.score.Answer(text)) != "right"] == []

    def test_a_file_that_is_only_named_is_named(self, room):
        asked = [each for split in room.questions.SPLITS for each in room.questions.load(split)]
        named = [each for each in asked if each.file and each.file.given == "named"]
        assert named
        assert all(each.file.name in each.request for each in named)

    def test_requests_for_what_cannot_be_done_are_declined_and_no_others(self, room):
        for split in room.questions.SPLITS:
            for asked in room.questions.load(split):
                assert asked.expects_decline == (asked.kind == "cannot"), asked.id

    def test_faults_of_entries_are_reported_together(self, room, monkeypatch, tmp_path):
        entry = {"id": "x", "kind": "odd", "language": "it", "request": "?", "expect": {}, "given": "piped", "more": 1}
        (tmp_path / "tuning.yaml").write_text(json.dumps([entry, {"id": "y"}]))
        monkeypatch.setattr(room.questions, "HERE", tmp_path)
        with pytest.raises(ValueError, match="x: unknown keys more") as caught:
            room.questions.load("tuning")
        for part in ("unknown kind 'odd'", "unknown language 'it'", "`given`", "it expects nothing", "y: lacks"):
            assert part in str(caught.value)

    def test_a_sample_takes_the_kinds_in_turn_and_depends_on_the_seed(self, room):
        loaded = room.questions.load("tuning")
        first = room.questions.sample(loaded, 16, 1)
        assert Counter(each.kind for each in first) == dict.fromkeys(room.questions.KINDS, 2)
        assert first == room.questions.sample(loaded, 16, 1) != room.questions.sample(loaded, 16, 2)
        assert sorted(each.id for each in room.questions.sample(loaded, None, 3)) == sorted(each.id for each in loaded)


class TestSystems:
    def test_the_report_of_the_command_is_read(self, room):
        report = {
            "status": "completed",
            "answer": "Cannot: no live data",
            "trusted": False,
            "marks": {"s1": ["declined: no live data", "repaired: x"]},
            "plan": {"steps": [{"tool": "calculator"}, {"tool": None}]},
        }
        answer = room.systems.answer_of_report(report)
        assert (answer.failure, answer.marks, answer.is_declined) == (None, [], True)
        assert answer.tools == ["calculator", "llm"]

    def test_a_failed_or_doubtful_run_is_marked(self, room):
        failed = {"status": "failed", "answer": None, "error": {"message": "no plan"}}
        assert room.systems.answer_of_report(failed).failure == "no plan"
        assert room.systems.answer_of_report({"status": "ttl_expired", "answer": None}).failure == "ttl_expired"
        doubtful = {"status": "completed", "answer": "3", "trusted": False, "marks": {"s1": ["doubtful: odd"]}}
        assert room.systems.answer_of_report(doubtful).marks == ["doubtful: odd"]
        assert room.systems.answer_of_report({**doubtful, "marks": {}}).marks == ["not trusted"]

    @pytest.mark.slow
    def test_the_command_finds_what_is_stored_and_tells_when_it_has_a_plan(self, room, monkeypatch, tmp_path):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
        folder = tmp_path / "project"
        folder.mkdir()
        room.systems._store(folder, question(room, {"number": 43}, stored={"shoe_size": 43}))
        step = {"step_id": "s1", "description": "look", "tool": "memory_read", "arguments": {"key": "shoe_size"}}
        plan = json.dumps({"goal": "which size", "steps": [step]})
        command = [sys.executable, "-m", "aeon", "run", "--json", "--no-input", "--plan", "-"]
        answer = room.systems._watched_aeon(command, folder, plan)
        assert (answer.text, answer.failure, answer.marks, answer.tools) == ("43", None, [], ["memory_read"])
        assert 0 < answer.first_output <= answer.plan <= answer.seconds

    @pytest.mark.slow
    def test_a_command_is_watched(self, room, tmp_path):
        script = "import sys; print('plan: x', file=sys.stderr); print(sys.stdin.read()); sys.exit(3)"
        seen = room.watch.watch([sys.executable, "-c", script], tmp_path, {}, "piped", 30)
        assert seen.stdout == "piped\n"
        assert seen.failure == "exit code 3: plan: x\n"
        assert 0 < seen.first_output <= seen.first_line("plan: ") <= seen.seconds
        assert seen.first_line("other") is None

    @pytest.mark.slow
    def test_a_command_may_leave_its_stdin_unread(self, room, tmp_path):
        seen = room.watch.watch([sys.executable, "-c", "print(1)"], tmp_path, {}, "x" * 1_000_000, 30)
        assert (seen.stdout, seen.failure) == ("1\n", None)

    @pytest.mark.slow
    def test_a_command_that_takes_too_long_is_ended(self, room, tmp_path):
        seen = room.watch.watch([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, {}, None, 0.2)
        assert seen.failure == "ended after 0 s"
        assert seen.seconds < 30


class TestRun:
    @pytest.fixture
    def asked(self, room, monkeypatch, tmp_path):
        """The ids that a system was asked, in a run without a model that answers 42 and fails at the fourth request."""
        asked: list[str] = []

        @contextmanager
        def system(_name, _weights):
            def ask(each):
                if len(asked) == 3 and "stopped" not in asked:
                    asked.append("stopped")
                    raise KeyboardInterrupt
                asked.append(each.id)
                return room.score.Answer("42", seconds=2.0, first_output=0.5, plan=1.0)

            yield ask

        monkeypatch.setattr(room.run, "ANSWERS", tmp_path / "results" / "answers.jsonl")
        monkeypatch.setattr(room.run, "find_verified", lambda *_: tmp_path)
        monkeypatch.setitem(room.run.SYSTEMS, "aeon", system)
        return asked

    def test_a_stopped_run_goes_on_where_it_stopped(self, room, asked, capsys):
        options = ["--system", "aeon", "--split", "held_out", "--only", "arithmetic", "--limit", "5"]
        with pytest.raises(KeyboardInterrupt):
            room.run.main(options)
        with room.run.ANSWERS.open("a") as file:
            file.write('{"model": "standard", "sys')
        room.run.main([*options, "--continue"])
        ids = [each for each in asked if each != "stopped"]
        assert len(ids) == len(set(ids)) == 5
        printed = capsys.readouterr().out
        assert "| standard | aeon | held_out | arithmetic | 5 | " in printed
        assert "right, yet marked" in printed
        assert "Aims, standard, held_out: right " in printed

    def test_a_run_begins_anew_without_the_option(self, room, asked):
        asked.append("stopped")
        for _ in range(2):
            room.run.main(["--system", "aeon", "--split", "tuning", "--only", "facts", "--limit", "2"])
        assert len(list(room.run.read_answers(room.run.ANSWERS))) == 2
        assert len(asked) == 5

    def test_a_crash_is_an_answer(self, room):
        def crash(_question):
            raise RuntimeError("no")

        assert room.run.asked(crash, None).failure == "crashed: RuntimeError: no"

    def test_kept_answers_are_judged_anew(self, room):
        asked = question(room, {"number": 63})
        row = room.run.judged("standard", "aeon", asked, room.score.Answer("63", seconds=1.5))
        again = room.run.rejudged({**row, "verdict": "wrong, unmarked"}, [asked])
        assert again == row

    def test_unknown_names_are_refused(self, room, capsys):
        with pytest.raises(SystemExit):
            room.run.main(["--only", "poems"])
        assert "unknown: poems" in capsys.readouterr().err


class TestTable:
    def test_figures_and_aims(self, room):
        base = {
            "model": "standard",
            "system": "aeon",
            "split": "tuning",
            "kind": "facts",
            "language": "en",
            "marks": [],
        }
        timed = {"first_output": 0.5, "plan": 12.0}
        rows = [{**base, **timed, "verdict": "right", "seconds": float(second)} for second in range(1, 9)]
        rows += [
            {**base, "verdict": "right", "marks": ["doubtful"], "seconds": 9.0, "first_output": None, "plan": None},
            {**base, "verdict": "wrong, unmarked", "seconds": 10.0, "first_output": None, "plan": None},
        ]
        printed = room.table.tables(rows)
        assert (
            "| standard | aeon | tuning | all | 10 | 9 (90%) | 0 (0%) | 1 (10%) | 1 | 5.5 | 10.0 | 0.5 | 12.0 |"
            in printed
        )
        assert "right 90% (at least 75%: met)" in printed
        assert "wrong and unmarked 10% (at most 5%: not met)" in printed
        assert "plan in 12.0 s (at most 10: not met)" in printed

    def test_without_answers_there_is_no_percentile(self, room):
        assert room.table.percentile([], 90) is None
