"""Schedule records: which Process is started, with which inputs, and when."""

from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias
from uuid import NAMESPACE_OID, uuid5

from pydantic import Field

from aeon.base.json import JsonObject
from aeon.platform.catalog.model import EntityKind, OwnedEntity
from aeon.platform.processes.model import VariableName
from aeon.platform.records import Name, Record
from aeon.platform.runs.model import Priority

CatchUpPolicy: TypeAlias = Literal["skip", "once"]
"""How missed instants are handled: skipped, or caught up by one run for all of them."""


class ProcessSchedule(OwnedEntity):
    """Starts a Process for its owner: repeatedly by `cron`, or once `at` an instant.

    All instants up to `since` are settled. The newest `run` that it has started began for the instant `started_at`;
    `problem` says why the newest start of all was refused.
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
    priority: Priority = "normal"
    since: str
    started_at: str | None = None
    run: str | None = None
    problem: str | None = None


class NewSchedule(Record):
    """A schedule to create: `cron` with its `timeZone`, or `at`. `process` is an id."""

    name: Name
    process: str
    inputs: dict[VariableName, Any] = Field(default={})
    cron: str | None = None
    at: str | None = Field(default=None, description="ISO 8601 with its offset")
    time_zone: str = Field(default="UTC", description="IANA name, such as Europe/Berlin")
    enabled: bool = True
    catch_up: CatchUpPolicy = "skip"
    priority: Priority = "normal"


class ScheduleChange(Record):
    """A change of a schedule; omitted fields stay as they are. The Process cannot change.

    `cron` replaces `at`, and vice versa.
    """

    name: Name | None = None
    inputs: dict[VariableName, Any] | None = None
    cron: str | None = None
    at: str | None = None
    time_zone: str | None = None
    enabled: bool | None = None
    catch_up: CatchUpPolicy | None = None
    priority: Priority | None = None

    def requested_fields(self) -> JsonObject:
        """Return the fields to change as JSON data."""
        fields = self.model_dump(mode="json", by_alias=True, exclude_none=True)
        if self.cron and not self.at:
            fields["at"] = None
        if self.at and not self.cron:
            fields["cron"] = None
        return fields


class ScheduleFiring(NamedTuple):
    """An instant at which a schedule starts its Process. `instant` is ISO 8601 in UTC.

    `run_id` is always the same for the same instant.
    """

    schedule: ProcessSchedule
    instant: str

    @property
    def run_id(self) -> str:
        """The id of the run: starting it again gives the same run."""
        return str(uuid5(NAMESPACE_OID, f"{self.schedule.id} {self.instant}"))
