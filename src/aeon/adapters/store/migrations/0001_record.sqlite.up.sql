-- The record: what people define and share, what runs came to, and who did what. `docs/decisions/0030-sql-record.md`.

-- Long texts are the last columns of each table. What follows one may lie in an overflow page, where SQLite does not see
-- damage (a text shows it, a number does not), and costs a walk to it.

CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Users, and one chain of audit entries each (platform 4, 19)

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

-- Answers to requests with an Idempotency-Key (platform 20)

CREATE TABLE requests (
    id     TEXT PRIMARY KEY,
    at     TEXT NOT NULL,
    body   TEXT NOT NULL,
    answer TEXT NOT NULL
) STRICT;

CREATE INDEX requests_at ON requests (at);

-- What changed, for those who follow the record: written only while there is a consumer

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

-- The catalog

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
    error_message     TEXT,
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
    secret_id TEXT NOT NULL,
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

-- Processes

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
    output_template     TEXT NOT NULL,
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
    timeout             INTEGER NOT NULL CHECK (timeout BETWEEN 1 AND 300),
    interaction_mode    TEXT NOT NULL CHECK (interaction_mode IN ('auto', 'manual')),
    inputs              TEXT NOT NULL,
    condition           TEXT,
    PRIMARY KEY (process_id, position),
    UNIQUE (process_id, id),
    CHECK ((tool_id IS NULL) <> (called_process_id IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX process_steps_tool ON process_steps (tool_id) WHERE tool_id IS NOT NULL;
CREATE INDEX process_steps_process ON process_steps (called_process_id) WHERE called_process_id IS NOT NULL;
CREATE INDEX process_steps_node ON process_steps (CAST(process_id || '/' || id AS text));

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
    inputs     TEXT NOT NULL,
    UNIQUE (owner_id, name),
    CHECK ((cron IS NULL) <> (at IS NULL))
) STRICT;

CREATE INDEX schedules_process ON schedules (process_id);
CREATE INDEX schedules_due ON schedules (due_micros, id) WHERE due_micros IS NOT NULL;
CREATE INDEX schedules_since ON schedules (since) WHERE enabled = 1;

-- Runs

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
    failure          TEXT,
    CHECK ((ended_at IS NULL) = (ended_micros IS NULL))
) STRICT;

CREATE INDEX runs_owner ON runs (owner_id, accepted_at, id);
CREATE INDEX runs_open ON runs (accepted_at, id) WHERE ended_at IS NULL;
CREATE INDEX runs_open_owner ON runs (owner_id, accepted_at, id) WHERE ended_at IS NULL;
CREATE INDEX runs_executor ON runs (executor) WHERE ended_at IS NULL;
CREATE INDEX runs_process ON runs (process_id);
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

-- Workers

CREATE TABLE executors (
    id             TEXT PRIMARY KEY,
    host           TEXT NOT NULL,
    pid            INTEGER NOT NULL,
    birth          TEXT NOT NULL,
    started_at     TEXT NOT NULL,
    last_heartbeat TEXT NOT NULL,
    types          TEXT NOT NULL
) STRICT;

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
    updated_at      TEXT NOT NULL,
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

-- Metrics (platform 18)

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

-- What never changes

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

CREATE TRIGGER process_steps_immutable BEFORE UPDATE ON process_steps
BEGIN SELECT RAISE(ABORT, 'immutable: process_steps'); END;

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

-- Events of what changes

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

CREATE TRIGGER process_steps_created AFTER INSERT ON process_steps WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ProcessStep', NEW.process_id || '/' || NEW.id); END;

CREATE TRIGGER process_steps_deleted AFTER DELETE ON process_steps WHEN EXISTS (SELECT 1 FROM consumers)
BEGIN INSERT INTO events (micros, label, subject) VALUES (CAST((julianday('now') - 2440587.5) * 86400000000 AS INTEGER), 'ProcessStep', OLD.process_id || '/' || OLD.id); END;

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

