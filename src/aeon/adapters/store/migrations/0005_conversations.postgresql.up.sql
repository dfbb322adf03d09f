-- Conversations: turns in a tree, alternatives of which one is active, and what answers were made from (platform 11 to 14).

DROP VIEW graph_edge;
DROP VIEW graph_node;

CREATE TABLE conversations (
    id                    text COLLATE "C" PRIMARY KEY,
    owner_id              text COLLATE "C" NOT NULL REFERENCES users (id),
    status                text COLLATE "C" NOT NULL CHECK (status IN ('active', 'archived')),
    pinned                bigint NOT NULL CHECK (pinned IN (0, 1)),
    title_by              text COLLATE "C" CHECK (title_by IN ('user', 'model')),
    tip_id                text COLLATE "C",
    default_process_id    text COLLATE "C" REFERENCES processes (id),
    default_process_since text COLLATE "C",
    forked_from_id        text COLLATE "C" REFERENCES conversations (id),
    origin_turn_id        text COLLATE "C",
    origin_alternative_id text COLLATE "C",
    context_budget        bigint CHECK (context_budget > 0),
    import_key            text COLLATE "C",
    version               bigint NOT NULL CHECK (version >= 1),
    created_at            text COLLATE "C" NOT NULL,
    updated_at            text COLLATE "C" NOT NULL,
    title                 text COLLATE "C" CHECK (length(title) BETWEEN 1 AND 200),
    tags                  text COLLATE "C" NOT NULL,
    CHECK ((title IS NULL) = (title_by IS NULL)),
    CHECK ((default_process_id IS NULL) = (default_process_since IS NULL)),
    CHECK ((forked_from_id IS NULL) = (origin_turn_id IS NULL)),
    CHECK ((forked_from_id IS NULL) = (origin_alternative_id IS NULL)),
    UNIQUE (id, owner_id),
    UNIQUE (owner_id, import_key)
);

CREATE INDEX conversations_newest ON conversations (owner_id, status, updated_at, id);
CREATE INDEX conversations_process ON conversations (default_process_id) WHERE default_process_id IS NOT NULL;
CREATE INDEX conversations_origin ON conversations (forked_from_id) WHERE forked_from_id IS NOT NULL;
CREATE INDEX conversations_untitled ON conversations (updated_at) WHERE title IS NULL;

-- A turn is a place in the tree. Its key is the alternative that it was made to answer: nobody makes a second one.

CREATE TABLE conversation_turns (
    id                 text COLLATE "C" PRIMARY KEY,
    conversation_id    text COLLATE "C" NOT NULL REFERENCES conversations (id),
    parent_id          text COLLATE "C",
    via_alternative_id text COLLATE "C" UNIQUE,
    sequence           bigint NOT NULL CHECK (sequence >= 1),
    speaker            text COLLATE "C" NOT NULL CHECK (speaker IN ('user', 'agent', 'system')),
    turn_type          text COLLATE "C" NOT NULL CHECK (turn_type IN ('message', 'tool_result', 'summary')),
    created_at         text COLLATE "C" NOT NULL,
    UNIQUE (id, conversation_id),
    FOREIGN KEY (parent_id, conversation_id) REFERENCES conversation_turns (id, conversation_id),
    CHECK ((parent_id IS NULL) = (via_alternative_id IS NULL)),
    CHECK ((parent_id IS NULL) = (sequence = 1)),
    CHECK (CASE speaker WHEN 'user' THEN turn_type = 'message'
                        WHEN 'system' THEN turn_type <> 'tool_result'
                        ELSE turn_type <> 'summary' END)
);

CREATE UNIQUE INDEX conversation_turns_root ON conversation_turns (conversation_id) WHERE parent_id IS NULL;
CREATE INDEX conversation_turns_of ON conversation_turns (conversation_id, sequence, id);
CREATE INDEX conversation_turns_parent ON conversation_turns (parent_id) WHERE parent_id IS NOT NULL;

