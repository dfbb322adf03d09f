-- The record: what people define and share, what runs came to, and who did what. `docs/decisions/0030-sql-record.md`.

-- Long texts are the last columns of each table. What follows one may lie in an overflow page, where SQLite does not see
-- damage (a text shows it, a number does not), and costs a walk to it.

CREATE TABLE meta (
    key   text COLLATE "C" PRIMARY KEY,
    value text COLLATE "C" NOT NULL
);

-- Users, and one chain of audit entries each (platform 4, 19)

CREATE TABLE users (
    id         text COLLATE "C" PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 200),
    audit_seq  bigint NOT NULL CHECK (audit_seq >= 0),
    audit_hash text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL
);

CREATE TABLE audit_entries (
    user_id  text COLLATE "C" NOT NULL REFERENCES users (id),
    seq      bigint NOT NULL CHECK (seq >= 1),
    at       text COLLATE "C" NOT NULL,
    action   text COLLATE "C" NOT NULL,
    subject  text COLLATE "C" NOT NULL,
    actor_id text COLLATE "C" NOT NULL,
    owner_id text COLLATE "C" NOT NULL,
    previous text COLLATE "C" NOT NULL,
    hash     text COLLATE "C" NOT NULL,
    details  text COLLATE "C" NOT NULL,
    PRIMARY KEY (user_id, seq)
);

-- Answers to requests with an Idempotency-Key (platform 20)

CREATE TABLE requests (
    id     text COLLATE "C" PRIMARY KEY,
    at     text COLLATE "C" NOT NULL,
    body   text COLLATE "C" NOT NULL,
    answer text COLLATE "C" NOT NULL
);

CREATE INDEX requests_at ON requests (at);

-- What changed, for those who follow the record: written only while there is a consumer

CREATE TABLE consumers (
    name     text COLLATE "C" PRIMARY KEY,
    position bigint NOT NULL
);

CREATE TABLE events (
    seq     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    micros  bigint NOT NULL,
    label   text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL
);

-- The catalog

CREATE TABLE services (
    id                  text COLLATE "C" PRIMARY KEY,
    owner_id            text COLLATE "C" NOT NULL REFERENCES users (id),
    name                text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    type                text COLLATE "C" NOT NULL CHECK (type IN ('neo4j_graph', 'rest_api', 'llm_provider', 'mcp_server')),
    protocol            text COLLATE "C" NOT NULL,
    schema_version      bigint NOT NULL CHECK (schema_version >= 1),
    requires_secret     bigint NOT NULL CHECK (requires_secret IN (0, 1)),
    enabled             bigint NOT NULL CHECK (enabled IN (0, 1)),
    status              text COLLATE "C" NOT NULL CHECK (status IN ('healthy', 'degraded', 'down')),
    last_health_check   text COLLATE "C",
    shared              bigint NOT NULL CHECK (shared IN (0, 1)),
    service_template_id text COLLATE "C",
    version             bigint NOT NULL CHECK (version >= 1),
    created_at          text COLLATE "C" NOT NULL,
    updated_at          text COLLATE "C" NOT NULL,
    connection_schema   text COLLATE "C" NOT NULL,
    limits              text COLLATE "C" NOT NULL,
    error_message       text COLLATE "C",
    UNIQUE (owner_id, name),
    CHECK (enabled = 1 OR status <> 'healthy'),
    CHECK (CASE type WHEN 'neo4j_graph' THEN protocol IN ('bolt', 'bolt+s')
                     WHEN 'mcp_server' THEN protocol IN ('stdio', 'sse', 'http')
                     ELSE protocol IN ('http', 'https') END)
);

CREATE INDEX services_shared ON services (name, id) WHERE shared = 1;
CREATE INDEX services_template ON services (service_template_id) WHERE service_template_id IS NOT NULL;

CREATE TABLE secrets (
    id            text COLLATE "C" PRIMARY KEY,
    owner_id      text COLLATE "C" NOT NULL REFERENCES users (id),
    name          text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    type          text COLLATE "C" NOT NULL CHECK (type IN ('api_key', 'oauth_token', 'password', 'certificate')),
    shared        bigint NOT NULL CHECK (shared IN (0, 1)),
    vault_version bigint NOT NULL,
    version       bigint NOT NULL CHECK (version >= 1),
    created_at    text COLLATE "C" NOT NULL,
    updated_at    text COLLATE "C" NOT NULL,
    UNIQUE (owner_id, name),
    UNIQUE (id, owner_id)
);

CREATE TABLE tools (
    id                text COLLATE "C" PRIMARY KEY,
    owner_id          text COLLATE "C" NOT NULL REFERENCES users (id),
    name              text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    service_id        text COLLATE "C" NOT NULL REFERENCES services (id),
    secret_id         text COLLATE "C",
    secret_scope      text COLLATE "C",
    effect            text COLLATE "C" CHECK (effect IN ('pure', 'read', 'idempotent', 'once')),
    enabled           bigint NOT NULL CHECK (enabled IN (0, 1)),
    status            text COLLATE "C" NOT NULL CHECK (status IN ('healthy', 'degraded', 'down')),
    last_health_check text COLLATE "C",
    health_failures   bigint NOT NULL DEFAULT 0 CHECK (health_failures >= 0),
    health_since      text COLLATE "C",
    shared            bigint NOT NULL CHECK (shared IN (0, 1)),
    tool_template_id  text COLLATE "C",
    version           bigint NOT NULL CHECK (version >= 1),
    created_at        text COLLATE "C" NOT NULL,
    updated_at        text COLLATE "C" NOT NULL,
    description       text COLLATE "C" NOT NULL,
    connection_params text COLLATE "C" NOT NULL,
    operation         text COLLATE "C" NOT NULL,
    input_schema      text COLLATE "C" NOT NULL,
    output_schema     text COLLATE "C" NOT NULL,
    error_message     text COLLATE "C",
    UNIQUE (owner_id, name),
    FOREIGN KEY (secret_id, owner_id) REFERENCES secrets (id, owner_id),
    CHECK (enabled = 1 OR status <> 'healthy')
);

