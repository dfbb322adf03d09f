"""Records for tests: separate SQLite files, made by the migrations."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random

from aeon.adapters.store.sqlite.factory import open_sqlite
from aeon.adapters.store.sqlite.store import SqliteStore
from aeon.base.json import Json, JsonObject
from aeon.platform.store import DuplicateError, GuardError, InvariantError, Store, UnitOfWork
from aeon.testing.knowledge_changes import KNOWLEDGE_CHANGES
from aeon.testing.record_writer import AT, NUMBERS, USERS, RecordWriter


def new_record(folder: Path) -> SqliteStore:
    """Opens the record in `folder`, and creates it if needed. The ownership marks are in the same folder."""
    return open_sqlite(folder / "own" / "aeon.db", state=folder / "state")


class RecordMutator:
    """Changes a store at random, reproducibly for the same seed."""

    def __init__(self, store: Store, seed: int) -> None:
        """`seed` also makes the names of several writers unique."""
        self._store = store
        self._random = Random(seed)  # noqa: S311  # not a secret
        self._numbers = count(seed * 1_000_000)
        self._store.update(self._add_users)

    def make_changes(self, changes: int) -> None:
        """Makes that number of changes; skips those that the database refuses."""
        for _ in range(changes):
            self.make_change()

    def make_change(self) -> None:
        """Makes one transaction of one to three changes."""
        seed = self._random.random()

        def work(unit: UnitOfWork) -> None:
            chance = Random(seed)  # noqa: S311  # reproducible if the unit is repeated
            for change in chance.choices(_CHANGES, k=chance.randint(1, 3)):
                change(RecordWriter(unit, chance, next(self._numbers)))

        with suppress(GuardError, DuplicateError, InvariantError):
            self._store.update(work)

    def _add_users(self, unit: UnitOfWork) -> None:
        for user in USERS:
            RecordWriter(unit, self._random, 0).insert(
                "users", {"id": user, "audit_seq": 0, "audit_hash": "", "created_at": AT}, unless="id"
            )


def _user(w: RecordWriter) -> None:
    w.update("users", w.user(), {"audit_seq": w.chance.randint(1, 99), "audit_hash": w.text()})


def _service(w: RecordWriter) -> None:
    fixed = {"type": "rest_api", "protocol": "http", "requires_secret": w.bit(), "service_template_id": None}
    free = {"connection_schema": w.object(), "schema_version": 1, "limits": w.object(), "enabled": 1}
    free |= {"status": "healthy", "last_health_check": w.chance.choice([None, AT]), "error_message": w.text()}
    w.put("services", w.id("service"), {**fixed, **w.owned()}, {**free, **w.versioned()})


def _secret(w: RecordWriter) -> None:
    free = {"vault_version": w.chance.randint(1, 9), **w.versioned()}
    w.put("secrets", w.id("secret"), {"type": "api_key", **w.owned()}, free)


def _tool(w: RecordWriter) -> None:
    secret, node, fixed = w.chance.choice([None, w.id("secret")]), w.id("tool"), w.owned()
    fixed |= {"service_id": w.id("service"), "tool_template_id": None}
    free: JsonObject = {"description": w.text(), "connection_params": w.object(), "operation": w.object()}
    free |= {"secret_id": secret, "secret_scope": w.chance.choice([None, w.text()]), "effect": None}
    free |= {"input_schema": w.object(), "output_schema": w.object(), "enabled": 0, "status": "down"}
    w.put("tools", node, fixed, {**free, **w.versioned()})


def _binding(w: RecordWriter) -> None:
    fixed: JsonObject = {"user_id": w.user(), "tool_id": w.id("tool")}
    w.put("bindings", w.id("binding"), fixed, {"secret_id": w.id("secret"), "digest": w.text()})


def _trust(w: RecordWriter) -> None:
    fixed: JsonObject = {"user_id": w.user(), "tool_id": w.id("tool")}
    w.put("trusts", w.id("trust"), fixed, {"digest": w.text()})


def _template(w: RecordWriter) -> None:
    free = {"description": w.text(), "archived": w.bit(), **w.versioned()}
    fixed = {"operation": w.object(), "input_schema": w.object(), "output_schema": "{}", **w.owned()}
    w.put("tool_templates", w.id("tooltemplate"), fixed, free)
    fixed = {"type": "rest_api", "protocol": "http", "connection_schema": "{}", "requires_secret": 0, "limits": "{}"}
    w.put("service_templates", w.id("servicetemplate"), {**fixed, **w.owned()}, free)


def _definition(w: RecordWriter) -> str:
    digest = w.id("definition")
    w.insert("definitions", {"digest": digest, "text": w.text(), "created_at": AT}, unless="digest")
    return digest


def _process(w: RecordWriter) -> None:
    node, digest = w.id("process"), _definition(w)
    free: JsonObject = {"description": w.text(), "initial_context": w.object(), "output_template": w.text()}
    free |= {"token_budget": w.chance.choice([None, 5]), "max_recursion_depth": 3, "enabled": w.bit(), "digest": digest}
    w.put("processes", node, w.owned(), {**free, **w.versioned()})
    version = {"process_id": node, "version": w.chance.randint(1, 5), "digest": digest, "at": AT}
    w.insert("process_versions", version, unless="process_id, version")
    w.unit.write("DELETE FROM process_steps WHERE process_id = :id", {"id": node})
    for position in range(w.chance.randint(0, 3)):
        _step(w, node, position)


def _step(w: RecordWriter, process: str, position: int) -> None:
    called = w.chance.choice([("tool_id", w.id("tool")), ("called_process_id", w.id("process"))])
    step: JsonObject = {"process_id": process, "position": position, "id": f"s{position}", called[0]: called[1]}
    step |= {"inputs": w.object(), "output_variable": w.text(), "output_required": w.bit(), "mode": "sequential"}
    step |= {"condition": w.chance.choice([None, w.text()]), "timeout": 30, "interaction_mode": "auto"}
    w.insert("process_steps", step)
    if position and w.bit():
        needs = w.chance.randrange(position)
        w.insert("step_dependencies", {"process_id": process, "step": position, "needs": needs, "rank": 0})


def _schedule(w: RecordWriter) -> None:
    free = {"inputs": w.object(), "cron": "* * * * *", "time_zone": "UTC", "enabled": w.bit(), "catch_up": "skip"}
    free |= {"since": AT, "due_micros": w.chance.choice([None, 2**53 + 1]), **w.versioned()}
    w.put("schedules", w.id("schedule"), {"process_id": w.id("process"), **w.owned()}, free)


def _webhook(w: RecordWriter) -> None:
    free: JsonObject = {"input": w.chance.choice([None, w.text()]), "enabled": w.bit(), "trusted_digest": None}
    free |= {"old_secret_until": w.chance.choice([None, AT]), "refusal": w.text(), "refused_at": AT, **w.versioned()}
    fixed = {"process_id": w.id("process"), "secret_id": w.id("secret"), "secret_generated": w.bit()}
    w.put("webhooks", w.id("webhook"), {**fixed, "scheme": "github", **w.owned()}, free)


def _alert(w: RecordWriter) -> None:
    free: JsonObject = {"inputs": w.object(), "window_seconds": 60, "comparison": ">", "threshold": 2.5}
    free |= {"hold_seconds": 0, "interval_seconds": 60, "repeat_hours": w.chance.choice([None, 1]), "enabled": w.bit()}
    free |= {"state": "firing", "state_since": AT, "last_value": w.chance.choice([None, *NUMBERS]), "starts": 1}
    free |= {"is_starting": w.bit(), "run": w.text(), "problem": w.text(), "due_micros": None, **w.versioned()}
    fixed: JsonObject = {"process_id": w.id("process"), "metric": "tool.calls", "scope": "tool", **w.owned()}
    w.put("alerts", w.id("alert"), fixed, free)


def _run(w: RecordWriter) -> None:
    fixed: JsonObject = {"owner_id": w.user(), "process_id": w.id("process"), "process_name": w.text()}
    fixed |= {"digest": _definition(w), "plan": w.object(), "inputs": w.object(), "trigger": "user", "pins": w.object()}
    fixed |= {"root_id": w.id("run"), "accepted_at": AT, "deadline": w.chance.choice([None, *NUMBERS])}
    free: JsonObject = {"executor": w.text(), "phase": w.text(), "events": w.chance.randint(0, 9), "tokens": 7}
    w.put("runs", w.id("run"), fixed, free)


def _worker(w: RecordWriter) -> None:
    executor = w.id("executor")
    row = {"id": executor, "host": w.text(), "pid": 1, "birth": "", "started_at": AT, "last_heartbeat": AT}
    w.insert("executors", {**row, "types": "[]"}, unless="id")
    free: JsonObject = {"status": "busy", "current_job_id": w.text(), "last_heartbeat": AT, "updated_at": AT}
    step = {"current_process_id": w.id("process"), "current_step_id": f"s{w.chance.randrange(3)}"}
    free |= {**(step if w.bit() else dict.fromkeys(step)), "current_tool_id": w.chance.choice([None, w.id("tool")])}
    free |= {"processed_count": w.chance.randint(0, 9), "error_count": 0}
    fixed = {"type": f"type of {executor}", "executor_id": executor, "created_at": AT}
    w.put("workers", f"{executor}/{w.chance.randrange(2)}", fixed, free)


def _metric(w: RecordWriter) -> None:
    node = w.id("metric")
    fixed = {"exposed_as": w.name, "scope": "tool", "data_type": "float", "created_at": AT}
    free = {"name": w.name, "description": w.text(), "aggregation": "avg", "retention_days": None}
    w.put("metric_definitions", node, fixed, {**free, "version": w.chance.randint(1, 9), "updated_at": AT})
    value: JsonObject = {"id": f"value of {w.name}", "metric_id": node, "entity_id": w.id("tool"), "at": AT}
    value |= {"micros": 2**53 + 1, "number": w.chance.choice(NUMBERS), "dimensions": w.object()}
    w.insert("metric_values", value, unless="id")


def _forget(w: RecordWriter) -> None:
    oldest = "SELECT min(id) FROM metric_values"
    w.unit.write(f"DELETE FROM metric_values WHERE id = ({oldest})")  # noqa: S608  # a constant


def _deletion(table: str, kind: str) -> Callable[[RecordWriter], None]:
    return lambda w: w.delete(table, w.id(kind))


_CHANGES: tuple[Callable[[RecordWriter], Json], ...] = (
    *(
        _user,
        _service,
        _secret,
        _tool,
        _binding,
        _template,
        _process,
        _schedule,
        _webhook,
        _alert,
        _run,
        _worker,
        _metric,
        _forget,
    ),
    *(_trust, _service, _secret, _tool, _binding, _process, _run),
    *KNOWLEDGE_CHANGES,
    *(
        _deletion(table, kind)
        for table, kind in (
            ("services", "service"),
            ("secrets", "secret"),
            ("tools", "tool"),
            ("bindings", "binding"),
            ("trusts", "trust"),
            ("tool_templates", "tooltemplate"),
            ("service_templates", "servicetemplate"),
            ("processes", "process"),
            ("schedules", "schedule"),
            ("webhooks", "webhook"),
            ("alerts", "alert"),
            ("executors", "executor"),
        )
    ),
)
