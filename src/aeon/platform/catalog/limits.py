"""What a service takes at most, whoever's jobs ask it."""

from pydantic import Field

from aeon.platform.records import Record


class CallRate(Record):
    """So many calls in any stretch of so many seconds."""

    calls: int = Field(ge=1, le=100_000)
    seconds: float = Field(gt=0, le=86_400)


class ServiceLimits(Record):
    """What is None is not limited. All jobs of all runs of one record keep to them together (platform 10)."""

    concurrency: int | None = Field(default=None, ge=1, le=256, description="calls at once")
    rate: CallRate | None = None

    @property
    def is_unlimited(self) -> bool:
        """Whether there is nothing to keep to."""
        return self.concurrency is None and self.rate is None

    def describe(self) -> str:
        """As a list says it; empty without any."""
        said = [] if self.concurrency is None else [f"{self.concurrency} at once"]
        said += [] if self.rate is None else [f"{self.rate.calls} in {self.rate.seconds:g} s"]
        return f"at most {' and '.join(said)}" if said else ""