CREATE INDEX tools_shared ON tools (name, id) WHERE shared = 1;
CREATE INDEX tools_service ON tools (service_id);
CREATE INDEX tools_secret ON tools (secret_id) WHERE secret_id IS NOT NULL;
CREATE INDEX tools_template ON tools (tool_template_id) WHERE tool_template_id IS NOT NULL;

CREATE TABLE bindings (
    id        text COLLATE "C" PRIMARY KEY,
    user_id   text COLLATE "C" NOT NULL REFERENCES users (id),
    tool_id   text COLLATE "C" NOT NULL REFERENCES tools (id) ON DELETE CASCADE,
    secret_id text COLLATE "C" NOT NULL,
    UNIQUE (user_id, tool_id),
    FOREIGN KEY (secret_id, user_id) REFERENCES secrets (id, owner_id)
);

CREATE INDEX bindings_tool ON bindings (tool_id);
CREATE INDEX bindings_secret ON bindings (secret_id);

CREATE TABLE service_templates (
    id                text COLLATE "C" PRIMARY KEY,
    owner_id          text COLLATE "C" NOT NULL REFERENCES users (id),
    name              text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    type              text COLLATE "C" NOT NULL CHECK (type IN ('neo4j_graph', 'rest_api', 'llm_provider', 'mcp_server')),
    protocol          text COLLATE "C" NOT NULL,
    requires_secret   bigint NOT NULL CHECK (requires_secret IN (0, 1)),
    shared            bigint NOT NULL CHECK (shared IN (0, 1)),
    archived          bigint NOT NULL CHECK (archived IN (0, 1)),
    version           bigint NOT NULL CHECK (version >= 1),
    created_at        text COLLATE "C" NOT NULL,
    updated_at        text COLLATE "C" NOT NULL,
    description       text COLLATE "C",
    connection_schema text COLLATE "C" NOT NULL,
    limits            text COLLATE "C" NOT NULL,
    UNIQUE (owner_id, name),
    CHECK (CASE type WHEN 'neo4j_graph' THEN protocol IN ('bolt', 'bolt+s')
                     WHEN 'mcp_server' THEN protocol IN ('stdio', 'sse', 'http')
                     ELSE protocol IN ('http', 'https') END)
);

CREATE INDEX service_templates_shared ON service_templates (name, id) WHERE shared = 1;

CREATE TABLE tool_templates (
    id            text COLLATE "C" PRIMARY KEY,
    owner_id      text COLLATE "C" NOT NULL REFERENCES users (id),
    name          text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    shared        bigint NOT NULL CHECK (shared IN (0, 1)),
    archived      bigint NOT NULL CHECK (archived IN (0, 1)),
    version       bigint NOT NULL CHECK (version >= 1),
    created_at    text COLLATE "C" NOT NULL,
    updated_at    text COLLATE "C" NOT NULL,
    description   text COLLATE "C",
    operation     text COLLATE "C" NOT NULL,
    input_schema  text COLLATE "C" NOT NULL,
    output_schema text COLLATE "C" NOT NULL,
    UNIQUE (owner_id, name)
);

CREATE INDEX tool_templates_shared ON tool_templates (name, id) WHERE shared = 1;

CREATE TABLE token_uses (
    id                text COLLATE "C" PRIMARY KEY,
    user_id           text COLLATE "C" NOT NULL REFERENCES users (id),
    tool_id           text COLLATE "C" NOT NULL,
    at                text COLLATE "C" NOT NULL,
    prompt_tokens     bigint NOT NULL CHECK (prompt_tokens >= 0),
    completion_tokens bigint NOT NULL CHECK (completion_tokens >= 0),
    model             text COLLATE "C"
);

CREATE INDEX token_uses_of ON token_uses (user_id, tool_id);

-- Processes

CREATE TABLE definitions (
    digest     text COLLATE "C" PRIMARY KEY,
    created_at text COLLATE "C" NOT NULL,
    text       text COLLATE "C" NOT NULL
);

CREATE TABLE processes (
    id                  text COLLATE "C" PRIMARY KEY,
    owner_id            text COLLATE "C" NOT NULL REFERENCES users (id),
    name                text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    token_budget        bigint CHECK (token_budget >= 1),
    max_recursion_depth bigint NOT NULL CHECK (max_recursion_depth BETWEEN 1 AND 10),
    enabled             bigint NOT NULL CHECK (enabled IN (0, 1)),
    digest              text COLLATE "C" NOT NULL REFERENCES definitions (digest),
    shared              bigint NOT NULL CHECK (shared IN (0, 1)),
    version             bigint NOT NULL CHECK (version >= 1),
    created_at          text COLLATE "C" NOT NULL,
    updated_at          text COLLATE "C" NOT NULL,
    description         text COLLATE "C" NOT NULL,
    initial_context     text COLLATE "C" NOT NULL,
    output_template     text COLLATE "C" NOT NULL,
    UNIQUE (owner_id, name)
);

CREATE INDEX processes_digest ON processes (digest);
CREATE INDEX processes_shared ON processes (name, id) WHERE shared = 1;

