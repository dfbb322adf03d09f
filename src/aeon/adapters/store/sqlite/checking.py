"""Looking through a whole record: whether it is damaged, and taking over one that came from elsewhere."""

from contextlib import closing
from pathlib import Path

from aeon.adapters.store.sqlite.connection import connect, connect_read_only
from aeon.adapters.store.sqlite.failures import as_store_errors
from aeon.adapters.store.sqlite.integrity import integrity_problems, require_whole
from aeon.adapters.store.sqlite.locking import RecordLock
from aeon.adapters.store.sqlite.opening import exclusive_access
from aeon.adapters.store.sqlite.ownership import take_ownership
from aeon.adapters.store.sqlite.place import RecordFiles
from aeon.adapters.store.sqlite.schema import KNOWN_VERSIONS, SchemaVersions, identify
from aeon.platform.store import DamagedStoreError


def check_record(path: Path, *, versions: SchemaVersions = KNOWN_VERSIONS) -> list[str]:
    """What is wrong with the record in `path`, in words; empty if nothing is. Others may use it meanwhile.

    Raises StoreError when it cannot be looked at.
    """
    place = RecordFiles(path.absolute())
    place.require()
    place.check_folder()
    place.check_files()
    lock = RecordLock(place)
    try:
        lock.acquire()
        with as_store_errors(place.path), closing(connect_read_only(place.path)) as connection:
            identify(connection, place.path, versions)
            return list(integrity_problems(connection, place.path))
    except DamagedStoreError as error:
        return [error.message]
    finally:
        lock.release()


def adopt_record(path: Path, *, state: Path, versions: SchemaVersions = KNOWN_VERSIONS) -> bool:
    """Take over a record that came from elsewhere, after looking through all of it; False for this user's own.

    Its tables must be Aeon's own, and its file whole. From then on it is this user's, under a new id.
    Raises StoreError.
    """
    RecordFiles(path.absolute()).require()
    with exclusive_access(path) as place, as_store_errors(place.path):
        place.check_files()
        with closing(connect_read_only(place.path)) as connection:
            identity = identify(connection, place.path, versions)
            require_whole(connection, place.path)
        with closing(connect(place.path)) as connection:
            return take_ownership(connection, identity.record, state, place.path)
