"""The commands of `aeon skills` and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from aeon.cli.options import AsJson, Model, NoInput, group

skills = group(
    "Run skills: folders with a prompt and scripts, published or your own. A request becomes a plan of scripts, run as "
    "processes in the order of what they need, and planned again where something fails."
)

Language: TypeAlias = Literal["python", "bash", "javascript"]

Name = Annotated[str, typer.Argument(metavar="NAME", help="A skill's name.")]
Sandbox = Annotated[
    str | None,
    typer.Option("--sandbox", metavar="LEVEL", help="auto, require, bubblewrap, landlock or plain."),
]
Parallel = Annotated[int | None, typer.Option("--parallel", min=1, metavar="N", help="Scripts at once.")]
Timeout = Annotated[float | None, typer.Option("--timeout", metavar="SECONDS", help="Time for one plan.")]
AllowNetwork = Annotated[bool, typer.Option("--allow-network", help="Let the scripts use the network.")]
AllowModel = Annotated[bool, typer.Option("--allow-model", help="Let skills of the project use the model.")]
AllowWrite = Annotated[
    list[Path] | None,
    typer.Option("--allow-write", metavar="DIR", help="Let the scripts write there; may be given again."),
]
Trace = Annotated[Path | None, typer.Option("--trace", metavar="PATH", help="Where the result with its trace goes.")]


@skills.command("run")
def skills_run(  # noqa: PLR0913, PLR0917  # one for each flag
    request: Annotated[str, typer.Argument(metavar="REQUEST", help="What you want done; - reads it from stdin.")],
    model: Model = None,
    sandbox: Sandbox = None,
    parallel: Parallel = None,
    timeout: Timeout = None,
    allow_network: AllowNetwork = False,
    allow_model: AllowModel = False,
    allow_write: AllowWrite = None,
    trace: Trace = None,
    as_json: AsJson = False,
    no_input: NoInput = False,
) -> int:
    """Plan a request with the skills there are, and run it."""
    from aeon.cli.skills.run_commands import SkillGrantFlags, SkillRunOptions, run_request

    allowed = SkillGrantFlags(network=allow_network, model=allow_model, write=allow_write or [])
    return run_request(
        request,
        SkillRunOptions(model, sandbox, parallel, timeout, trace, allowed, as_json=as_json, may_fetch=not no_input),
    )


@skills.command("exec")
def skills_exec(  # noqa: PLR0913, PLR0917  # one for each flag
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A Plan JSON file; - reads it from stdin.")],
    model: Model = None,
    sandbox: Sandbox = None,
    parallel: Parallel = None,
    timeout: Timeout = None,
    allow_network: AllowNetwork = False,
    allow_model: AllowModel = False,
    allow_write: AllowWrite = None,
    trace: Trace = None,
    as_json: AsJson = False,
) -> int:
    """Run a Plan JSON as it is, without a model."""
    from aeon.cli.skills.run_commands import SkillGrantFlags, SkillRunOptions, run_plan

    allowed = SkillGrantFlags(network=allow_network, model=allow_model, write=allow_write or [])
    return run_plan(
        plan, SkillRunOptions(model, sandbox, parallel, timeout, trace, allowed, as_json=as_json, may_fetch=False)
    )


@skills.command("replay")
def skills_replay(
    trace: Annotated[Path, typer.Argument(metavar="TRACE", help="The result of a run, as it was kept.")],
    as_json: AsJson = False,
) -> int:
    """Make the final state of a run again from its trace alone, and check that it is the same."""
    from aeon.cli.skills.run_commands import replay_trace

    return replay_trace(trace, as_json=as_json)


@skills.command("list")
def skills_list(
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and list again when a skill changes.")] = False,
    as_json: AsJson = False,
) -> int:
    """Every skill: its version, its state, what it is for."""
    from aeon.cli.skills.library_commands import list_skills

    return list_skills(is_watching=watch, as_json=as_json)


@skills.command("show")
def skills_show(name: Name, as_json: AsJson = False) -> int:
    """A skill with its scripts, their schemas, and its prompt."""
    from aeon.cli.skills.library_commands import show_skill

    return show_skill(name, as_json=as_json)


@skills.command("check")
def skills_check(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="A skill's folder, or one of skills; without it, all that is found."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """What is wrong or was read leniently: each file, with its line and the reason."""
    from aeon.cli.skills.library_commands import check_skills

    return check_skills(folder, as_json=as_json)


@skills.command("new")
def skills_new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower case letters, digits and hyphens.")],
    folder: Annotated[Path, typer.Option("--in", metavar="DIR", help="The folder it is made in.")] = Path("skills"),
    language: Annotated[Language, typer.Option("--language", help="What its script is written in.")] = "python",
) -> int:
    """Make a new skill that works: a prompt, a manifest, a script that speaks the protocol."""
    from aeon.cli.skills.library_commands import make_skill

    return make_skill(name, folder, language)


@skills.command("export")
def skills_export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder they are written to.")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Which; without it, every skill.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over what is there.")] = False,
) -> int:
    """Write skills as the published standard has them, for any client that reads it."""
    from aeon.cli.skills.library_commands import export_skills

    return export_skills(folder, names or [], is_forced=force)


@skills.command("config")
def skills_config(
    name: Name,
    values: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a value; may be given again.")
    ] = None,
    as_json: AsJson = False,
    no_input: NoInput = False,
) -> int:
    """A skill's configuration: shown, set, and asked for where something required is missing."""
    from aeon.cli.skills.config_command import configure_skill

    return configure_skill(name, values or [], as_json=as_json, may_ask=not no_input)


@skills.command("trust")
def skills_trust(
    name: Name, allow_network: AllowNetwork = False, allow_model: AllowModel = False, allow_write: AllowWrite = None
) -> int:
    """Grant a skill what it asks for, and what the flags say, until one of its files changes."""
    from aeon.cli.skills.trust_commands import trust_skill

    return trust_skill(name, network=allow_network, model=allow_model, write=allow_write or [])


@skills.command("distrust")
def skills_distrust(name: Name) -> int:
    """Take back what a skill was granted by `trust`."""
    from aeon.cli.skills.trust_commands import distrust_skill

    return distrust_skill(name)