CREATE TABLE alternatives (
    id              text COLLATE "C" PRIMARY KEY,
    turn_id         text COLLATE "C" NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    owner_id        text COLLATE "C" NOT NULL,
    sequence        bigint NOT NULL CHECK (sequence >= 1),
    is_active       bigint NOT NULL CHECK (is_active IN (0, 1)),
    responds_to_id  text COLLATE "C",
    state           text COLLATE "C" NOT NULL CHECK (state IN ('generating', 'complete', 'stopped', 'failed')),
    process_id      text COLLATE "C" REFERENCES processes (id),
    process_digest  text COLLATE "C",
    run_id          text COLLATE "C",
    model           text COLLATE "C",
    created_at      text COLLATE "C" NOT NULL,
    ended_at        text COLLATE "C",
    forgotten_at    text COLLATE "C",
    forgotten_by    text COLLATE "C" REFERENCES users (id),
    content_hash    text COLLATE "C",
    path_hash       text COLLATE "C",
    content         text COLLATE "C",
    usage           text COLLATE "C",
    marks           text COLLATE "C",
    failure         text COLLATE "C",
    imported        text COLLATE "C",
    UNIQUE (turn_id, sequence),
    FOREIGN KEY (conversation_id, owner_id) REFERENCES conversations (id, owner_id),
    FOREIGN KEY (turn_id, conversation_id) REFERENCES conversation_turns (id, conversation_id),
    CHECK ((state = 'generating') = (ended_at IS NULL)),
    CHECK ((content IS NULL) = (state IN ('generating', 'failed') OR forgotten_at IS NOT NULL)),
    CHECK ((process_id IS NULL) = (process_digest IS NULL)),
    CHECK (state <> 'failed' OR failure IS NOT NULL),
    CHECK (forgotten_by IS NULL OR forgotten_at IS NOT NULL)
);

CREATE UNIQUE INDEX alternatives_active ON alternatives (turn_id) WHERE is_active = 1;
CREATE INDEX alternatives_of ON alternatives (conversation_id);
CREATE INDEX alternatives_responding ON alternatives (responds_to_id) WHERE responds_to_id IS NOT NULL;
CREATE INDEX alternatives_generating ON alternatives (owner_id, created_at) WHERE state = 'generating';
CREATE INDEX alternatives_process ON alternatives (process_id) WHERE process_id IS NOT NULL;
CREATE INDEX alternatives_forgotten ON alternatives (forgotten_by) WHERE forgotten_by IS NOT NULL;
CREATE INDEX alternatives_run ON alternatives (run_id) WHERE run_id IS NOT NULL;

-- What an answer was made from

CREATE TABLE manifests (
    alternative_id text COLLATE "C" PRIMARY KEY REFERENCES alternatives (id),
    digest         text COLLATE "C" NOT NULL,
    made_at        text COLLATE "C" NOT NULL,
    text           text COLLATE "C" NOT NULL
);

-- What users attached to their messages. A file is kept once, as base64, under the SHA-256 of its bytes; the text of a PDF
-- is a file of its own. The name and the digests of an attachment go when it is erased.

CREATE TABLE blobs (
    digest  text COLLATE "C" PRIMARY KEY CHECK (length(digest) = 64),
    content text COLLATE "C" NOT NULL
);

CREATE TABLE attachments (
    alternative_id text COLLATE "C" NOT NULL REFERENCES alternatives (id),
    n              bigint NOT NULL CHECK (n >= 1),
    name           text COLLATE "C" CHECK (length(name) BETWEEN 1 AND 255),
    media_type     text COLLATE "C" NOT NULL,
    size           bigint NOT NULL CHECK (size >= 1),
    digest         text COLLATE "C" REFERENCES blobs (digest),
    text_digest    text COLLATE "C" REFERENCES blobs (digest),
    is_erased      bigint NOT NULL CHECK (is_erased IN (0, 1)),
    PRIMARY KEY (alternative_id, n),
    CHECK ((name IS NULL) = (is_erased = 1)),
    CHECK ((digest IS NULL) = (is_erased = 1)),
    CHECK (text_digest IS NULL OR is_erased = 0)
);

CREATE INDEX attachments_blob ON attachments (digest) WHERE digest IS NOT NULL;
CREATE INDEX attachments_text ON attachments (text_digest) WHERE text_digest IS NOT NULL;

-- The pieces of answers while they are made; the piece 0 is the token of the maker