-- The record as a property graph: made of the declarations in `aeon/platform/graph_types.py`

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
    replace(replace(effect, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"enabled":' || CASE enabled WHEN 1 THEN
    'true' ELSE 'false' END || ',' || '"status":' || coalesce('"' || replace(replace(status, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"lastHealthCheck":' || coalesce('"' || replace(replace(last_health_check, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"errorMessage":' || coalesce('"' || replace(replace(error_message, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"healthFailures":' || coalesce(health_failures, 'null') || ',' || '"healthSince":'
    || coalesce('"' || replace(replace(health_since, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"shared":' ||
    CASE shared WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"toolTemplateId":' || coalesce('"' ||
    replace(replace(tool_template_id, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"version":' || coalesce(version,
    'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\', '\\'), '"', '\"') || '"',
    'null') || '}' AS properties
FROM tools
UNION ALL
SELECT 'Binding' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || '}' AS properties
FROM bindings
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
    '"enabled":' || CASE enabled WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"digest":' || coalesce('"' ||
    replace(replace(digest, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"shared":' || CASE shared WHEN 1 THEN
    'true' ELSE 'false' END || ',' || '"version":' || coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"'
    || replace(replace(created_at, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' ||
    replace(replace(updated_at, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
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
    replace(replace(interaction_mode, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM process_steps
UNION ALL
SELECT 'Schedule' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"ownerId":' || coalesce('"' || replace(replace(owner_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"name":' || coalesce('"' || replace(replace(name, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"inputs":' || coalesce(inputs, 'null') || ',' || '"cron":' || coalesce('"' || replace(replace(cron, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"at":' || coalesce('"' || replace(replace(at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"timeZone":' || coalesce('"' || replace(replace(time_zone, '\', '\\'), '"', '\"') || '"', 'null')
    || ',' || '"enabled":' || CASE enabled WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"catchUp":' || coalesce('"' ||
    replace(replace(catch_up, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"since":' || coalesce('"' ||
    replace(replace(since, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"dueMicros":' || coalesce(due_micros,
    'null') || ',' || '"shared":' || CASE shared WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"version":' ||
    coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\', '\\'), '"', '\"')
    || '"', 'null') || '}' AS properties
FROM schedules
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
    || '}' AS properties
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
SELECT 'Executor' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') ||
    '"', 'null') || ',' || '"host":' || coalesce('"' || replace(replace(host, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"pid":' || coalesce(pid, 'null') || ',' || '"birth":' || coalesce('"' || replace(replace(birth, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"startedAt":' || coalesce('"' || replace(replace(started_at, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"lastHeartbeat":' || coalesce('"' || replace(replace(last_heartbeat, '\', '\\'),
    '"', '\"') || '"', 'null') || ',' || '"types":' || coalesce(types, 'null') || '}' AS properties
FROM executors
UNION ALL
SELECT 'Worker' AS label, id AS id, '{' || '"id":' || coalesce('"' || replace(replace(id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"executorId":' || coalesce('"' || replace(replace(executor_id, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"type":' || coalesce('"' || replace(replace(type, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"status":' || coalesce('"' || replace(replace(status, '\', '\\'), '"', '\"') || '"', 'null') || ',' ||
    '"currentJobId":' || coalesce('"' || replace(replace(current_job_id, '\', '\\'), '"', '\"') || '"', 'null') || ','
    || '"lastHeartbeat":' || coalesce('"' || replace(replace(last_heartbeat, '\', '\\'), '"', '\"') || '"', 'null') ||
    ',' || '"processedCount":' || coalesce(processed_count, 'null') || ',' || '"errorCount":' || coalesce(error_count,
    'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"', '\"') || '"',
    'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\', '\\'), '"', '\"') || '"',
    'null') || '}' AS properties
FROM workers
UNION ALL
SELECT 'Places' AS label, service_id AS id, '{' || '"turn":' || coalesce(turn, 'null') || ',' || '"standing":' ||
    coalesce('"' || replace(replace(standing, '\', '\\'), '"', '\"') || '"', 'null') || ',' || '"id":' || coalesce('"'
    || replace(replace(service_id, '\', '\\'), '"', '\"') || '"', 'null') || '}' AS properties
FROM service_places
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
SELECT 'RUNS_IN' AS type, 'Worker' AS from_label, e.id AS from_id, 'Executor' AS to_label, e.executor_id AS to_id, '{}'
    AS properties
FROM workers AS e
);