CREATE TABLE process_versions (
    process_id text COLLATE "C" NOT NULL REFERENCES processes (id) ON DELETE CASCADE,
    version    bigint NOT NULL,
    digest     text COLLATE "C" NOT NULL REFERENCES definitions (digest),
    at         text COLLATE "C" NOT NULL,
    PRIMARY KEY (process_id, version)
);

CREATE INDEX process_versions_digest ON process_versions (digest);

CREATE TABLE process_steps (
    process_id          text COLLATE "C" NOT NULL REFERENCES processes (id) ON DELETE CASCADE,
    position            bigint NOT NULL CHECK (position >= 0),
    id                  text COLLATE "C" NOT NULL,
    tool_id             text COLLATE "C" REFERENCES tools (id),
    called_process_id   text COLLATE "C" REFERENCES processes (id),
    output_variable     text COLLATE "C" NOT NULL,
    output_token_budget bigint CHECK (output_token_budget >= 1),
    output_required     bigint NOT NULL CHECK (output_required IN (0, 1)),
    mode                text COLLATE "C" NOT NULL CHECK (mode IN ('sequential', 'parallel')),
    timeout             bigint NOT NULL CHECK (timeout BETWEEN 1 AND 300),
    interaction_mode    text COLLATE "C" NOT NULL CHECK (interaction_mode IN ('auto', 'manual')),
    inputs              text COLLATE "C" NOT NULL,
    condition           text COLLATE "C",
    PRIMARY KEY (process_id, position),
    UNIQUE (process_id, id),
    CHECK ((tool_id IS NULL) <> (called_process_id IS NULL))
);

CREATE INDEX process_steps_tool ON process_steps (tool_id) WHERE tool_id IS NOT NULL;
CREATE INDEX process_steps_process ON process_steps (called_process_id) WHERE called_process_id IS NOT NULL;
CREATE INDEX process_steps_node ON process_steps (CAST(process_id || '/' || id AS text));

CREATE TABLE step_dependencies (
    process_id text COLLATE "C" NOT NULL,
    step       bigint NOT NULL,
    needs      bigint NOT NULL,
    rank       bigint NOT NULL,
    PRIMARY KEY (process_id, step, needs),
    FOREIGN KEY (process_id, step) REFERENCES process_steps (process_id, position) ON DELETE CASCADE,
    FOREIGN KEY (process_id, needs) REFERENCES process_steps (process_id, position) ON DELETE CASCADE,
    CHECK (needs < step)
);

CREATE INDEX step_dependencies_needs ON step_dependencies (process_id, needs);

CREATE TABLE schedules (
    id         text COLLATE "C" PRIMARY KEY,
    owner_id   text COLLATE "C" NOT NULL REFERENCES users (id),
    name       text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    process_id text COLLATE "C" NOT NULL REFERENCES processes (id),
    cron       text COLLATE "C",
    at         text COLLATE "C",
    time_zone  text COLLATE "C" NOT NULL,
    enabled    bigint NOT NULL CHECK (enabled IN (0, 1)),
    catch_up   text COLLATE "C" NOT NULL CHECK (catch_up IN ('skip', 'once')),
    since      text COLLATE "C" NOT NULL,
    due_micros bigint,
    shared     bigint NOT NULL CHECK (shared IN (0, 1)),
    version    bigint NOT NULL CHECK (version >= 1),
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    inputs     text COLLATE "C" NOT NULL,
    UNIQUE (owner_id, name),
    CHECK ((cron IS NULL) <> (at IS NULL))
);

CREATE INDEX schedules_process ON schedules (process_id);
CREATE INDEX schedules_due ON schedules (due_micros, id) WHERE due_micros IS NOT NULL;
CREATE INDEX schedules_since ON schedules (since) WHERE enabled = 1;

-- Runs

CREATE TABLE runs (
    id               text COLLATE "C" PRIMARY KEY,
    owner_id         text COLLATE "C" NOT NULL REFERENCES users (id),
    process_id       text COLLATE "C" NOT NULL,
    process_name     text COLLATE "C" NOT NULL,
    digest           text COLLATE "C" NOT NULL REFERENCES definitions (digest),
    trigger          text COLLATE "C" NOT NULL CHECK (trigger IN ('user', 'schedule', 'process', 'retry', 'call')),
    parent_id        text COLLATE "C",
    root_id          text COLLATE "C" NOT NULL,
    retry_of         text COLLATE "C",
    accepted_at      text COLLATE "C" NOT NULL,
    deadline         double precision,
    executor         text COLLATE "C" NOT NULL,
    phase            text COLLATE "C" NOT NULL,
    events           bigint NOT NULL CHECK (events >= 0),
    ended_at         text COLLATE "C",
    ended_micros     bigint,
    tokens           bigint NOT NULL CHECK (tokens >= 0),
    is_unmeasured    bigint NOT NULL DEFAULT 0 CHECK (is_unmeasured IN (0, 1)),
    is_unsent        bigint NOT NULL DEFAULT 0 CHECK (is_unsent IN (0, 1)),
    plan_reference   text COLLATE "C",
    inputs_reference text COLLATE "C",
    plan             text COLLATE "C" NOT NULL,
    inputs           text COLLATE "C" NOT NULL,
    pins             text COLLATE "C" NOT NULL,
    failure          text COLLATE "C",
    CHECK ((ended_at IS NULL) = (ended_micros IS NULL))
);

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
    run_id    text COLLATE "C" NOT NULL REFERENCES runs (id),
    n         bigint NOT NULL CHECK (n >= 1),
    reference text COLLATE "C",
    text      text COLLATE "C" NOT NULL,
    PRIMARY KEY (run_id, n)
);

