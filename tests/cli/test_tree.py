"""The tree of commands, held against decision 48: few entries, one set of verbs, help that fits, JSON where it lists."""

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from aeon.cli.app import app_for

MOST_ENTRIES = 16
VERBS = set(
    "list show run call search test new create apply rename delete remove uses check diff draw "  # noqa: SIM905  # read as a list
    "get set edit schema fetch path use rekey trust distrust bind unbind discover health clear archive restore "
    "events why answer cancel resume retry replay verify adopt pause install update pin unpin export import config "
    "chat compare fork forget redact memory switch regenerate stop tree link status backup migrate move sync rebuild detach mcp "
    "worker init doctor exec enable disable unlink add history repair confirm reject merge unmerge graph "
    "active hide enrich rotate drain continue".split()
)
LISTS = {"list", "show", "uses", "search", "status", "health", "why", "get", "schema", "diff", "doctor"}


def leaves(group=None, path=()):
    """Every command with its path; a group that is a command, too, is one."""
    group = group or get_command(app_for([]))
    for name, command in sorted(group.commands.items()):
        if isinstance(command, TyperGroup):
            yield from leaves(command, (*path, name))
        else:
            yield (*path, name), command


LEAVES = dict(leaves())


def test_there_are_few_entries_at_the_top():
    assert len(get_command(app_for([])).commands) <= MOST_ENTRIES


def test_the_same_verbs_are_used_everywhere():
    assert {path for path in LEAVES if path[-1] not in VERBS} == set()


def groups(group=None, path=()):
    """The path of every group."""
    group = group or get_command(app_for([]))
    yield path
    for name, command in group.commands.items():
        if isinstance(command, TyperGroup):
            yield from groups(command, (*path, name))


@pytest.mark.parametrize("path", list(groups()), ids=" ".join)
def test_every_entry_of_the_help_fits_on_its_line(aeon, path):
    entries = aeon(*path, "--help").out.partition("Commands:")[2].splitlines()[1:]
    assert [line for line in entries if line.endswith("...") or len(line) > 80] == []
    assert [line for line in entries if line.startswith("   ")] == [], "each has one line"
    assert all(len(line.split(maxsplit=1)) == 2 for line in entries), "each has a text"


@pytest.mark.parametrize("path", [path for path in LEAVES if path[-1] in LISTS], ids=" ".join)
def test_what_lists_or_shows_has_each_form_of_output(path):
    assert {"-o", "--output"} <= {name for each in LEAVES[path].params for name in each.opts}


@pytest.mark.parametrize("path", [path for path in LEAVES if path[-1] in {"delete", "remove"}], ids=" ".join)
def test_what_loses_something_asks_first(path):
    assert "--yes" in {name for each in LEAVES[path].params for name in each.opts}


def test_the_same_option_means_the_same_everywhere():
    helps = {}
    for command in LEAVES.values():
        for each in command.params:
            for name in set(each.opts) & {"--user", "--limit", "--yes", "--json", "--output", "--model", "--expect"}:
                helps.setdefault(name, set()).add(each.help)
    assert {name: len(texts) for name, texts in helps.items()} == dict.fromkeys(helps, 1)


@pytest.mark.parametrize("argv", [["tool", "list", "-o", "json"], ["tool", "list", "--json"]], ids=" ".join)
def test_json_is_short_for_o_json(aeon, argv):
    assert aeon(*argv).json[0]["name"] == "calculator"


def test_a_list_is_printed_as_yaml_and_as_names(aeon):
    assert aeon("tool", "list", "-o", "yaml").out.startswith("- name: calculator\n")
    assert aeon("tool", "list", "-o", "name").out.splitlines()[:2] == ["calculator", "echo"]
    assert aeon("tool", "list", "-o", "nmae").code == 2


def test_errors_are_json_for_o_json_too(aeon):
    assert aeon("tool", "show", "nothing", "-o", "json").json["error"]["code"] == "not_found"


def test_a_table_is_cut_on_a_terminal_only(aeon, terminal):
    code, screen = terminal("tool", "list", columns=60)
    assert (code, max(len(line.rstrip("\r")) for line in screen.split("\n")) <= 80) == (0, True)
    assert "..." in screen
    assert "..." not in "".join(aeon("tool", "list").out.splitlines()[:5])


def test_help_has_a_short_form(aeon):
    assert aeon("log", "list", "-h").out == aeon("log", "list", "--help").out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_there_is_a_script_for_each_shell(aeon, shell):
    assert "_AEON_COMPLETE" in aeon("--show-completion", shell).out


def test_commands_are_completed(aeon, monkeypatch):
    monkeypatch.setenv("_AEON_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "aeon tool se")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert aeon().out.split() == ["search", "service"]


def test_an_option_that_takes_one_value_is_refused_twice(aeon):
    """All but the last were left out without a word."""
    ended = aeon("tool", "list", "--limit", "3", "--limit", "4")
    assert (ended.code, "--limit was given 2 times" in ended.err) == (2, True)
    assert aeon("process", "list", "-o", "json", "--owner=own", "--owner", "all").code == 2
    assert aeon("apply", "-f", "a.yaml", "-f", "b.yaml").err.startswith("error: a.yaml cannot be read")
