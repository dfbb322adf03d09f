"""A schedule: which Process is started with what, and when."""

from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias
from uuid import NAMESPACE_OID, uuid5

from pydantic import Field

from aeon.base.json import JsonObject
from aeon.platform.catalog.model import EntityKind, OwnedEntity
from aeon.platform.processes.model import VariableName
from aeon.platform.records import Name, Record

CatchUpPolicy: TypeAlias = Literal["skip", "once"]
"""What becomes of moments that passed while nobody looked: nothing, or one start for all of them."""


class ProcessSchedule(OwnedEntity):
    """When its owner has a Process started: again and again by `cron`, or one time `at` an instant.

    All moments up to `since` are over and done with.
    """

    kind: ClassVar[EntityKind] = "schedule"
    stored_as_text: ClassVar[frozenset[str]] = frozenset({"inputs"})

    process: str
    inputs: JsonObject = Field(default={})
    cron: str | None = None
    at: str | None = None
    time_zone: str = "UTC"
    enabled: bool = True
    catch_up: CatchUpPolicy = "skip"
    since: str


class NewSchedule(Record):
    """A schedule to create: `cron` with the `timeZone` that it is meant in, or `at`. `process` is an id."""

    name: Name
    process: str
    inputs: dict[VariableName, Any] = Field(default={})
    cron: str | None = None
    at: str | None = Field(default=None, description="ISO 8601 with its offset")
    time_zone: str = Field(default="UTC", description="IANA name, as Europe/Berlin")
    enabled: bool = True
    catch_up: CatchUpPolicy = "skip"


class ScheduleChange(Record):
    """What may change of a schedule; what is left out stays. The Process never does.

    With `cron`, `at` goes, and the other way round.
    """

    name: Name | None = None
    inputs: dict[VariableName, Any] | None = None
    cron: str | None = None
    at: str | None = None
    time_zone: str | None = None
    enabled: bool | None = None
    catch_up: CatchUpPolicy | None = None

    def requested_fields(self) -> JsonObject:
        """What is to be different, as JSON data."""
        said = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        if self.cron and not self.at:
            said["at"] = None
        if self.at and not self.cron:
            said["cron"] = None
        return said


class ScheduleFiring(NamedTuple):
    """A moment at which a schedule is to start its Process. `run` is always the same for the same moment.

    `instant` is ISO 8601 in UTC.
    """

    schedule: ProcessSchedule
    instant: str

    @property
    def run_id(self) -> str:
        """The id of the run that it starts: a second one of this id would be the same run."""
        return str(uuid5(NAMESPACE_OID, f"{self.schedule.id} {self.instant}"))
