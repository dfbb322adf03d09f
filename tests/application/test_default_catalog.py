"""What Aeon ships is added once, also where several processes find a new record at the same time."""

import os
import threading

import pytest

from aeon.application.default_catalog import add_defaults
from aeon.bootstrap.platform import open_project_platform
from aeon.platform.catalog.repository import DEFAULTS_OWNER
from aeon.settings import load_settings

AT_ONCE = 8


def opened(folder):
    """A platform of its own, as another process has it."""
    environ = {"HOME": str(folder), "XDG_STATE_HOME": str(folder / "state"), "PATH": os.environ["PATH"]}
    loaded = load_settings({}, environ, folder)
    return open_project_platform(folder, loaded.settings, environ, loaded.from_project)


def shipped(platform):
    """The names of all that is shipped, each as often as it is there."""
    query = "SELECT name FROM tools WHERE owner_id = :u UNION ALL SELECT name FROM processes WHERE owner_id = :u"
    return sorted(row["name"] for row in platform.store.read(query, {"u": DEFAULTS_OWNER}))


@pytest.mark.parametrize("round_", range(3))
def test_eight_that_begin_at_once_add_each_thing_once(tmp_path, round_):
    (tmp_path / "alone").mkdir()
    with opened(tmp_path / "alone") as alone:
        add_defaults(alone)
        expected = shipped(alone)
    folder, together, failed = tmp_path / "together", threading.Barrier(AT_ONCE), []
    folder.mkdir()
    opened(folder).close()

    def begin():
        with opened(folder) as platform:
            together.wait(30)
            try:
                add_defaults(platform)
            except Exception as error:  # noqa: BLE001  # whatever it is, it is shown
                failed.append(error)

    threads = [threading.Thread(target=begin) for _ in range(AT_ONCE)]
    for each in threads:
        each.start()
    for each in threads:
        each.join(60)
    assert failed == []
    with opened(folder) as platform:
        assert shipped(platform) == expected