CREATE INDEX run_entries_reference ON run_entries (reference) WHERE reference IS NOT NULL;

CREATE TABLE signals (
    id        text COLLATE "C" PRIMARY KEY,
    run_id    text COLLATE "C" NOT NULL REFERENCES runs (id),
    at        text COLLATE "C" NOT NULL,
    reference text COLLATE "C",
    text      text COLLATE "C" NOT NULL
);

CREATE INDEX signals_run ON signals (run_id, at);
CREATE INDEX signals_reference ON signals (reference) WHERE reference IS NOT NULL;

CREATE TABLE dead_jobs (
    id         text COLLATE "C" PRIMARY KEY,
    run_id     text COLLATE "C" NOT NULL REFERENCES runs (id),
    root_id    text COLLATE "C" NOT NULL,
    owner_id   text COLLATE "C" NOT NULL REFERENCES users (id),
    step       text COLLATE "C" NOT NULL,
    tool       text COLLATE "C" NOT NULL,
    at         text COLLATE "C" NOT NULL,
    code       text COLLATE "C" NOT NULL,
    attempts   bigint NOT NULL CHECK (attempts >= 0),
    retried_by text COLLATE "C",
    message    text COLLATE "C" NOT NULL
);

CREATE INDEX dead_jobs_owner ON dead_jobs (owner_id, at, id);
CREATE INDEX dead_jobs_run ON dead_jobs (run_id);
CREATE INDEX dead_jobs_root ON dead_jobs (root_id);

-- Workers

CREATE TABLE executors (
    id             text COLLATE "C" PRIMARY KEY,
    host           text COLLATE "C" NOT NULL,
    pid            bigint NOT NULL,
    birth          text COLLATE "C" NOT NULL,
    started_at     text COLLATE "C" NOT NULL,
    last_heartbeat text COLLATE "C" NOT NULL,
    types          text COLLATE "C" NOT NULL
);

CREATE TABLE workers (
    id              text COLLATE "C" PRIMARY KEY,
    executor_id     text COLLATE "C" NOT NULL REFERENCES executors (id) ON DELETE CASCADE,
    type            text COLLATE "C" NOT NULL,
    status          text COLLATE "C" NOT NULL CHECK (status IN ('idle', 'busy', 'offline')),
    current_job_id  text COLLATE "C",
    last_heartbeat  text COLLATE "C" NOT NULL,
    processed_count bigint NOT NULL CHECK (processed_count >= 0),
    error_count     bigint NOT NULL CHECK (error_count >= 0),
    created_at      text COLLATE "C" NOT NULL,
    updated_at      text COLLATE "C" NOT NULL,
    CHECK (status <> 'idle' OR current_job_id IS NULL)
);

CREATE INDEX workers_executor ON workers (executor_id);

CREATE TABLE service_places (
    service_id text COLLATE "C" PRIMARY KEY REFERENCES services (id) ON DELETE CASCADE,
    turn       bigint NOT NULL,
    standing   text COLLATE "C" NOT NULL
);

CREATE TABLE cached_results (
    key         text COLLATE "C" PRIMARY KEY,
    tool_id     text COLLATE "C" NOT NULL,
    reference   text COLLATE "C",
    used_micros bigint NOT NULL,
    text        text COLLATE "C" NOT NULL
);

CREATE INDEX cached_results_tool ON cached_results (tool_id, used_micros);
CREATE INDEX cached_results_used ON cached_results (used_micros);
CREATE INDEX cached_results_reference ON cached_results (reference) WHERE reference IS NOT NULL;

-- Metrics (platform 18)

CREATE TABLE metric_definitions (
    id             text COLLATE "C" PRIMARY KEY,
    name           text COLLATE "C" NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    exposed_as     text COLLATE "C" NOT NULL UNIQUE,
    scope          text COLLATE "C" NOT NULL CHECK (scope IN ('service', 'tool', 'process', 'conversation')),
    aggregation    text COLLATE "C" NOT NULL CHECK (aggregation IN ('sum', 'avg', 'min', 'max', 'count', 'last')),
    data_type      text COLLATE "C" NOT NULL CHECK (data_type IN ('integer', 'float', 'boolean', 'timestamp')),
    retention_days bigint CHECK (retention_days >= 1),
    version        bigint NOT NULL CHECK (version >= 1),
    created_at     text COLLATE "C" NOT NULL,
    updated_at     text COLLATE "C" NOT NULL,
    description    text COLLATE "C" NOT NULL,
    UNIQUE (scope, name)
);

CREATE TABLE metric_values (
    id         text COLLATE "C" PRIMARY KEY,
    metric_id  text COLLATE "C" NOT NULL REFERENCES metric_definitions (id),
    entity_id  text COLLATE "C" NOT NULL,
    at         text COLLATE "C" NOT NULL,
    micros     bigint NOT NULL,
    number     double precision,
    instant    text COLLATE "C",
    user_id    text COLLATE "C",
    dimensions text COLLATE "C" NOT NULL,
    CHECK ((number IS NULL) <> (instant IS NULL))
);

CREATE INDEX metric_values_of ON metric_values (metric_id, micros);
CREATE INDEX metric_values_of_entity ON metric_values (metric_id, entity_id, micros);

-- What never changes

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '%', TG_ARGV[0] USING ERRCODE = 'check_violation';
END
$$;

CREATE TRIGGER meta_immutable BEFORE UPDATE ON meta
FOR EACH ROW WHEN (OLD.key = 'record') EXECUTE FUNCTION refuse('immutable: meta');

