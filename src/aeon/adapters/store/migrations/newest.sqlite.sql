-- Made by docs/make_schema.py from the migrations up to 0016: a new record starts so.
-- Schema: 2a2233cfd08353f14b32617de8360e3947aac01bbebfb90d6cface87e760fd2d
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE users (
    id         TEXT PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 200),
    audit_seq  INTEGER NOT NULL CHECK (audit_seq >= 0),
    audit_hash TEXT NOT NULL,
    created_at TEXT NOT NULL
) STRICT;
CREATE TABLE audit_entries (
    user_id  TEXT NOT NULL REFERENCES users (id),
    seq      INTEGER NOT NULL CHECK (seq >= 1),
    at       TEXT NOT NULL,
    action   TEXT NOT NULL,
    subject  TEXT NOT NULL,
    actor_id TEXT NOT NULL,
    owner_id TEXT NOT NULL,
    previous TEXT NOT NULL,
    hash     TEXT NOT NULL,
    details  TEXT NOT NULL,
    PRIMARY KEY (user_id, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE requests (
    id     TEXT PRIMARY KEY,
    at     TEXT NOT NULL,
    body   TEXT NOT NULL,
    answer TEXT NOT NULL
) STRICT;
CREATE INDEX requests_at ON requests (at);
CREATE TABLE consumers (
    name     TEXT PRIMARY KEY,
    position INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE events (
    seq     INTEGER PRIMARY KEY AUTOINCREMENT,
    micros  INTEGER NOT NULL,
    label   TEXT NOT NULL,
    subject TEXT NOT NULL
) STRICT;
CREATE TABLE services (
    id                  TEXT PRIMARY KEY,
    owner_id            TEXT NOT NULL REFERENCES users (id),
    name                TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    type                TEXT NOT NULL CHECK (type IN ('neo4j_graph', 'rest_api', 'llm_provider', 'mcp_server')),
    protocol            TEXT NOT NULL,
    schema_version      INTEGER NOT NULL CHECK (schema_version >= 1),
    requires_secret     INTEGER NOT NULL CHECK (requires_secret IN (0, 1)),
    enabled             INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    status              TEXT NOT NULL CHECK (status IN ('healthy', 'degraded', 'down')),
    last_health_check   TEXT,
    shared              INTEGER NOT NULL CHECK (shared IN (0, 1)),
    service_template_id TEXT,
    version             INTEGER NOT NULL CHECK (version >= 1),
    created_at          TEXT NOT NULL,
    updated_at          TEXT NOT NULL,
    connection_schema   TEXT NOT NULL,
    limits              TEXT NOT NULL,
    error_message       TEXT,
    UNIQUE (owner_id, name),
    CHECK (enabled = 1 OR status <> 'healthy'),
    CHECK (CASE type WHEN 'neo4j_graph' THEN protocol IN ('bolt', 'bolt+s')
                     WHEN 'mcp_server' THEN protocol IN ('stdio', 'sse', 'http')
                     ELSE protocol IN ('http', 'https') END)
) STRICT;
CREATE INDEX services_shared ON services (name, id) WHERE shared = 1;
CREATE INDEX services_template ON services (service_template_id) WHERE service_template_id IS NOT NULL;
CREATE TABLE secrets (
    id            TEXT PRIMARY KEY,
    owner_id      TEXT NOT NULL REFERENCES users (id),
    name          TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    type          TEXT NOT NULL CHECK (type IN ('api_key', 'oauth_token', 'password', 'certificate')),
    shared        INTEGER NOT NULL CHECK (shared IN (0, 1)),
    vault_version INTEGER NOT NULL,
    version       INTEGER NOT NULL CHECK (version >= 1),
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    UNIQUE (owner_id, name),
    UNIQUE (id, owner_id)
) STRICT;
CREATE TABLE tools (
    id                TEXT PRIMARY KEY,
    owner_id          TEXT NOT NULL REFERENCES users (id),
    name              TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    service_id        TEXT NOT NULL REFERENCES services (id),
    secret_id         TEXT,
    secret_scope      TEXT,
    effect            TEXT CHECK (effect IN ('pure', 'read', 'idempotent', 'once')),
    enabled           INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    status            TEXT NOT NULL CHECK (status IN ('healthy', 'degraded', 'down')),
    last_health_check TEXT,
    health_failures   INTEGER NOT NULL DEFAULT 0 CHECK (health_failures >= 0),
    health_since      TEXT,
    shared            INTEGER NOT NULL CHECK (shared IN (0, 1)),
    tool_template_id  TEXT,
    version           INTEGER NOT NULL CHECK (version >= 1),
    created_at        TEXT NOT NULL,
    updated_at        TEXT NOT NULL,
    description       TEXT NOT NULL,
    connection_params TEXT NOT NULL,
    operation         TEXT NOT NULL,
    input_schema      TEXT NOT NULL,
    output_schema     TEXT NOT NULL,
    error_message     TEXT, runs_on TEXT NOT NULL DEFAULT '[]',
    UNIQUE (owner_id, name),
    FOREIGN KEY (secret_id, owner_id) REFERENCES secrets (id, owner_id),
    CHECK (enabled = 1 OR status <> 'healthy')
) STRICT;
CREATE INDEX tools_shared ON tools (name, id) WHERE shared = 1;
CREATE INDEX tools_service ON tools (service_id);
CREATE INDEX tools_secret ON tools (secret_id) WHERE secret_id IS NOT NULL;
CREATE INDEX tools_template ON tools (tool_template_id) WHERE tool_template_id IS NOT NULL;
CREATE TABLE bindings (
    id        TEXT PRIMARY KEY,
    user_id   TEXT NOT NULL REFERENCES users (id),
    tool_id   TEXT NOT NULL REFERENCES tools (id) ON DELETE CASCADE,
    secret_id TEXT NOT NULL, digest TEXT NOT NULL DEFAULT '',
    UNIQUE (user_id, tool_id),
    FOREIGN KEY (secret_id, user_id) REFERENCES secrets (id, owner_id)
) STRICT;
CREATE INDEX bindings_tool ON bindings (tool_id);
CREATE INDEX bindings_secret ON bindings (secret_id);
CREATE TABLE service_templates (
    id                TEXT PRIMARY KEY,
    owner_id          TEXT NOT NULL REFERENCES users (id),
    name              TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    type              TEXT NOT NULL CHECK (type IN ('neo4j_graph', 'rest_api', 'llm_provider', 'mcp_server')),
    protocol          TEXT NOT NULL,
    requires_secret   INTEGER NOT NULL CHECK (requires_secret IN (0, 1)),
    shared            INTEGER NOT NULL CHECK (shared IN (0, 1)),
    archived          INTEGER NOT NULL CHECK (archived IN (0, 1)),
    version           INTEGER NOT NULL CHECK (version >= 1),
    created_at        TEXT NOT NULL,
    updated_at        TEXT NOT NULL,
    description       TEXT,
    connection_schema TEXT NOT NULL,
    limits            TEXT NOT NULL,
    UNIQUE (owner_id, name),
    CHECK (CASE type WHEN 'neo4j_graph' THEN protocol IN ('bolt', 'bolt+s')
                     WHEN 'mcp_server' THEN protocol IN ('stdio', 'sse', 'http')
                     ELSE protocol IN ('http', 'https') END)
) STRICT;
CREATE INDEX service_templates_shared ON service_templates (name, id) WHERE shared = 1;
CREATE TABLE tool_templates (
    id            TEXT PRIMARY KEY,
    owner_id      TEXT NOT NULL REFERENCES users (id),
    name          TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    shared        INTEGER NOT NULL CHECK (shared IN (0, 1)),
    archived      INTEGER NOT NULL CHECK (archived IN (0, 1)),
    version       INTEGER NOT NULL CHECK (version >= 1),
    created_at    TEXT NOT NULL,
    updated_at    TEXT NOT NULL,
    description   TEXT,
    operation     TEXT NOT NULL,
    input_schema  TEXT NOT NULL,
    output_schema TEXT NOT NULL,
    UNIQUE (owner_id, name)
) STRICT;
CREATE INDEX tool_templates_shared ON tool_templates (name, id) WHERE shared = 1;
CREATE TABLE token_uses (
    id                TEXT PRIMARY KEY,
    user_id           TEXT NOT NULL REFERENCES users (id),
    tool_id           TEXT NOT NULL,
    at                TEXT NOT NULL,
    prompt_tokens     INTEGER NOT NULL CHECK (prompt_tokens >= 0),
    completion_tokens INTEGER NOT NULL CHECK (completion_tokens >= 0),
    model             TEXT
) STRICT;
CREATE INDEX token_uses_of ON token_uses (user_id, tool_id);
CREATE TABLE definitions (
    digest     TEXT PRIMARY KEY,
    created_at TEXT NOT NULL,
    text       TEXT NOT NULL
) STRICT;
CREATE TABLE processes (
    id                  TEXT PRIMARY KEY,
    owner_id            TEXT NOT NULL REFERENCES users (id),
    name                TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    token_budget        INTEGER CHECK (token_budget >= 1),
    max_recursion_depth INTEGER NOT NULL CHECK (max_recursion_depth BETWEEN 1 AND 10),
    enabled             INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    digest              TEXT NOT NULL REFERENCES definitions (digest),
    shared              INTEGER NOT NULL CHECK (shared IN (0, 1)),
    version             INTEGER NOT NULL CHECK (version >= 1),
    created_at          TEXT NOT NULL,
    updated_at          TEXT NOT NULL,
    description         TEXT NOT NULL,
    initial_context     TEXT NOT NULL,
    output_template     TEXT NOT NULL, paused INTEGER NOT NULL DEFAULT 0 CHECK (paused IN (0, 1)), retention_days INTEGER CHECK (retention_days >= 1),
    UNIQUE (owner_id, name)
) STRICT;
CREATE INDEX processes_digest ON processes (digest);
CREATE INDEX processes_shared ON processes (name, id) WHERE shared = 1;
CREATE TABLE process_versions (
    process_id TEXT NOT NULL REFERENCES processes (id) ON DELETE CASCADE,
    version    INTEGER NOT NULL,
    digest     TEXT NOT NULL REFERENCES definitions (digest),
    at         TEXT NOT NULL,
    PRIMARY KEY (process_id, version)
) STRICT, WITHOUT ROWID;
CREATE INDEX process_versions_digest ON process_versions (digest);
CREATE TABLE step_dependencies (
    process_id TEXT NOT NULL,
    step       INTEGER NOT NULL,
    needs      INTEGER NOT NULL,
    rank       INTEGER NOT NULL,
    PRIMARY KEY (process_id, step, needs),
    FOREIGN KEY (process_id, step) REFERENCES process_steps (process_id, position) ON DELETE CASCADE,
    FOREIGN KEY (process_id, needs) REFERENCES process_steps (process_id, position) ON DELETE CASCADE,
    CHECK (needs < step)
) STRICT, WITHOUT ROWID;
CREATE INDEX step_dependencies_needs ON step_dependencies (process_id, needs);
CREATE TABLE schedules (
    id         TEXT PRIMARY KEY,
    owner_id   TEXT NOT NULL REFERENCES users (id),
    name       TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    process_id TEXT NOT NULL REFERENCES processes (id),
    cron       TEXT,
    at         TEXT,
    time_zone  TEXT NOT NULL,
    enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    catch_up   TEXT NOT NULL CHECK (catch_up IN ('skip', 'once')),
    since      TEXT NOT NULL,
    due_micros INTEGER,
    shared     INTEGER NOT NULL CHECK (shared IN (0, 1)),
    version    INTEGER NOT NULL CHECK (version >= 1),
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    inputs     TEXT NOT NULL, priority TEXT NOT NULL DEFAULT 'normal' CHECK (priority IN ('high', 'normal', 'low')), started_at TEXT, run TEXT, problem TEXT,
    UNIQUE (owner_id, name),
    CHECK ((cron IS NULL) <> (at IS NULL))
) STRICT;
CREATE INDEX schedules_process ON schedules (process_id);
CREATE INDEX schedules_due ON schedules (due_micros, id) WHERE due_micros IS NOT NULL;
CREATE INDEX schedules_since ON schedules (since) WHERE enabled = 1;
CREATE TABLE runs (
    id               TEXT PRIMARY KEY,
    owner_id         TEXT NOT NULL REFERENCES users (id),
    process_id       TEXT NOT NULL,
    process_name     TEXT NOT NULL,
    digest           TEXT NOT NULL REFERENCES definitions (digest),
    trigger          TEXT NOT NULL CHECK (trigger IN ('user', 'schedule', 'process', 'retry', 'call')),
    parent_id        TEXT,
    root_id          TEXT NOT NULL,
    retry_of         TEXT,
    accepted_at      TEXT NOT NULL,
    deadline         REAL,
    executor         TEXT NOT NULL,
    phase            TEXT NOT NULL,
    events           INTEGER NOT NULL CHECK (events >= 0),
    ended_at         TEXT,
    ended_micros     INTEGER,
    tokens           INTEGER NOT NULL CHECK (tokens >= 0),
    is_unmeasured    INTEGER NOT NULL DEFAULT 0 CHECK (is_unmeasured IN (0, 1)),
    is_unsent        INTEGER NOT NULL DEFAULT 0 CHECK (is_unsent IN (0, 1)),
    plan_reference   TEXT,
    inputs_reference TEXT,
    plan             TEXT NOT NULL,
    inputs           TEXT NOT NULL,
    pins             TEXT NOT NULL,
    failure          TEXT, tags TEXT NOT NULL DEFAULT '{}', priority TEXT NOT NULL DEFAULT 'normal' CHECK (priority IN ('high', 'normal', 'low')), weight INTEGER NOT NULL DEFAULT 1, language INTEGER NOT NULL DEFAULT 1,
    CHECK ((ended_at IS NULL) = (ended_micros IS NULL))
) STRICT;
CREATE INDEX runs_owner ON runs (owner_id, accepted_at, id);
CREATE INDEX runs_open ON runs (accepted_at, id) WHERE ended_at IS NULL;
CREATE INDEX runs_open_owner ON runs (owner_id, accepted_at, id) WHERE ended_at IS NULL;
CREATE INDEX runs_executor ON runs (executor) WHERE ended_at IS NULL;
CREATE INDEX runs_digest ON runs (digest);
CREATE INDEX runs_root ON runs (root_id, accepted_at);
CREATE INDEX runs_ended ON runs (ended_micros) WHERE ended_micros IS NOT NULL;
CREATE INDEX runs_unmeasured ON runs (id) WHERE is_unmeasured = 1;
CREATE INDEX runs_unsent ON runs (ended_micros, id) WHERE is_unsent = 1;
CREATE INDEX runs_plan_reference ON runs (plan_reference) WHERE plan_reference IS NOT NULL;
CREATE INDEX runs_inputs_reference ON runs (inputs_reference) WHERE inputs_reference IS NOT NULL;
CREATE TABLE run_entries (
    run_id    TEXT NOT NULL REFERENCES runs (id),
    n         INTEGER NOT NULL CHECK (n >= 1),
    reference TEXT,
    text      TEXT NOT NULL,
    PRIMARY KEY (run_id, n)
) STRICT;
CREATE INDEX run_entries_reference ON run_entries (reference) WHERE reference IS NOT NULL;
CREATE TABLE signals (
    id        TEXT PRIMARY KEY,
    run_id    TEXT NOT NULL REFERENCES runs (id),
    at        TEXT NOT NULL,
    reference TEXT,
    text      TEXT NOT NULL
) STRICT;
CREATE INDEX signals_run ON signals (run_id, at);
CREATE INDEX signals_reference ON signals (reference) WHERE reference IS NOT NULL;
CREATE TABLE dead_jobs (
    id         TEXT PRIMARY KEY,
    run_id     TEXT NOT NULL REFERENCES runs (id),
    root_id    TEXT NOT NULL,
    owner_id   TEXT NOT NULL REFERENCES users (id),
    step       TEXT NOT NULL,
    tool       TEXT NOT NULL,
    at         TEXT NOT NULL,
    code       TEXT NOT NULL,
    attempts   INTEGER NOT NULL CHECK (attempts >= 0),
    retried_by TEXT,
    message    TEXT NOT NULL
) STRICT;
CREATE INDEX dead_jobs_owner ON dead_jobs (owner_id, at, id);
CREATE INDEX dead_jobs_run ON dead_jobs (run_id);
CREATE INDEX dead_jobs_root ON dead_jobs (root_id);
CREATE TABLE executors (
    id             TEXT PRIMARY KEY,
    host           TEXT NOT NULL,
    pid            INTEGER NOT NULL,
    birth          TEXT NOT NULL,
    started_at     TEXT NOT NULL,
    last_heartbeat TEXT NOT NULL,
    types          TEXT NOT NULL
, draining_since TEXT, labels TEXT NOT NULL DEFAULT '[]', aeon_version TEXT NOT NULL DEFAULT '', operations TEXT NOT NULL DEFAULT '[]', language INTEGER NOT NULL DEFAULT 1) STRICT;
CREATE TABLE workers (
    id              TEXT PRIMARY KEY,
    executor_id     TEXT NOT NULL REFERENCES executors (id) ON DELETE CASCADE,
    type            TEXT NOT NULL,
    status          TEXT NOT NULL CHECK (status IN ('idle', 'busy', 'offline')),
    current_job_id  TEXT,
    last_heartbeat  TEXT NOT NULL,
    processed_count INTEGER NOT NULL CHECK (processed_count >= 0),
    error_count     INTEGER NOT NULL CHECK (error_count >= 0),
    created_at      TEXT NOT NULL,
    updated_at      TEXT NOT NULL, current_process_id TEXT, current_step_id TEXT, current_tool_id TEXT,
    CHECK (status <> 'idle' OR current_job_id IS NULL)
) STRICT;
CREATE INDEX workers_executor ON workers (executor_id);
CREATE TABLE service_places (
    service_id TEXT PRIMARY KEY REFERENCES services (id) ON DELETE CASCADE,
    turn       INTEGER NOT NULL,
    standing   TEXT NOT NULL
) STRICT;
CREATE TABLE cached_results (
    key         TEXT PRIMARY KEY,
    tool_id     TEXT NOT NULL,
    reference   TEXT,
    used_micros INTEGER NOT NULL,
    text        TEXT NOT NULL
) STRICT;
CREATE INDEX cached_results_tool ON cached_results (tool_id, used_micros);
CREATE INDEX cached_results_used ON cached_results (used_micros);
CREATE INDEX cached_results_reference ON cached_results (reference) WHERE reference IS NOT NULL;
CREATE TABLE metric_definitions (
    id             TEXT PRIMARY KEY,
    name           TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    exposed_as     TEXT NOT NULL UNIQUE,
    scope          TEXT NOT NULL CHECK (scope IN ('service', 'tool', 'process', 'conversation')),
    aggregation    TEXT NOT NULL CHECK (aggregation IN ('sum', 'avg', 'min', 'max', 'count', 'last')),
    data_type      TEXT NOT NULL CHECK (data_type IN ('integer', 'float', 'boolean', 'timestamp')),
    retention_days INTEGER CHECK (retention_days >= 1),
    version        INTEGER NOT NULL CHECK (version >= 1),
    created_at     TEXT NOT NULL,
    updated_at     TEXT NOT NULL,
    description    TEXT NOT NULL,
    UNIQUE (scope, name)
) STRICT;
CREATE TABLE metric_values (
    id         TEXT PRIMARY KEY,
    metric_id  TEXT NOT NULL REFERENCES metric_definitions (id),
    entity_id  TEXT NOT NULL,
    at         TEXT NOT NULL,
    micros     INTEGER NOT NULL,
    number     REAL,
    instant    TEXT,
    user_id    TEXT,
    dimensions TEXT NOT NULL,
    CHECK ((number IS NULL) <> (instant IS NULL))
) STRICT;
CREATE INDEX metric_values_of ON metric_values (metric_id, micros);
CREATE INDEX metric_values_of_entity ON metric_values (metric_id, entity_id, micros);
CREATE TRIGGER meta_immutable BEFORE UPDATE ON meta WHEN OLD.key = 'record'
BEGIN SELECT RAISE(ABORT, 'immutable: meta'); END;
CREATE TRIGGER users_immutable BEFORE UPDATE ON users
WHEN NEW.id IS NOT OLD.id OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: users'); END;
CREATE TRIGGER users_kept BEFORE DELETE ON users
BEGIN SELECT RAISE(ABORT, 'never deleted: users'); END;
CREATE TRIGGER audit_entries_immutable BEFORE UPDATE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'immutable: audit_entries'); END;
CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries
BEGIN SELECT RAISE(ABORT, 'never deleted: audit_entries'); END;
CREATE TRIGGER requests_immutable BEFORE UPDATE ON requests
BEGIN SELECT RAISE(ABORT, 'immutable: requests'); END;
CREATE TRIGGER events_immutable BEFORE UPDATE ON events
BEGIN SELECT RAISE(ABORT, 'immutable: events'); END;
CREATE TRIGGER services_immutable BEFORE UPDATE ON services
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.type IS NOT OLD.type OR NEW.protocol IS NOT OLD.protocol OR NEW.requires_secret IS NOT OLD.requires_secret OR NEW.service_template_id IS NOT OLD.service_template_id OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: services'); END;
CREATE TRIGGER secrets_immutable BEFORE UPDATE ON secrets
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.type IS NOT OLD.type OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: secrets'); END;
CREATE TRIGGER tools_immutable BEFORE UPDATE ON tools
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.service_id IS NOT OLD.service_id OR NEW.tool_template_id IS NOT OLD.tool_template_id OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: tools'); END;
CREATE TRIGGER bindings_immutable BEFORE UPDATE ON bindings
WHEN NEW.id IS NOT OLD.id OR NEW.user_id IS NOT OLD.user_id OR NEW.tool_id IS NOT OLD.tool_id
BEGIN SELECT RAISE(ABORT, 'immutable: bindings'); END;
CREATE TRIGGER service_templates_immutable BEFORE UPDATE ON service_templates
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.type IS NOT OLD.type OR NEW.protocol IS NOT OLD.protocol OR NEW.connection_schema IS NOT OLD.connection_schema OR NEW.requires_secret IS NOT OLD.requires_secret OR NEW.limits IS NOT OLD.limits OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: service_templates'); END;
CREATE TRIGGER tool_templates_immutable BEFORE UPDATE ON tool_templates
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.operation IS NOT OLD.operation OR NEW.input_schema IS NOT OLD.input_schema OR NEW.output_schema IS NOT OLD.output_schema OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: tool_templates'); END;
CREATE TRIGGER definitions_immutable BEFORE UPDATE ON definitions
BEGIN SELECT RAISE(ABORT, 'immutable: definitions'); END;
CREATE TRIGGER definitions_kept BEFORE DELETE ON definitions
BEGIN SELECT RAISE(ABORT, 'never deleted: definitions'); END;
CREATE TRIGGER processes_immutable BEFORE UPDATE ON processes
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: processes'); END;
CREATE TRIGGER process_versions_immutable BEFORE UPDATE ON process_versions
BEGIN SELECT RAISE(ABORT, 'immutable: process_versions'); END;
CREATE TRIGGER step_dependencies_immutable BEFORE UPDATE ON step_dependencies
BEGIN SELECT RAISE(ABORT, 'immutable: step_dependencies'); END;
CREATE TRIGGER schedules_immutable BEFORE UPDATE ON schedules
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.process_id IS NOT OLD.process_id OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: schedules'); END;
CREATE TRIGGER runs_immutable BEFORE UPDATE ON runs
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.process_id IS NOT OLD.process_id OR NEW.digest IS NOT OLD.digest OR NEW.plan IS NOT OLD.plan OR NEW.inputs IS NOT OLD.inputs OR NEW.trigger IS NOT OLD.trigger OR NEW.pins IS NOT OLD.pins OR NEW.parent_id IS NOT OLD.parent_id OR NEW.root_id IS NOT OLD.root_id OR NEW.retry_of IS NOT OLD.retry_of OR NEW.accepted_at IS NOT OLD.accepted_at OR NEW.deadline IS NOT OLD.deadline
BEGIN SELECT RAISE(ABORT, 'immutable: runs'); END;
CREATE TRIGGER runs_ended_once BEFORE UPDATE ON runs
WHEN OLD.ended_at IS NOT NULL AND (NEW.phase IS NOT OLD.phase OR NEW.ended_at IS NOT OLD.ended_at OR NEW.events IS NOT OLD.events OR NEW.failure IS NOT OLD.failure)
BEGIN SELECT RAISE(ABORT, 'immutable: runs that have ended'); END;
CREATE TRIGGER run_entries_immutable BEFORE UPDATE ON run_entries
BEGIN SELECT RAISE(ABORT, 'immutable: run_entries'); END;
CREATE TRIGGER signals_immutable BEFORE UPDATE ON signals
BEGIN SELECT RAISE(ABORT, 'immutable: signals'); END;
CREATE TRIGGER workers_immutable BEFORE UPDATE ON workers
WHEN NEW.id IS NOT OLD.id OR NEW.executor_id IS NOT OLD.executor_id OR NEW.type IS NOT OLD.type
BEGIN SELECT RAISE(ABORT, 'immutable: workers'); END;
CREATE TRIGGER metric_definitions_immutable BEFORE UPDATE ON metric_definitions
WHEN NEW.id IS NOT OLD.id OR NEW.scope IS NOT OLD.scope OR NEW.data_type IS NOT OLD.data_type OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: metric_definitions'); END;
CREATE TRIGGER metric_values_immutable BEFORE UPDATE ON metric_values
BEGIN SELECT RAISE(ABORT, 'immutable: metric_values'); END;
CREATE TRIGGER users_created AFTER INSERT ON users WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'User', NEW.id); END;
CREATE TRIGGER users_changed AFTER UPDATE ON users WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'User', NEW.id); END;
CREATE TRIGGER services_created AFTER INSERT ON services WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Service', NEW.id); END;
CREATE TRIGGER services_changed AFTER UPDATE ON services WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Service', NEW.id); END;
CREATE TRIGGER services_deleted AFTER DELETE ON services WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Service', OLD.id); END;
CREATE TRIGGER secrets_created AFTER INSERT ON secrets WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Secret', NEW.id); END;
CREATE TRIGGER secrets_changed AFTER UPDATE ON secrets WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Secret', NEW.id); END;
CREATE TRIGGER secrets_deleted AFTER DELETE ON secrets WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Secret', OLD.id); END;
CREATE TRIGGER tools_created AFTER INSERT ON tools WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Tool', NEW.id); END;
CREATE TRIGGER tools_changed AFTER UPDATE ON tools WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Tool', NEW.id); END;
CREATE TRIGGER tools_deleted AFTER DELETE ON tools WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Tool', OLD.id); END;
CREATE TRIGGER bindings_created AFTER INSERT ON bindings WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Binding', NEW.id); END;
CREATE TRIGGER bindings_changed AFTER UPDATE ON bindings WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Binding', NEW.id); END;
CREATE TRIGGER bindings_deleted AFTER DELETE ON bindings WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Binding', OLD.id); END;
CREATE TRIGGER service_templates_created AFTER INSERT ON service_templates WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ServiceTemplate', NEW.id); END;
CREATE TRIGGER service_templates_changed AFTER UPDATE ON service_templates WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ServiceTemplate', NEW.id); END;
CREATE TRIGGER service_templates_deleted AFTER DELETE ON service_templates WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ServiceTemplate', OLD.id); END;
CREATE TRIGGER tool_templates_created AFTER INSERT ON tool_templates WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ToolTemplate', NEW.id); END;
CREATE TRIGGER tool_templates_changed AFTER UPDATE ON tool_templates WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ToolTemplate', NEW.id); END;
CREATE TRIGGER tool_templates_deleted AFTER DELETE ON tool_templates WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ToolTemplate', OLD.id); END;
CREATE TRIGGER definitions_created AFTER INSERT ON definitions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Definition', NEW.digest); END;
CREATE TRIGGER processes_created AFTER INSERT ON processes WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Process', NEW.id); END;
CREATE TRIGGER processes_changed AFTER UPDATE ON processes WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Process', NEW.id); END;
CREATE TRIGGER processes_deleted AFTER DELETE ON processes WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Process', OLD.id); END;
CREATE TRIGGER schedules_created AFTER INSERT ON schedules WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Schedule', NEW.id); END;
CREATE TRIGGER schedules_changed AFTER UPDATE ON schedules WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Schedule', NEW.id); END;
CREATE TRIGGER schedules_deleted AFTER DELETE ON schedules WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Schedule', OLD.id); END;
CREATE TRIGGER runs_created AFTER INSERT ON runs WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Run', NEW.id); END;
CREATE TRIGGER runs_changed AFTER UPDATE ON runs WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Run', NEW.id); END;
CREATE TRIGGER runs_deleted AFTER DELETE ON runs WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Run', OLD.id); END;
CREATE TRIGGER workers_created AFTER INSERT ON workers WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Worker', NEW.id); END;
CREATE TRIGGER workers_changed AFTER UPDATE ON workers WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Worker', NEW.id); END;
CREATE TRIGGER workers_deleted AFTER DELETE ON workers WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Worker', OLD.id); END;
CREATE TRIGGER metric_definitions_created AFTER INSERT ON metric_definitions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'MetricDefinition', NEW.id); END;
CREATE TRIGGER metric_definitions_changed AFTER UPDATE ON metric_definitions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'MetricDefinition', NEW.id); END;
CREATE TRIGGER metric_definitions_deleted AFTER DELETE ON metric_definitions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'MetricDefinition', OLD.id); END;
CREATE TRIGGER metric_values_created AFTER INSERT ON metric_values WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'MetricValue', NEW.id); END;
CREATE TRIGGER metric_values_deleted AFTER DELETE ON metric_values WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'MetricValue', OLD.id); END;
CREATE TABLE search_letters (
    letter TEXT PRIMARY KEY,
    folded TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE search_blocks (
    first TEXT PRIMARY KEY,
    last  TEXT NOT NULL,
    found TEXT NOT NULL GENERATED ALWAYS AS ('*[' || first || '-' || last || ']*') STORED
) STRICT, WITHOUT ROWID;
CREATE TABLE search_places (
    place INTEGER PRIMARY KEY
) STRICT;
CREATE TABLE search_documents (
    id         INTEGER PRIMARY KEY,
    label      TEXT NOT NULL,
    subject    TEXT NOT NULL,
    owner_id   TEXT NOT NULL,
    shared     INTEGER NOT NULL CHECK (shared IN (0, 1)),
    scope      TEXT NOT NULL GENERATED ALWAYS AS (CASE shared WHEN 1 THEN '' ELSE owner_id END) STORED,
    name       TEXT NOT NULL,
    body       TEXT NOT NULL,
    name_words TEXT NOT NULL DEFAULT '',
    body_words TEXT NOT NULL DEFAULT '',
    UNIQUE (label, subject)
) STRICT;
CREATE VIEW search_document_terms (scope, term, document) AS
SELECT d.scope, substr(word.value, 1, 64), d.id
FROM search_documents AS d
    CROSS JOIN json_each('["' || replace(d.name_words || ' ' || d.body_words, ' ', '","') || '"]') AS word
WHERE word.value <> '';
CREATE VIEW search_document_grams (scope, gram, document) AS
SELECT d.scope, substr('  ' || replace(d.name_words, ' ', '  ') || ' ', p.place, 3), d.id
FROM search_documents AS d CROSS JOIN search_places AS p
WHERE p.place <= length(replace(d.name_words, ' ', '  ')) + 1;
CREATE TABLE search_terms (
    scope    TEXT NOT NULL,
    term     TEXT NOT NULL,
    document INTEGER NOT NULL,
    PRIMARY KEY (scope, term, document)
) STRICT, WITHOUT ROWID;
CREATE TABLE search_grams (
    scope    TEXT NOT NULL,
    gram     TEXT NOT NULL,
    document INTEGER NOT NULL,
    PRIMARY KEY (scope, gram, document)
) STRICT, WITHOUT ROWID;
CREATE TABLE search_newest (
    document INTEGER PRIMARY KEY
) STRICT;
CREATE VIEW search_newest_terms (scope, term, document) AS
SELECT t.scope, t.term, t.document
FROM search_newest CROSS JOIN search_document_terms AS t ON t.document = search_newest.document;
CREATE VIEW search_newest_grams (scope, gram, document) AS
SELECT g.scope, g.gram, g.document
FROM search_newest CROSS JOIN search_document_grams AS g ON g.document = search_newest.document;
CREATE TRIGGER search_newest_full AFTER INSERT ON search_newest
WHEN (SELECT count(*) FROM search_newest) >= 64
BEGIN
    INSERT INTO search_terms (scope, term, document)
    SELECT scope, term, document FROM search_newest_terms WHERE true
    ON CONFLICT DO NOTHING;
    INSERT INTO search_grams (scope, gram, document)
    SELECT scope, gram, document FROM search_newest_grams WHERE true
    ON CONFLICT DO NOTHING;
    DELETE FROM search_newest;
END;
CREATE TRIGGER search_documents_created AFTER INSERT ON search_documents
BEGIN
    UPDATE search_documents
    SET (name_words, body_words) = (
        SELECT substr(text, 1, instr(text, char(31)) - 1), substr(text, instr(text, char(31)) + 1)
        FROM (
            WITH RECURSIVE given(text) AS (
                SELECT replace(NEW.name, char(31), ' ') || char(31)
                    || replace(substr(NEW.body, 1, 1000), char(31), ' ')
            ), steps(letter, text, last) AS (
                SELECT '', text, CASE WHEN text GLOB '*[^' || char(1) || '-' || char(127) || ']*'
                                      THEN char(0x10FFFF) ELSE char(127) END
                FROM given
                UNION ALL
                SELECT l.letter, replace(steps.text, l.letter, l.folded), steps.last
                FROM steps JOIN search_letters AS l ON l.letter = (
                    SELECT next.letter
                    FROM search_blocks AS b CROSS JOIN search_letters AS next
                    WHERE b.last > steps.letter AND b.first <= steps.last AND steps.text GLOB b.found
                      AND next.letter >= max(steps.letter, b.first) AND next.letter <= b.last
                      AND next.letter <> char(31) AND instr(steps.text, next.letter) > 0
                    ORDER BY b.first, next.letter LIMIT 1
                )
            )
            SELECT text FROM steps ORDER BY letter DESC LIMIT 1
        )
    )
    WHERE id = NEW.id;
    INSERT INTO search_newest (document) VALUES (NEW.id);
END;
CREATE TRIGGER search_documents_deleted BEFORE DELETE ON search_documents
BEGIN
    DELETE FROM search_newest WHERE document = OLD.id;
    DELETE FROM search_terms
    WHERE (scope, term, document) IN (SELECT scope, term, document FROM search_document_terms WHERE document = OLD.id);
    DELETE FROM search_grams
    WHERE (scope, gram, document) IN (SELECT scope, gram, document FROM search_document_grams WHERE document = OLD.id);
END;
CREATE TRIGGER services_indexed AFTER INSERT ON services
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Service', NEW.id, NEW.owner_id, NEW.shared, NEW.name, '';
END;
CREATE TRIGGER services_reindexed AFTER UPDATE OF name, shared ON services
WHEN (OLD.name, OLD.shared)
  IS NOT (NEW.name, NEW.shared)
BEGIN
    DELETE FROM search_documents WHERE label = 'Service' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Service', NEW.id, NEW.owner_id, NEW.shared, NEW.name, '';
END;
CREATE TRIGGER services_unindexed AFTER DELETE ON services
BEGIN
    DELETE FROM search_documents WHERE label = 'Service' AND subject = OLD.id;
END;
CREATE TRIGGER tools_indexed AFTER INSERT ON tools
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Tool', NEW.id, NEW.owner_id, NEW.shared, NEW.name, NEW.description;
END;
CREATE TRIGGER tools_reindexed AFTER UPDATE OF name, description, shared ON tools
WHEN (OLD.name, OLD.description, OLD.shared)
  IS NOT (NEW.name, NEW.description, NEW.shared)
BEGIN
    DELETE FROM search_documents WHERE label = 'Tool' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Tool', NEW.id, NEW.owner_id, NEW.shared, NEW.name, NEW.description;
END;
CREATE TRIGGER tools_unindexed AFTER DELETE ON tools
BEGIN
    DELETE FROM search_documents WHERE label = 'Tool' AND subject = OLD.id;
END;
CREATE TRIGGER processes_indexed AFTER INSERT ON processes
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Process', NEW.id, NEW.owner_id, NEW.shared, NEW.name, NEW.description;
END;
CREATE TRIGGER processes_reindexed AFTER UPDATE OF name, description, shared ON processes
WHEN (OLD.name, OLD.description, OLD.shared)
  IS NOT (NEW.name, NEW.description, NEW.shared)
BEGIN
    DELETE FROM search_documents WHERE label = 'Process' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'Process', NEW.id, NEW.owner_id, NEW.shared, NEW.name, NEW.description;
END;
CREATE TRIGGER processes_unindexed AFTER DELETE ON processes
BEGIN
    DELETE FROM search_documents WHERE label = 'Process' AND subject = OLD.id;
END;
CREATE TRIGGER service_templates_indexed AFTER INSERT ON service_templates
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'ServiceTemplate', NEW.id, NEW.owner_id, NEW.shared, NEW.name, coalesce(NEW.description, '')
    WHERE NEW.archived = 0;
END;
CREATE TRIGGER service_templates_reindexed AFTER UPDATE OF name, description, shared, archived ON service_templates
WHEN (OLD.name, OLD.description, OLD.shared, OLD.archived)
  IS NOT (NEW.name, NEW.description, NEW.shared, NEW.archived)
BEGIN
    DELETE FROM search_documents WHERE label = 'ServiceTemplate' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'ServiceTemplate', NEW.id, NEW.owner_id, NEW.shared, NEW.name, coalesce(NEW.description, '')
    WHERE NEW.archived = 0;
END;
CREATE TRIGGER service_templates_unindexed AFTER DELETE ON service_templates
BEGIN
    DELETE FROM search_documents WHERE label = 'ServiceTemplate' AND subject = OLD.id;
END;
CREATE TRIGGER tool_templates_indexed AFTER INSERT ON tool_templates
BEGIN
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'ToolTemplate', NEW.id, NEW.owner_id, NEW.shared, NEW.name, coalesce(NEW.description, '')
    WHERE NEW.archived = 0;
END;
CREATE TRIGGER tool_templates_reindexed AFTER UPDATE OF name, description, shared, archived ON tool_templates
WHEN (OLD.name, OLD.description, OLD.shared, OLD.archived)
  IS NOT (NEW.name, NEW.description, NEW.shared, NEW.archived)
BEGIN
    DELETE FROM search_documents WHERE label = 'ToolTemplate' AND subject = OLD.id;
    INSERT INTO search_documents (label, subject, owner_id, shared, name, body)
    SELECT 'ToolTemplate', NEW.id, NEW.owner_id, NEW.shared, NEW.name, coalesce(NEW.description, '')
    WHERE NEW.archived = 0;
END;
CREATE TRIGGER tool_templates_unindexed AFTER DELETE ON tool_templates
BEGIN
    DELETE FROM search_documents WHERE label = 'ToolTemplate' AND subject = OLD.id;
END;
CREATE TABLE trusts (
    id      TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES users (id),
    tool_id TEXT NOT NULL REFERENCES tools (id) ON DELETE CASCADE,
    digest  TEXT NOT NULL,
    UNIQUE (user_id, tool_id)
) STRICT;
CREATE INDEX trusts_tool ON trusts (tool_id);
CREATE TRIGGER trusts_immutable BEFORE UPDATE ON trusts
WHEN NEW.id IS NOT OLD.id OR NEW.user_id IS NOT OLD.user_id OR NEW.tool_id IS NOT OLD.tool_id
BEGIN SELECT RAISE(ABORT, 'immutable: trusts'); END;
CREATE TRIGGER trusts_created AFTER INSERT ON trusts WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Trust', NEW.id); END;
CREATE TRIGGER trusts_changed AFTER UPDATE ON trusts WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Trust', NEW.id); END;
CREATE TRIGGER trusts_deleted AFTER DELETE ON trusts WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Trust', OLD.id); END;
CREATE INDEX workers_step ON workers (CAST(current_process_id || '/' || current_step_id AS text));
CREATE INDEX workers_tool ON workers (current_tool_id) WHERE current_tool_id IS NOT NULL;
CREATE TABLE conversations (
    id                    TEXT PRIMARY KEY,
    owner_id              TEXT NOT NULL REFERENCES users (id),
    status                TEXT NOT NULL CHECK (status IN ('active', 'archived')),
    pinned                INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    title_by              TEXT CHECK (title_by IN ('user', 'model')),
    tip_id                TEXT,
    default_process_id    TEXT REFERENCES processes (id),
    default_process_since TEXT,
    forked_from_id        TEXT REFERENCES conversations (id),
    origin_turn_id        TEXT,
    origin_alternative_id TEXT,
    context_budget        INTEGER CHECK (context_budget > 0),
    import_key            TEXT,
    version               INTEGER NOT NULL CHECK (version >= 1),
    created_at            TEXT NOT NULL,
    updated_at            TEXT NOT NULL,
    title                 TEXT CHECK (length(title) BETWEEN 1 AND 200),
    tags                  TEXT NOT NULL,
    CHECK ((title IS NULL) = (title_by IS NULL)),
    CHECK ((default_process_id IS NULL) = (default_process_since IS NULL)),
    CHECK ((forked_from_id IS NULL) = (origin_turn_id IS NULL)),
    CHECK ((forked_from_id IS NULL) = (origin_alternative_id IS NULL)),
    UNIQUE (id, owner_id),
    UNIQUE (owner_id, import_key)
) STRICT;
CREATE INDEX conversations_newest ON conversations (owner_id, status, updated_at, id);
CREATE INDEX conversations_process ON conversations (default_process_id) WHERE default_process_id IS NOT NULL;
CREATE INDEX conversations_origin ON conversations (forked_from_id) WHERE forked_from_id IS NOT NULL;
CREATE INDEX conversations_untitled ON conversations (updated_at) WHERE title IS NULL;
CREATE TABLE conversation_turns (
    id                 TEXT PRIMARY KEY,
    conversation_id    TEXT NOT NULL REFERENCES conversations (id),
    parent_id          TEXT,
    via_alternative_id TEXT UNIQUE,
    sequence           INTEGER NOT NULL CHECK (sequence >= 1),
    speaker            TEXT NOT NULL CHECK (speaker IN ('user', 'agent', 'system')),
    turn_type          TEXT NOT NULL CHECK (turn_type IN ('message', 'tool_result', 'summary')),
    created_at         TEXT NOT NULL, shows TEXT GENERATED ALWAYS AS (id) VIRTUAL REFERENCES alternatives (shown_in) DEFERRABLE INITIALLY DEFERRED,
    UNIQUE (id, conversation_id),
    FOREIGN KEY (parent_id, conversation_id) REFERENCES conversation_turns (id, conversation_id),
    CHECK ((parent_id IS NULL) = (via_alternative_id IS NULL)),
    CHECK ((parent_id IS NULL) = (sequence = 1)),
    CHECK (CASE speaker WHEN 'user' THEN turn_type = 'message'
                        WHEN 'system' THEN turn_type <> 'tool_result'
                        ELSE turn_type <> 'summary' END)
) STRICT;
CREATE UNIQUE INDEX conversation_turns_root ON conversation_turns (conversation_id) WHERE parent_id IS NULL;
CREATE INDEX conversation_turns_of ON conversation_turns (conversation_id, sequence, id);
CREATE INDEX conversation_turns_parent ON conversation_turns (parent_id) WHERE parent_id IS NOT NULL;
CREATE TABLE alternatives (
    id              TEXT PRIMARY KEY,
    turn_id         TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    owner_id        TEXT NOT NULL,
    sequence        INTEGER NOT NULL CHECK (sequence >= 1),
    is_active       INTEGER NOT NULL CHECK (is_active IN (0, 1)),
    responds_to_id  TEXT,
    state           TEXT NOT NULL CHECK (state IN ('generating', 'complete', 'stopped', 'failed')),
    process_id      TEXT REFERENCES processes (id),
    process_digest  TEXT,
    run_id          TEXT,
    model           TEXT,
    created_at      TEXT NOT NULL,
    ended_at        TEXT,
    forgotten_at    TEXT,
    forgotten_by    TEXT REFERENCES users (id),
    content_hash    TEXT,
    path_hash       TEXT,
    content         TEXT,
    usage           TEXT,
    marks           TEXT,
    failure         TEXT,
    imported        TEXT, shown_in TEXT GENERATED ALWAYS AS (CASE is_active WHEN 1 THEN turn_id END) VIRTUAL,
    UNIQUE (turn_id, sequence),
    FOREIGN KEY (conversation_id, owner_id) REFERENCES conversations (id, owner_id),
    FOREIGN KEY (turn_id, conversation_id) REFERENCES conversation_turns (id, conversation_id),
    CHECK ((state = 'generating') = (ended_at IS NULL)),
    CHECK ((content IS NULL) = (state IN ('generating', 'failed') OR forgotten_at IS NOT NULL)),
    CHECK ((process_id IS NULL) = (process_digest IS NULL)),
    CHECK (state <> 'failed' OR failure IS NOT NULL),
    CHECK (forgotten_by IS NULL OR forgotten_at IS NOT NULL)
) STRICT;
CREATE UNIQUE INDEX alternatives_active ON alternatives (turn_id) WHERE is_active = 1;
CREATE INDEX alternatives_of ON alternatives (conversation_id);
CREATE INDEX alternatives_responding ON alternatives (responds_to_id) WHERE responds_to_id IS NOT NULL;
CREATE INDEX alternatives_generating ON alternatives (owner_id, created_at) WHERE state = 'generating';
CREATE INDEX alternatives_process ON alternatives (process_id) WHERE process_id IS NOT NULL;
CREATE INDEX alternatives_forgotten ON alternatives (forgotten_by) WHERE forgotten_by IS NOT NULL;
CREATE INDEX alternatives_run ON alternatives (run_id) WHERE run_id IS NOT NULL;
CREATE TABLE manifests (
    alternative_id TEXT PRIMARY KEY REFERENCES alternatives (id),
    digest         TEXT NOT NULL,
    made_at        TEXT NOT NULL,
    text           TEXT NOT NULL
) STRICT;
CREATE TABLE blobs (
    digest  TEXT PRIMARY KEY CHECK (length(digest) = 64),
    content TEXT NOT NULL
) STRICT;
CREATE TABLE attachments (
    alternative_id TEXT NOT NULL REFERENCES alternatives (id),
    n              INTEGER NOT NULL CHECK (n >= 1),
    name           TEXT CHECK (length(name) BETWEEN 1 AND 255),
    media_type     TEXT NOT NULL,
    size           INTEGER NOT NULL CHECK (size >= 1),
    digest         TEXT REFERENCES blobs (digest),
    text_digest    TEXT REFERENCES blobs (digest),
    is_erased      INTEGER NOT NULL CHECK (is_erased IN (0, 1)),
    PRIMARY KEY (alternative_id, n),
    CHECK ((name IS NULL) = (is_erased = 1)),
    CHECK ((digest IS NULL) = (is_erased = 1)),
    CHECK (text_digest IS NULL OR is_erased = 0)
) STRICT;
CREATE INDEX attachments_blob ON attachments (digest) WHERE digest IS NOT NULL;
CREATE INDEX attachments_text ON attachments (text_digest) WHERE text_digest IS NOT NULL;
CREATE TABLE pieces (
    alternative_id TEXT NOT NULL,
    n              INTEGER NOT NULL CHECK (n >= 0),
    text           TEXT NOT NULL,
    PRIMARY KEY (alternative_id, n)
) STRICT;
CREATE TABLE erasures (
    id         TEXT PRIMARY KEY,
    owner_id   TEXT NOT NULL REFERENCES users (id),
    actor_id   TEXT NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    ended_at   TEXT,
    runs       TEXT NOT NULL,
    reason     TEXT
) STRICT;
CREATE INDEX runs_retried ON runs (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX erasures_owner ON erasures (owner_id);
CREATE INDEX erasures_actor ON erasures (actor_id);
CREATE INDEX erasures_open ON erasures (created_at, id) WHERE ended_at IS NULL;
CREATE TABLE search_message_indexes (
    owner_id TEXT PRIMARY KEY REFERENCES users (id),
    form     INTEGER NOT NULL,
    last     INTEGER NOT NULL CHECK (last >= 0),
    waiting  INTEGER NOT NULL CHECK (waiting >= 0),
    behind   INTEGER NOT NULL
) STRICT;
CREATE TABLE search_message_documents (
    owner_id        TEXT NOT NULL,
    number          INTEGER NOT NULL,
    conversation_id TEXT NOT NULL,
    alternative_id  TEXT NOT NULL,
    PRIMARY KEY (owner_id, number),
    UNIQUE (conversation_id, alternative_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE search_message_words (
    owner_id TEXT NOT NULL,
    number   INTEGER NOT NULL,
    words    TEXT NOT NULL,
    PRIMARY KEY (owner_id, number)
) STRICT;
CREATE TABLE search_message_terms (
    owner_id TEXT NOT NULL,
    segment  INTEGER NOT NULL,
    term     TEXT NOT NULL,
    postings TEXT NOT NULL,
    PRIMARY KEY (owner_id, segment, term)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER conversations_immutable BEFORE UPDATE ON conversations
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.forked_from_id IS NOT OLD.forked_from_id OR NEW.origin_turn_id IS NOT OLD.origin_turn_id OR NEW.origin_alternative_id IS NOT OLD.origin_alternative_id OR NEW.import_key IS NOT OLD.import_key OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: conversations'); END;
CREATE TRIGGER alternatives_immutable BEFORE UPDATE ON alternatives
WHEN NEW.id IS NOT OLD.id OR NEW.turn_id IS NOT OLD.turn_id OR NEW.conversation_id IS NOT OLD.conversation_id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.sequence IS NOT OLD.sequence OR NEW.responds_to_id IS NOT OLD.responds_to_id OR NEW.process_id IS NOT OLD.process_id OR NEW.process_digest IS NOT OLD.process_digest OR (NEW.imported IS NOT OLD.imported AND (NEW.imported IS NOT NULL OR NEW.forgotten_at IS NULL)) OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: alternatives'); END;
CREATE TRIGGER conversation_turns_immutable BEFORE UPDATE ON conversation_turns
BEGIN SELECT RAISE(ABORT, 'immutable: conversation_turns'); END;
CREATE TRIGGER alternatives_ended_once BEFORE UPDATE ON alternatives
WHEN OLD.ended_at IS NOT NULL AND (NEW.state IS NOT OLD.state OR NEW.ended_at IS NOT OLD.ended_at OR NEW.run_id IS NOT OLD.run_id OR NEW.path_hash IS NOT OLD.path_hash OR NEW.model IS NOT OLD.model OR NEW.usage IS NOT OLD.usage OR ((NEW.content IS NOT OLD.content OR NEW.content_hash IS NOT OLD.content_hash OR NEW.marks IS NOT OLD.marks OR NEW.failure IS NOT OLD.failure) AND NEW.forgotten_at IS NULL))
BEGIN SELECT RAISE(ABORT, 'immutable: alternatives that have ended'); END;
CREATE TRIGGER alternatives_run_once BEFORE UPDATE ON alternatives
WHEN OLD.run_id IS NOT NULL AND NEW.run_id IS NOT OLD.run_id
BEGIN SELECT RAISE(ABORT, 'immutable: alternatives'); END;
CREATE TRIGGER alternatives_forgotten_once BEFORE UPDATE ON alternatives
WHEN OLD.forgotten_at IS NOT NULL AND (NEW.forgotten_at IS NOT OLD.forgotten_at OR NEW.forgotten_by IS NOT OLD.forgotten_by OR NEW.content IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'immutable: alternatives that were forgotten'); END;
CREATE TRIGGER conversations_kept BEFORE DELETE ON conversations
BEGIN SELECT RAISE(ABORT, 'never deleted: conversations'); END;
CREATE TRIGGER alternatives_kept BEFORE DELETE ON alternatives
BEGIN SELECT RAISE(ABORT, 'never deleted: alternatives'); END;
CREATE TRIGGER blobs_immutable BEFORE UPDATE ON blobs
BEGIN SELECT RAISE(ABORT, 'immutable: blobs'); END;
CREATE TRIGGER attachments_immutable BEFORE UPDATE ON attachments
WHEN NEW.alternative_id IS NOT OLD.alternative_id OR NEW.n IS NOT OLD.n OR NEW.media_type IS NOT OLD.media_type OR NEW.size IS NOT OLD.size OR ((NEW.name IS NOT OLD.name OR NEW.digest IS NOT OLD.digest OR NEW.text_digest IS NOT OLD.text_digest) AND NEW.is_erased = 0)
BEGIN SELECT RAISE(ABORT, 'immutable: attachments'); END;
CREATE TRIGGER attachments_kept BEFORE DELETE ON attachments
BEGIN SELECT RAISE(ABORT, 'never deleted: attachments'); END;
CREATE TRIGGER alternatives_place BEFORE INSERT ON alternatives
WHEN (NEW.responds_to_id IS NULL) <> ((SELECT parent_id FROM conversation_turns WHERE id = NEW.turn_id) IS NULL)
    OR (NEW.responds_to_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM conversation_turns AS t JOIN alternatives AS a ON a.turn_id = t.parent_id
        WHERE t.id = NEW.turn_id AND a.id = NEW.responds_to_id
    ))
BEGIN SELECT RAISE(ABORT, 'an alternative responds to one of the parent turn'); END;
CREATE TRIGGER alternatives_one_turn BEFORE INSERT ON alternatives
WHEN EXISTS (SELECT 1 FROM alternatives WHERE responds_to_id = NEW.responds_to_id AND turn_id <> NEW.turn_id)
BEGIN SELECT RAISE(ABORT, 'an alternative is answered in one turn'); END;
CREATE TRIGGER alternatives_searched AFTER INSERT ON alternatives WHEN NEW.content IS NOT NULL
BEGIN
    UPDATE search_message_indexes SET behind = behind + 1 WHERE owner_id = NEW.owner_id;
END;
CREATE TRIGGER alternatives_searched_anew AFTER UPDATE OF content ON alternatives WHEN NEW.content IS NOT OLD.content
BEGIN
    UPDATE search_message_indexes SET behind = behind + 1 WHERE owner_id = NEW.owner_id;
END;
CREATE TRIGGER conversations_searched AFTER INSERT ON conversations WHEN NEW.title IS NOT NULL
BEGIN
    UPDATE search_message_indexes SET behind = behind + 1 WHERE owner_id = NEW.owner_id;
END;
CREATE TRIGGER conversations_searched_anew AFTER UPDATE OF title ON conversations
WHEN NEW.title IS NOT OLD.title
BEGIN
    UPDATE search_message_indexes SET behind = behind + 1 WHERE owner_id = NEW.owner_id;
END;
CREATE TRIGGER conversations_created AFTER INSERT ON conversations WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Conversation', NEW.id); END;
CREATE TRIGGER conversations_changed AFTER UPDATE ON conversations WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Conversation', NEW.id); END;
CREATE TRIGGER conversation_turns_created AFTER INSERT ON conversation_turns WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ConversationTurn', NEW.id); END;
CREATE TRIGGER alternatives_created AFTER INSERT ON alternatives WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Alternative', NEW.id); END;
CREATE TRIGGER alternatives_changed AFTER UPDATE ON alternatives WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Alternative', NEW.id); END;
CREATE TABLE credentials (
    digest     TEXT PRIMARY KEY CHECK (length(digest) = 64),
    id         TEXT NOT NULL UNIQUE,
    kind       TEXT NOT NULL CHECK (kind IN ('link', 'session', 'token')),
    user_id    TEXT NOT NULL REFERENCES users (id),
    name       TEXT,
    scope      TEXT NOT NULL CHECK (scope IN ('read', 'write')),
    created_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    used_at    TEXT
) STRICT;
CREATE INDEX credentials_user ON credentials (user_id, kind, created_at, id);
CREATE INDEX credentials_expiry ON credentials (expires_at);
CREATE TABLE accounts (
    user_id    TEXT PRIMARY KEY REFERENCES users (id),
    role       TEXT NOT NULL CHECK (role IN ('user', 'operator')),
    enabled    INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    version    INTEGER NOT NULL CHECK (version >= 1),
    updated_at TEXT NOT NULL
, weight INTEGER NOT NULL DEFAULT 1 CHECK (weight BETWEEN 1 AND 100)) STRICT;
CREATE TABLE identities (
    issuer     TEXT NOT NULL,
    subject    TEXT NOT NULL,
    user_id    TEXT NOT NULL REFERENCES users (id),
    created_at TEXT NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT;
CREATE INDEX identities_user ON identities (user_id);
CREATE TABLE episodes (
    id             TEXT PRIMARY KEY,
    owner_id       TEXT NOT NULL REFERENCES users (id),
    group_id       TEXT NOT NULL,
    alternative_id TEXT UNIQUE REFERENCES alternatives (id),
    source         TEXT NOT NULL CHECK (source IN ('message', 'answer', 'summary', 'introspection', 'note')),
    name           TEXT NOT NULL,
    created_at     TEXT NOT NULL,
    valid_at       TEXT NOT NULL,
    forgotten_at   TEXT,
    extracted_at   TEXT,
    extractor      TEXT,
    attempts       INTEGER NOT NULL CHECK (attempts >= 0),
    content        TEXT,
    failure        TEXT,
    UNIQUE (owner_id, id),
    CHECK ((alternative_id IS NULL) = (source NOT IN ('message', 'answer'))),
    CHECK (alternative_id IS NULL OR content IS NULL),
    CHECK (alternative_id IS NOT NULL OR (content IS NULL) = (forgotten_at IS NOT NULL)),
    CHECK ((extracted_at IS NULL) = (extractor IS NULL))
) STRICT;
CREATE INDEX episodes_waiting ON episodes (owner_id, created_at, id) WHERE extracted_at IS NULL AND forgotten_at IS NULL;
CREATE INDEX episodes_group ON episodes (group_id, created_at, id);
CREATE INDEX episodes_own ON episodes (owner_id, created_at, id) WHERE alternative_id IS NULL;
CREATE INDEX alternatives_said ON alternatives (owner_id, created_at, id) WHERE content IS NOT NULL;
CREATE TABLE entities (
    id           TEXT PRIMARY KEY,
    owner_id     TEXT NOT NULL REFERENCES users (id),
    name         TEXT CHECK (length(name) BETWEEN 1 AND 200),
    name_key     TEXT,
    made_by      TEXT NOT NULL CHECK (made_by IN ('user', 'extraction', 'graphiti')),
    category     TEXT CHECK (category IN ('Person', 'Organization', 'Project', 'Concept', 'Object', 'Event', 'Place')),
    category_by  TEXT CHECK (category_by IN ('user', 'extraction', 'graphiti', 'enrichment')),
    version      INTEGER NOT NULL CHECK (version >= 1),
    created_at   TEXT NOT NULL,
    updated_at   TEXT NOT NULL,
    enriched_at  TEXT,
    enriched_by  TEXT REFERENCES processes (id),
    forgotten_at TEXT,
    summary      TEXT,
    facets       TEXT NOT NULL,
    enrichment   TEXT,
    UNIQUE (owner_id, id),
    CHECK ((name IS NULL) = (forgotten_at IS NOT NULL)),
    CHECK ((name_key IS NULL) = (forgotten_at IS NOT NULL)),
    CHECK ((category IS NULL) = (category_by IS NULL))
) STRICT;
CREATE UNIQUE INDEX entities_name ON entities (owner_id, name_key) WHERE name_key IS NOT NULL;
CREATE INDEX entities_process ON entities (enriched_by) WHERE enriched_by IS NOT NULL;
CREATE TABLE mentions (
    episode_id TEXT NOT NULL REFERENCES episodes (id),
    entity_id  TEXT NOT NULL REFERENCES entities (id),
    extractor  TEXT NOT NULL,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    created_at TEXT NOT NULL,
    name       TEXT NOT NULL,
    PRIMARY KEY (episode_id, entity_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX mentions_entity ON mentions (entity_id);
CREATE TABLE merges (
    id          TEXT PRIMARY KEY,
    owner_id    TEXT NOT NULL REFERENCES users (id),
    kept_id     TEXT NOT NULL,
    absorbed_id TEXT NOT NULL,
    decided_by  TEXT NOT NULL CHECK (decided_by IN ('user', 'rule')),
    created_at  TEXT NOT NULL,
    undone_at   TEXT,
    FOREIGN KEY (kept_id, owner_id) REFERENCES entities (id, owner_id),
    FOREIGN KEY (absorbed_id, owner_id) REFERENCES entities (id, owner_id),
    CHECK (kept_id <> absorbed_id)
) STRICT;
CREATE UNIQUE INDEX merges_absorbed ON merges (absorbed_id) WHERE undone_at IS NULL;
CREATE INDEX merges_absorbing ON merges (absorbed_id);
CREATE INDEX merges_kept ON merges (kept_id);
CREATE INDEX merges_owner ON merges (owner_id);
CREATE TABLE facts (
    id           TEXT PRIMARY KEY,
    owner_id     TEXT NOT NULL REFERENCES users (id),
    subject_id   TEXT REFERENCES entities (id),
    object_id    TEXT REFERENCES entities (id),
    created_at   TEXT NOT NULL,
    forgotten_at TEXT,
    text_key     TEXT,
    predicate    TEXT,
    text         TEXT CHECK (length(text) BETWEEN 1 AND 1000),
    UNIQUE (owner_id, id),
    CHECK ((text IS NULL) = (forgotten_at IS NOT NULL)),
    CHECK ((text_key IS NULL) = (forgotten_at IS NOT NULL)),
    CHECK (predicate IS NULL OR forgotten_at IS NULL)
) STRICT;
CREATE UNIQUE INDEX facts_text ON facts (owner_id, text_key) WHERE text_key IS NOT NULL;
CREATE INDEX facts_subject ON facts (subject_id) WHERE subject_id IS NOT NULL;
CREATE INDEX facts_object ON facts (object_id) WHERE object_id IS NOT NULL;
CREATE TABLE assertions (
    episode_id TEXT NOT NULL REFERENCES episodes (id),
    fact_id    TEXT NOT NULL REFERENCES facts (id),
    kind       TEXT NOT NULL CHECK (kind IN ('states', 'contradicts')),
    state      TEXT NOT NULL CHECK (state IN ('candidate', 'confirmed', 'rejected')),
    extractor  TEXT NOT NULL,
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    created_at TEXT NOT NULL,
    said_at    TEXT NOT NULL,
    true_from  TEXT,
    true_until TEXT,
    decided_at TEXT,
    PRIMARY KEY (episode_id, fact_id, kind)
) STRICT, WITHOUT ROWID;
CREATE INDEX assertions_fact ON assertions (fact_id);
CREATE TABLE active_entities (
    conversation_id       TEXT NOT NULL,
    entity_id             TEXT NOT NULL,
    owner_id              TEXT NOT NULL,
    state                 TEXT NOT NULL CHECK (state IN ('active', 'pinned', 'hidden')),
    include_summary       INTEGER NOT NULL CHECK (include_summary IN (0, 1)),
    include_facets        INTEGER NOT NULL CHECK (include_facets IN (0, 1)),
    include_relationships INTEGER NOT NULL CHECK (include_relationships IN (0, 1)),
    added_at              TEXT NOT NULL,
    PRIMARY KEY (conversation_id, entity_id),
    FOREIGN KEY (conversation_id, owner_id) REFERENCES conversations (id, owner_id),
    FOREIGN KEY (entity_id, owner_id) REFERENCES entities (id, owner_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX active_entities_entity ON active_entities (entity_id);
CREATE TABLE summaries (
    id                   TEXT PRIMARY KEY,
    owner_id             TEXT NOT NULL,
    conversation_id      TEXT NOT NULL,
    level                INTEGER NOT NULL CHECK (level BETWEEN 1 AND 5),
    token_count          INTEGER NOT NULL CHECK (token_count >= 0),
    first_alternative_id TEXT NOT NULL REFERENCES alternatives (id),
    last_alternative_id  TEXT NOT NULL REFERENCES alternatives (id),
    last_turn_id         TEXT NOT NULL REFERENCES conversation_turns (id),
    path_digest          TEXT NOT NULL,
    process_id           TEXT REFERENCES processes (id),
    run_id               TEXT,
    created_at           TEXT NOT NULL,
    deleted_at           TEXT,
    FOREIGN KEY (conversation_id, owner_id) REFERENCES conversations (id, owner_id)
) STRICT;
CREATE INDEX summaries_of ON summaries (conversation_id, level);
CREATE INDEX summaries_process ON summaries (process_id) WHERE process_id IS NOT NULL;
CREATE INDEX summaries_last ON summaries (last_alternative_id);
CREATE INDEX summaries_first ON summaries (first_alternative_id);
CREATE INDEX summaries_turn ON summaries (last_turn_id);
CREATE TABLE summary_sources (
    summary_id TEXT NOT NULL REFERENCES summaries (id),
    n          INTEGER NOT NULL CHECK (n >= 1),
    episode_id TEXT NOT NULL REFERENCES episodes (id),
    PRIMARY KEY (summary_id, n)
) STRICT, WITHOUT ROWID;
CREATE INDEX summary_sources_episode ON summary_sources (episode_id);
CREATE TABLE summary_contents (
    summary_id TEXT NOT NULL REFERENCES summaries (id),
    n          INTEGER NOT NULL CHECK (n >= 1),
    episode_id TEXT NOT NULL UNIQUE REFERENCES episodes (id),
    created_at TEXT NOT NULL,
    created_by TEXT NOT NULL CHECK (created_by IN ('process', 'operator')),
    PRIMARY KEY (summary_id, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE compressions (
    conversation_id     TEXT PRIMARY KEY REFERENCES conversations (id),
    number              INTEGER NOT NULL CHECK (number >= 0),
    since_introspection INTEGER NOT NULL CHECK (since_introspection >= 0)
) STRICT;
CREATE TABLE introspections (
    id                   TEXT PRIMARY KEY,
    owner_id             TEXT NOT NULL REFERENCES users (id),
    carousel_position    INTEGER NOT NULL CHECK (carousel_position >= 0),
    version              INTEGER NOT NULL CHECK (version >= 1),
    created_by           TEXT NOT NULL CHECK (created_by IN ('process', 'user')),
    process_id           TEXT REFERENCES processes (id),
    run_id               TEXT,
    created_at           TEXT NOT NULL,
    archived_at          TEXT,
    conversation_context TEXT,
    sources              TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX introspections_position ON introspections (owner_id, carousel_position) WHERE archived_at IS NULL;
CREATE INDEX introspections_owner ON introspections (owner_id, created_at);
CREATE INDEX introspections_process ON introspections (process_id) WHERE process_id IS NOT NULL;
CREATE TABLE introspection_contents (
    introspection_id TEXT NOT NULL REFERENCES introspections (id),
    n                INTEGER NOT NULL CHECK (n >= 1),
    episode_id       TEXT NOT NULL UNIQUE REFERENCES episodes (id),
    created_at       TEXT NOT NULL,
    created_by       TEXT NOT NULL CHECK (created_by IN ('process', 'user', 'operator')),
    PRIMARY KEY (introspection_id, n)
) STRICT, WITHOUT ROWID;
CREATE TABLE knowledge_settings (
    owner_id      TEXT PRIMARY KEY REFERENCES users (id),
    extraction    TEXT NOT NULL CHECK (extraction IN ('on', 'paused', 'off')),
    compression   TEXT NOT NULL CHECK (compression IN ('on', 'off')),
    introspection TEXT NOT NULL CHECK (introspection IN ('on', 'off')),
    enrichment    TEXT NOT NULL CHECK (enrichment IN ('on', 'off')),
    updated_at    TEXT NOT NULL
) STRICT;
CREATE TABLE knowledge_leases (
    owner_id   TEXT NOT NULL REFERENCES users (id),
    task       TEXT NOT NULL,
    holder     TEXT NOT NULL,
    held_until TEXT NOT NULL,
    PRIMARY KEY (owner_id, task)
) STRICT, WITHOUT ROWID;
CREATE TABLE word_cases (
    owner_id TEXT NOT NULL REFERENCES users (id),
    word     TEXT NOT NULL,
    capital  INTEGER NOT NULL,
    small    INTEGER NOT NULL,
    PRIMARY KEY (owner_id, word)
) STRICT, WITHOUT ROWID;
CREATE TABLE vectors (
    label    TEXT NOT NULL,
    subject  TEXT NOT NULL,
    owner_id TEXT NOT NULL REFERENCES users (id),
    model    TEXT NOT NULL,
    vector   TEXT NOT NULL,
    PRIMARY KEY (label, subject)
) STRICT;
CREATE INDEX vectors_owner ON vectors (owner_id, model);
CREATE TRIGGER episodes_immutable BEFORE UPDATE ON episodes
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.group_id IS NOT OLD.group_id OR NEW.alternative_id IS NOT OLD.alternative_id OR NEW.source IS NOT OLD.source OR NEW.name IS NOT OLD.name OR NEW.created_at IS NOT OLD.created_at OR NEW.valid_at IS NOT OLD.valid_at OR (OLD.forgotten_at IS NOT NULL AND NEW.forgotten_at IS NOT OLD.forgotten_at) OR (OLD.extracted_at IS NOT NULL AND NEW.extracted_at IS NULL) OR (NEW.content IS NOT OLD.content AND NEW.content IS NOT NULL)
BEGIN SELECT RAISE(ABORT, 'immutable: episodes'); END;
CREATE TRIGGER facts_immutable BEFORE UPDATE ON facts
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.created_at IS NOT OLD.created_at OR (OLD.forgotten_at IS NOT NULL AND NEW.forgotten_at IS NOT OLD.forgotten_at)
BEGIN SELECT RAISE(ABORT, 'immutable: facts'); END;
CREATE TRIGGER entities_immutable BEFORE UPDATE ON entities
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR (NEW.made_by IS NOT OLD.made_by AND NEW.made_by <> 'user') OR NEW.created_at IS NOT OLD.created_at OR (OLD.forgotten_at IS NOT NULL AND NEW.forgotten_at IS NOT OLD.forgotten_at)
BEGIN SELECT RAISE(ABORT, 'immutable: entities'); END;
CREATE TRIGGER summaries_immutable BEFORE UPDATE ON summaries
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.conversation_id IS NOT OLD.conversation_id OR NEW.level IS NOT OLD.level OR NEW.first_alternative_id IS NOT OLD.first_alternative_id OR NEW.last_alternative_id IS NOT OLD.last_alternative_id OR NEW.last_turn_id IS NOT OLD.last_turn_id OR NEW.path_digest IS NOT OLD.path_digest OR NEW.process_id IS NOT OLD.process_id OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: summaries'); END;
CREATE TRIGGER introspections_immutable BEFORE UPDATE ON introspections
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.version IS NOT OLD.version OR NEW.created_by IS NOT OLD.created_by OR NEW.process_id IS NOT OLD.process_id OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: introspections'); END;
CREATE TRIGGER merges_immutable BEFORE UPDATE ON merges
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.kept_id IS NOT OLD.kept_id OR NEW.absorbed_id IS NOT OLD.absorbed_id OR NEW.decided_by IS NOT OLD.decided_by OR NEW.created_at IS NOT OLD.created_at OR OLD.undone_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'immutable: merges'); END;
CREATE TRIGGER summary_sources_immutable BEFORE UPDATE ON summary_sources
BEGIN SELECT RAISE(ABORT, 'immutable: summary_sources'); END;
CREATE TRIGGER summary_contents_immutable BEFORE UPDATE ON summary_contents
BEGIN SELECT RAISE(ABORT, 'immutable: summary_contents'); END;
CREATE TRIGGER introspection_contents_immutable BEFORE UPDATE ON introspection_contents
BEGIN SELECT RAISE(ABORT, 'immutable: introspection_contents'); END;
CREATE TRIGGER episodes_kept BEFORE DELETE ON episodes
BEGIN SELECT RAISE(ABORT, 'never deleted: episodes'); END;
CREATE TRIGGER entities_kept BEFORE DELETE ON entities
BEGIN SELECT RAISE(ABORT, 'never deleted: entities'); END;
CREATE TRIGGER facts_kept BEFORE DELETE ON facts
BEGIN SELECT RAISE(ABORT, 'never deleted: facts'); END;
CREATE TRIGGER summaries_kept BEFORE DELETE ON summaries
BEGIN SELECT RAISE(ABORT, 'never deleted: summaries'); END;
CREATE TRIGGER introspections_kept BEFORE DELETE ON introspections
BEGIN SELECT RAISE(ABORT, 'never deleted: introspections'); END;
CREATE TRIGGER merges_kept BEFORE DELETE ON merges
BEGIN SELECT RAISE(ABORT, 'never deleted: merges'); END;
CREATE TRIGGER summary_sources_kept BEFORE DELETE ON summary_sources
BEGIN SELECT RAISE(ABORT, 'never deleted: summary_sources'); END;
CREATE TRIGGER summary_contents_kept BEFORE DELETE ON summary_contents
BEGIN SELECT RAISE(ABORT, 'never deleted: summary_contents'); END;
CREATE TRIGGER introspection_contents_kept BEFORE DELETE ON introspection_contents
BEGIN SELECT RAISE(ABORT, 'never deleted: introspection_contents'); END;
CREATE TRIGGER episodes_created AFTER INSERT ON episodes WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Episode', NEW.id); END;
CREATE TRIGGER episodes_changed AFTER UPDATE ON episodes WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Episode', NEW.id); END;
CREATE TRIGGER entities_created AFTER INSERT ON entities WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Entity', NEW.id); END;
CREATE TRIGGER entities_changed AFTER UPDATE ON entities WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Entity', NEW.id); END;
CREATE TRIGGER facts_created AFTER INSERT ON facts WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Fact', NEW.id); END;
CREATE TRIGGER facts_changed AFTER UPDATE ON facts WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Fact', NEW.id); END;
CREATE TRIGGER summaries_created AFTER INSERT ON summaries WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Summary', NEW.id); END;
CREATE TRIGGER summaries_changed AFTER UPDATE ON summaries WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Summary', NEW.id); END;
CREATE TRIGGER introspections_created AFTER INSERT ON introspections WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Introspection', NEW.id); END;
CREATE TRIGGER introspections_changed AFTER UPDATE ON introspections WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Introspection', NEW.id); END;
CREATE TRIGGER mentions_created AFTER INSERT ON mentions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Episode', NEW.episode_id); END;
CREATE TRIGGER mentions_changed AFTER UPDATE ON mentions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Episode', NEW.episode_id); END;
CREATE TRIGGER mentions_deleted AFTER DELETE ON mentions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Episode', OLD.episode_id); END;
CREATE TRIGGER assertions_created AFTER INSERT ON assertions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Episode', NEW.episode_id); END;
CREATE TRIGGER assertions_changed AFTER UPDATE ON assertions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Episode', NEW.episode_id); END;
CREATE TRIGGER assertions_deleted AFTER DELETE ON assertions WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Episode', OLD.episode_id); END;
CREATE TRIGGER merges_created AFTER INSERT ON merges WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Merge', NEW.id); END;
CREATE TRIGGER merges_changed AFTER UPDATE ON merges WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Merge', NEW.id); END;
CREATE TRIGGER active_entities_created AFTER INSERT ON active_entities WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Conversation', NEW.conversation_id); END;
CREATE TRIGGER active_entities_changed AFTER UPDATE ON active_entities WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Conversation', NEW.conversation_id); END;
CREATE TRIGGER active_entities_deleted AFTER DELETE ON active_entities WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Conversation', OLD.conversation_id); END;
CREATE TRIGGER summary_sources_created AFTER INSERT ON summary_sources WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Summary', NEW.summary_id); END;
CREATE TRIGGER summary_contents_created AFTER INSERT ON summary_contents WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Summary', NEW.summary_id); END;
CREATE TRIGGER introspection_contents_created AFTER INSERT ON introspection_contents WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Introspection', NEW.introspection_id); END;
CREATE TABLE process_steps (
    process_id          TEXT NOT NULL REFERENCES processes (id) ON DELETE CASCADE,
    position            INTEGER NOT NULL CHECK (position >= 0),
    id                  TEXT NOT NULL,
    tool_id             TEXT REFERENCES tools (id),
    called_process_id   TEXT REFERENCES processes (id),
    output_variable     TEXT NOT NULL,
    output_token_budget INTEGER CHECK (output_token_budget >= 1),
    output_required     INTEGER NOT NULL CHECK (output_required IN (0, 1)),
    mode                TEXT NOT NULL CHECK (mode IN ('sequential', 'parallel')),
    timeout             INTEGER NOT NULL CHECK (timeout BETWEEN 1 AND 2592000),
    interaction_mode    TEXT NOT NULL CHECK (interaction_mode IN ('auto', 'manual')),
    section             TEXT NOT NULL DEFAULT 'main'
                        CHECK (section IN ('main', 'compensation', 'on_failure', 'finally')),
    inputs              TEXT NOT NULL,
    condition           TEXT,
    options             TEXT NOT NULL DEFAULT '{}',
    PRIMARY KEY (process_id, position),
    UNIQUE (process_id, id),
    CHECK (tool_id IS NULL OR called_process_id IS NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX process_steps_tool ON process_steps (tool_id) WHERE tool_id IS NOT NULL;
CREATE INDEX process_steps_process ON process_steps (called_process_id) WHERE called_process_id IS NOT NULL;
CREATE INDEX process_steps_node ON process_steps (CAST(process_id || '/' || id AS text));
CREATE TRIGGER process_steps_immutable BEFORE UPDATE ON process_steps
BEGIN SELECT RAISE(ABORT, 'immutable: process_steps'); END;
CREATE TRIGGER process_steps_created AFTER INSERT ON process_steps WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ProcessStep', NEW.process_id || '/' || NEW.id); END;
CREATE TRIGGER process_steps_deleted AFTER DELETE ON process_steps WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ProcessStep', OLD.process_id || '/' || OLD.id); END;
CREATE TABLE questions (
    id        TEXT PRIMARY KEY,
    run_id    TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    owner_id  TEXT NOT NULL REFERENCES users (id),
    step      TEXT NOT NULL,
    assignee  TEXT NOT NULL,
    asked_at  TEXT NOT NULL,
    closed_at TEXT
, remind_process TEXT, remind_every INTEGER, remind_micros INTEGER) STRICT, WITHOUT ROWID;
CREATE INDEX questions_open ON questions (assignee, asked_at, id) WHERE closed_at IS NULL;
CREATE INDEX questions_run ON questions (run_id);
CREATE INDEX questions_owner ON questions (owner_id);
CREATE TRIGGER questions_immutable BEFORE UPDATE ON questions
WHEN NEW.id IS NOT OLD.id OR NEW.run_id IS NOT OLD.run_id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.step IS NOT OLD.step OR NEW.assignee IS NOT OLD.assignee OR NEW.asked_at IS NOT OLD.asked_at
BEGIN SELECT RAISE(ABORT, 'immutable: questions'); END;
CREATE INDEX processes_retention ON processes (id) WHERE retention_days IS NOT NULL;
CREATE INDEX runs_process ON runs (process_id, ended_micros);
CREATE TABLE webhooks (
    id               TEXT PRIMARY KEY,
    owner_id         TEXT NOT NULL REFERENCES users (id),
    name             TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    process_id       TEXT NOT NULL REFERENCES processes (id),
    scheme           TEXT NOT NULL CHECK (scheme IN ('standard', 'github', 'stripe')),
    secret_id        TEXT NOT NULL REFERENCES secrets (id),
    secret_generated INTEGER NOT NULL CHECK (secret_generated IN (0, 1)),
    input            TEXT,
    enabled          INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    trusted_digest   TEXT,
    old_secret_until TEXT,
    refusal          TEXT,
    refused_at       TEXT,
    shared           INTEGER NOT NULL CHECK (shared IN (0, 1)),
    version          INTEGER NOT NULL CHECK (version >= 1),
    created_at       TEXT NOT NULL,
    updated_at       TEXT NOT NULL, priority TEXT NOT NULL DEFAULT 'normal' CHECK (priority IN ('high', 'normal', 'low')),
    UNIQUE (owner_id, name),
    CHECK ((refusal IS NULL) = (refused_at IS NULL))
) STRICT;
CREATE INDEX webhooks_process ON webhooks (process_id);
CREATE INDEX webhooks_secret ON webhooks (secret_id);
CREATE TRIGGER webhooks_immutable BEFORE UPDATE ON webhooks
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.process_id IS NOT OLD.process_id OR NEW.scheme IS NOT OLD.scheme OR NEW.secret_id IS NOT OLD.secret_id OR NEW.secret_generated IS NOT OLD.secret_generated OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: webhooks'); END;
CREATE TRIGGER webhooks_created AFTER INSERT ON webhooks WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Webhook', NEW.id); END;
CREATE TRIGGER webhooks_changed AFTER UPDATE ON webhooks WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Webhook', NEW.id); END;
CREATE TRIGGER webhooks_deleted AFTER DELETE ON webhooks WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Webhook', OLD.id); END;
CREATE TABLE alerts (
    id               TEXT PRIMARY KEY,
    owner_id         TEXT NOT NULL REFERENCES users (id),
    name             TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    process_id       TEXT NOT NULL REFERENCES processes (id),
    inputs           TEXT NOT NULL,
    metric           TEXT NOT NULL,
    scope            TEXT NOT NULL CHECK (scope IN ('service', 'tool', 'process', 'conversation')),
    aggregation      TEXT CHECK (aggregation IN ('sum', 'avg', 'min', 'max', 'count', 'last')),
    entity           TEXT,
    window_seconds   INTEGER NOT NULL CHECK (window_seconds >= 1),
    comparison       TEXT NOT NULL CHECK (comparison IN ('>', '>=', '<', '<=')),
    threshold        REAL NOT NULL,
    hold_seconds     INTEGER NOT NULL CHECK (hold_seconds >= 0),
    interval_seconds INTEGER NOT NULL CHECK (interval_seconds >= 1),
    repeat_hours     INTEGER CHECK (repeat_hours >= 1),
    enabled          INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    trusted_digest   TEXT,
    state            TEXT NOT NULL CHECK (state IN ('ok', 'pending', 'firing')),
    state_since      TEXT NOT NULL,
    last_value       REAL,
    evaluated_at     TEXT,
    starts           INTEGER NOT NULL CHECK (starts >= 0),
    is_starting      INTEGER NOT NULL CHECK (is_starting IN (0, 1)),
    started_at       TEXT,
    run              TEXT,
    problem          TEXT,
    due_micros       INTEGER,
    shared           INTEGER NOT NULL CHECK (shared IN (0, 1)),
    version          INTEGER NOT NULL CHECK (version >= 1),
    created_at       TEXT NOT NULL,
    updated_at       TEXT NOT NULL,
    UNIQUE (owner_id, name)
) STRICT;
CREATE INDEX alerts_process ON alerts (process_id);
CREATE INDEX alerts_due ON alerts (due_micros, id) WHERE due_micros IS NOT NULL;
CREATE INDEX alerts_starting ON alerts (id) WHERE is_starting = 1;
CREATE TRIGGER alerts_immutable BEFORE UPDATE ON alerts
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.process_id IS NOT OLD.process_id OR NEW.metric IS NOT OLD.metric OR NEW.scope IS NOT OLD.scope OR NEW.aggregation IS NOT OLD.aggregation OR NEW.entity IS NOT OLD.entity OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: alerts'); END;
CREATE TRIGGER alerts_created AFTER INSERT ON alerts WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Alert', NEW.id); END;
CREATE TRIGGER alerts_changed AFTER UPDATE ON alerts WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Alert', NEW.id); END;
CREATE TRIGGER alerts_deleted AFTER DELETE ON alerts WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'Alert', OLD.id); END;
CREATE TABLE span_progress (
    run_id  TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    entries INTEGER NOT NULL CHECK (entries >= 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_due ON questions (remind_micros, id) WHERE closed_at IS NULL;
CREATE TABLE large_results (
    digest TEXT PRIMARY KEY CHECK (length(digest) = 64),
    text   TEXT NOT NULL,
    put_at INTEGER NOT NULL
) STRICT;
CREATE INDEX large_results_unused ON large_results (put_at, digest);
CREATE TRIGGER conversation_turns_kept BEFORE DELETE ON conversation_turns
BEGIN SELECT RAISE(ABORT, 'never deleted: conversation_turns'); END;
CREATE UNIQUE INDEX alternatives_shown ON alternatives (shown_in);
CREATE INDEX conversation_turns_shows ON conversation_turns (shows);
CREATE TRIGGER conversations_begin BEFORE INSERT ON conversations WHEN NEW.tip_id IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a conversation begins without a tip'); END;
CREATE TRIGGER conversations_tip BEFORE UPDATE OF tip_id ON conversations
WHEN NEW.tip_id IS NOT OLD.tip_id
    AND NOT EXISTS (SELECT 1 FROM alternatives WHERE id = NEW.tip_id AND conversation_id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the tip is an alternative of the conversation'); END;
CREATE TRIGGER manifests_immutable BEFORE UPDATE ON manifests
WHEN NEW.alternative_id IS NOT OLD.alternative_id
    OR (NOT EXISTS (SELECT 1 FROM alternatives WHERE id = OLD.alternative_id AND state = 'generating')
        AND (NEW.digest IS NOT OLD.digest OR NEW.made_at IS NOT OLD.made_at
             OR (NEW.text IS NOT OLD.text AND instr(NEW.text, '"isErased":true') = 0)))
BEGIN SELECT RAISE(ABORT, 'immutable: manifests'); END;
CREATE TRIGGER manifests_kept BEFORE DELETE ON manifests
BEGIN SELECT RAISE(ABORT, 'never deleted: manifests'); END;
CREATE TRIGGER meta_kept BEFORE DELETE ON meta
BEGIN SELECT RAISE(ABORT, 'never deleted: meta'); END;
CREATE TRIGGER meta_keys BEFORE UPDATE OF key ON meta WHEN NEW.key IS NOT OLD.key
BEGIN SELECT RAISE(ABORT, 'immutable: meta'); END;
CREATE TRIGGER meta_once BEFORE INSERT ON meta
WHEN NEW.key = 'record' AND EXISTS (SELECT 1 FROM meta WHERE key = 'record')
BEGIN SELECT RAISE(ABORT, 'immutable: meta'); END;
CREATE VIEW graph_node (label, id, properties) AS
SELECT label, id, (SELECT CASE WHEN said GLOB '*[' || char(1) || '-' || char(31) || ']*' THEN (
    WITH RECURSIVE escaped (n, text) AS (
        SELECT 0, said
        UNION ALL SELECT n + 1, replace(text, char(n + 1), printf('\u%04x', n + 1)) FROM escaped WHERE n < 31
    ) SELECT text FROM escaped WHERE n = 31) ELSE said END FROM (SELECT properties AS said))
FROM (
SELECT 'User' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"auditSeq":' || coalesce(audit_seq, 'null') || ',' || '"auditHash":' || coalesce('"' ||
    replace(replace(audit_hash, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"createdAt":' || coalesce('"' ||
    replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM users
UNION ALL
SELECT 'AuditEntry' AS label, CAST(user_id || '/' || seq AS text) AS id, '{' || '"userId":' || coalesce('"' ||
    replace(replace(user_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"seq":' || coalesce(seq, 'null') || ','
    || '"at":' || coalesce('"' || replace(replace(at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"action":' ||
    coalesce('"' || replace(replace(action, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"subject":' ||
    coalesce('"' || replace(replace(subject, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"actorId":' ||
    coalesce('"' || replace(replace(actor_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"ownerId":' ||
    coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"details":' ||
    coalesce('"' || replace(replace(details, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"previous":' ||
    coalesce('"' || replace(replace(previous, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"hash":' || coalesce('"'
    || replace(replace(hash, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM audit_entries
UNION ALL
SELECT 'Request' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"at":' || coalesce('"' || replace(replace(at, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"body":' || coalesce('"' || replace(replace(body, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"answer":'
    || coalesce('"' || replace(replace(answer, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM requests
UNION ALL
SELECT 'Service' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"type":' || coalesce('"' || replace(replace(type, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"protocol":' || coalesce('"' || replace(replace(protocol, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"connectionSchema":' || coalesce(connection_schema, 'null') || ',' || '"schemaVersion":' ||
    coalesce(schema_version, 'null') || ',' || '"requiresSecret":' || CASE requires_secret WHEN 1 THEN 'true' ELSE
    'false' END || ',' || '"limits":' || coalesce(limits, 'null') || ',' || '"enabled":' || CASE enabled WHEN 1 THEN
    'true' ELSE 'false' END || ',' || '"status":' || coalesce('"' || replace(replace(status, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"lastHealthCheck":' || coalesce('"' || replace(replace(last_health_check, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"errorMessage":' || coalesce('"' || replace(replace(error_message, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"shared":' || CASE shared WHEN 1 THEN 'true' ELSE 'false' END || ',' ||
    '"serviceTemplateId":' || coalesce('"' || replace(replace(service_template_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"version":' || coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' ||
    replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' ||
    replace(replace(updated_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM services
UNION ALL
SELECT 'Secret' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"type":' || coalesce('"' || replace(replace(type, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"shared":'
    || CASE shared WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"vaultVersion":' || coalesce(vault_version, 'null') ||
    ',' || '"version":' || coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' ||
    replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' ||
    replace(replace(updated_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM secrets
UNION ALL
SELECT 'Tool' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"description":' || coalesce('"' || replace(replace(description, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"operation":' || coalesce(operation, 'null') || ',' || '"inputSchema":' || coalesce(input_schema, 'null') || ',' ||
    '"outputSchema":' || coalesce(output_schema, 'null') || ',' || '"effect":' || coalesce('"' ||
    replace(replace(effect, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"runsOn":' || coalesce(runs_on, 'null') ||
    ',' || '"enabled":' || CASE enabled WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"status":' || coalesce('"' ||
    replace(replace(status, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"lastHealthCheck":' || coalesce('"' ||
    replace(replace(last_health_check, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"errorMessage":' ||
    coalesce('"' || replace(replace(error_message, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"healthFailures":'
    || coalesce(health_failures, 'null') || ',' || '"healthSince":' || coalesce('"' || replace(replace(health_since,
    '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"shared":' || CASE shared WHEN 1 THEN 'true' ELSE 'false' END ||
    ',' || '"toolTemplateId":' || coalesce('"' || replace(replace(tool_template_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"version":' || coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' ||
    replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' ||
    replace(replace(updated_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM tools
UNION ALL
SELECT 'Binding' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"digest":' || coalesce('"' || replace(replace(digest, '\', '\\'), '"', '\"') || '"', 'null')
    || '}' AS properties
FROM bindings
UNION ALL
SELECT 'Trust' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"digest":' || coalesce('"' || replace(replace(digest, '\', '\\'), '"', '\"') || '"', 'null') ||
    '}' AS properties
FROM trusts
UNION ALL
SELECT 'ServiceTemplate' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"description":' || coalesce('"' || replace(replace(description, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"type":' || coalesce('"' || replace(replace(type, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"protocol":' || coalesce('"' || replace(replace(protocol, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"connectionSchema":' || coalesce(connection_schema, 'null') || ',' || '"requiresSecret":' || CASE requires_secret
    WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"limits":' || coalesce(limits, 'null') || ',' || '"shared":' || CASE
    shared WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"archived":' || CASE archived WHEN 1 THEN 'true' ELSE 'false'
    END || ',' || '"version":' || coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' ||
    replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' ||
    replace(replace(updated_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM service_templates
UNION ALL
SELECT 'ToolTemplate' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"')
    || '"', 'null') || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"description":' || coalesce('"' || replace(replace(description, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"operation":' || coalesce(operation, 'null') || ',' || '"inputSchema":' || coalesce(input_schema, 'null') || ',' ||
    '"outputSchema":' || coalesce(output_schema, 'null') || ',' || '"shared":' || CASE shared WHEN 1 THEN 'true' ELSE
    'false' END || ',' || '"archived":' || CASE archived WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"version":' ||
    coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\', '\\'), '"', '\"')
    || '"', 'null') || '}' AS properties
FROM tool_templates
UNION ALL
SELECT 'TokenUse' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"userId":' || coalesce('"' || replace(replace(user_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"toolId":' || coalesce('"' || replace(replace(tool_id, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"at":' || coalesce('"' || replace(replace(at, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"promptTokens":' || coalesce(prompt_tokens, 'null') || ',' || '"completionTokens":' || coalesce(completion_tokens,
    'null') || ',' || '"model":' || coalesce('"' || replace(replace(model, '\', '\\'), '"', '\"') || '"', 'null') || '}'
    AS properties
FROM token_uses
UNION ALL
SELECT 'Definition' AS label, digest AS id, '{' || '"digest":' || coalesce('"' || replace(replace(digest, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"text":' || coalesce('"' || replace(replace(text, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"',
    'null') || '}' AS properties
FROM definitions
UNION ALL
SELECT 'Process' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"description":' || coalesce('"' || replace(replace(description, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"initialContext":' || coalesce(initial_context, 'null') || ',' || '"outputTemplate":' || coalesce('"' ||
    replace(replace(output_template, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"tokenBudget":' ||
    coalesce(token_budget, 'null') || ',' || '"maxRecursionDepth":' || coalesce(max_recursion_depth, 'null') || ',' ||
    '"enabled":' || CASE enabled WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"paused":' || CASE paused WHEN 1 THEN
    'true' ELSE 'false' END || ',' || '"retentionDays":' || coalesce(retention_days, 'null') || ',' || '"digest":' ||
    coalesce('"' || replace(replace(digest, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"shared":' || CASE shared
    WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"version":' || coalesce(version, 'null') || ',' || '"createdAt":' ||
    coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' ||
    coalesce('"' || replace(replace(updated_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM processes
UNION ALL
SELECT 'ProcessStep' AS label, CAST(process_id || '/' || id AS text) AS id, '{' || '"id":' || coalesce('"' ||
    replace(replace(id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"inputs":' || coalesce(inputs, 'null') || ','
    || '"output.variable":' || coalesce('"' || replace(replace(output_variable, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"output.tokenBudget":' || coalesce(output_token_budget, 'null') || ',' || '"output.required":' || CASE
    output_required WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"execution.mode":' || coalesce('"' ||
    replace(replace(mode, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"execution.condition":' || coalesce('"' ||
    replace(replace(condition, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"execution.timeout":' ||
    coalesce(timeout, 'null') || ',' || '"execution.interactionMode":' || coalesce('"' ||
    replace(replace(interaction_mode, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"section":' || coalesce('"' ||
    replace(replace(section, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"options":' || coalesce(options, 'null')
    || '}' AS properties
FROM process_steps
UNION ALL
SELECT 'Schedule' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"inputs":' || coalesce(inputs, 'null') || ',' || '"cron":' || coalesce('"' || replace(replace(cron, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"at":' || coalesce('"' || replace(replace(at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"timeZone":' || coalesce('"' || replace(replace(time_zone, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"enabled":' || CASE enabled WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"catchUp":' || coalesce('"' ||
    replace(replace(catch_up, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"priority":' || coalesce('"' ||
    replace(replace(priority, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"since":' || coalesce('"' ||
    replace(replace(since, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"dueMicros":' || coalesce(due_micros,
    'null') || ',' || '"startedAt":' || coalesce('"' || replace(replace(started_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"run":' || coalesce('"' || replace(replace(run, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"problem":' || coalesce('"' || replace(replace(problem, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"shared":' || CASE shared WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"version":' || coalesce(version, 'null')
    || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\', '\\'), '"', '\"') || '"', 'null') || '}'
    AS properties
FROM schedules
UNION ALL
SELECT 'Webhook' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"scheme":' || coalesce('"' || replace(replace(scheme, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"secretGenerated":' || CASE secret_generated WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"input":' ||
    coalesce('"' || replace(replace(input, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"enabled":' || CASE enabled
    WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"priority":' || coalesce('"' || replace(replace(priority, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"trustedDigest":' || coalesce('"' || replace(replace(trusted_digest, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"oldSecretUntil":' || coalesce('"' || replace(replace(old_secret_until,
    '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"refusal":' || coalesce('"' || replace(replace(refusal, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"refusedAt":' || coalesce('"' || replace(replace(refused_at, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"shared":' || CASE shared WHEN 1 THEN 'true' ELSE 'false' END || ',' ||
    '"version":' || coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at,
    '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\',
    '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM webhooks
UNION ALL
SELECT 'Alert' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"inputs":' || coalesce(inputs, 'null') || ',' || '"metric":' || coalesce('"' || replace(replace(metric, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"scope":' || coalesce('"' || replace(replace(scope, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"aggregation":' || coalesce('"' || replace(replace(aggregation, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"entity":' || coalesce('"' || replace(replace(entity, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"windowSeconds":' || coalesce(window_seconds, 'null') || ',' || '"comparison":' || coalesce('"' ||
    replace(replace(comparison, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"threshold":' || coalesce(threshold,
    'null') || ',' || '"holdSeconds":' || coalesce(hold_seconds, 'null') || ',' || '"intervalSeconds":' ||
    coalesce(interval_seconds, 'null') || ',' || '"repeatHours":' || coalesce(repeat_hours, 'null') || ',' ||
    '"enabled":' || CASE enabled WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"trustedDigest":' || coalesce('"' ||
    replace(replace(trusted_digest, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"state":' || coalesce('"' ||
    replace(replace(state, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"stateSince":' || coalesce('"' ||
    replace(replace(state_since, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"lastValue":' || coalesce(last_value,
    'null') || ',' || '"evaluatedAt":' || coalesce('"' || replace(replace(evaluated_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"starts":' || coalesce(starts, 'null') || ',' || '"isStarting":' || CASE is_starting WHEN 1 THEN
    'true' ELSE 'false' END || ',' || '"startedAt":' || coalesce('"' || replace(replace(started_at, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"run":' || coalesce('"' || replace(replace(run, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"problem":' || coalesce('"' || replace(replace(problem, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"dueMicros":' || coalesce(due_micros, 'null') || ',' || '"shared":' || CASE shared WHEN 1 THEN 'true' ELSE
    'false' END || ',' || '"version":' || coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' ||
    replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' ||
    replace(replace(updated_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM alerts
UNION ALL
SELECT 'Run' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"processId":' || coalesce('"' || replace(replace(process_id, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"processName":' || coalesce('"' || replace(replace(process_name, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"digest":' || coalesce('"' || replace(replace(digest, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"plan":' || coalesce('"' || replace(replace(plan, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"inputs":' ||
    coalesce('"' || replace(replace(inputs, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"trigger":' ||
    coalesce('"' || replace(replace(trigger, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"pins":' ||
    coalesce(pins, 'null') || ',' || '"parentId":' || coalesce('"' || replace(replace(parent_id, '\', '\\'), '"', '\"')
    || '"', 'null') || ',' || '"rootId":' || coalesce('"' || replace(replace(root_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"retryOf":' || coalesce('"' || replace(replace(retry_of, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"acceptedAt":' || coalesce('"' || replace(replace(accepted_at, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"deadline":' || coalesce(deadline, 'null') || ',' || '"executor":' || coalesce('"' ||
    replace(replace(executor, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"phase":' || coalesce('"' ||
    replace(replace(phase, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"events":' || coalesce(events, 'null') ||
    ',' || '"endedAt":' || coalesce('"' || replace(replace(ended_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"endedMicros":' || coalesce(ended_micros, 'null') || ',' || '"tokens":' || coalesce(tokens, 'null') || ',' ||
    '"failure":' || coalesce(failure, 'null') || ',' || '"isUnmeasured":' || CASE is_unmeasured WHEN 1 THEN 'true' ELSE
    'false' END || ',' || '"isUnsent":' || CASE is_unsent WHEN 1 THEN 'true' ELSE 'false' END || ',' ||
    '"planReference":' || coalesce('"' || replace(replace(plan_reference, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"inputsReference":' || coalesce('"' || replace(replace(inputs_reference, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"tags":' || coalesce(tags, 'null') || ',' || '"priority":' || coalesce('"' || replace(replace(priority,
    '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"weight":' || coalesce(weight, 'null') || ',' || '"language":' ||
    coalesce(language, 'null') || '}' AS properties
FROM runs
UNION ALL
SELECT 'RunEntry' AS label, CAST(run_id || '/' || n AS text) AS id, '{' || '"runId":' || coalesce('"' ||
    replace(replace(run_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"n":' || coalesce(n, 'null') || ',' ||
    '"text":' || coalesce('"' || replace(replace(text, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"reference":'
    || coalesce('"' || replace(replace(reference, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM run_entries
UNION ALL
SELECT 'Signal' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"runId":' || coalesce('"' || replace(replace(run_id, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"at":' || coalesce('"' || replace(replace(at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"text":' ||
    coalesce('"' || replace(replace(text, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"reference":' ||
    coalesce('"' || replace(replace(reference, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM signals
UNION ALL
SELECT 'Question' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"runId":' || coalesce('"' || replace(replace(run_id, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"step":' || coalesce('"' || replace(replace(step, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"assignee":' ||
    coalesce('"' || replace(replace(assignee, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"askedAt":' ||
    coalesce('"' || replace(replace(asked_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"closedAt":' ||
    coalesce('"' || replace(replace(closed_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"remindProcess":' ||
    coalesce('"' || replace(replace(remind_process, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"remindEvery":' ||
    coalesce(remind_every, 'null') || ',' || '"remindMicros":' || coalesce(remind_micros, 'null') || '}' AS properties
FROM questions
UNION ALL
SELECT 'DeadJob' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"runId":' || coalesce('"' || replace(replace(run_id, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"rootId":' || coalesce('"' || replace(replace(root_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"step":'
    || coalesce('"' || replace(replace(step, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"tool":' || coalesce('"'
    || replace(replace(tool, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"at":' || coalesce('"' ||
    replace(replace(at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"code":' || coalesce('"' ||
    replace(replace(code, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"message":' || coalesce('"' ||
    replace(replace(message, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"attempts":' || coalesce(attempts,
    'null') || ',' || '"retriedBy":' || coalesce('"' || replace(replace(retried_by, '\', '\\'), '"', '\"') || '"',
    'null') || '}' AS properties
FROM dead_jobs
UNION ALL
SELECT 'Conversation' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"')
    || '"', 'null') || ',' || '"title":' || coalesce('"' || replace(replace(title, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"titleBy":' || coalesce('"' || replace(replace(title_by, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"status":' || coalesce('"' || replace(replace(status, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"pinned":' || CASE pinned WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"tags":' || coalesce(tags, 'null') || ','
    || '"tipId":' || coalesce('"' || replace(replace(tip_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"contextBudget":' || coalesce(context_budget, 'null') || ',' || '"importKey":' || coalesce('"' ||
    replace(replace(import_key, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"version":' || coalesce(version,
    'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\', '\\'), '"', '\"') || '"',
    'null') || '}' AS properties
FROM conversations
UNION ALL
SELECT 'ConversationTurn' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"speaker":' || coalesce('"' || replace(replace(speaker, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"turnType":' || coalesce('"' || replace(replace(turn_type, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"timestamp":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"',
    'null') || '}' AS properties
FROM conversation_turns
UNION ALL
SELECT 'Alternative' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"conversationId":' || coalesce('"' || replace(replace(conversation_id, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"state":' || coalesce('"' || replace(replace(state, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"content":' || coalesce('"' || replace(replace(content, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"contentHash":' || coalesce('"' || replace(replace(content_hash, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"pathHash":' || coalesce('"' || replace(replace(path_hash, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"processDigest":' || coalesce('"' || replace(replace(process_digest, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"runId":' || coalesce('"' || replace(replace(run_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"model":'
    || coalesce('"' || replace(replace(model, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"usage":' ||
    coalesce(usage, 'null') || ',' || '"marks":' || coalesce(marks, 'null') || ',' || '"failure":' || coalesce('"' ||
    replace(replace(failure, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"imported":' || coalesce(imported,
    'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"endedAt":' || coalesce('"' || replace(replace(ended_at, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"forgottenAt":' || coalesce('"' || replace(replace(forgotten_at, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"forgottenBy":' || coalesce('"' || replace(replace(forgotten_by, '\', '\\'), '"', '\"') || '"', 'null')
    || '}' AS properties
FROM alternatives
UNION ALL
SELECT 'Manifest' AS label, alternative_id AS id, '{' || '"alternativeId":' || coalesce('"' ||
    replace(replace(alternative_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"digest":' || coalesce('"' ||
    replace(replace(digest, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"madeAt":' || coalesce('"' ||
    replace(replace(made_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"text":' || coalesce('"' ||
    replace(replace(text, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM manifests
UNION ALL
SELECT 'Blob' AS label, digest AS id, '{' || '"digest":' || coalesce('"' || replace(replace(digest, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"content":' || coalesce('"' || replace(replace(content, '\', '\\'), '"', '\"') ||
    '"', 'null') || '}' AS properties
FROM blobs
UNION ALL
SELECT 'Attachment' AS label, CAST(alternative_id || '/' || n AS text) AS id, '{' || '"alternativeId":' || coalesce('"'
    || replace(replace(alternative_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"n":' || coalesce(n, 'null') ||
    ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"mediaType":' || coalesce('"' || replace(replace(media_type, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"size":' || coalesce(size, 'null') || ',' || '"digest":' || coalesce('"' || replace(replace(digest, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"textDigest":' || coalesce('"' || replace(replace(text_digest, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"isErased":' || CASE is_erased WHEN 1 THEN 'true' ELSE 'false' END || '}' AS
    properties
FROM attachments
UNION ALL
SELECT 'Erasure' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"actorId":' || coalesce('"' || replace(replace(actor_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"endedAt":' || coalesce('"' || replace(replace(ended_at, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"runs":' || coalesce(runs, 'null') || ',' || '"reason":' || coalesce('"' || replace(replace(reason, '\',
    '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM erasures
UNION ALL
SELECT 'Episode' AS label, id AS id, '{' || '"groupId":' || coalesce('"' || replace(replace(group_id, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"source":' || coalesce('"' || replace(replace(source, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"validAt":' || coalesce('"' || replace(replace(valid_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"forgottenAt":' || coalesce('"' || replace(replace(forgotten_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"extractedAt":' || coalesce('"' || replace(replace(extracted_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"extractor":' || coalesce('"' || replace(replace(extractor, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"attempts":' || coalesce(attempts, 'null') || ',' || '"content":' || coalesce('"' || replace(replace(content, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"failure":' || coalesce('"' || replace(replace(failure, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"uuid":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || '}' AS properties
FROM episodes
UNION ALL
SELECT 'Entity' AS label, id AS id, '{' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"nameKey":' || coalesce('"' || replace(replace(name_key, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"madeBy":' || coalesce('"' || replace(replace(made_by, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"categoryBy":' || coalesce('"' || replace(replace(category_by, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"version":' || coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at,
    '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"enrichedAt":' || coalesce('"' || replace(replace(enriched_at, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"forgottenAt":' || coalesce('"' || replace(replace(forgotten_at, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"summary":' || coalesce('"' || replace(replace(summary, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"facets":' || coalesce(facets, 'null') || ',' || '"enrichment":' ||
    coalesce(enrichment, 'null') || ',' || '"uuid":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"entityType":' || coalesce('"' || replace(replace(category, '\', '\\'), '"', '\"') || '"',
    'null') || '}' AS properties
FROM entities
UNION ALL
SELECT 'Merge' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"decidedBy":' || coalesce('"' || replace(replace(decided_by, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"undoneAt":' || coalesce('"' || replace(replace(undone_at, '\', '\\'), '"', '\"') || '"', 'null')
    || '}' AS properties
FROM merges
UNION ALL
SELECT 'Fact' AS label, id AS id, '{' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"forgottenAt":' || coalesce('"' || replace(replace(forgotten_at, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"textKey":' || coalesce('"' || replace(replace(text_key, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"predicate":' || coalesce('"' || replace(replace(predicate, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"uuid":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"fact":' || coalesce('"' || replace(replace(text, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM facts
UNION ALL
SELECT 'Summary' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"tokenCount":' || coalesce(token_count, 'null') || ',' || '"pathDigest":' || coalesce('"' ||
    replace(replace(path_digest, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"firstAlternativeId":' ||
    coalesce('"' || replace(replace(first_alternative_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"lastAlternativeId":' || coalesce('"' || replace(replace(last_alternative_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"runId":' || coalesce('"' || replace(replace(run_id, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"deletedAt":' || coalesce('"' || replace(replace(deleted_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"compressionLevel":' || coalesce(level, 'null') || '}' AS properties
FROM summaries
UNION ALL
SELECT 'Compression' AS label, conversation_id AS id, '{' || '"conversationId":' || coalesce('"' ||
    replace(replace(conversation_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"number":' || coalesce(number,
    'null') || ',' || '"sinceIntrospection":' || coalesce(since_introspection, 'null') || '}' AS properties
FROM compressions
UNION ALL
SELECT 'Introspection' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"')
    || '"', 'null') || ',' || '"carouselPosition":' || coalesce(carousel_position, 'null') || ',' || '"version":' ||
    coalesce(version, 'null') || ',' || '"createdBy":' || coalesce('"' || replace(replace(created_by, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"runId":' || coalesce('"' || replace(replace(run_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"archivedAt":' || coalesce('"' || replace(replace(archived_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"conversationContext":' || coalesce('"' || replace(replace(conversation_context, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"sources":' || coalesce(sources, 'null') || '}' AS properties
FROM introspections
UNION ALL
SELECT 'KnowledgeSettings' AS label, owner_id AS id, '{' || '"ownerId":' || coalesce('"' || replace(replace(owner_id,
    '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"extraction":' || coalesce('"' || replace(replace(extraction, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"compression":' || coalesce('"' || replace(replace(compression, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"introspection":' || coalesce('"' || replace(replace(introspection,
    '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"enrichment":' || coalesce('"' || replace(replace(enrichment, '\',
    '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\',
    '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM knowledge_settings
UNION ALL
SELECT 'Executor' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"host":' || coalesce('"' || replace(replace(host, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"pid":' || coalesce(pid, 'null') || ',' || '"birth":' || coalesce('"' || replace(replace(birth, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"startedAt":' || coalesce('"' || replace(replace(started_at, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"lastHeartbeat":' || coalesce('"' || replace(replace(last_heartbeat, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"types":' || coalesce(types, 'null') || ',' || '"drainingSince":' ||
    coalesce('"' || replace(replace(draining_since, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"labels":' ||
    coalesce(labels, 'null') || ',' || '"aeonVersion":' || coalesce('"' || replace(replace(aeon_version, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"operations":' || coalesce(operations, 'null') || ',' || '"language":' ||
    coalesce(language, 'null') || '}' AS properties
FROM executors
UNION ALL
SELECT 'Worker' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"executorId":' || coalesce('"' || replace(replace(executor_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"type":' || coalesce('"' || replace(replace(type, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"status":' || coalesce('"' || replace(replace(status, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"currentJobId":' || coalesce('"' || replace(replace(current_job_id, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"currentProcessId":' || coalesce('"' || replace(replace(current_process_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"currentStepId":' || coalesce('"' || replace(replace(current_step_id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"currentToolId":' || coalesce('"' || replace(replace(current_tool_id, '\', '\\'), '"', '\"')
    || '"', 'null') || ',' || '"lastHeartbeat":' || coalesce('"' || replace(replace(last_heartbeat, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"processedCount":' || coalesce(processed_count, 'null') || ',' || '"errorCount":'
    || coalesce(error_count, 'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\', '\\'), '"',
    '\"') || '"', 'null') || '}' AS properties
FROM workers
UNION ALL
SELECT 'Places' AS label, service_id AS id, '{' || '"turn":' || coalesce(turn, 'null') || ',' || '"standing":' ||
    coalesce('"' || replace(replace(standing, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"id":' || coalesce('"'
    || replace(replace(service_id, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM service_places
UNION ALL
SELECT 'LargeResult' AS label, digest AS id, '{' || '"digest":' || coalesce('"' || replace(replace(digest, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"text":' || coalesce('"' || replace(replace(text, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"putAt":' || coalesce(put_at, 'null') || '}' AS properties
FROM large_results
UNION ALL
SELECT 'CachedResult' AS label, key AS id, '{' || '"key":' || coalesce('"' || replace(replace(key, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"toolId":' || coalesce('"' || replace(replace(tool_id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"text":' || coalesce('"' || replace(replace(text, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"reference":' || coalesce('"' || replace(replace(reference, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"usedMicros":' || coalesce(used_micros, 'null') || '}' AS properties
FROM cached_results
UNION ALL
SELECT 'MetricDefinition' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"description":' || coalesce('"' || replace(replace(description, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"scope":' || coalesce('"' || replace(replace(scope, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"aggregation":' || coalesce('"' || replace(replace(aggregation, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"dataType":' || coalesce('"' || replace(replace(data_type, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"retentionDays":' || coalesce(retention_days, 'null') || ',' || '"version":' || coalesce(version, 'null') || ',' ||
    '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM metric_definitions
UNION ALL
SELECT 'MetricValue' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"metricId":' || coalesce('"' || replace(replace(metric_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"entityId":' || coalesce('"' || replace(replace(entity_id, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"micros":' || coalesce(micros, 'null') || ',' || '"dimensions":' || coalesce(dimensions, 'null') || ','
    || '"userId":' || coalesce('"' || replace(replace(user_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"timestamp":' || coalesce('"' || replace(replace(at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"value":' ||
    CASE (SELECT d.data_type FROM metric_definitions AS d WHERE d.id = metric_values.metric_id) WHEN 'timestamp' THEN
    coalesce('"' || replace(replace(instant, '\', '\\'), '"', '\"') || '"', 'null') WHEN 'boolean' THEN CASE number WHEN
    0 THEN 'false' ELSE 'true' END WHEN 'integer' THEN CAST(number AS INTEGER) ELSE number END || '}' AS properties
FROM metric_values
);
CREATE VIEW graph_edge (type, from_label, from_id, to_label, to_id, properties) AS
SELECT type, from_label, from_id, to_label, to_id, (SELECT CASE WHEN said GLOB '*[' || char(1) || '-' || char(31) || ']*' THEN (
    WITH RECURSIVE escaped (n, text) AS (
        SELECT 0, said
        UNION ALL SELECT n + 1, replace(text, char(n + 1), printf('\u%04x', n + 1)) FROM escaped WHERE n < 31
    ) SELECT text FROM escaped WHERE n = 31) ELSE said END FROM (SELECT properties AS said))
FROM (
SELECT 'OWNED_BY' AS type, 'Service' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM services AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Secret' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM secrets AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Tool' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM tools AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'ServiceTemplate' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    '{' || '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') ||
    '}' AS properties
FROM service_templates AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'ToolTemplate' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{'
    || '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM tool_templates AS e
UNION ALL
SELECT 'USES_SERVICE' AS type, 'Tool' AS from_label, e.id AS from_id, 'Service' AS to_label, e.service_id AS to_id, '{'
    || '"connectionParams":' || coalesce(e.connection_params, 'null') || '}' AS properties
FROM tools AS e
UNION ALL
SELECT 'USES_SECRET' AS type, 'Tool' AS from_label, e.id AS from_id, 'Secret' AS to_label, e.secret_id AS to_id, '{' ||
    '"scope":' || coalesce('"' || replace(replace(e.secret_scope, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM tools AS e
WHERE e.secret_id IS NOT NULL
UNION ALL
SELECT 'USES_SECRET' AS type, 'Binding' AS from_label, e.id AS from_id, 'Secret' AS to_label, e.secret_id AS to_id, '{}'
    AS properties
FROM bindings AS e
UNION ALL
SELECT 'FOR_TOOL' AS type, 'Binding' AS from_label, e.id AS from_id, 'Tool' AS to_label, e.tool_id AS to_id, '{}' AS
    properties
FROM bindings AS e
UNION ALL
SELECT 'BOUND_BY' AS type, 'Binding' AS from_label, e.id AS from_id, 'User' AS to_label, e.user_id AS to_id, '{}' AS
    properties
FROM bindings AS e
UNION ALL
SELECT 'FOR_TOOL' AS type, 'Trust' AS from_label, e.id AS from_id, 'Tool' AS to_label, e.tool_id AS to_id, '{}' AS
    properties
FROM trusts AS e
UNION ALL
SELECT 'GIVEN_BY' AS type, 'Trust' AS from_label, e.id AS from_id, 'User' AS to_label, e.user_id AS to_id, '{}' AS
    properties
FROM trusts AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Process' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM processes AS e
UNION ALL
SELECT 'DEFINED_BY' AS type, 'Process' AS from_label, e.process_id AS from_id, 'Definition' AS to_label, e.digest AS
    to_id, '{' || '"at":' || coalesce('"' || replace(replace(e.at, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"version":' || coalesce(e.version, 'null') || '}' AS properties
FROM process_versions AS e
UNION ALL
SELECT 'HAS_STEP' AS type, 'Process' AS from_label, e.process_id AS from_id, 'ProcessStep' AS to_label,
    CAST(e.process_id || '/' || e.id AS text) AS to_id, '{' || '"order":' || coalesce(e.position, 'null') || '}' AS
    properties
FROM process_steps AS e
UNION ALL
SELECT 'CALLS_TOOL' AS type, 'ProcessStep' AS from_label, CAST(e.process_id || '/' || e.id AS text) AS from_id, 'Tool'
    AS to_label, e.tool_id AS to_id, '{' || '"timeout":' || coalesce(e.timeout, 'null') || ',' || '"interactionMode":'
    || coalesce('"' || replace(replace(e.interaction_mode, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM process_steps AS e
WHERE e.tool_id IS NOT NULL
UNION ALL
SELECT 'CALLS_PROCESS' AS type, 'ProcessStep' AS from_label, CAST(e.process_id || '/' || e.id AS text) AS from_id,
    'Process' AS to_label, e.called_process_id AS to_id, '{' || '"timeout":' || coalesce(e.timeout, 'null') || '}' AS
    properties
FROM process_steps AS e
WHERE e.called_process_id IS NOT NULL
UNION ALL
SELECT 'DEPENDS_ON' AS type, 'ProcessStep' AS from_label, CAST(s.process_id || '/' || s.id AS text) AS from_id,
    'ProcessStep' AS to_label, CAST(t.process_id || '/' || t.id AS text) AS to_id, '{' || '"order":' || coalesce(e.rank,
    'null') || '}' AS properties
FROM step_dependencies AS e
JOIN process_steps AS s ON s.process_id = e.process_id AND s.position = e.step
JOIN process_steps AS t ON t.process_id = e.process_id AND t.position = e.needs
UNION ALL
SELECT 'OWNED_BY' AS type, 'Schedule' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM schedules AS e
UNION ALL
SELECT 'STARTS' AS type, 'Schedule' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS to_id, '{}'
    AS properties
FROM schedules AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Webhook' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM webhooks AS e
UNION ALL
SELECT 'STARTS' AS type, 'Webhook' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS to_id, '{}' AS
    properties
FROM webhooks AS e
UNION ALL
SELECT 'USES_SECRET' AS type, 'Webhook' AS from_label, e.id AS from_id, 'Secret' AS to_label, e.secret_id AS to_id, '{}'
    AS properties
FROM webhooks AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Alert' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM alerts AS e
UNION ALL
SELECT 'STARTS' AS type, 'Alert' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS to_id, '{}' AS
    properties
FROM alerts AS e
UNION ALL
SELECT 'STARTED_BY' AS type, 'Run' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.accepted_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM runs AS e
UNION ALL
SELECT 'FOLLOWS' AS type, 'Run' AS from_label, e.id AS from_id, 'Definition' AS to_label, e.digest AS to_id, '{}' AS
    properties
FROM runs AS e
UNION ALL
SELECT 'RUN_OF' AS type, 'Run' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS to_id, '{}' AS
    properties
FROM runs AS e
WHERE EXISTS (SELECT 1 FROM processes WHERE processes.id = e.process_id)
UNION ALL
SELECT 'OWNED_BY' AS type, 'Conversation' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{'
    || '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM conversations AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Erasure' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM erasures AS e
UNION ALL
SELECT 'DEFAULT_PROCESS' AS type, 'Conversation' AS from_label, e.id AS from_id, 'Process' AS to_label,
    e.default_process_id AS to_id, '{' || '"since":' || coalesce('"' || replace(replace(e.default_process_since, '\',
    '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM conversations AS e
WHERE e.default_process_id IS NOT NULL
UNION ALL
SELECT 'FORKED_FROM' AS type, 'Conversation' AS from_label, e.id AS from_id, 'Conversation' AS to_label,
    e.forked_from_id AS to_id, '{' || '"originTurn":' || coalesce('"' || replace(replace(e.origin_turn_id, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"originAlternative":' || coalesce('"' ||
    replace(replace(e.origin_alternative_id, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM conversations AS e
WHERE e.forked_from_id IS NOT NULL
UNION ALL
SELECT 'HAS_TURN' AS type, 'Conversation' AS from_label, e.conversation_id AS from_id, 'ConversationTurn' AS to_label,
    e.id AS to_id, '{' || '"sequence":' || coalesce(e.sequence, 'null') || '}' AS properties
FROM conversation_turns AS e
UNION ALL
SELECT 'CHILD_OF' AS type, 'ConversationTurn' AS from_label, e.id AS from_id, 'ConversationTurn' AS to_label,
    e.parent_id AS to_id, '{' || '"viaAlternative":' || coalesce('"' || replace(replace(e.via_alternative_id, '\',
    '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM conversation_turns AS e
WHERE e.parent_id IS NOT NULL
UNION ALL
SELECT 'HAS_ALTERNATIVE' AS type, 'ConversationTurn' AS from_label, e.turn_id AS from_id, 'Alternative' AS to_label,
    e.id AS to_id, '{' || '"isActive":' || CASE e.is_active WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"sequence":'
    || coalesce(e.sequence, 'null') || '}' AS properties
FROM alternatives AS e
UNION ALL
SELECT 'RESPONDS_TO' AS type, 'Alternative' AS from_label, e.id AS from_id, 'Alternative' AS to_label, e.responds_to_id
    AS to_id, '{}' AS properties
FROM alternatives AS e
WHERE e.responds_to_id IS NOT NULL
UNION ALL
SELECT 'EXECUTED_BY' AS type, 'Alternative' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS
    to_id, '{' || '"createdAt":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null')
    || '}' AS properties
FROM alternatives AS e
WHERE e.process_id IS NOT NULL
UNION ALL
SELECT 'OWNED_BY' AS type, 'Episode' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM episodes AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Entity' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM entities AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Merge' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM merges AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Fact' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{' ||
    '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM facts AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Introspection' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id, '{'
    || '"created_at":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM introspections AS e
UNION ALL
SELECT 'HAS_CONTENT' AS type, 'Alternative' AS from_label, e.alternative_id AS from_id, 'Episode' AS to_label, e.id AS
    to_id, '{' || '"source":' || coalesce('"' || replace(replace(e.source, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"createdAt":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS
    properties
FROM episodes AS e
WHERE e.alternative_id IS NOT NULL
UNION ALL
SELECT 'MENTIONS' AS type, 'Episode' AS from_label, e.episode_id AS from_id, 'Entity' AS to_label, e.entity_id AS to_id,
    '{' || '"name":' || coalesce('"' || replace(replace(e.name, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"extractor":' || coalesce('"' || replace(replace(e.extractor, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"confidence":' || coalesce(e.confidence, 'null') || ',' || '"createdAt":' || coalesce('"' ||
    replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM mentions AS e
UNION ALL
SELECT 'KEEPS' AS type, 'Merge' AS from_label, e.id AS from_id, 'Entity' AS to_label, e.kept_id AS to_id, '{}' AS
    properties
FROM merges AS e
UNION ALL
SELECT 'ABSORBS' AS type, 'Merge' AS from_label, e.id AS from_id, 'Entity' AS to_label, e.absorbed_id AS to_id, '{}' AS
    properties
FROM merges AS e
UNION ALL
SELECT 'ENRICHED_BY' AS type, 'Entity' AS from_label, e.id AS from_id, 'Process' AS to_label, e.enriched_by AS to_id,
    '{}' AS properties
FROM entities AS e
WHERE e.enriched_by IS NOT NULL
UNION ALL
SELECT 'HAS_SUBJECT' AS type, 'Fact' AS from_label, e.id AS from_id, 'Entity' AS to_label, e.subject_id AS to_id, '{}'
    AS properties
FROM facts AS e
WHERE e.subject_id IS NOT NULL
UNION ALL
SELECT 'HAS_OBJECT' AS type, 'Fact' AS from_label, e.id AS from_id, 'Entity' AS to_label, e.object_id AS to_id, '{}' AS
    properties
FROM facts AS e
WHERE e.object_id IS NOT NULL
UNION ALL
SELECT 'ASSERTS' AS type, 'Episode' AS from_label, e.episode_id AS from_id, 'Fact' AS to_label, e.fact_id AS to_id, '{'
    || '"kind":' || coalesce('"' || replace(replace(e.kind, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"state":'
    || coalesce('"' || replace(replace(e.state, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"extractor":' ||
    coalesce('"' || replace(replace(e.extractor, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"confidence":' ||
    coalesce(e.confidence, 'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(e.created_at, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"saidAt":' || coalesce('"' || replace(replace(e.said_at, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"trueFrom":' || coalesce('"' || replace(replace(e.true_from, '\', '\\'), '"', '\"')
    || '"', 'null') || ',' || '"trueUntil":' || coalesce('"' || replace(replace(e.true_until, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"decidedAt":' || coalesce('"' || replace(replace(e.decided_at, '\', '\\'), '"', '\"') ||
    '"', 'null') || '}' AS properties
FROM assertions AS e
UNION ALL
SELECT 'HAS_ACTIVE_ENTITY' AS type, 'Conversation' AS from_label, e.conversation_id AS from_id, 'Entity' AS to_label,
    e.entity_id AS to_id, '{' || '"ownerId":' || coalesce('"' || replace(replace(e.owner_id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"state":' || coalesce('"' || replace(replace(e.state, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"includeSummary":' || CASE e.include_summary WHEN 1 THEN 'true' ELSE 'false' END || ',' ||
    '"includeFacets":' || CASE e.include_facets WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"includeRelationships":'
    || CASE e.include_relationships WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"addedAt":' || coalesce('"' ||
    replace(replace(e.added_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM active_entities AS e
UNION ALL
SELECT 'HAS_SUMMARY' AS type, 'Conversation' AS from_label, e.conversation_id AS from_id, 'Summary' AS to_label, e.id AS
    to_id, '{}' AS properties
FROM summaries AS e
UNION ALL
SELECT 'COVERS_UP_TO' AS type, 'Summary' AS from_label, e.id AS from_id, 'ConversationTurn' AS to_label, e.last_turn_id
    AS to_id, '{}' AS properties
FROM summaries AS e
UNION ALL
SELECT 'CREATED_BY_PROCESS' AS type, 'Summary' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS
    to_id, '{}' AS properties
FROM summaries AS e
WHERE e.process_id IS NOT NULL
UNION ALL
SELECT 'SUMMARIZES' AS type, 'Summary' AS from_label, e.summary_id AS from_id, 'Episode' AS to_label, e.episode_id AS
    to_id, '{' || '"order":' || coalesce(e.n, 'null') || '}' AS properties
FROM summary_sources AS e
UNION ALL
SELECT 'HAS_CONTENT' AS type, 'Summary' AS from_label, e.summary_id AS from_id, 'Episode' AS to_label, e.episode_id AS
    to_id, '{' || '"n":' || coalesce(e.n, 'null') || ',' || '"createdAt":' || coalesce('"' ||
    replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"createdBy":' || coalesce('"' ||
    replace(replace(e.created_by, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM summary_contents AS e
UNION ALL
SELECT 'CREATED_BY_PROCESS' AS type, 'Introspection' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id
    AS to_id, '{}' AS properties
FROM introspections AS e
WHERE e.process_id IS NOT NULL
UNION ALL
SELECT 'HAS_CONTENT' AS type, 'Introspection' AS from_label, e.introspection_id AS from_id, 'Episode' AS to_label,
    e.episode_id AS to_id, '{' || '"n":' || coalesce(e.n, 'null') || ',' || '"createdAt":' || coalesce('"' ||
    replace(replace(e.created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"createdBy":' || coalesce('"' ||
    replace(replace(e.created_by, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM introspection_contents AS e
UNION ALL
SELECT 'RUNS_IN' AS type, 'Worker' AS from_label, e.id AS from_id, 'Executor' AS to_label, e.executor_id AS to_id, '{}'
    AS properties
FROM workers AS e
UNION ALL
SELECT 'PROCESSES' AS type, 'Worker' AS from_label, e.id AS from_id, 'ProcessStep' AS to_label,
    CAST(e.current_process_id || '/' || e.current_step_id AS text) AS to_id, '{}' AS properties
FROM workers AS e
WHERE EXISTS (SELECT 1 FROM process_steps AS p
              WHERE p.process_id = e.current_process_id AND p.id = e.current_step_id)
UNION ALL
SELECT 'EXECUTES' AS type, 'Worker' AS from_label, e.id AS from_id, 'Tool' AS to_label, e.current_tool_id AS to_id, '{}'
    AS properties
FROM workers AS e
WHERE EXISTS (SELECT 1 FROM tools WHERE tools.id = e.current_tool_id)
);
INSERT INTO search_letters (letter, folded) VALUES (char(1), ' '), (char(2), ' '), (char(3), ' '), (char(4), ' '), (char(5), ' '), (char(6), ' '), (char(7), ' '), (char(8), ' '), (char(9), ' '), (char(10), ' '), (char(11), ' '), (char(12), ' '), (char(13), ' '), (char(14), ' '), (char(15), ' '), (char(16), ' '), (char(17), ' '), (char(18), ' '), (char(19), ' '), (char(20), ' ');
INSERT INTO search_letters (letter, folded) VALUES (char(21), ' '), (char(22), ' '), (char(23), ' '), (char(24), ' '), (char(25), ' '), (char(26), ' '), (char(27), ' '), (char(28), ' '), (char(29), ' '), (char(30), ' '), (char(31), ' '), ('!', ' '), ('"', ' '), ('#', ' '), ('$', ' '), ('%', ' '), ('&', ' '), ('''', ' '), ('(', ' '), (')', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('*', ' '), ('+', ' '), (',', ' '), ('-', ' '), ('.', ' '), ('/', ' '), (':', ' '), (';', ' '), ('<', ' '), ('=', ' '), ('>', ' '), ('?', ' '), ('@', ' '), ('A', 'a'), ('B', 'b'), ('C', 'c'), ('D', 'd'), ('E', 'e'), ('F', 'f'), ('G', 'g');
INSERT INTO search_letters (letter, folded) VALUES ('H', 'h'), ('I', 'i'), ('J', 'j'), ('K', 'k'), ('L', 'l'), ('M', 'm'), ('N', 'n'), ('O', 'o'), ('P', 'p'), ('Q', 'q'), ('R', 'r'), ('S', 's'), ('T', 't'), ('U', 'u'), ('V', 'v'), ('W', 'w'), ('X', 'x'), ('Y', 'y'), ('Z', 'z'), ('[', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('\', ' '), (']', ' '), ('^', ' '), ('_', ' '), ('`', ' '), ('{', ' '), ('|', ' '), ('}', ' '), ('~', ' '), (char(127), ' '), (char(128), ' '), (char(129), ' '), (char(130), ' '), (char(131), ' '), (char(132), ' '), (char(133), ' '), (char(134), ' '), (char(135), ' '), (char(136), ' '), (char(137), ' ');
INSERT INTO search_letters (letter, folded) VALUES (char(138), ' '), (char(139), ' '), (char(140), ' '), (char(141), ' '), (char(142), ' '), (char(143), ' '), (char(144), ' '), (char(145), ' '), (char(146), ' '), (char(147), ' '), (char(148), ' '), (char(149), ' '), (char(150), ' '), (char(151), ' '), (char(152), ' '), (char(153), ' '), (char(154), ' '), (char(155), ' '), (char(156), ' '), (char(157), ' ');
INSERT INTO search_letters (letter, folded) VALUES (char(158), ' '), (char(159), ' '), (char(160), ' '), ('¡', ' '), ('¢', ' '), ('£', ' '), ('¤', ' '), ('¥', ' '), ('¦', ' '), ('§', ' '), ('¨', ' '), ('©', ' '), ('«', ' '), ('¬', ' '), (char(173), ''), ('®', ' '), ('¯', ' '), ('°', ' '), ('±', ' '), ('´', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('µ', 'μ'), ('¶', ' '), ('·', ' '), ('¸', ' '), ('»', ' '), ('¿', ' '), ('À', 'a'), ('Á', 'a'), ('Â', 'a'), ('Ã', 'a'), ('Ä', 'a'), ('Å', 'a'), ('Æ', 'æ'), ('Ç', 'c'), ('È', 'e'), ('É', 'e'), ('Ê', 'e'), ('Ë', 'e'), ('Ì', 'i'), ('Í', 'i');
INSERT INTO search_letters (letter, folded) VALUES ('Î', 'i'), ('Ï', 'i'), ('Ð', 'ð'), ('Ñ', 'n'), ('Ò', 'o'), ('Ó', 'o'), ('Ô', 'o'), ('Õ', 'o'), ('Ö', 'o'), ('×', ' '), ('Ø', 'o'), ('Ù', 'u'), ('Ú', 'u'), ('Û', 'u'), ('Ü', 'u'), ('Ý', 'y'), ('Þ', 'þ'), ('à', 'a'), ('á', 'a'), ('â', 'a');
INSERT INTO search_letters (letter, folded) VALUES ('ã', 'a'), ('ä', 'a'), ('å', 'a'), ('ç', 'c'), ('è', 'e'), ('é', 'e'), ('ê', 'e'), ('ë', 'e'), ('ì', 'i'), ('í', 'i'), ('î', 'i'), ('ï', 'i'), ('ñ', 'n'), ('ò', 'o'), ('ó', 'o'), ('ô', 'o'), ('õ', 'o'), ('ö', 'o'), ('÷', ' '), ('ø', 'o');
INSERT INTO search_letters (letter, folded) VALUES ('ù', 'u'), ('ú', 'u'), ('û', 'u'), ('ü', 'u'), ('ý', 'y'), ('ÿ', 'y'), ('Ā', 'a'), ('ā', 'a'), ('Ă', 'a'), ('ă', 'a'), ('Ą', 'a'), ('ą', 'a'), ('Ć', 'c'), ('ć', 'c'), ('Ĉ', 'c'), ('ĉ', 'c'), ('Ċ', 'c'), ('ċ', 'c'), ('Č', 'c'), ('č', 'c');
INSERT INTO search_letters (letter, folded) VALUES ('Ď', 'd'), ('ď', 'd'), ('Đ', 'd'), ('đ', 'd'), ('Ē', 'e'), ('ē', 'e'), ('Ĕ', 'e'), ('ĕ', 'e'), ('Ė', 'e'), ('ė', 'e'), ('Ę', 'e'), ('ę', 'e'), ('Ě', 'e'), ('ě', 'e'), ('Ĝ', 'g'), ('ĝ', 'g'), ('Ğ', 'g'), ('ğ', 'g'), ('Ġ', 'g'), ('ġ', 'g');
INSERT INTO search_letters (letter, folded) VALUES ('Ģ', 'g'), ('ģ', 'g'), ('Ĥ', 'h'), ('ĥ', 'h'), ('Ħ', 'h'), ('ħ', 'h'), ('Ĩ', 'i'), ('ĩ', 'i'), ('Ī', 'i'), ('ī', 'i'), ('Ĭ', 'i'), ('ĭ', 'i'), ('Į', 'i'), ('į', 'i'), ('İ', 'i'), ('ı', 'i'), ('Ĳ', 'ĳ'), ('Ĵ', 'j'), ('ĵ', 'j'), ('Ķ', 'k');
INSERT INTO search_letters (letter, folded) VALUES ('ķ', 'k'), ('Ĺ', 'l'), ('ĺ', 'l'), ('Ļ', 'l'), ('ļ', 'l'), ('Ľ', 'l'), ('ľ', 'l'), ('Ŀ', 'ŀ'), ('Ł', 'l'), ('ł', 'l'), ('Ń', 'n'), ('ń', 'n'), ('Ņ', 'n'), ('ņ', 'n'), ('Ň', 'n'), ('ň', 'n'), ('Ŋ', 'ŋ'), ('Ō', 'o'), ('ō', 'o'), ('Ŏ', 'o');
INSERT INTO search_letters (letter, folded) VALUES ('ŏ', 'o'), ('Ő', 'o'), ('ő', 'o'), ('Œ', 'œ'), ('Ŕ', 'r'), ('ŕ', 'r'), ('Ŗ', 'r'), ('ŗ', 'r'), ('Ř', 'r'), ('ř', 'r'), ('Ś', 's'), ('ś', 's'), ('Ŝ', 's'), ('ŝ', 's'), ('Ş', 's'), ('ş', 's'), ('Š', 's'), ('š', 's'), ('Ţ', 't'), ('ţ', 't');
INSERT INTO search_letters (letter, folded) VALUES ('Ť', 't'), ('ť', 't'), ('Ŧ', 't'), ('ŧ', 't'), ('Ũ', 'u'), ('ũ', 'u'), ('Ū', 'u'), ('ū', 'u'), ('Ŭ', 'u'), ('ŭ', 'u'), ('Ů', 'u'), ('ů', 'u'), ('Ű', 'u'), ('ű', 'u'), ('Ų', 'u'), ('ų', 'u'), ('Ŵ', 'w'), ('ŵ', 'w'), ('Ŷ', 'y'), ('ŷ', 'y');
INSERT INTO search_letters (letter, folded) VALUES ('Ÿ', 'y'), ('Ź', 'z'), ('ź', 'z'), ('Ż', 'z'), ('ż', 'z'), ('Ž', 'z'), ('ž', 'z'), ('ſ', 's'), ('Ɓ', 'ɓ'), ('Ƃ', 'ƃ'), ('Ƅ', 'ƅ'), ('Ɔ', 'ɔ'), ('Ƈ', 'ƈ'), ('Ɖ', 'ɖ'), ('Ɗ', 'ɗ'), ('Ƌ', 'ƌ'), ('Ǝ', 'ǝ'), ('Ə', 'ə'), ('Ɛ', 'ɛ'), ('Ƒ', 'ƒ');
INSERT INTO search_letters (letter, folded) VALUES ('Ɠ', 'ɠ'), ('Ɣ', 'ɣ'), ('Ɩ', 'ɩ'), ('Ɨ', 'ɨ'), ('Ƙ', 'ƙ'), ('Ɯ', 'ɯ'), ('Ɲ', 'ɲ'), ('Ɵ', 'ɵ'), ('Ơ', 'o'), ('ơ', 'o'), ('Ƣ', 'ƣ'), ('Ƥ', 'ƥ'), ('Ʀ', 'ʀ'), ('Ƨ', 'ƨ'), ('Ʃ', 'ʃ'), ('Ƭ', 'ƭ'), ('Ʈ', 'ʈ'), ('Ư', 'u'), ('ư', 'u'), ('Ʊ', 'ʊ');
INSERT INTO search_letters (letter, folded) VALUES ('Ʋ', 'ʋ'), ('Ƴ', 'ƴ'), ('Ƶ', 'ƶ'), ('Ʒ', 'ʒ'), ('Ƹ', 'ƹ'), ('Ƽ', 'ƽ'), ('Ǆ', 'ǆ'), ('ǅ', 'ǆ'), ('Ǉ', 'ǉ'), ('ǈ', 'ǉ'), ('Ǌ', 'ǌ'), ('ǋ', 'ǌ'), ('Ǎ', 'a'), ('ǎ', 'a'), ('Ǐ', 'i'), ('ǐ', 'i'), ('Ǒ', 'o'), ('ǒ', 'o'), ('Ǔ', 'u'), ('ǔ', 'u');
INSERT INTO search_letters (letter, folded) VALUES ('Ǖ', 'u'), ('ǖ', 'u'), ('Ǘ', 'u'), ('ǘ', 'u'), ('Ǚ', 'u'), ('ǚ', 'u'), ('Ǜ', 'u'), ('ǜ', 'u'), ('Ǟ', 'a'), ('ǟ', 'a'), ('Ǡ', 'a'), ('ǡ', 'a'), ('Ǣ', 'æ'), ('ǣ', 'æ'), ('Ǥ', 'ǥ'), ('Ǧ', 'g'), ('ǧ', 'g'), ('Ǩ', 'k'), ('ǩ', 'k'), ('Ǫ', 'o');
INSERT INTO search_letters (letter, folded) VALUES ('ǫ', 'o'), ('Ǭ', 'o'), ('ǭ', 'o'), ('Ǯ', 'ʒ'), ('ǯ', 'ʒ'), ('ǰ', 'j'), ('Ǳ', 'ǳ'), ('ǲ', 'ǳ'), ('Ǵ', 'g'), ('ǵ', 'g'), ('Ƕ', 'ƕ'), ('Ƿ', 'ƿ'), ('Ǹ', 'n'), ('ǹ', 'n'), ('Ǻ', 'a'), ('ǻ', 'a'), ('Ǽ', 'æ'), ('ǽ', 'æ'), ('Ǿ', 'o'), ('ǿ', 'o');
INSERT INTO search_letters (letter, folded) VALUES ('Ȁ', 'a'), ('ȁ', 'a'), ('Ȃ', 'a'), ('ȃ', 'a'), ('Ȅ', 'e'), ('ȅ', 'e'), ('Ȇ', 'e'), ('ȇ', 'e'), ('Ȉ', 'i'), ('ȉ', 'i'), ('Ȋ', 'i'), ('ȋ', 'i'), ('Ȍ', 'o'), ('ȍ', 'o'), ('Ȏ', 'o'), ('ȏ', 'o'), ('Ȑ', 'r'), ('ȑ', 'r'), ('Ȓ', 'r'), ('ȓ', 'r');
INSERT INTO search_letters (letter, folded) VALUES ('Ȕ', 'u'), ('ȕ', 'u'), ('Ȗ', 'u'), ('ȗ', 'u'), ('Ș', 's'), ('ș', 's'), ('Ț', 't'), ('ț', 't'), ('Ȝ', 'ȝ'), ('Ȟ', 'h'), ('ȟ', 'h'), ('Ƞ', 'ƞ'), ('Ȣ', 'ȣ'), ('Ȥ', 'ȥ'), ('Ȧ', 'a'), ('ȧ', 'a'), ('Ȩ', 'e'), ('ȩ', 'e'), ('Ȫ', 'o'), ('ȫ', 'o');
INSERT INTO search_letters (letter, folded) VALUES ('Ȭ', 'o'), ('ȭ', 'o'), ('Ȯ', 'o'), ('ȯ', 'o'), ('Ȱ', 'o'), ('ȱ', 'o'), ('Ȳ', 'y'), ('ȳ', 'y'), ('Ⱥ', 'ⱥ'), ('Ȼ', 'ȼ'), ('Ƚ', 'ƚ'), ('Ⱦ', 'ⱦ'), ('Ɂ', 'ɂ'), ('Ƀ', 'ƀ'), ('Ʉ', 'ʉ'), ('Ʌ', 'ʌ'), ('Ɇ', 'ɇ'), ('Ɉ', 'ɉ'), ('Ɋ', 'ɋ'), ('Ɍ', 'ɍ');
INSERT INTO search_letters (letter, folded) VALUES ('Ɏ', 'ɏ'), ('̀', ''), ('́', ''), ('̂', ''), ('̃', ''), ('̄', ''), ('̅', ''), ('̆', ''), ('̇', ''), ('̈', ''), ('̉', ''), ('̊', ''), ('̋', ''), ('̌', ''), ('̍', ''), ('̎', ''), ('̏', ''), ('̐', ''), ('̑', ''), ('̒', '');
INSERT INTO search_letters (letter, folded) VALUES ('̓', ''), ('̔', ''), ('̕', ''), ('̖', ''), ('̗', ''), ('̘', ''), ('̙', ''), ('̚', ''), ('̛', ''), ('̜', ''), ('̝', ''), ('̞', ''), ('̟', ''), ('̠', ''), ('̡', ''), ('̢', ''), ('̣', ''), ('̤', ''), ('̥', ''), ('̦', '');
INSERT INTO search_letters (letter, folded) VALUES ('̧', ''), ('̨', ''), ('̩', ''), ('̪', ''), ('̫', ''), ('̬', ''), ('̭', ''), ('̮', ''), ('̯', ''), ('̰', ''), ('̱', ''), ('̲', ''), ('̳', ''), ('̴', ''), ('̵', ''), ('̶', ''), ('̷', ''), ('̸', ''), ('̹', ''), ('̺', '');
INSERT INTO search_letters (letter, folded) VALUES ('̻', ''), ('̼', ''), ('̽', ''), ('̾', ''), ('̿', ''), ('̀', ''), ('́', ''), ('͂', ''), ('̓', ''), ('̈́', ''), ('ͅ', ''), ('͆', ''), ('͇', ''), ('͈', ''), ('͉', ''), ('͊', ''), ('͋', ''), ('͌', ''), ('͍', ''), ('͎', '');
INSERT INTO search_letters (letter, folded) VALUES ('͏', ''), ('͐', ''), ('͑', ''), ('͒', ''), ('͓', ''), ('͔', ''), ('͕', ''), ('͖', ''), ('͗', ''), ('͘', ''), ('͙', ''), ('͚', ''), ('͛', ''), ('͜', ''), ('͝', ''), ('͞', ''), ('͟', ''), ('͠', ''), ('͡', ''), ('͢', '');
INSERT INTO search_letters (letter, folded) VALUES ('ͣ', ''), ('ͤ', ''), ('ͥ', ''), ('ͦ', ''), ('ͧ', ''), ('ͨ', ''), ('ͩ', ''), ('ͪ', ''), ('ͫ', ''), ('ͬ', ''), ('ͭ', ''), ('ͮ', ''), ('ͯ', ''), ('Ͱ', 'ͱ'), ('Ͳ', 'ͳ'), ('ʹ', 'ʹ'), ('͵', ' '), ('Ͷ', 'ͷ'), (';', ' '), ('Ϳ', 'ϳ');
INSERT INTO search_letters (letter, folded) VALUES ('΄', ' '), ('΅', ' '), ('Ά', 'α'), ('·', ' '), ('Έ', 'ε'), ('Ή', 'η'), ('Ί', 'ι'), ('Ό', 'ο'), ('Ύ', 'υ'), ('Ώ', 'ω'), ('ΐ', 'ι'), ('Α', 'α'), ('Β', 'β'), ('Γ', 'γ'), ('Δ', 'δ'), ('Ε', 'ε'), ('Ζ', 'ζ'), ('Η', 'η'), ('Θ', 'θ'), ('Ι', 'ι');
INSERT INTO search_letters (letter, folded) VALUES ('Κ', 'κ'), ('Λ', 'λ'), ('Μ', 'μ'), ('Ν', 'ν'), ('Ξ', 'ξ'), ('Ο', 'ο'), ('Π', 'π'), ('Ρ', 'ρ'), ('Σ', 'σ'), ('Τ', 'τ'), ('Υ', 'υ'), ('Φ', 'φ'), ('Χ', 'χ'), ('Ψ', 'ψ'), ('Ω', 'ω'), ('Ϊ', 'ι'), ('Ϋ', 'υ'), ('ά', 'α'), ('έ', 'ε'), ('ή', 'η');
INSERT INTO search_letters (letter, folded) VALUES ('ί', 'ι'), ('ΰ', 'υ'), ('ς', 'σ'), ('ϊ', 'ι'), ('ϋ', 'υ'), ('ό', 'ο'), ('ύ', 'υ'), ('ώ', 'ω'), ('Ϗ', 'ϗ'), ('ϐ', 'β'), ('ϑ', 'θ'), ('ϓ', 'ϒ'), ('ϔ', 'ϒ'), ('ϕ', 'φ'), ('ϖ', 'π'), ('Ϙ', 'ϙ'), ('Ϛ', 'ϛ'), ('Ϝ', 'ϝ'), ('Ϟ', 'ϟ'), ('Ϡ', 'ϡ');
INSERT INTO search_letters (letter, folded) VALUES ('Ϣ', 'ϣ'), ('Ϥ', 'ϥ'), ('Ϧ', 'ϧ'), ('Ϩ', 'ϩ'), ('Ϫ', 'ϫ'), ('Ϭ', 'ϭ'), ('Ϯ', 'ϯ'), ('ϰ', 'κ'), ('ϱ', 'ρ'), ('ϴ', 'θ'), ('ϵ', 'ε'), ('϶', ' '), ('Ϸ', 'ϸ'), ('Ϲ', 'ϲ'), ('Ϻ', 'ϻ'), ('Ͻ', 'ͻ'), ('Ͼ', 'ͼ'), ('Ͽ', 'ͽ'), ('Ѐ', 'е'), ('Ё', 'е');
INSERT INTO search_letters (letter, folded) VALUES ('Ђ', 'ђ'), ('Ѓ', 'г'), ('Є', 'є'), ('Ѕ', 'ѕ'), ('І', 'і'), ('Ї', 'і'), ('Ј', 'ј'), ('Љ', 'љ'), ('Њ', 'њ'), ('Ћ', 'ћ'), ('Ќ', 'к'), ('Ѝ', 'и'), ('Ў', 'у'), ('Џ', 'џ'), ('А', 'а'), ('Б', 'б'), ('В', 'в'), ('Г', 'г'), ('Д', 'д'), ('Е', 'е');
INSERT INTO search_letters (letter, folded) VALUES ('Ж', 'ж'), ('З', 'з'), ('И', 'и'), ('Й', 'и'), ('К', 'к'), ('Л', 'л'), ('М', 'м'), ('Н', 'н'), ('О', 'о'), ('П', 'п'), ('Р', 'р'), ('С', 'с'), ('Т', 'т'), ('У', 'у'), ('Ф', 'ф'), ('Х', 'х'), ('Ц', 'ц'), ('Ч', 'ч'), ('Ш', 'ш'), ('Щ', 'щ');
INSERT INTO search_letters (letter, folded) VALUES ('Ъ', 'ъ'), ('Ы', 'ы'), ('Ь', 'ь'), ('Э', 'э'), ('Ю', 'ю'), ('Я', 'я'), ('й', 'и'), ('ѐ', 'е'), ('ё', 'е'), ('ѓ', 'г'), ('ї', 'і'), ('ќ', 'к'), ('ѝ', 'и'), ('ў', 'у'), ('Ѡ', 'ѡ'), ('Ѣ', 'ѣ'), ('Ѥ', 'ѥ'), ('Ѧ', 'ѧ'), ('Ѩ', 'ѩ'), ('Ѫ', 'ѫ');
INSERT INTO search_letters (letter, folded) VALUES ('Ѭ', 'ѭ'), ('Ѯ', 'ѯ'), ('Ѱ', 'ѱ'), ('Ѳ', 'ѳ'), ('Ѵ', 'ѵ'), ('Ѷ', 'ѵ'), ('ѷ', 'ѵ'), ('Ѹ', 'ѹ'), ('Ѻ', 'ѻ'), ('Ѽ', 'ѽ'), ('Ѿ', 'ѿ'), ('Ҁ', 'ҁ'), ('҂', ' '), ('҃', ''), ('҄', ''), ('҅', ''), ('҆', ''), ('҇', ''), ('҈', ''), ('҉', '');
INSERT INTO search_letters (letter, folded) VALUES ('Ҋ', 'ҋ'), ('Ҍ', 'ҍ'), ('Ҏ', 'ҏ'), ('Ґ', 'ґ'), ('Ғ', 'ғ'), ('Ҕ', 'ҕ'), ('Җ', 'җ'), ('Ҙ', 'ҙ'), ('Қ', 'қ'), ('Ҝ', 'ҝ'), ('Ҟ', 'ҟ'), ('Ҡ', 'ҡ'), ('Ң', 'ң'), ('Ҥ', 'ҥ'), ('Ҧ', 'ҧ'), ('Ҩ', 'ҩ'), ('Ҫ', 'ҫ'), ('Ҭ', 'ҭ'), ('Ү', 'ү'), ('Ұ', 'ұ');
INSERT INTO search_letters (letter, folded) VALUES ('Ҳ', 'ҳ'), ('Ҵ', 'ҵ'), ('Ҷ', 'ҷ'), ('Ҹ', 'ҹ'), ('Һ', 'һ'), ('Ҽ', 'ҽ'), ('Ҿ', 'ҿ'), ('Ӏ', 'ӏ'), ('Ӂ', 'ж'), ('ӂ', 'ж'), ('Ӄ', 'ӄ'), ('Ӆ', 'ӆ'), ('Ӈ', 'ӈ'), ('Ӊ', 'ӊ'), ('Ӌ', 'ӌ'), ('Ӎ', 'ӎ'), ('Ӑ', 'а'), ('ӑ', 'а'), ('Ӓ', 'а'), ('ӓ', 'а');
INSERT INTO search_letters (letter, folded) VALUES ('Ӕ', 'ӕ'), ('Ӗ', 'е'), ('ӗ', 'е'), ('Ә', 'ә'), ('Ӛ', 'ә'), ('ӛ', 'ә'), ('Ӝ', 'ж'), ('ӝ', 'ж'), ('Ӟ', 'з'), ('ӟ', 'з'), ('Ӡ', 'ӡ'), ('Ӣ', 'и'), ('ӣ', 'и'), ('Ӥ', 'и'), ('ӥ', 'и'), ('Ӧ', 'о'), ('ӧ', 'о'), ('Ө', 'ө'), ('Ӫ', 'ө'), ('ӫ', 'ө');
INSERT INTO search_letters (letter, folded) VALUES ('Ӭ', 'э'), ('ӭ', 'э'), ('Ӯ', 'у'), ('ӯ', 'у'), ('Ӱ', 'у'), ('ӱ', 'у'), ('Ӳ', 'у'), ('ӳ', 'у'), ('Ӵ', 'ч'), ('ӵ', 'ч'), ('Ӷ', 'ӷ'), ('Ӹ', 'ы'), ('ӹ', 'ы'), ('Ӻ', 'ӻ'), ('Ӽ', 'ӽ'), ('Ӿ', 'ӿ'), ('Ԁ', 'ԁ'), ('Ԃ', 'ԃ'), ('Ԅ', 'ԅ'), ('Ԇ', 'ԇ');
INSERT INTO search_letters (letter, folded) VALUES ('Ԉ', 'ԉ'), ('Ԋ', 'ԋ'), ('Ԍ', 'ԍ'), ('Ԏ', 'ԏ'), ('Ԑ', 'ԑ'), ('Ԓ', 'ԓ'), ('Ԕ', 'ԕ'), ('Ԗ', 'ԗ'), ('Ԙ', 'ԙ'), ('Ԛ', 'ԛ'), ('Ԝ', 'ԝ'), ('Ԟ', 'ԟ'), ('Ԡ', 'ԡ'), ('Ԣ', 'ԣ'), ('Ԥ', 'ԥ'), ('Ԧ', 'ԧ'), ('Ԩ', 'ԩ'), ('Ԫ', 'ԫ'), ('Ԭ', 'ԭ'), ('Ԯ', 'ԯ');
INSERT INTO search_letters (letter, folded) VALUES ('Ա', 'ա'), ('Բ', 'բ'), ('Գ', 'գ'), ('Դ', 'դ'), ('Ե', 'ե'), ('Զ', 'զ'), ('Է', 'է'), ('Ը', 'ը'), ('Թ', 'թ'), ('Ժ', 'ժ'), ('Ի', 'ի'), ('Լ', 'լ'), ('Խ', 'խ'), ('Ծ', 'ծ'), ('Կ', 'կ'), ('Հ', 'հ'), ('Ձ', 'ձ'), ('Ղ', 'ղ'), ('Ճ', 'ճ'), ('Մ', 'մ');
INSERT INTO search_letters (letter, folded) VALUES ('Յ', 'յ'), ('Ն', 'ն'), ('Շ', 'շ'), ('Ո', 'ո'), ('Չ', 'չ'), ('Պ', 'պ'), ('Ջ', 'ջ'), ('Ռ', 'ռ'), ('Ս', 'ս'), ('Վ', 'վ'), ('Տ', 'տ'), ('Ր', 'ր'), ('Ց', 'ց'), ('Ւ', 'ւ'), ('Փ', 'փ'), ('Ք', 'ք'), ('Օ', 'օ'), ('Ֆ', 'ֆ'), ('՚', ' '), ('՛', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('՜', ' '), ('՝', ' '), ('՞', ' '), ('՟', ' '), ('։', ' '), ('֊', ' '), ('֍', ' '), ('֎', ' '), ('֏', ' '), ('Ḁ', 'a'), ('ḁ', 'a'), ('Ḃ', 'b'), ('ḃ', 'b'), ('Ḅ', 'b'), ('ḅ', 'b'), ('Ḇ', 'b'), ('ḇ', 'b'), ('Ḉ', 'c'), ('ḉ', 'c'), ('Ḋ', 'd');
INSERT INTO search_letters (letter, folded) VALUES ('ḋ', 'd'), ('Ḍ', 'd'), ('ḍ', 'd'), ('Ḏ', 'd'), ('ḏ', 'd'), ('Ḑ', 'd'), ('ḑ', 'd'), ('Ḓ', 'd'), ('ḓ', 'd'), ('Ḕ', 'e'), ('ḕ', 'e'), ('Ḗ', 'e'), ('ḗ', 'e'), ('Ḙ', 'e'), ('ḙ', 'e'), ('Ḛ', 'e'), ('ḛ', 'e'), ('Ḝ', 'e'), ('ḝ', 'e'), ('Ḟ', 'f');
INSERT INTO search_letters (letter, folded) VALUES ('ḟ', 'f'), ('Ḡ', 'g'), ('ḡ', 'g'), ('Ḣ', 'h'), ('ḣ', 'h'), ('Ḥ', 'h'), ('ḥ', 'h'), ('Ḧ', 'h'), ('ḧ', 'h'), ('Ḩ', 'h'), ('ḩ', 'h'), ('Ḫ', 'h'), ('ḫ', 'h'), ('Ḭ', 'i'), ('ḭ', 'i'), ('Ḯ', 'i'), ('ḯ', 'i'), ('Ḱ', 'k'), ('ḱ', 'k'), ('Ḳ', 'k');
INSERT INTO search_letters (letter, folded) VALUES ('ḳ', 'k'), ('Ḵ', 'k'), ('ḵ', 'k'), ('Ḷ', 'l'), ('ḷ', 'l'), ('Ḹ', 'l'), ('ḹ', 'l'), ('Ḻ', 'l'), ('ḻ', 'l'), ('Ḽ', 'l'), ('ḽ', 'l'), ('Ḿ', 'm'), ('ḿ', 'm'), ('Ṁ', 'm'), ('ṁ', 'm'), ('Ṃ', 'm'), ('ṃ', 'm'), ('Ṅ', 'n'), ('ṅ', 'n'), ('Ṇ', 'n');
INSERT INTO search_letters (letter, folded) VALUES ('ṇ', 'n'), ('Ṉ', 'n'), ('ṉ', 'n'), ('Ṋ', 'n'), ('ṋ', 'n'), ('Ṍ', 'o'), ('ṍ', 'o'), ('Ṏ', 'o'), ('ṏ', 'o'), ('Ṑ', 'o'), ('ṑ', 'o'), ('Ṓ', 'o'), ('ṓ', 'o'), ('Ṕ', 'p'), ('ṕ', 'p'), ('Ṗ', 'p'), ('ṗ', 'p'), ('Ṙ', 'r'), ('ṙ', 'r'), ('Ṛ', 'r');
INSERT INTO search_letters (letter, folded) VALUES ('ṛ', 'r'), ('Ṝ', 'r'), ('ṝ', 'r'), ('Ṟ', 'r'), ('ṟ', 'r'), ('Ṡ', 's'), ('ṡ', 's'), ('Ṣ', 's'), ('ṣ', 's'), ('Ṥ', 's'), ('ṥ', 's'), ('Ṧ', 's'), ('ṧ', 's'), ('Ṩ', 's'), ('ṩ', 's'), ('Ṫ', 't'), ('ṫ', 't'), ('Ṭ', 't'), ('ṭ', 't'), ('Ṯ', 't');
INSERT INTO search_letters (letter, folded) VALUES ('ṯ', 't'), ('Ṱ', 't'), ('ṱ', 't'), ('Ṳ', 'u'), ('ṳ', 'u'), ('Ṵ', 'u'), ('ṵ', 'u'), ('Ṷ', 'u'), ('ṷ', 'u'), ('Ṹ', 'u'), ('ṹ', 'u'), ('Ṻ', 'u'), ('ṻ', 'u'), ('Ṽ', 'v'), ('ṽ', 'v'), ('Ṿ', 'v'), ('ṿ', 'v'), ('Ẁ', 'w'), ('ẁ', 'w'), ('Ẃ', 'w');
INSERT INTO search_letters (letter, folded) VALUES ('ẃ', 'w'), ('Ẅ', 'w'), ('ẅ', 'w'), ('Ẇ', 'w'), ('ẇ', 'w'), ('Ẉ', 'w'), ('ẉ', 'w'), ('Ẋ', 'x'), ('ẋ', 'x'), ('Ẍ', 'x'), ('ẍ', 'x'), ('Ẏ', 'y'), ('ẏ', 'y'), ('Ẑ', 'z'), ('ẑ', 'z'), ('Ẓ', 'z'), ('ẓ', 'z'), ('Ẕ', 'z'), ('ẕ', 'z'), ('ẖ', 'h');
INSERT INTO search_letters (letter, folded) VALUES ('ẗ', 't'), ('ẘ', 'w'), ('ẙ', 'y'), ('ẛ', 's'), ('ẞ', 'ß'), ('Ạ', 'a'), ('ạ', 'a'), ('Ả', 'a'), ('ả', 'a'), ('Ấ', 'a'), ('ấ', 'a'), ('Ầ', 'a'), ('ầ', 'a'), ('Ẩ', 'a'), ('ẩ', 'a'), ('Ẫ', 'a'), ('ẫ', 'a'), ('Ậ', 'a'), ('ậ', 'a'), ('Ắ', 'a');
INSERT INTO search_letters (letter, folded) VALUES ('ắ', 'a'), ('Ằ', 'a'), ('ằ', 'a'), ('Ẳ', 'a'), ('ẳ', 'a'), ('Ẵ', 'a'), ('ẵ', 'a'), ('Ặ', 'a'), ('ặ', 'a'), ('Ẹ', 'e'), ('ẹ', 'e'), ('Ẻ', 'e'), ('ẻ', 'e'), ('Ẽ', 'e'), ('ẽ', 'e'), ('Ế', 'e'), ('ế', 'e'), ('Ề', 'e'), ('ề', 'e'), ('Ể', 'e');
INSERT INTO search_letters (letter, folded) VALUES ('ể', 'e'), ('Ễ', 'e'), ('ễ', 'e'), ('Ệ', 'e'), ('ệ', 'e'), ('Ỉ', 'i'), ('ỉ', 'i'), ('Ị', 'i'), ('ị', 'i'), ('Ọ', 'o'), ('ọ', 'o'), ('Ỏ', 'o'), ('ỏ', 'o'), ('Ố', 'o'), ('ố', 'o'), ('Ồ', 'o'), ('ồ', 'o'), ('Ổ', 'o'), ('ổ', 'o'), ('Ỗ', 'o');
INSERT INTO search_letters (letter, folded) VALUES ('ỗ', 'o'), ('Ộ', 'o'), ('ộ', 'o'), ('Ớ', 'o'), ('ớ', 'o'), ('Ờ', 'o'), ('ờ', 'o'), ('Ở', 'o'), ('ở', 'o'), ('Ỡ', 'o'), ('ỡ', 'o'), ('Ợ', 'o'), ('ợ', 'o'), ('Ụ', 'u'), ('ụ', 'u'), ('Ủ', 'u'), ('ủ', 'u'), ('Ứ', 'u'), ('ứ', 'u'), ('Ừ', 'u');
INSERT INTO search_letters (letter, folded) VALUES ('ừ', 'u'), ('Ử', 'u'), ('ử', 'u'), ('Ữ', 'u'), ('ữ', 'u'), ('Ự', 'u'), ('ự', 'u'), ('Ỳ', 'y'), ('ỳ', 'y'), ('Ỵ', 'y'), ('ỵ', 'y'), ('Ỷ', 'y'), ('ỷ', 'y'), ('Ỹ', 'y'), ('ỹ', 'y'), ('Ỻ', 'ỻ'), ('Ỽ', 'ỽ'), ('Ỿ', 'ỿ'), ('ἀ', 'α'), ('ἁ', 'α');
INSERT INTO search_letters (letter, folded) VALUES ('ἂ', 'α'), ('ἃ', 'α'), ('ἄ', 'α'), ('ἅ', 'α'), ('ἆ', 'α'), ('ἇ', 'α'), ('Ἀ', 'α'), ('Ἁ', 'α'), ('Ἂ', 'α'), ('Ἃ', 'α'), ('Ἄ', 'α'), ('Ἅ', 'α'), ('Ἆ', 'α'), ('Ἇ', 'α'), ('ἐ', 'ε'), ('ἑ', 'ε'), ('ἒ', 'ε'), ('ἓ', 'ε'), ('ἔ', 'ε'), ('ἕ', 'ε');
INSERT INTO search_letters (letter, folded) VALUES ('Ἐ', 'ε'), ('Ἑ', 'ε'), ('Ἒ', 'ε'), ('Ἓ', 'ε'), ('Ἔ', 'ε'), ('Ἕ', 'ε'), ('ἠ', 'η'), ('ἡ', 'η'), ('ἢ', 'η'), ('ἣ', 'η'), ('ἤ', 'η'), ('ἥ', 'η'), ('ἦ', 'η'), ('ἧ', 'η'), ('Ἠ', 'η'), ('Ἡ', 'η'), ('Ἢ', 'η'), ('Ἣ', 'η'), ('Ἤ', 'η'), ('Ἥ', 'η');
INSERT INTO search_letters (letter, folded) VALUES ('Ἦ', 'η'), ('Ἧ', 'η'), ('ἰ', 'ι'), ('ἱ', 'ι'), ('ἲ', 'ι'), ('ἳ', 'ι'), ('ἴ', 'ι'), ('ἵ', 'ι'), ('ἶ', 'ι'), ('ἷ', 'ι'), ('Ἰ', 'ι'), ('Ἱ', 'ι'), ('Ἲ', 'ι'), ('Ἳ', 'ι'), ('Ἴ', 'ι'), ('Ἵ', 'ι'), ('Ἶ', 'ι'), ('Ἷ', 'ι'), ('ὀ', 'ο'), ('ὁ', 'ο');
INSERT INTO search_letters (letter, folded) VALUES ('ὂ', 'ο'), ('ὃ', 'ο'), ('ὄ', 'ο'), ('ὅ', 'ο'), ('Ὀ', 'ο'), ('Ὁ', 'ο'), ('Ὂ', 'ο'), ('Ὃ', 'ο'), ('Ὄ', 'ο'), ('Ὅ', 'ο'), ('ὐ', 'υ'), ('ὑ', 'υ'), ('ὒ', 'υ'), ('ὓ', 'υ'), ('ὔ', 'υ'), ('ὕ', 'υ'), ('ὖ', 'υ'), ('ὗ', 'υ'), ('Ὑ', 'υ'), ('Ὓ', 'υ');
INSERT INTO search_letters (letter, folded) VALUES ('Ὕ', 'υ'), ('Ὗ', 'υ'), ('ὠ', 'ω'), ('ὡ', 'ω'), ('ὢ', 'ω'), ('ὣ', 'ω'), ('ὤ', 'ω'), ('ὥ', 'ω'), ('ὦ', 'ω'), ('ὧ', 'ω'), ('Ὠ', 'ω'), ('Ὡ', 'ω'), ('Ὢ', 'ω'), ('Ὣ', 'ω'), ('Ὤ', 'ω'), ('Ὥ', 'ω'), ('Ὦ', 'ω'), ('Ὧ', 'ω'), ('ὰ', 'α'), ('ά', 'α');
INSERT INTO search_letters (letter, folded) VALUES ('ὲ', 'ε'), ('έ', 'ε'), ('ὴ', 'η'), ('ή', 'η'), ('ὶ', 'ι'), ('ί', 'ι'), ('ὸ', 'ο'), ('ό', 'ο'), ('ὺ', 'υ'), ('ύ', 'υ'), ('ὼ', 'ω'), ('ώ', 'ω'), ('ᾀ', 'α'), ('ᾁ', 'α'), ('ᾂ', 'α'), ('ᾃ', 'α'), ('ᾄ', 'α'), ('ᾅ', 'α'), ('ᾆ', 'α'), ('ᾇ', 'α');
INSERT INTO search_letters (letter, folded) VALUES ('ᾈ', 'α'), ('ᾉ', 'α'), ('ᾊ', 'α'), ('ᾋ', 'α'), ('ᾌ', 'α'), ('ᾍ', 'α'), ('ᾎ', 'α'), ('ᾏ', 'α'), ('ᾐ', 'η'), ('ᾑ', 'η'), ('ᾒ', 'η'), ('ᾓ', 'η'), ('ᾔ', 'η'), ('ᾕ', 'η'), ('ᾖ', 'η'), ('ᾗ', 'η'), ('ᾘ', 'η'), ('ᾙ', 'η'), ('ᾚ', 'η'), ('ᾛ', 'η');
INSERT INTO search_letters (letter, folded) VALUES ('ᾜ', 'η'), ('ᾝ', 'η'), ('ᾞ', 'η'), ('ᾟ', 'η'), ('ᾠ', 'ω'), ('ᾡ', 'ω'), ('ᾢ', 'ω'), ('ᾣ', 'ω'), ('ᾤ', 'ω'), ('ᾥ', 'ω'), ('ᾦ', 'ω'), ('ᾧ', 'ω'), ('ᾨ', 'ω'), ('ᾩ', 'ω'), ('ᾪ', 'ω'), ('ᾫ', 'ω'), ('ᾬ', 'ω'), ('ᾭ', 'ω'), ('ᾮ', 'ω'), ('ᾯ', 'ω');
INSERT INTO search_letters (letter, folded) VALUES ('ᾰ', 'α'), ('ᾱ', 'α'), ('ᾲ', 'α'), ('ᾳ', 'α'), ('ᾴ', 'α'), ('ᾶ', 'α'), ('ᾷ', 'α'), ('Ᾰ', 'α'), ('Ᾱ', 'α'), ('Ὰ', 'α'), ('Ά', 'α'), ('ᾼ', 'α'), ('᾽', ' '), ('ι', 'ι'), ('᾿', ' '), ('῀', ' '), ('῁', ' '), ('ῂ', 'η'), ('ῃ', 'η'), ('ῄ', 'η');
INSERT INTO search_letters (letter, folded) VALUES ('ῆ', 'η'), ('ῇ', 'η'), ('Ὲ', 'ε'), ('Έ', 'ε'), ('Ὴ', 'η'), ('Ή', 'η'), ('ῌ', 'η'), ('῍', ' '), ('῎', ' '), ('῏', ' '), ('ῐ', 'ι'), ('ῑ', 'ι'), ('ῒ', 'ι'), ('ΐ', 'ι'), ('ῖ', 'ι'), ('ῗ', 'ι'), ('Ῐ', 'ι'), ('Ῑ', 'ι'), ('Ὶ', 'ι'), ('Ί', 'ι');
INSERT INTO search_letters (letter, folded) VALUES ('῝', ' '), ('῞', ' '), ('῟', ' '), ('ῠ', 'υ'), ('ῡ', 'υ'), ('ῢ', 'υ'), ('ΰ', 'υ'), ('ῤ', 'ρ'), ('ῥ', 'ρ'), ('ῦ', 'υ'), ('ῧ', 'υ'), ('Ῠ', 'υ'), ('Ῡ', 'υ'), ('Ὺ', 'υ'), ('Ύ', 'υ'), ('Ῥ', 'ρ'), ('῭', ' '), ('΅', ' '), ('`', ' '), ('ῲ', 'ω');
INSERT INTO search_letters (letter, folded) VALUES ('ῳ', 'ω'), ('ῴ', 'ω'), ('ῶ', 'ω'), ('ῷ', 'ω'), ('Ὸ', 'ο'), ('Ό', 'ο'), ('Ὼ', 'ω'), ('Ώ', 'ω'), ('ῼ', 'ω'), ('´', ' '), ('῾', ' '), (char(8192), ' '), (char(8193), ' '), (char(8194), ' '), (char(8195), ' '), (char(8196), ' '), (char(8197), ' '), (char(8198), ' '), (char(8199), ' '), (char(8200), ' ');
INSERT INTO search_letters (letter, folded) VALUES (char(8201), ' '), (char(8202), ' '), (char(8203), ''), (char(8204), ''), (char(8205), ''), (char(8206), ''), (char(8207), ''), ('‐', ' '), ('‑', ' '), ('‒', ' '), ('–', ' '), ('—', ' '), ('―', ' '), ('‖', ' '), ('‗', ' '), ('‘', ' '), ('’', ' '), ('‚', ' '), ('‛', ' '), ('“', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('”', ' '), ('„', ' '), ('‟', ' '), ('†', ' '), ('‡', ' '), ('•', ' '), ('‣', ' '), ('․', ' '), ('‥', ' '), ('…', ' '), ('‧', ' '), (char(8232), ' '), (char(8233), ' '), (char(8234), ''), (char(8235), ''), (char(8236), ''), (char(8237), ''), (char(8238), ''), (char(8239), ' '), ('‰', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('‱', ' '), ('′', ' '), ('″', ' '), ('‴', ' '), ('‵', ' '), ('‶', ' '), ('‷', ' '), ('‸', ' '), ('‹', ' '), ('›', ' '), ('※', ' '), ('‼', ' '), ('‽', ' '), ('‾', ' '), ('‿', ' '), ('⁀', ' '), ('⁁', ' '), ('⁂', ' '), ('⁃', ' '), ('⁄', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('⁅', ' '), ('⁆', ' '), ('⁇', ' '), ('⁈', ' '), ('⁉', ' '), ('⁊', ' '), ('⁋', ' '), ('⁌', ' '), ('⁍', ' '), ('⁎', ' '), ('⁏', ' '), ('⁐', ' '), ('⁑', ' '), ('⁒', ' '), ('⁓', ' '), ('⁔', ' '), ('⁕', ' '), ('⁖', ' '), ('⁗', ' '), ('⁘', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('⁙', ' '), ('⁚', ' '), ('⁛', ' '), ('⁜', ' '), ('⁝', ' '), ('⁞', ' '), (char(8287), ' '), (char(8288), ''), (char(8289), ''), (char(8290), ''), (char(8291), ''), (char(8292), ''), (char(8294), ''), (char(8295), ''), (char(8296), ''), (char(8297), ''), (char(8298), ''), (char(8299), ''), (char(8300), ''), (char(8301), '');
INSERT INTO search_letters (letter, folded) VALUES (char(8302), ''), (char(8303), ''), ('⸀', ' '), ('⸁', ' '), ('⸂', ' '), ('⸃', ' '), ('⸄', ' '), ('⸅', ' '), ('⸆', ' '), ('⸇', ' '), ('⸈', ' '), ('⸉', ' '), ('⸊', ' '), ('⸋', ' '), ('⸌', ' '), ('⸍', ' '), ('⸎', ' '), ('⸏', ' '), ('⸐', ' '), ('⸑', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('⸒', ' '), ('⸓', ' '), ('⸔', ' '), ('⸕', ' '), ('⸖', ' '), ('⸗', ' '), ('⸘', ' '), ('⸙', ' '), ('⸚', ' '), ('⸛', ' '), ('⸜', ' '), ('⸝', ' '), ('⸞', ' '), ('⸟', ' '), ('⸠', ' '), ('⸡', ' '), ('⸢', ' '), ('⸣', ' '), ('⸤', ' '), ('⸥', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('⸦', ' '), ('⸧', ' '), ('⸨', ' '), ('⸩', ' '), ('⸪', ' '), ('⸫', ' '), ('⸬', ' '), ('⸭', ' '), ('⸮', ' '), ('⸰', ' '), ('⸱', ' '), ('⸲', ' '), ('⸳', ' '), ('⸴', ' '), ('⸵', ' '), ('⸶', ' '), ('⸷', ' '), ('⸸', ' '), ('⸹', ' '), ('⸺', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('⸻', ' '), ('⸼', ' '), ('⸽', ' '), ('⸾', ' '), ('⸿', ' '), ('⹀', ' '), ('⹁', ' '), ('⹂', ' '), ('⹃', ' '), ('⹄', ' '), ('⹅', ' '), ('⹆', ' '), ('⹇', ' '), ('⹈', ' '), ('⹉', ' '), ('⹊', ' '), ('⹋', ' '), ('⹌', ' '), ('⹍', ' '), ('⹎', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('⹏', ' '), ('⹐', ' '), ('⹑', ' '), ('⹒', ' '), ('⹓', ' '), ('⹔', ' '), ('⹕', ' '), ('⹖', ' '), ('⹗', ' '), ('⹘', ' '), ('⹙', ' '), ('⹚', ' '), ('⹛', ' '), ('⹜', ' '), ('⹝', ' '), (char(12288), ' '), ('、', ' '), ('。', ' '), ('〃', ' '), ('〄', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('〈', ' '), ('〉', ' '), ('《', ' '), ('》', ' '), ('「', ' '), ('」', ' '), ('『', ' '), ('』', ' '), ('【', ' '), ('】', ' '), ('〒', ' '), ('〓', ' '), ('〔', ' '), ('〕', ' '), ('〖', ' '), ('〗', ' '), ('〘', ' '), ('〙', ' '), ('〚', ' '), ('〛', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('〜', ' '), ('〝', ' '), ('〞', ' '), ('〟', ' '), ('〠', ' '), ('〪', ''), ('〫', ''), ('〬', ''), ('〭', ''), ('〮', ''), ('〯', ''), ('〰', ' '), ('〶', ' '), ('〷', ' '), ('〽', ' '), ('〾', ' '), ('〿', ' '), ('︀', ''), ('︁', ''), ('︂', '');
INSERT INTO search_letters (letter, folded) VALUES ('︃', ''), ('︄', ''), ('︅', ''), ('︆', ''), ('︇', ''), ('︈', ''), ('︉', ''), ('︊', ''), ('︋', ''), ('︌', ''), ('︍', ''), ('︎', ''), ('️', ''), (char(65279), ''), ('！', ' '), ('＂', ' '), ('＃', ' '), ('＄', ' '), ('％', ' '), ('＆', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('＇', ' '), ('（', ' '), ('）', ' '), ('＊', ' '), ('＋', ' '), ('，', ' '), ('－', ' '), ('．', ' '), ('／', ' '), ('０', '0'), ('１', '1'), ('２', '2'), ('３', '3'), ('４', '4'), ('５', '5'), ('６', '6'), ('７', '7'), ('８', '8'), ('９', '9'), ('：', ' ');
INSERT INTO search_letters (letter, folded) VALUES ('；', ' '), ('＜', ' '), ('＝', ' '), ('＞', ' '), ('？', ' '), ('＠', ' '), ('Ａ', 'a'), ('Ｂ', 'b'), ('Ｃ', 'c'), ('Ｄ', 'd'), ('Ｅ', 'e'), ('Ｆ', 'f'), ('Ｇ', 'g'), ('Ｈ', 'h'), ('Ｉ', 'i'), ('Ｊ', 'j'), ('Ｋ', 'k'), ('Ｌ', 'l'), ('Ｍ', 'm'), ('Ｎ', 'n');
INSERT INTO search_letters (letter, folded) VALUES ('Ｏ', 'o'), ('Ｐ', 'p'), ('Ｑ', 'q'), ('Ｒ', 'r'), ('Ｓ', 's'), ('Ｔ', 't'), ('Ｕ', 'u'), ('Ｖ', 'v'), ('Ｗ', 'w'), ('Ｘ', 'x'), ('Ｙ', 'y'), ('Ｚ', 'z'), ('［', ' '), ('＼', ' '), ('］', ' '), ('＾', ' '), ('＿', ' '), ('｀', ' '), ('ａ', 'a'), ('ｂ', 'b');
INSERT INTO search_letters (letter, folded) VALUES ('ｃ', 'c'), ('ｄ', 'd'), ('ｅ', 'e'), ('ｆ', 'f'), ('ｇ', 'g'), ('ｈ', 'h'), ('ｉ', 'i'), ('ｊ', 'j'), ('ｋ', 'k'), ('ｌ', 'l'), ('ｍ', 'm'), ('ｎ', 'n'), ('ｏ', 'o'), ('ｐ', 'p'), ('ｑ', 'q'), ('ｒ', 'r'), ('ｓ', 's'), ('ｔ', 't'), ('ｕ', 'u'), ('ｖ', 'v');
INSERT INTO search_letters (letter, folded) VALUES ('ｗ', 'w'), ('ｘ', 'x'), ('ｙ', 'y'), ('ｚ', 'z'), ('｛', ' '), ('｜', ' '), ('｝', ' '), ('～', ' ');
INSERT INTO search_blocks (first, last) VALUES (char(1), char(127)), (char(128), 'ÿ'), ('Ā', 'ſ'), ('ƀ', 'ɏ'), ('̀', 'ͯ'), ('Ͱ', 'Ͽ'), ('Ѐ', 'ӿ'), ('Ԁ', '֏'), ('Ḁ', 'ỿ'), ('ἀ', char(8191)), (char(8192), char(8303)), ('⸀', '〿'), ('︀', char(65279)), (char(65280), '｟');
INSERT INTO search_places (place) VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12), (13), (14), (15), (16), (17), (18), (19), (20);
INSERT INTO search_places (place) VALUES (21), (22), (23), (24), (25), (26), (27), (28), (29), (30), (31), (32), (33), (34), (35), (36), (37), (38), (39), (40);
INSERT INTO search_places (place) VALUES (41), (42), (43), (44), (45), (46), (47), (48), (49), (50), (51), (52), (53), (54), (55), (56), (57), (58), (59), (60);
INSERT INTO search_places (place) VALUES (61), (62), (63), (64), (65), (66), (67), (68), (69), (70), (71), (72), (73), (74), (75), (76), (77), (78), (79), (80);
INSERT INTO search_places (place) VALUES (81), (82), (83), (84), (85), (86), (87), (88), (89), (90), (91), (92), (93), (94), (95), (96), (97), (98), (99), (100);
INSERT INTO search_places (place) VALUES (101), (102), (103), (104), (105), (106), (107), (108), (109), (110), (111), (112), (113), (114), (115), (116), (117), (118), (119), (120);
INSERT INTO search_places (place) VALUES (121), (122), (123), (124), (125), (126), (127), (128), (129), (130), (131), (132), (133), (134), (135), (136), (137), (138), (139), (140);
INSERT INTO search_places (place) VALUES (141), (142), (143), (144), (145), (146), (147), (148), (149), (150), (151), (152), (153), (154), (155), (156), (157), (158), (159), (160);
INSERT INTO search_places (place) VALUES (161), (162), (163), (164), (165), (166), (167), (168), (169), (170), (171), (172), (173), (174), (175), (176), (177), (178), (179), (180);
INSERT INTO search_places (place) VALUES (181), (182), (183), (184), (185), (186), (187), (188), (189), (190), (191), (192), (193), (194), (195), (196), (197), (198), (199), (200);
INSERT INTO search_places (place) VALUES (201), (202), (203), (204), (205), (206), (207), (208), (209), (210), (211), (212), (213), (214), (215), (216), (217), (218), (219), (220);
INSERT INTO search_places (place) VALUES (221), (222), (223), (224), (225), (226), (227), (228), (229), (230), (231), (232), (233), (234), (235), (236), (237), (238), (239), (240);
INSERT INTO search_places (place) VALUES (241), (242), (243), (244), (245), (246), (247), (248), (249), (250), (251), (252), (253), (254), (255), (256), (257), (258), (259), (260);
INSERT INTO search_places (place) VALUES (261), (262), (263), (264), (265), (266), (267), (268), (269), (270), (271), (272), (273), (274), (275), (276), (277), (278), (279), (280);
INSERT INTO search_places (place) VALUES (281), (282), (283), (284), (285), (286), (287), (288), (289), (290), (291), (292), (293), (294), (295), (296), (297), (298), (299), (300);
INSERT INTO search_places (place) VALUES (301), (302), (303), (304), (305), (306), (307), (308), (309), (310), (311), (312), (313), (314), (315), (316), (317), (318), (319), (320);
INSERT INTO search_places (place) VALUES (321), (322), (323), (324), (325), (326), (327), (328), (329), (330), (331), (332), (333), (334), (335), (336), (337), (338), (339), (340);
INSERT INTO search_places (place) VALUES (341), (342), (343), (344), (345), (346), (347), (348), (349), (350), (351), (352), (353), (354), (355), (356), (357), (358), (359), (360);
INSERT INTO search_places (place) VALUES (361), (362), (363), (364), (365), (366), (367), (368), (369), (370), (371), (372), (373), (374), (375), (376), (377), (378), (379), (380);
INSERT INTO search_places (place) VALUES (381), (382), (383), (384), (385), (386), (387), (388), (389), (390), (391), (392), (393), (394), (395), (396), (397), (398), (399), (400);
INSERT INTO search_places (place) VALUES (401), (402);
