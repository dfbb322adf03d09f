"""A model that answers what Graphiti asks, from a script of what messages say."""

import re
from datetime import UTC, datetime

from aeon.testing.llm import ScriptedAdapter


class Said:
    """What one message says: its names, and facts as (subject, object, text, since when)."""

    def __init__(self, *names, facts=()):
        self.names = names
        self.facts = facts


class ScriptedGraphiti(ScriptedAdapter):
    """Answers each of Graphiti's prompts by the kind of answer that it asks for.

    `said` maps a text to what a message with it says. `contradicts` are pairs of texts: a new fact with the first one
    contradicts a known fact with the second one.
    """

    def __init__(self, said=None, contradicts=()):
        super().__init__([])
        self.said = said or {}
        self.contradicts = contradicts

    def _next(self, request):
        self.requests.append(request)
        return getattr(self, f"_{request.schema['title']}")(request.prompt)

    def prompts(self, kind):
        return [each.prompt for each in self.requests if each.schema["title"] == kind]

    def _ExtractedEntities(self, prompt):  # noqa: N802  # the name of the answer
        return {"extracted_entities": [{"name": name, "entity_type_id": 1} for name in self._of(prompt).names]}

    def _NodeResolutions(self, prompt):  # noqa: N802
        return {"entity_resolutions": []}

    def _ExtractedEdges(self, prompt):  # noqa: N802
        return {
            "edges": [
                {
                    "source_entity_name": a,
                    "target_entity_name": b,
                    "relation_type": "KNOWS",
                    "fact": fact,
                    "valid_at": at,
                }
                for a, b, fact, at in self._of(prompt).facts
            ]
        }

    def _EdgeTimestamps(self, prompt):  # noqa: N802
        return {"valid_at": datetime.now(UTC).isoformat(), "invalid_at": None}

    def _EdgeDuplicate(self, prompt):  # noqa: N802
        known = {
            text: int(n) for n, text in re.findall(r"""['"]idx['"]: (\d+), ['"]fact['"]: ['"]([^'"]+)['"]""", prompt)
        }
        (new,) = re.findall(r"<NEW FACT>\n(.*?)\n</NEW FACT>", prompt, re.DOTALL)
        return {
            "duplicate_facts": [],
            "contradicted_facts": [known[old] for fact, old in self.contradicts if fact in new and old in known],
        }

    def _SummarizedEntities(self, prompt):  # noqa: N802
        return {"summaries": []}

    def _of(self, prompt):
        """What the message says that a prompt is about, which stands behind all earlier ones."""
        current = re.findall(r"<(CURRENT.MESSAGE)>\n(.*?)\n</\1>", prompt, re.DOTALL)[-1][1]
        found = [said for text, said in self.said.items() if text in current]
        return found[0] if found else Said()