CREATE TRIGGER users_immutable BEFORE UPDATE ON users
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: users');

CREATE TRIGGER users_kept BEFORE DELETE ON users
FOR EACH ROW EXECUTE FUNCTION refuse('never deleted: users');

CREATE TRIGGER audit_entries_immutable BEFORE UPDATE ON audit_entries
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: audit_entries');

CREATE TRIGGER audit_entries_kept BEFORE DELETE ON audit_entries
FOR EACH ROW EXECUTE FUNCTION refuse('never deleted: audit_entries');

CREATE TRIGGER requests_immutable BEFORE UPDATE ON requests
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: requests');

CREATE TRIGGER events_immutable BEFORE UPDATE ON events
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: events');

CREATE TRIGGER services_immutable BEFORE UPDATE ON services
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.type IS DISTINCT FROM OLD.type OR NEW.protocol IS DISTINCT FROM OLD.protocol OR NEW.requires_secret IS DISTINCT FROM OLD.requires_secret OR NEW.service_template_id IS DISTINCT FROM OLD.service_template_id OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: services');

CREATE TRIGGER secrets_immutable BEFORE UPDATE ON secrets
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.type IS DISTINCT FROM OLD.type OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: secrets');

CREATE TRIGGER tools_immutable BEFORE UPDATE ON tools
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.service_id IS DISTINCT FROM OLD.service_id OR NEW.tool_template_id IS DISTINCT FROM OLD.tool_template_id OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: tools');

CREATE TRIGGER bindings_immutable BEFORE UPDATE ON bindings
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.user_id IS DISTINCT FROM OLD.user_id OR NEW.tool_id IS DISTINCT FROM OLD.tool_id) EXECUTE FUNCTION refuse('immutable: bindings');

CREATE TRIGGER service_templates_immutable BEFORE UPDATE ON service_templates
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.type IS DISTINCT FROM OLD.type OR NEW.protocol IS DISTINCT FROM OLD.protocol OR NEW.connection_schema IS DISTINCT FROM OLD.connection_schema OR NEW.requires_secret IS DISTINCT FROM OLD.requires_secret OR NEW.limits IS DISTINCT FROM OLD.limits OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: service_templates');

CREATE TRIGGER tool_templates_immutable BEFORE UPDATE ON tool_templates
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.operation IS DISTINCT FROM OLD.operation OR NEW.input_schema IS DISTINCT FROM OLD.input_schema OR NEW.output_schema IS DISTINCT FROM OLD.output_schema OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: tool_templates');

CREATE TRIGGER definitions_immutable BEFORE UPDATE ON definitions
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: definitions');

CREATE TRIGGER definitions_kept BEFORE DELETE ON definitions
FOR EACH ROW EXECUTE FUNCTION refuse('never deleted: definitions');

CREATE TRIGGER processes_immutable BEFORE UPDATE ON processes
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: processes');

CREATE TRIGGER process_versions_immutable BEFORE UPDATE ON process_versions
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: process_versions');

CREATE TRIGGER process_steps_immutable BEFORE UPDATE ON process_steps
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: process_steps');

CREATE TRIGGER step_dependencies_immutable BEFORE UPDATE ON step_dependencies
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: step_dependencies');

CREATE TRIGGER schedules_immutable BEFORE UPDATE ON schedules
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.process_id IS DISTINCT FROM OLD.process_id OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: schedules');

CREATE TRIGGER runs_immutable BEFORE UPDATE ON runs
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.process_id IS DISTINCT FROM OLD.process_id OR NEW.digest IS DISTINCT FROM OLD.digest OR NEW.plan IS DISTINCT FROM OLD.plan OR NEW.inputs IS DISTINCT FROM OLD.inputs OR NEW.trigger IS DISTINCT FROM OLD.trigger OR NEW.pins IS DISTINCT FROM OLD.pins OR NEW.parent_id IS DISTINCT FROM OLD.parent_id OR NEW.root_id IS DISTINCT FROM OLD.root_id OR NEW.retry_of IS DISTINCT FROM OLD.retry_of OR NEW.accepted_at IS DISTINCT FROM OLD.accepted_at OR NEW.deadline IS DISTINCT FROM OLD.deadline) EXECUTE FUNCTION refuse('immutable: runs');

CREATE TRIGGER runs_ended_once BEFORE UPDATE ON runs
FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL AND (NEW.phase IS DISTINCT FROM OLD.phase OR NEW.ended_at IS DISTINCT FROM OLD.ended_at OR NEW.events IS DISTINCT FROM OLD.events OR NEW.failure IS DISTINCT FROM OLD.failure)) EXECUTE FUNCTION refuse('immutable: runs that have ended');

CREATE TRIGGER run_entries_immutable BEFORE UPDATE ON run_entries
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: run_entries');

CREATE TRIGGER signals_immutable BEFORE UPDATE ON signals
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: signals');

CREATE TRIGGER workers_immutable BEFORE UPDATE ON workers
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.executor_id IS DISTINCT FROM OLD.executor_id OR NEW.type IS DISTINCT FROM OLD.type) EXECUTE FUNCTION refuse('immutable: workers');

CREATE TRIGGER metric_definitions_immutable BEFORE UPDATE ON metric_definitions
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.scope IS DISTINCT FROM OLD.scope OR NEW.data_type IS DISTINCT FROM OLD.data_type OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: metric_definitions');

CREATE TRIGGER metric_values_immutable BEFORE UPDATE ON metric_values
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: metric_values');

-- Events of what changes


CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb := CASE TG_OP WHEN 'DELETE' THEN to_jsonb(OLD) ELSE to_jsonb(NEW) END;
    subject text := changed ->> 'id';