CREATE TABLE pieces (
    alternative_id text COLLATE "C" NOT NULL,
    n              bigint NOT NULL CHECK (n >= 0),
    text           text COLLATE "C" NOT NULL,
    PRIMARY KEY (alternative_id, n)
);

-- What was erased, by whom, and the runs whose records go with it. Until it has ended, something of it is left.

CREATE TABLE erasures (
    id         text COLLATE "C" PRIMARY KEY,
    owner_id   text COLLATE "C" NOT NULL REFERENCES users (id),
    actor_id   text COLLATE "C" NOT NULL REFERENCES users (id),
    created_at text COLLATE "C" NOT NULL,
    ended_at   text COLLATE "C",
    runs       text COLLATE "C" NOT NULL,
    reason     text COLLATE "C"
);

CREATE INDEX runs_retried ON runs (retry_of) WHERE retry_of IS NOT NULL;
CREATE INDEX erasures_owner ON erasures (owner_id);
CREATE INDEX erasures_actor ON erasures (actor_id);
CREATE INDEX erasures_open ON erasures (created_at, id) WHERE ended_at IS NULL;

-- Search in conversations, derived from them. Of an index's documents, the newest wait with their words; as soon as a
-- segment of them is full, its words get rows of their own. `behind` counts the changes that the index has not taken over.

CREATE TABLE search_message_indexes (
    owner_id text COLLATE "C" PRIMARY KEY REFERENCES users (id),
    form     bigint NOT NULL,
    last     bigint NOT NULL CHECK (last >= 0),
    waiting  bigint NOT NULL CHECK (waiting >= 0),
    behind   bigint NOT NULL
);

CREATE TABLE search_message_documents (
    owner_id        text COLLATE "C" NOT NULL,
    number          bigint NOT NULL,
    conversation_id text COLLATE "C" NOT NULL,
    alternative_id  text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner_id, number),
    UNIQUE (conversation_id, alternative_id)
);

CREATE TABLE search_message_words (
    owner_id text COLLATE "C" NOT NULL,
    number   bigint NOT NULL,
    words    text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner_id, number)
);

CREATE TABLE search_message_terms (
    owner_id text COLLATE "C" NOT NULL,
    segment  bigint NOT NULL,
    term     text COLLATE "C" NOT NULL,
    postings text COLLATE "C" NOT NULL,
    PRIMARY KEY (owner_id, segment, term)
);

-- What never changes

CREATE TRIGGER conversations_immutable BEFORE UPDATE ON conversations
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.forked_from_id IS DISTINCT FROM OLD.forked_from_id OR NEW.origin_turn_id IS DISTINCT FROM OLD.origin_turn_id OR NEW.origin_alternative_id IS DISTINCT FROM OLD.origin_alternative_id OR NEW.import_key IS DISTINCT FROM OLD.import_key OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: conversations');

CREATE TRIGGER alternatives_immutable BEFORE UPDATE ON alternatives
FOR EACH ROW WHEN (NEW.id IS DISTINCT FROM OLD.id OR NEW.turn_id IS DISTINCT FROM OLD.turn_id OR NEW.conversation_id IS DISTINCT FROM OLD.conversation_id OR NEW.owner_id IS DISTINCT FROM OLD.owner_id OR NEW.sequence IS DISTINCT FROM OLD.sequence OR NEW.responds_to_id IS DISTINCT FROM OLD.responds_to_id OR NEW.process_id IS DISTINCT FROM OLD.process_id OR NEW.process_digest IS DISTINCT FROM OLD.process_digest OR (NEW.imported IS DISTINCT FROM OLD.imported AND (NEW.imported IS NOT NULL OR NEW.forgotten_at IS NULL)) OR NEW.created_at IS DISTINCT FROM OLD.created_at) EXECUTE FUNCTION refuse('immutable: alternatives');

CREATE TRIGGER conversation_turns_immutable BEFORE UPDATE ON conversation_turns
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: conversation_turns');

CREATE TRIGGER manifests_immutable BEFORE UPDATE ON manifests
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: manifests');

