-- Conversations: turns in a tree, alternatives of which one is active, and what answers were made from (platform 11 to 14).

DROP VIEW graph_edge;
DROP VIEW graph_node;

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

-- A turn is a place in the tree. Its key is the alternative that it was made to answer: nobody makes a second one.

CREATE TABLE conversation_turns (
    id                 TEXT PRIMARY KEY,
    conversation_id    TEXT NOT NULL REFERENCES conversations (id),
    parent_id          TEXT,
    via_alternative_id TEXT UNIQUE,
    sequence           INTEGER NOT NULL CHECK (sequence >= 1),
    speaker            TEXT NOT NULL CHECK (speaker IN ('user', 'agent', 'system')),
    turn_type          TEXT NOT NULL CHECK (turn_type IN ('message', 'tool_result', 'summary')),
    created_at         TEXT NOT NULL,
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
    imported        TEXT,
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

-- What an answer was made from

CREATE TABLE manifests (
    alternative_id TEXT PRIMARY KEY REFERENCES alternatives (id),
    digest         TEXT NOT NULL,
    made_at        TEXT NOT NULL,
    text           TEXT NOT NULL
) STRICT;

-- What users attached to their messages. A file is kept once, as base64, under the SHA-256 of its bytes; the text of a PDF
-- is a file of its own. The name and the digests of an attachment go when it is erased.

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

-- The pieces of answers while they are made; the piece 0 is the token of the maker

CREATE TABLE pieces (
    alternative_id TEXT NOT NULL,
    n              INTEGER NOT NULL CHECK (n >= 0),
    text           TEXT NOT NULL,
    PRIMARY KEY (alternative_id, n)
) STRICT;

-- What was erased, by whom, and the runs whose records go with it. Until it has ended, something of it is left.

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

-- Search in conversations, derived from them. Of an index's documents, the newest wait with their words; as soon as a
-- segment of them is full, its words get rows of their own. `behind` counts the changes that the index has not taken over.

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

-- What never changes

CREATE TRIGGER conversations_immutable BEFORE UPDATE ON conversations
WHEN NEW.id IS NOT OLD.id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.forked_from_id IS NOT OLD.forked_from_id OR NEW.origin_turn_id IS NOT OLD.origin_turn_id OR NEW.origin_alternative_id IS NOT OLD.origin_alternative_id OR NEW.import_key IS NOT OLD.import_key OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: conversations'); END;
CREATE TRIGGER alternatives_immutable BEFORE UPDATE ON alternatives
WHEN NEW.id IS NOT OLD.id OR NEW.turn_id IS NOT OLD.turn_id OR NEW.conversation_id IS NOT OLD.conversation_id OR NEW.owner_id IS NOT OLD.owner_id OR NEW.sequence IS NOT OLD.sequence OR NEW.responds_to_id IS NOT OLD.responds_to_id OR NEW.process_id IS NOT OLD.process_id OR NEW.process_digest IS NOT OLD.process_digest OR (NEW.imported IS NOT OLD.imported AND (NEW.imported IS NOT NULL OR NEW.forgotten_at IS NULL)) OR NEW.created_at IS NOT OLD.created_at
BEGIN SELECT RAISE(ABORT, 'immutable: alternatives'); END;
CREATE TRIGGER conversation_turns_immutable BEFORE UPDATE ON conversation_turns
BEGIN SELECT RAISE(ABORT, 'immutable: conversation_turns'); END;
CREATE TRIGGER manifests_immutable BEFORE UPDATE ON manifests
BEGIN SELECT RAISE(ABORT, 'immutable: manifests'); END;
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
CREATE TRIGGER conversation_turns_kept BEFORE DELETE ON conversation_turns
BEGIN SELECT RAISE(ABORT, 'never deleted: conversation_turns'); END;
CREATE TRIGGER alternatives_kept BEFORE DELETE ON alternatives
BEGIN SELECT RAISE(ABORT, 'never deleted: alternatives'); END;
CREATE TRIGGER blobs_immutable BEFORE UPDATE ON blobs
BEGIN SELECT RAISE(ABORT, 'immutable: blobs'); END;
CREATE TRIGGER attachments_immutable BEFORE UPDATE ON attachments
WHEN NEW.alternative_id IS NOT OLD.alternative_id OR NEW.n IS NOT OLD.n OR NEW.media_type IS NOT OLD.media_type OR NEW.size IS NOT OLD.size OR ((NEW.name IS NOT OLD.name OR NEW.digest IS NOT OLD.digest OR NEW.text_digest IS NOT OLD.text_digest) AND NEW.is_erased = 0)
BEGIN SELECT RAISE(ABORT, 'immutable: attachments'); END;
CREATE TRIGGER attachments_kept BEFORE DELETE ON attachments
BEGIN SELECT RAISE(ABORT, 'never deleted: attachments'); END;

-- An alternative responds to one of the parent turn, and nothing is answered in two turns

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

-- What the search index has to take over

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

-- What changed, for those who follow the record

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
