"""`aeon process test`: runs the cases of a test file against recorded calls, or records them."""

from pathlib import Path
from typing import cast

from aeon.application.process_tests import CaseResult, ProcessTestFile, Recording, read_test, record
from aeon.base.errors import InputError
from aeon.base.json import parse_strict
from aeon.cli.console import print_data, print_message
from aeon.cli.exit_codes import ExitCode
from aeon.cli.platform.catalog import read_text
from aeon.cli.platform.session import runtime_session, workspace_session
from aeon.cli.text import indented_json, printable


def test_process(file: Path, user: str, *, records: bool, as_json: bool) -> int:
    """Print which cases are as expected; exit code 1 if one is not. Raises InputError."""
    test, place = read_test(read_text(file)), file.with_name(f"{file.stem}.recording.json")
    results = _record(test, place, user) if records else _replay(test, place, user)
    is_good = not any(each.faults for each in results)
    if as_json:
        cases = [{"name": each.name, "passed": not each.faults, "faults": [*each.faults]} for each in results]
        print_data(indented_json({"process": test.process, "passed": is_good, "cases": [*cases]}))
    else:
        for each in results:
            print_data(f"{'failed' if each.faults else 'passed'}: {printable(each.name)}")
            for fault in each.faults:
                print_data(f"    {printable(fault)}")
        failed = sum(bool(each.faults) for each in results)
        print_message(f"{len(results) - failed} of {len(results)} case(s) passed")
    return ExitCode.DONE if is_good else ExitCode.FAILED


def _record(test: ProcessTestFile, place: Path, user: str) -> list[CaseResult]:
    with runtime_session(user) as workspace:
        recording, results = record(test, workspace.runs)
    try:
        place.write_text(f"{indented_json({**recording})}\n", encoding="utf-8")
    except OSError as error:
        raise InputError(f"{place} cannot be written: {error.strerror}.", next_step="Move the test file.") from None
    print_message(f"wrote {place}")
    return results


def _replay(test: ProcessTestFile, place: Path, user: str) -> list[CaseResult]:
    recording: Recording = {}
    if place.exists():
        recording = _parsed(place)
    with workspace_session(user) as workspace:
        return workspace.processes.tests.replay(test, recording)


def _parsed(place: Path) -> Recording:
    value = parse_strict(read_text(place))
    if not isinstance(value, dict):
        raise InputError(f"{place} is not a recording.", next_step="Record it again: aeon process test FILE --record.")
    return cast(Recording, value)