BEGIN
    IF EXISTS (SELECT 1 FROM consumers) THEN
        IF TG_TABLE_NAME = 'definitions' THEN
            subject := changed ->> 'digest';
        ELSIF TG_TABLE_NAME = 'process_steps' THEN
            subject := (changed ->> 'process_id') || '/' || subject;
        END IF;
        INSERT INTO events (micros, label, subject)
        VALUES (extract(epoch FROM clock_timestamp()) * 1000000, TG_ARGV[0], subject);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER users_noted AFTER INSERT OR UPDATE ON users FOR EACH ROW EXECUTE FUNCTION note_event('User');

CREATE TRIGGER services_noted AFTER INSERT OR UPDATE OR DELETE ON services FOR EACH ROW EXECUTE FUNCTION note_event('Service');

CREATE TRIGGER secrets_noted AFTER INSERT OR UPDATE OR DELETE ON secrets FOR EACH ROW EXECUTE FUNCTION note_event('Secret');

CREATE TRIGGER tools_noted AFTER INSERT OR UPDATE OR DELETE ON tools FOR EACH ROW EXECUTE FUNCTION note_event('Tool');

CREATE TRIGGER bindings_noted AFTER INSERT OR UPDATE OR DELETE ON bindings FOR EACH ROW EXECUTE FUNCTION note_event('Binding');

CREATE TRIGGER service_templates_noted AFTER INSERT OR UPDATE OR DELETE ON service_templates FOR EACH ROW EXECUTE FUNCTION note_event('ServiceTemplate');

CREATE TRIGGER tool_templates_noted AFTER INSERT OR UPDATE OR DELETE ON tool_templates FOR EACH ROW EXECUTE FUNCTION note_event('ToolTemplate');

CREATE TRIGGER definitions_noted AFTER INSERT ON definitions FOR EACH ROW EXECUTE FUNCTION note_event('Definition');

CREATE TRIGGER processes_noted AFTER INSERT OR UPDATE OR DELETE ON processes FOR EACH ROW EXECUTE FUNCTION note_event('Process');

CREATE TRIGGER process_steps_noted AFTER INSERT OR DELETE ON process_steps FOR EACH ROW EXECUTE FUNCTION note_event('ProcessStep');

CREATE TRIGGER schedules_noted AFTER INSERT OR UPDATE OR DELETE ON schedules FOR EACH ROW EXECUTE FUNCTION note_event('Schedule');

CREATE TRIGGER runs_noted AFTER INSERT OR UPDATE OR DELETE ON runs FOR EACH ROW EXECUTE FUNCTION note_event('Run');

CREATE TRIGGER workers_noted AFTER INSERT OR UPDATE OR DELETE ON workers FOR EACH ROW EXECUTE FUNCTION note_event('Worker');

CREATE TRIGGER metric_definitions_noted AFTER INSERT OR UPDATE OR DELETE ON metric_definitions FOR EACH ROW EXECUTE FUNCTION note_event('MetricDefinition');

CREATE TRIGGER metric_values_noted AFTER INSERT OR DELETE ON metric_values FOR EACH ROW EXECUTE FUNCTION note_event('MetricValue');

-- The record as a property graph: made of the declarations in `aeon/platform/graph_types.py`

CREATE VIEW graph_node (label, id, properties) AS
SELECT 'User' AS label, id AS id, CAST(json_build_object('id', id, 'auditSeq', audit_seq, 'auditHash', audit_hash,
    'createdAt', created_at) AS text) AS properties
FROM users
UNION ALL
SELECT 'AuditEntry' AS label, CAST(user_id || '/' || seq AS text) AS id, CAST(json_build_object('userId', user_id,
    'seq', seq, 'at', at, 'action', action, 'subject', subject, 'actorId', actor_id, 'ownerId', owner_id, 'details',
    details, 'previous', previous, 'hash', hash) AS text) AS properties
FROM audit_entries
UNION ALL
SELECT 'Request' AS label, id AS id, CAST(json_build_object('id', id, 'at', at, 'body', body, 'answer', answer) AS text)
    AS properties
