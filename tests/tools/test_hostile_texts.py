"""Requests and replies that would make a pattern try each of very many ways to read them (core 18: nothing hangs)."""

import subprocess
import sys

import pytest

PIECES = [
    *(
        "1 day ",
        "1 d ",
        "1 day and ",
        "1 day, ",
        "8:07 ",
        "8:07 - ",
        "+ 1 day ",
        "1 May 2026 ",
        "the 1st of May ",
        "adding 1 day ",
    ),
    *(
        "1.5 km ",
        "1/2 cup ",
        "1,000 ",
        "100% of ",
        "2 + ",
        "( ",
        "- ( ",
        "three ",
        "half past ",
        "first Friday in May ",
    ),
    *("was ist 1.500 ", "1 000 ", "1,000.5 ", "1\u202f000"),
    *("how many ", "what is ", "when should ", "what time must ", "number of minutes in a ", "convert 1 ", "is ", "a "),
    *(
        "and ",
        "did a a ",
        "how many letters in the word ",
        "sort the words: a, ",
        "the word: 'a ",
        "sort a, b in reverse order ",
        "sorry but as an ai ",
        "and please ",
        ", please",
        "if ",
        "each ",
        "sort ",
        "as a table ",
        "zone ",
        "weißt du ",
        "not the ",
        "in total ",
        "pay ",
        "my note ",
        "forget that my code is ",
        "is 4 from memory ",
        "translate to german: ",
        'translate "a',
        "send my ",
        "sorry, but i ",
        "no puedo ",
        "how and how ",
        "which date and when? ",
        "Monday to Friday ",
        "every 3 weeks the 6th ",
        "when is the ",
        "tomorrow at 9:30 ",
        "within 5 working days (Mon-Fri, ",
        "in the evening 8:15 tonight ",
        "1. 1. ",
        "//",
        "/**/",
        "x",
        "Dr. ",
        "hey, ",
        "wer ",
        "5 foot ",
        "2 1/2 ",
        "½",
        " ",
        "1",
    ),
]
"""Parts of texts that patterns repeat."""

READ_REQUESTS = """
import sys
from aeon.llm.instructions import answer_prompt
from aeon.memory.kv_store import InMemoryKVStore
from aeon.plan.models import PlanStep
from aeon.supervisor.answered_run import AnsweredRun
from aeon.supervisor.question_checks import question_doubts
from aeon.supervisor.reach_checks import reach_doubts
from aeon.supervisor.unsure_checks import unsure_doubts
from aeon.tools.registry import ToolRegistry
from aeon.tools.stubs import builtin_tools

memory = InMemoryKVStore()
for number in range(500):
    memory.write(f"note {number} of my day", "1 day")
registry = ToolRegistry(builtin_tools(memory), plans_always=False)
step = [PlanStep(step_id="s1", description="answer", agent="llm")]
computed = [PlanStep(step_id="s1", description="answer", tool="date_math", arguments={})]
for piece in sys.argv[1:]:
    print(repr(piece), flush=True)
    for text in (piece * 600, "".join(f"{piece} word{number} " for number in range(3000)), (piece * 300)[:290] + "#", (piece * 300)[:290] + "?", piece * 30 + "# is what?"):
        registry.offer(text)
        answer_prompt(text)
        for answer in ("It is so.", text):
            reply = {"text": answer, "unsure": [[1, " x", 0.1]]}
            run = AnsweredRun(text, step, [], {"s1": answer}, is_planned=True, is_written=True, reply=reply)
            reach_doubts(run)
            unsure_doubts(run)
            question_doubts(run._replace(steps=computed))
            unsure_doubts(run._replace(request="who is it?"))
"""

READ_REPLIES = """
import sys
from aeon.tools.worked_dates import read_dated_solution
from aeon.tools.worked_solutions import read_solution
from aeon.validation.recovery import recover

for piece in sys.argv[1:]:
    print(repr(piece), flush=True)
    for text in (piece * 1500, piece * 60, "The way takes " + piece * 40):
        line = text[:1500]
        for reply in (line + "=", line + "= 9:00", line + "after 8:07", "8:07 " + line + "= 9:00"):
            read_solution(reply)
            read_dated_solution(reply, line[:300])
        for reply in ('{"a": none ' + line, "{'a' " + line + "}", '["' + line, "{a: " + line):
            recover(reply)
"""


@pytest.mark.slow
@pytest.mark.parametrize("program", [READ_REQUESTS, READ_REPLIES], ids=["requests", "replies"])
def test_no_text_makes_a_pattern_take_long(program):
    """All of them take seconds; a failure names, last, the piece that took minutes."""
    subprocess.run([sys.executable, "-c", program, *PIECES], check=True, timeout=120)
