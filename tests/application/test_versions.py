"""A change for a version that a thing no longer has is refused (platform 23)."""

import pytest

from aeon.platform.errors import VersionError

STARRED = {"name": "tool.stars", "scope": "tool", "aggregation": "avg", "dataType": "float"}


def test_the_second_of_two_changes_of_one_version_is_refused(project):
    seen = project.services.get("graph")
    changed = project.services.change("graph", {"name": "books"}, expected_version=seen.version)
    assert changed.version == seen.version + 1
    with pytest.raises(VersionError, match="it now has version 2") as refused:
        project.services.change(seen.id, {"name": "papers"}, expected_version=seen.version)
    assert refused.value.version == changed.version
    assert project.services.get(seen.id).name == "books"


def test_a_thing_that_was_changed_meanwhile_is_not_deleted(project):
    seen = project.processes.get("ask")
    project.processes.change("ask", {"enabled": False})
    with pytest.raises(VersionError):
        project.catalog.of_kind("process").remove("ask", expected_version=seen.version)
    assert project.processes.get("ask").enabled is False


def test_a_repeated_change_gets_the_first_answer_whatever_version_there_is_by_now(project):
    first = project.services.change("graph", {"name": "books"}, key="k", expected_version=1)
    assert project.services.change(first.id, {"name": "books"}, key="k", expected_version=1) == first


@pytest.mark.parametrize(
    "change",
    [
        lambda project: project.catalog.rename("tool", "mine", "ours", expected_version=9),
        lambda project: project.secrets.put("door", "api_key", {"key": "new"}, expected_version=9),
        lambda project: project.schedules.enable("daily", is_enabled=False, expected_version=9),
        lambda project: project.metrics.define({**STARRED, "retentionDays": 7}, expected_version=9),
        lambda project: project.metrics.remove("tool.stars", expected_version=9),
    ],
)
def test_every_service_takes_the_expected_version(project, change):
    project.secrets.put("door", "api_key", {"key": "old"})
    project.schedules.add({"name": "daily", "process": "greet", "inputs": {"who": "me"}, "cron": "0 8 * * *"})
    project.metrics.define(STARRED)
    with pytest.raises(VersionError, match="for version 9"):
        change(project)