CREATE TRIGGER alternatives_ended_once BEFORE UPDATE ON alternatives
FOR EACH ROW WHEN (OLD.ended_at IS NOT NULL AND (NEW.state IS DISTINCT FROM OLD.state OR NEW.ended_at IS DISTINCT FROM OLD.ended_at OR NEW.run_id IS DISTINCT FROM OLD.run_id OR NEW.path_hash IS DISTINCT FROM OLD.path_hash OR NEW.model IS DISTINCT FROM OLD.model OR NEW.usage IS DISTINCT FROM OLD.usage OR ((NEW.content IS DISTINCT FROM OLD.content OR NEW.content_hash IS DISTINCT FROM OLD.content_hash OR NEW.marks IS DISTINCT FROM OLD.marks OR NEW.failure IS DISTINCT FROM OLD.failure) AND NEW.forgotten_at IS NULL))) EXECUTE FUNCTION refuse('immutable: alternatives that have ended');

CREATE TRIGGER alternatives_run_once BEFORE UPDATE ON alternatives
FOR EACH ROW WHEN (OLD.run_id IS NOT NULL AND NEW.run_id IS DISTINCT FROM OLD.run_id) EXECUTE FUNCTION refuse('immutable: alternatives');

CREATE TRIGGER alternatives_forgotten_once BEFORE UPDATE ON alternatives
FOR EACH ROW WHEN (OLD.forgotten_at IS NOT NULL AND (NEW.forgotten_at IS DISTINCT FROM OLD.forgotten_at OR NEW.forgotten_by IS DISTINCT FROM OLD.forgotten_by OR NEW.content IS NOT NULL)) EXECUTE FUNCTION refuse('immutable: alternatives that were forgotten');

CREATE TRIGGER conversations_kept BEFORE DELETE ON conversations
FOR EACH ROW EXECUTE FUNCTION refuse('never deleted: conversations');

CREATE TRIGGER conversation_turns_kept BEFORE DELETE ON conversation_turns
FOR EACH ROW EXECUTE FUNCTION refuse('never deleted: conversation_turns');

CREATE TRIGGER alternatives_kept BEFORE DELETE ON alternatives
FOR EACH ROW EXECUTE FUNCTION refuse('never deleted: alternatives');

CREATE TRIGGER blobs_immutable BEFORE UPDATE ON blobs
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: blobs');

CREATE TRIGGER attachments_immutable BEFORE UPDATE ON attachments
FOR EACH ROW WHEN (NEW.alternative_id IS DISTINCT FROM OLD.alternative_id OR NEW.n IS DISTINCT FROM OLD.n OR NEW.media_type IS DISTINCT FROM OLD.media_type OR NEW.size IS DISTINCT FROM OLD.size OR ((NEW.name IS DISTINCT FROM OLD.name OR NEW.digest IS DISTINCT FROM OLD.digest OR NEW.text_digest IS DISTINCT FROM OLD.text_digest) AND NEW.is_erased = 0)) EXECUTE FUNCTION refuse('immutable: attachments');

CREATE TRIGGER attachments_kept BEFORE DELETE ON attachments
FOR EACH ROW EXECUTE FUNCTION refuse('never deleted: attachments');

-- An alternative responds to one of the parent turn, and nothing is answered in two turns

CREATE FUNCTION check_alternative_place() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.responds_to_id IS NULL) <> ((SELECT parent_id FROM conversation_turns WHERE id = NEW.turn_id) IS NULL)
        OR (NEW.responds_to_id IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM conversation_turns AS t JOIN alternatives AS a ON a.turn_id = t.parent_id
            WHERE t.id = NEW.turn_id AND a.id = NEW.responds_to_id
        ))
    THEN
        RAISE EXCEPTION 'an alternative responds to one of the parent turn' USING ERRCODE = 'check_violation';
    END IF;
    IF EXISTS (SELECT 1 FROM alternatives WHERE responds_to_id = NEW.responds_to_id AND turn_id <> NEW.turn_id) THEN
        RAISE EXCEPTION 'an alternative is answered in one turn' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER alternatives_place BEFORE INSERT ON alternatives
FOR EACH ROW EXECUTE FUNCTION check_alternative_place();

-- What the search index has to take over

CREATE FUNCTION note_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE search_message_indexes SET behind = behind + 1 WHERE owner_id = NEW.owner_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER alternatives_searched AFTER INSERT ON alternatives
FOR EACH ROW WHEN (NEW.content IS NOT NULL) EXECUTE FUNCTION note_search();

