"""The commands of `aeon skill` and their options. Each imports what it needs when it runs."""

from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from aeon.cli.options import AsJson, Model, NoInput, Output, Yes, group
from aeon.cli.skills.script_words import ScriptAwareCommand
from aeon.cli.stored_names import complete_skill

skill = group(
    "Skills: folders with a prompt and scripts.\n\n"
    "They are published or your own. Aeon turns a request into a plan of scripts, runs them as processes in the "
    "order of their dependencies, and plans again after a failure."
)

Language: TypeAlias = Literal["python", "bash", "javascript"]

Name = Annotated[str, typer.Argument(metavar="NAME", help="A skill's name.", autocompletion=complete_skill)]
Sandbox = Annotated[
    str | None,
    typer.Option("--sandbox", metavar="LEVEL", help="auto, require, bubblewrap, landlock or plain."),
]
Parallel = Annotated[
    int | None, typer.Option("--parallel", min=1, metavar="N", help="Maximum number of scripts that run at once.")
]
Timeout = Annotated[float | None, typer.Option("--timeout", metavar="SECONDS", help="Time limit for one plan.")]
AllowNetwork = Annotated[bool, typer.Option("--allow-network", help="Let the scripts use the network.")]
AllowModel = Annotated[bool, typer.Option("--allow-model", help="Let skills of the project use the model.")]
AllowWrite = Annotated[
    list[Path] | None,
    typer.Option("--allow-write", metavar="DIR", help="Let the scripts write to this folder; repeatable."),
]
AllowInstall = Annotated[
    bool, typer.Option("--allow-install", help="Install the packages that the scripts declare, by uv.")
]
With = Annotated[
    list[str] | None,
    typer.Option("--with", metavar="PACKAGE", help="Install this Python package for the scripts, by uv; repeatable."),
]
Trace = Annotated[Path | None, typer.Option("--trace", metavar="PATH", help="The file for the result with its trace.")]


@skill.command("run", cls=ScriptAwareCommand)
def skills_run(  # noqa: PLR0913, PLR0917  # one for each flag
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT...",
            help="A request in words; a plan's .json file; /NAME and words for a skill; or NAME/SCRIPT and its own "
            "arguments. - reads a request or a plan from stdin.",
            autocompletion=complete_skill,
        ),
    ],
    inputs: Annotated[
        list[str] | None,
        typer.Option(
            "--input", metavar="INPUT", help="A script's input: NAME=VALUE, NAME@FILE, JSON, or @FILE; repeatable."
        ),
    ] = None,
    model: Model = None,
    sandbox: Sandbox = None,
    parallel: Parallel = None,
    timeout: Timeout = None,
    allow_network: AllowNetwork = False,
    allow_model: AllowModel = False,
    allow_write: AllowWrite = None,
    allow_install: AllowInstall = False,
    packages: With = None,
    trace: Trace = None,
    as_json: AsJson = False,
    no_input: NoInput = False,
) -> int:
    """Run a request, a plan, one skill by name, or one of its scripts.

    Options of Aeon stand before NAME/SCRIPT: all that follows it goes to the script. A script that declares no input
    also gets what is piped in; --no-input keeps it away.
    """
    from aeon.cli.skills.run_commands import SkillRunOptions, run
    from aeon.cli.skills.trust_commands import SkillGrantFlags

    allowed = SkillGrantFlags(allow_network, allow_model, allow_write or [], allow_install, packages or [])
    return run(
        what,
        inputs or [],
        SkillRunOptions(model, sandbox, parallel, timeout, trace, allowed, as_json=as_json, may_fetch=not no_input),
    )


@skill.command("list")
def skills_list(
    watch: Annotated[bool, typer.Option("--watch", help="Keep running, and list again when a skill changes.")] = False,
    output: Output = "table",
) -> int:
    """List every skill: version, state and description."""
    from aeon.cli.skills.library_commands import list_skills

    return list_skills(is_watching=watch, output=output)


@skill.command("show")
def skills_show(name: Name, output: Output = "table") -> int:
    """Show a skill with its scripts, their schemas, and its prompt."""
    from aeon.cli.skills.library_commands import show_skill

    return show_skill(name, output=output)