FROM requests
UNION ALL
SELECT 'Service' AS label, id AS id, CAST(json_build_object('id', id, 'name', name, 'type', type, 'protocol', protocol,
    'connectionSchema', CAST(connection_schema AS json), 'schemaVersion', schema_version, 'requiresSecret',
    (requires_secret = 1), 'limits', CAST(limits AS json), 'enabled', (enabled = 1), 'status', status,
    'lastHealthCheck', last_health_check, 'errorMessage', error_message, 'shared', (shared = 1), 'serviceTemplateId',
    service_template_id, 'version', version, 'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
FROM services
UNION ALL
SELECT 'Secret' AS label, id AS id, CAST(json_build_object('id', id, 'name', name, 'type', type, 'shared', (shared = 1),
    'vaultVersion', vault_version, 'version', version, 'createdAt', created_at, 'updatedAt', updated_at) AS text) AS
    properties
FROM secrets
UNION ALL
SELECT 'Tool' AS label, id AS id, CAST(json_build_object('id', id, 'name', name, 'description', description,
    'operation', CAST(operation AS json), 'inputSchema', CAST(input_schema AS json), 'outputSchema', CAST(output_schema
    AS json), 'effect', effect, 'enabled', (enabled = 1), 'status', status, 'lastHealthCheck', last_health_check,
    'errorMessage', error_message, 'healthFailures', health_failures, 'healthSince', health_since, 'shared', (shared =
    1), 'toolTemplateId', tool_template_id, 'version', version, 'createdAt', created_at, 'updatedAt', updated_at) AS
    text) AS properties
FROM tools
UNION ALL
SELECT 'Binding' AS label, id AS id, CAST(json_build_object('id', id) AS text) AS properties
FROM bindings
UNION ALL
SELECT 'ServiceTemplate' AS label, id AS id, CAST(json_build_object('id', id, 'ownerId', owner_id, 'name', name,
    'description', description, 'type', type, 'protocol', protocol, 'connectionSchema', CAST(connection_schema AS json),
    'requiresSecret', (requires_secret = 1), 'limits', CAST(limits AS json), 'shared', (shared = 1), 'archived',
    (archived = 1), 'version', version, 'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
FROM service_templates
UNION ALL
SELECT 'ToolTemplate' AS label, id AS id, CAST(json_build_object('id', id, 'ownerId', owner_id, 'name', name,
    'description', description, 'operation', CAST(operation AS json), 'inputSchema', CAST(input_schema AS json),
    'outputSchema', CAST(output_schema AS json), 'shared', (shared = 1), 'archived', (archived = 1), 'version', version,
    'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
FROM tool_templates
UNION ALL
SELECT 'TokenUse' AS label, id AS id, CAST(json_build_object('id', id, 'userId', user_id, 'toolId', tool_id, 'at', at,
    'promptTokens', prompt_tokens, 'completionTokens', completion_tokens, 'model', model) AS text) AS properties
FROM token_uses
UNION ALL
SELECT 'Definition' AS label, digest AS id, CAST(json_build_object('digest', digest, 'text', text, 'createdAt',
    created_at) AS text) AS properties
FROM definitions
UNION ALL
SELECT 'Process' AS label, id AS id, CAST(json_build_object('id', id, 'name', name, 'description', description,
    'initialContext', CAST(initial_context AS json), 'outputTemplate', output_template, 'tokenBudget', token_budget,
    'maxRecursionDepth', max_recursion_depth, 'enabled', (enabled = 1), 'digest', digest, 'shared', (shared = 1),
    'version', version, 'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
FROM processes
UNION ALL
SELECT 'ProcessStep' AS label, CAST(process_id || '/' || id AS text) AS id, CAST(json_build_object('id', id, 'inputs',
    CAST(inputs AS json), 'output.variable', output_variable, 'output.tokenBudget', output_token_budget,
    'output.required', (output_required = 1), 'execution.mode', mode, 'execution.condition', condition,
    'execution.timeout', timeout, 'execution.interactionMode', interaction_mode) AS text) AS properties
FROM process_steps
UNION ALL
SELECT 'Schedule' AS label, id AS id, CAST(json_build_object('id', id, 'ownerId', owner_id, 'name', name, 'inputs',
    CAST(inputs AS json), 'cron', cron, 'at', at, 'timeZone', time_zone, 'enabled', (enabled = 1), 'catchUp', catch_up,
    'since', since, 'dueMicros', due_micros, 'shared', (shared = 1), 'version', version, 'createdAt', created_at,
    'updatedAt', updated_at) AS text) AS properties
FROM schedules
UNION ALL
SELECT 'Run' AS label, id AS id, CAST(json_build_object('id', id, 'ownerId', owner_id, 'processId', process_id,
    'processName', process_name, 'digest', digest, 'plan', plan, 'inputs', inputs, 'trigger', trigger, 'pins', CAST(pins
    AS json), 'parentId', parent_id, 'rootId', root_id, 'retryOf', retry_of, 'acceptedAt', accepted_at, 'deadline',
    deadline, 'executor', executor, 'phase', phase, 'events', events, 'endedAt', ended_at, 'endedMicros', ended_micros,
    'tokens', tokens, 'failure', CAST(failure AS json), 'isUnmeasured', (is_unmeasured = 1), 'isUnsent', (is_unsent =
    1), 'planReference', plan_reference, 'inputsReference', inputs_reference) AS text) AS properties
FROM runs
UNION ALL
SELECT 'RunEntry' AS label, CAST(run_id || '/' || n AS text) AS id, CAST(json_build_object('runId', run_id, 'n', n,
    'text', text, 'reference', reference) AS text) AS properties
FROM run_entries
UNION ALL
SELECT 'Signal' AS label, id AS id, CAST(json_build_object('id', id, 'runId', run_id, 'at', at, 'text', text,
    'reference', reference) AS text) AS properties
FROM signals
UNION ALL
SELECT 'DeadJob' AS label, id AS id, CAST(json_build_object('id', id, 'runId', run_id, 'rootId', root_id, 'ownerId',
    owner_id, 'step', step, 'tool', tool, 'at', at, 'code', code, 'message', message, 'attempts', attempts, 'retriedBy',
    retried_by) AS text) AS properties
FROM dead_jobs
UNION ALL
SELECT 'Executor' AS label, id AS id, CAST(json_build_object('id', id, 'host', host, 'pid', pid, 'birth', birth,
    'startedAt', started_at, 'lastHeartbeat', last_heartbeat, 'types', CAST(types AS json)) AS text) AS properties
FROM executors
UNION ALL
SELECT 'Worker' AS label, id AS id, CAST(json_build_object('id', id, 'executorId', executor_id, 'type', type, 'status',
    status, 'currentJobId', current_job_id, 'lastHeartbeat', last_heartbeat, 'processedCount', processed_count,
    'errorCount', error_count, 'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
FROM workers
UNION ALL
SELECT 'Places' AS label, service_id AS id, CAST(json_build_object('turn', turn, 'standing', standing, 'id', service_id)
    AS text) AS properties
FROM service_places
UNION ALL
SELECT 'CachedResult' AS label, key AS id, CAST(json_build_object('key', key, 'toolId', tool_id, 'text', text,
    'reference', reference, 'usedMicros', used_micros) AS text) AS properties
FROM cached_results
UNION ALL
SELECT 'MetricDefinition' AS label, id AS id, CAST(json_build_object('id', id, 'name', name, 'description', description,
    'scope', scope, 'aggregation', aggregation, 'dataType', data_type, 'retentionDays', retention_days, 'version',
    version, 'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
FROM metric_definitions
UNION ALL
SELECT 'MetricValue' AS label, id AS id, CAST(json_build_object('id', id, 'metricId', metric_id, 'entityId', entity_id,
    'micros', micros, 'dimensions', CAST(dimensions AS json), 'userId', user_id, 'timestamp', at, 'value', CASE (SELECT
    d.data_type FROM metric_definitions AS d WHERE d.id = metric_values.metric_id) WHEN 'timestamp' THEN
    to_json(instant) WHEN 'boolean' THEN to_json(number <> 0) WHEN 'integer' THEN to_json(CAST(number AS bigint)) ELSE
    to_json(number) END) AS text) AS properties
FROM metric_values;

CREATE VIEW graph_edge (type, from_label, from_id, to_label, to_id, properties) AS
SELECT 'OWNED_BY' AS type, 'Service' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM services AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Secret' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM secrets AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Tool' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM tools AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'ServiceTemplate' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM service_templates AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'ToolTemplate' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM tool_templates AS e
UNION ALL
SELECT 'USES_SERVICE' AS type, 'Tool' AS from_label, e.id AS from_id, 'Service' AS to_label, e.service_id AS to_id,
    CAST(json_build_object('connectionParams', CAST(e.connection_params AS json)) AS text) AS properties
FROM tools AS e
UNION ALL
SELECT 'USES_SECRET' AS type, 'Tool' AS from_label, e.id AS from_id, 'Secret' AS to_label, e.secret_id AS to_id,
    CAST(json_build_object('scope', e.secret_scope) AS text) AS properties
FROM tools AS e
WHERE e.secret_id IS NOT NULL
UNION ALL
SELECT 'USES_SECRET' AS type, 'Binding' AS from_label, e.id AS from_id, 'Secret' AS to_label, e.secret_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM bindings AS e
UNION ALL
SELECT 'FOR_TOOL' AS type, 'Binding' AS from_label, e.id AS from_id, 'Tool' AS to_label, e.tool_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM bindings AS e
UNION ALL
SELECT 'BOUND_BY' AS type, 'Binding' AS from_label, e.id AS from_id, 'User' AS to_label, e.user_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM bindings AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Process' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM processes AS e
UNION ALL
SELECT 'DEFINED_BY' AS type, 'Process' AS from_label, e.process_id AS from_id, 'Definition' AS to_label, e.digest AS
    to_id, CAST(json_build_object('at', e.at, 'version', e.version) AS text) AS properties
FROM process_versions AS e
UNION ALL
SELECT 'HAS_STEP' AS type, 'Process' AS from_label, e.process_id AS from_id, 'ProcessStep' AS to_label,
    CAST(e.process_id || '/' || e.id AS text) AS to_id, CAST(json_build_object('order', e.position) AS text) AS
    properties
FROM process_steps AS e
UNION ALL
SELECT 'CALLS_TOOL' AS type, 'ProcessStep' AS from_label, CAST(e.process_id || '/' || e.id AS text) AS from_id, 'Tool'
    AS to_label, e.tool_id AS to_id, CAST(json_build_object('timeout', e.timeout, 'interactionMode', e.interaction_mode)
    AS text) AS properties
FROM process_steps AS e
WHERE e.tool_id IS NOT NULL
UNION ALL
SELECT 'CALLS_PROCESS' AS type, 'ProcessStep' AS from_label, CAST(e.process_id || '/' || e.id AS text) AS from_id,
    'Process' AS to_label, e.called_process_id AS to_id, CAST(json_build_object('timeout', e.timeout) AS text) AS
    properties
FROM process_steps AS e
WHERE e.called_process_id IS NOT NULL
UNION ALL
SELECT 'DEPENDS_ON' AS type, 'ProcessStep' AS from_label, CAST(s.process_id || '/' || s.id AS text) AS from_id,
    'ProcessStep' AS to_label, CAST(t.process_id || '/' || t.id AS text) AS to_id, CAST(json_build_object('order',
    e.rank) AS text) AS properties
FROM step_dependencies AS e
JOIN process_steps AS s ON s.process_id = e.process_id AND s.position = e.step
JOIN process_steps AS t ON t.process_id = e.process_id AND t.position = e.needs
UNION ALL
SELECT 'OWNED_BY' AS type, 'Schedule' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM schedules AS e
UNION ALL
SELECT 'STARTS' AS type, 'Schedule' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM schedules AS e
UNION ALL
SELECT 'STARTED_BY' AS type, 'Run' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.accepted_at) AS text) AS properties
FROM runs AS e
UNION ALL
SELECT 'FOLLOWS' AS type, 'Run' AS from_label, e.id AS from_id, 'Definition' AS to_label, e.digest AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM runs AS e
UNION ALL
SELECT 'RUN_OF' AS type, 'Run' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM runs AS e
WHERE EXISTS (SELECT 1 FROM processes WHERE processes.id = e.process_id)
UNION ALL
SELECT 'RUNS_IN' AS type, 'Worker' AS from_label, e.id AS from_id, 'Executor' AS to_label, e.executor_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM workers AS e;