CREATE TRIGGER alternatives_searched_anew AFTER UPDATE OF content ON alternatives
FOR EACH ROW WHEN (NEW.content IS DISTINCT FROM OLD.content) EXECUTE FUNCTION note_search();

CREATE TRIGGER conversations_searched AFTER INSERT ON conversations
FOR EACH ROW WHEN (NEW.title IS NOT NULL) EXECUTE FUNCTION note_search();

CREATE TRIGGER conversations_searched_anew AFTER UPDATE OF title ON conversations
FOR EACH ROW WHEN (NEW.title IS DISTINCT FROM OLD.title) EXECUTE FUNCTION note_search();

-- What changed, for those who follow the record

CREATE TRIGGER conversations_noted AFTER INSERT OR UPDATE ON conversations
FOR EACH ROW EXECUTE FUNCTION note_event('Conversation');

CREATE TRIGGER conversation_turns_noted AFTER INSERT ON conversation_turns
FOR EACH ROW EXECUTE FUNCTION note_event('ConversationTurn');

CREATE TRIGGER alternatives_noted AFTER INSERT OR UPDATE ON alternatives
FOR EACH ROW EXECUTE FUNCTION note_event('Alternative');


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
SELECT 'Binding' AS label, id AS id, CAST(json_build_object('id', id, 'digest', digest) AS text) AS properties
FROM bindings
UNION ALL
SELECT 'Trust' AS label, id AS id, CAST(json_build_object('id', id, 'digest', digest) AS text) AS properties
FROM trusts
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
SELECT 'Conversation' AS label, id AS id, CAST(json_build_object('id', id, 'title', title, 'titleBy', title_by,
    'status', status, 'pinned', (pinned = 1), 'tags', CAST(tags AS json), 'tipId', tip_id, 'contextBudget',
    context_budget, 'importKey', import_key, 'version', version, 'createdAt', created_at, 'updatedAt', updated_at) AS
    text) AS properties
FROM conversations
UNION ALL
SELECT 'ConversationTurn' AS label, id AS id, CAST(json_build_object('id', id, 'speaker', speaker, 'turnType',
    turn_type, 'timestamp', created_at) AS text) AS properties
FROM conversation_turns
UNION ALL
SELECT 'Alternative' AS label, id AS id, CAST(json_build_object('id', id, 'conversationId', conversation_id, 'ownerId',
    owner_id, 'state', state, 'content', content, 'contentHash', content_hash, 'pathHash', path_hash, 'processDigest',
    process_digest, 'runId', run_id, 'model', model, 'usage', CAST(usage AS json), 'marks', CAST(marks AS json),
    'failure', failure, 'imported', CAST(imported AS json), 'createdAt', created_at, 'endedAt', ended_at, 'forgottenAt',
    forgotten_at, 'forgottenBy', forgotten_by) AS text) AS properties
FROM alternatives
UNION ALL
SELECT 'Manifest' AS label, alternative_id AS id, CAST(json_build_object('alternativeId', alternative_id, 'digest',
    digest, 'madeAt', made_at, 'text', text) AS text) AS properties
FROM manifests
UNION ALL
SELECT 'Blob' AS label, digest AS id, CAST(json_build_object('digest', digest, 'content', content) AS text) AS
    properties
FROM blobs
UNION ALL
SELECT 'Attachment' AS label, CAST(alternative_id || '/' || n AS text) AS id, CAST(json_build_object('alternativeId',
    alternative_id, 'n', n, 'name', name, 'mediaType', media_type, 'size', size, 'digest', digest, 'textDigest',
    text_digest, 'isErased', (is_erased = 1)) AS text) AS properties
FROM attachments
UNION ALL
SELECT 'Erasure' AS label, id AS id, CAST(json_build_object('id', id, 'actorId', actor_id, 'createdAt', created_at,
    'endedAt', ended_at, 'runs', CAST(runs AS json), 'reason', reason) AS text) AS properties
FROM erasures
UNION ALL
SELECT 'Executor' AS label, id AS id, CAST(json_build_object('id', id, 'host', host, 'pid', pid, 'birth', birth,
    'startedAt', started_at, 'lastHeartbeat', last_heartbeat, 'types', CAST(types AS json)) AS text) AS properties