@skill.command("check")
def skills_check(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="A skill's folder, or a folder of skills; default: all skills found."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """List each file that is invalid or was read leniently.

    Each with the line and the reason.
    """
    from aeon.cli.skills.library_commands import check_skills

    return check_skills(folder, as_json=as_json)


@skill.command("new")
def skills_new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Lower case letters, digits and hyphens.")],
    folder: Annotated[Path, typer.Option("--in", metavar="DIR", help="The folder for the new skill.")] = Path("skills"),
    language: Annotated[Language, typer.Option("--language", help="The language of its script.")] = "python",
) -> int:
    """Make a new, working skill.

    It has a prompt, a manifest, and a script that uses the protocol.
    """
    from aeon.cli.skills.library_commands import make_skill

    return make_skill(name, folder, language)


@skill.command("export")
def skills_export(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to write to.")],
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="The skills to export; default: all.", autocompletion=complete_skill),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing folders.")] = False,
) -> int:
    """Write skills in the published standard's form.

    Any client that reads the standard can use them.
    """
    from aeon.cli.skills.library_commands import export_skills

    return export_skills(folder, names or [], is_forced=force)


@skill.command("config")
def skills_config(
    name: Name,
    values: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Set a value; repeatable.")
    ] = None,
    as_json: AsJson = False,
    no_input: NoInput = False,
) -> int:
    """Show or set a skill's configuration.

    On a terminal it asks for required values that are missing.
    """
    from aeon.cli.skills.config_command import configure_skill

    return configure_skill(name, values or [], as_json=as_json, may_ask=not no_input)


@skill.command("trust")
def skills_trust(
    name: Name,
    allow_network: AllowNetwork = False,
    allow_model: AllowModel = False,
    allow_write: AllowWrite = None,
    allow_install: AllowInstall = False,
    packages: With = None,
) -> int:
    """Grant a skill what it requests and what the flags add.

    The grant ends when one of the skill's files changes.
    """
    from aeon.cli.skills.trust_commands import SkillGrantFlags, trust_skill

    flags = SkillGrantFlags(allow_network, allow_model, allow_write or [], allow_install, packages or [])
    return trust_skill(name, flags)


@skill.command("distrust")
def skills_distrust(name: Name) -> int:
    """Revoke the permissions that `trust` granted to a skill."""
    from aeon.cli.skills.trust_commands import distrust_skill

    return distrust_skill(name)


@skill.command("install")
def skills_install(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A folder, a zip or tar archive, or a git address.")],
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="The skills to install; default: all of the source.")
    ] = None,
    commit: Annotated[
        str, typer.Option("--commit", metavar="REF", help="A commit, branch or tag of the git address.")
    ] = "",
    project: Annotated[bool, typer.Option("--project", help="Install into this project's skills folder.")] = False,
) -> int:
    """Install skills from a folder, an archive or a git address."""
    from aeon.cli.skills.install_commands import install_skills

    return install_skills(source, names or [], commit, in_project=project)


@skill.command("update")
def skills_update(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME]...", help="Default: all that are not pinned.", autocompletion=complete_skill),
    ] = None,
    commit: Annotated[
        str, typer.Option("--commit", metavar="REF", help="Go to this commit, branch or tag of the git address.")
    ] = "",
    yes: Yes = False,
) -> int:
    """Fetch installed skills again, and say which changed."""
    from aeon.cli.skills.install_commands import update_skills

    return update_skills(names or [], commit, is_confirmed=yes)


@skill.command("pin")
def skills_pin(name: Name) -> int:
    """Keep an installed skill as it is: `update` leaves it alone."""
    from aeon.cli.skills.install_commands import pin_skill

    return pin_skill(name, is_pinned=True)


@skill.command("unpin")
def skills_unpin(name: Name) -> int:
    """Let a pinned skill be updated again."""
    from aeon.cli.skills.install_commands import pin_skill

    return pin_skill(name, is_pinned=False)


@skill.command("remove")
def skills_remove(name: Name, yes: Yes = False) -> int:
    """Remove an installed skill, with your data and settings."""
    from aeon.cli.skills.install_commands import remove_skill

    return remove_skill(name, is_confirmed=yes)


@skill.command("test")
def skills_test(name: Name, as_json: AsJson = False) -> int:
    """Run the examples in a skill's examples.json, in the sandbox."""
    from aeon.cli.skills.library_commands import test_skill

    return test_skill(name, as_json=as_json)
