"""What `aeon run` is asked: its flags, the request with its plan, texts and images."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from aeon.application.attachments import plan_of_images, plan_of_texts, read_attachments, read_images
from aeon.application.prepared_runs import AskedRequest, PlanPolicy
from aeon.base.errors import RequestError
from aeon.cli.inputs import ask_for_request, piped_text, read_plan, read_request, request_of_plan
from aeon.cli.session import FileGrants, load_cli_settings
from aeon.settings import LoadedSettings
from aeon.tools.attachments import Attachments

Verbosity: TypeAlias = Literal["quiet", "normal", "verbose"]
"""What is printed besides the answer: nothing, what happens, or also what the planner is offered."""

_COMMANDS = dict.fromkeys(("list", "ls", "ps", "last"), "`aeon log list` lists what ran.") | {
    "show": "`aeon log show last` shows the newest run."
}
"""What people type after `aeon run` who look for another command, and what that is."""

_STDIN = "-"
"""The name of stdin among files."""


class RequestOptions(NamedTuple):
    """The flags of a run."""

    model: str | None
    ttl: int | None
    as_json: bool
    may_fetch: bool
    stored_tools_user: str | None = None
    """The user whose stored tools are offered too; None offers no stored tools."""
    files: Sequence[str] = ()
    """Files and addresses of pages whose text the model gets."""
    grants: FileGrants = FileGrants()
    """Folders that tools may read, besides the current one, and in which tools and scripts may write."""
    images: Sequence[Path] = ()
    """Images that the model sees."""
    verbosity: Verbosity = "normal"

    def load(self, ttl: int | None = None) -> LoadedSettings:
        """The settings of the current folder, overridden by these flags. Raises ConfigError."""
        ttl = self.ttl if ttl is None else ttl
        return load_cli_settings(model=self.model, ttl=ttl, more=self.grants.settings())


class UserPlan(NamedTuple):
    """The file of a supplied plan, None without one, and how far the model may make up for what it lacks."""

    file: Path | None
    policy: PlanPolicy


def read_asked_request(request: str | None, supplied: UserPlan, options: RequestOptions) -> AskedRequest:
    """Read the request, the plan, the texts and the images. Raises InputError."""
    if supplied.file is not None:
        if options.files or options.images:
            flag = "--file" if options.files else "--image"
            raise RequestError(
                f"{flag} needs a request; a plan names what it reads.", next_step="Leave one of them out."
            )
        plan = read_plan(supplied.file)
        text = request_of_plan(plan) if request is None else read_request(request)
        return AskedRequest(text, plan, policy=supplied.policy)
    if any(supplied.policy):
        raise RequestError("--repair and --allow-fallback need a supplied plan.", next_step="Add --plan FILE.")
    piped = None if request == "-" else text_on_stdin(options)
    if request is None:
        request, piped = piped, None
        if request is None and options.may_fetch:
            request = ask_for_request()
    if request is None:
        raise RequestError(
            "There is no request.", next_step='Give a request, "-" to read it from stdin, or --plan FILE.'
        )
    text = read_request(request)
    if text in _COMMANDS:
        raise RequestError(f"{text!r} is not a request.", next_step=_COMMANDS[text])
    attachments = given_attachments(options, piped)
    images = read_images(options.images, folder=Path.cwd())
    if attachments is not None:
        return AskedRequest(text, plan_of_texts(text, attachments, images), attachments, images)
    return AskedRequest(text, plan_of_images(text, images) if images else None, None, images)


def verbosity_of(*, is_quiet: bool, is_verbose: bool) -> Verbosity:
    """What -q and -v ask for. Raises RequestError for both."""
    if is_quiet and is_verbose:
        raise RequestError("-q and -v contradict each other.", next_step="Leave one of them out.")
    return "quiet" if is_quiet else "verbose" if is_verbose else "normal"


def text_on_stdin(options: RequestOptions) -> str | None:
    """The text on stdin: if it is named as a file, else unless the user wants no input."""
    is_named = _STDIN in options.files
    return piped_text(is_named=is_named) if is_named or options.may_fetch else None


def given_attachments(options: RequestOptions, piped: str | None) -> Attachments | None:
    """The texts for the model, None without any. Raises InputError."""
    files = [file for file in options.files if file != _STDIN]
    if piped is None and not options.files:
        return None
    return read_attachments(files, piped, folder=Path.cwd(), allow_private=True)