FROM executors
UNION ALL
SELECT 'Worker' AS label, id AS id, CAST(json_build_object('id', id, 'executorId', executor_id, 'type', type, 'status',
    status, 'currentJobId', current_job_id, 'currentProcessId', current_process_id, 'currentStepId', current_step_id,
    'currentToolId', current_tool_id, 'lastHeartbeat', last_heartbeat, 'processedCount', processed_count, 'errorCount',
    error_count, 'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
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
SELECT 'FOR_TOOL' AS type, 'Trust' AS from_label, e.id AS from_id, 'Tool' AS to_label, e.tool_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM trusts AS e
UNION ALL
SELECT 'GIVEN_BY' AS type, 'Trust' AS from_label, e.id AS from_id, 'User' AS to_label, e.user_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM trusts AS e
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
SELECT 'OWNED_BY' AS type, 'Conversation' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM conversations AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Erasure' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM erasures AS e
UNION ALL
SELECT 'DEFAULT_PROCESS' AS type, 'Conversation' AS from_label, e.id AS from_id, 'Process' AS to_label,
    e.default_process_id AS to_id, CAST(json_build_object('since', e.default_process_since) AS text) AS properties
FROM conversations AS e
WHERE e.default_process_id IS NOT NULL
UNION ALL
SELECT 'FORKED_FROM' AS type, 'Conversation' AS from_label, e.id AS from_id, 'Conversation' AS to_label,
    e.forked_from_id AS to_id, CAST(json_build_object('originTurn', e.origin_turn_id, 'originAlternative',
    e.origin_alternative_id) AS text) AS properties
FROM conversations AS e
WHERE e.forked_from_id IS NOT NULL
UNION ALL
SELECT 'HAS_TURN' AS type, 'Conversation' AS from_label, e.conversation_id AS from_id, 'ConversationTurn' AS to_label,
    e.id AS to_id, CAST(json_build_object('sequence', e.sequence) AS text) AS properties
FROM conversation_turns AS e
UNION ALL
SELECT 'CHILD_OF' AS type, 'ConversationTurn' AS from_label, e.id AS from_id, 'ConversationTurn' AS to_label,
    e.parent_id AS to_id, CAST(json_build_object('viaAlternative', e.via_alternative_id) AS text) AS properties
FROM conversation_turns AS e
WHERE e.parent_id IS NOT NULL
UNION ALL
SELECT 'HAS_ALTERNATIVE' AS type, 'ConversationTurn' AS from_label, e.turn_id AS from_id, 'Alternative' AS to_label,
    e.id AS to_id, CAST(json_build_object('isActive', (e.is_active = 1), 'sequence', e.sequence) AS text) AS properties
FROM alternatives AS e
UNION ALL
SELECT 'RESPONDS_TO' AS type, 'Alternative' AS from_label, e.id AS from_id, 'Alternative' AS to_label, e.responds_to_id
    AS to_id, CAST(json_build_object() AS text) AS properties
FROM alternatives AS e
WHERE e.responds_to_id IS NOT NULL
UNION ALL
SELECT 'EXECUTED_BY' AS type, 'Alternative' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS
    to_id, CAST(json_build_object('createdAt', e.created_at) AS text) AS properties
FROM alternatives AS e
WHERE e.process_id IS NOT NULL
UNION ALL
SELECT 'RUNS_IN' AS type, 'Worker' AS from_label, e.id AS from_id, 'Executor' AS to_label, e.executor_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM workers AS e
UNION ALL
SELECT 'PROCESSES' AS type, 'Worker' AS from_label, e.id AS from_id, 'ProcessStep' AS to_label,
    CAST(e.current_process_id || '/' || e.current_step_id AS text) AS to_id, CAST(json_build_object() AS text) AS
    properties
FROM workers AS e
WHERE EXISTS (SELECT 1 FROM process_steps AS p
              WHERE p.process_id = e.current_process_id AND p.id = e.current_step_id)
UNION ALL
SELECT 'EXECUTES' AS type, 'Worker' AS from_label, e.id AS from_id, 'Tool' AS to_label, e.current_tool_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM workers AS e
WHERE EXISTS (SELECT 1 FROM tools WHERE tools.id = e.current_tool_id);
