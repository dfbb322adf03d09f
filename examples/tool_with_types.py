"""A tool with pydantic types, used by a plan that needs no model.

Run it: python examples/tool_with_types.py [FOLDER]
"""

import sys
from datetime import date

from pydantic import BaseModel, Field

from aeon import Plan, Project, tool


class Trip(BaseModel):
    """What a traveller wants."""

    to: str = Field(min_length=1, description="a city")
    first_day: date
    nights: int = Field(ge=1, le=60)


class Cost(BaseModel):
    """What a trip costs, in euros."""

    hotel: float
    total: float


@tool
def trip_cost(trip: Trip, price_per_night: float) -> Cost:
    """Adds up what a trip costs."""
    hotel = trip.nights * price_per_night
    return Cost(hotel=hotel, total=hotel + 120)


PLAN = Plan.model_validate(
    {
        "goal": "What does the trip cost?",
        "steps": [
            {
                "step_id": "cost",
                "description": "add up the cost",
                "tool": "trip_cost",
                "arguments": {"trip": {"to": "Lisbon", "first_day": "2027-05-01", "nights": 3}, "price_per_night": 90},
            },
            {
                "step_id": "say",
                "description": "say it",
                "tool": "echo",
                "arguments": {"text": "{step.cost.total} euros"},
            },
        ],
    }
)


def main(folder: str) -> None:
    """Run the plan with the tool in the project of that folder."""
    with Project.open(folder) as project:
        result = project.run_plan(PLAN, tools=[trip_cost])
        print(result.status, result.answer)
        print("cost:", Cost.model_validate(result.results["cost"]))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
