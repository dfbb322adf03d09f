-- What came of the newest start of a schedule: the run, or why there was none.

DROP VIEW graph_edge;
DROP VIEW graph_node;

ALTER TABLE schedules ADD COLUMN started_at text COLLATE "C";
ALTER TABLE schedules ADD COLUMN run text COLLATE "C";
ALTER TABLE schedules ADD COLUMN problem text COLLATE "C";

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
    AS json), 'effect', effect, 'runsOn', CAST(runs_on AS json), 'enabled', (enabled = 1), 'status', status,
    'lastHealthCheck', last_health_check, 'errorMessage', error_message, 'healthFailures', health_failures,
    'healthSince', health_since, 'shared', (shared = 1), 'toolTemplateId', tool_template_id, 'version', version,
    'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
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
    'maxRecursionDepth', max_recursion_depth, 'enabled', (enabled = 1), 'paused', (paused = 1), 'retentionDays',
    retention_days, 'digest', digest, 'shared', (shared = 1), 'version', version, 'createdAt', created_at, 'updatedAt',
    updated_at) AS text) AS properties
FROM processes
UNION ALL
SELECT 'ProcessStep' AS label, CAST(process_id || '/' || id AS text) AS id, CAST(json_build_object('id', id, 'inputs',
    CAST(inputs AS json), 'output.variable', output_variable, 'output.tokenBudget', output_token_budget,
    'output.required', (output_required = 1), 'execution.mode', mode, 'execution.condition', condition,
    'execution.timeout', timeout, 'execution.interactionMode', interaction_mode, 'section', section, 'options',
    CAST(options AS json)) AS text) AS properties
FROM process_steps
UNION ALL
SELECT 'Schedule' AS label, id AS id, CAST(json_build_object('id', id, 'ownerId', owner_id, 'name', name, 'inputs',
    CAST(inputs AS json), 'cron', cron, 'at', at, 'timeZone', time_zone, 'enabled', (enabled = 1), 'catchUp', catch_up,
    'priority', priority, 'since', since, 'dueMicros', due_micros, 'startedAt', started_at, 'run', run, 'problem',
    problem, 'shared', (shared = 1), 'version', version, 'createdAt', created_at, 'updatedAt', updated_at) AS text) AS
    properties
FROM schedules
UNION ALL
SELECT 'Webhook' AS label, id AS id, CAST(json_build_object('id', id, 'ownerId', owner_id, 'name', name, 'scheme',
    scheme, 'secretGenerated', (secret_generated = 1), 'input', input, 'enabled', (enabled = 1), 'priority', priority,
    'trustedDigest', trusted_digest, 'oldSecretUntil', old_secret_until, 'refusal', refusal, 'refusedAt', refused_at,
    'shared', (shared = 1), 'version', version, 'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
FROM webhooks
UNION ALL
SELECT 'Alert' AS label, id AS id, CAST(json_build_object('id', id, 'ownerId', owner_id, 'name', name, 'inputs',
    CAST(inputs AS json), 'metric', metric, 'scope', scope, 'aggregation', aggregation, 'entity', entity,
    'windowSeconds', window_seconds, 'comparison', comparison, 'threshold', threshold, 'holdSeconds', hold_seconds,
    'intervalSeconds', interval_seconds, 'repeatHours', repeat_hours, 'enabled', (enabled = 1), 'trustedDigest',
    trusted_digest, 'state', state, 'stateSince', state_since, 'lastValue', last_value, 'evaluatedAt', evaluated_at,
    'starts', starts, 'isStarting', (is_starting = 1), 'startedAt', started_at, 'run', run, 'problem', problem,
    'dueMicros', due_micros, 'shared', (shared = 1), 'version', version, 'createdAt', created_at, 'updatedAt',
    updated_at) AS text) AS properties
FROM alerts
UNION ALL
SELECT 'Run' AS label, id AS id, CAST(json_build_object('id', id, 'ownerId', owner_id, 'processId', process_id,
    'processName', process_name, 'digest', digest, 'plan', plan, 'inputs', inputs, 'trigger', trigger, 'pins', CAST(pins
    AS json), 'parentId', parent_id, 'rootId', root_id, 'retryOf', retry_of, 'acceptedAt', accepted_at, 'deadline',
    deadline, 'executor', executor, 'phase', phase, 'events', events, 'endedAt', ended_at, 'endedMicros', ended_micros,
    'tokens', tokens, 'failure', CAST(failure AS json), 'isUnmeasured', (is_unmeasured = 1), 'isUnsent', (is_unsent =
    1), 'planReference', plan_reference, 'inputsReference', inputs_reference, 'tags', CAST(tags AS json), 'priority',
    priority, 'weight', weight, 'language', language) AS text) AS properties
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
SELECT 'Question' AS label, id AS id, CAST(json_build_object('id', id, 'runId', run_id, 'ownerId', owner_id, 'step',
    step, 'assignee', assignee, 'askedAt', asked_at, 'closedAt', closed_at, 'remindProcess', remind_process,
    'remindEvery', remind_every, 'remindMicros', remind_micros) AS text) AS properties
FROM questions
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
SELECT 'Episode' AS label, id AS id, CAST(json_build_object('groupId', group_id, 'source', source, 'name', name,
    'createdAt', created_at, 'validAt', valid_at, 'forgottenAt', forgotten_at, 'extractedAt', extracted_at, 'extractor',
    extractor, 'attempts', attempts, 'content', content, 'failure', failure, 'uuid', id) AS text) AS properties
FROM episodes
UNION ALL
SELECT 'Entity' AS label, id AS id, CAST(json_build_object('name', name, 'nameKey', name_key, 'madeBy', made_by,
    'categoryBy', category_by, 'version', version, 'createdAt', created_at, 'updatedAt', updated_at, 'enrichedAt',
    enriched_at, 'forgottenAt', forgotten_at, 'summary', summary, 'facets', CAST(facets AS json), 'enrichment',
    CAST(enrichment AS json), 'uuid', id, 'entityType', category) AS text) AS properties
FROM entities
UNION ALL
SELECT 'Merge' AS label, id AS id, CAST(json_build_object('id', id, 'decidedBy', decided_by, 'createdAt', created_at,
    'undoneAt', undone_at) AS text) AS properties
FROM merges
UNION ALL
SELECT 'Fact' AS label, id AS id, CAST(json_build_object('createdAt', created_at, 'forgottenAt', forgotten_at,
    'textKey', text_key, 'predicate', predicate, 'uuid', id, 'fact', text) AS text) AS properties
FROM facts
UNION ALL
SELECT 'Summary' AS label, id AS id, CAST(json_build_object('id', id, 'ownerId', owner_id, 'tokenCount', token_count,
    'pathDigest', path_digest, 'firstAlternativeId', first_alternative_id, 'lastAlternativeId', last_alternative_id,
    'runId', run_id, 'createdAt', created_at, 'deletedAt', deleted_at, 'compressionLevel', level) AS text) AS properties
FROM summaries
UNION ALL
SELECT 'Compression' AS label, conversation_id AS id, CAST(json_build_object('conversationId', conversation_id,
    'number', number, 'sinceIntrospection', since_introspection) AS text) AS properties
FROM compressions
UNION ALL
SELECT 'Introspection' AS label, id AS id, CAST(json_build_object('id', id, 'carouselPosition', carousel_position,
    'version', version, 'createdBy', created_by, 'runId', run_id, 'createdAt', created_at, 'archivedAt', archived_at,
    'conversationContext', conversation_context, 'sources', CAST(sources AS json)) AS text) AS properties
FROM introspections
UNION ALL
SELECT 'KnowledgeSettings' AS label, owner_id AS id, CAST(json_build_object('ownerId', owner_id, 'extraction',
    extraction, 'compression', compression, 'introspection', introspection, 'enrichment', enrichment, 'updatedAt',
    updated_at) AS text) AS properties
FROM knowledge_settings
UNION ALL
SELECT 'Executor' AS label, id AS id, CAST(json_build_object('id', id, 'host', host, 'pid', pid, 'birth', birth,
    'startedAt', started_at, 'lastHeartbeat', last_heartbeat, 'types', CAST(types AS json), 'drainingSince',
    draining_since, 'labels', CAST(labels AS json), 'aeonVersion', aeon_version, 'operations', CAST(operations AS json),
    'language', language) AS text) AS properties
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
SELECT 'LargeResult' AS label, digest AS id, CAST(json_build_object('digest', digest, 'text', text, 'putAt', put_at) AS
    text) AS properties
FROM large_results
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
SELECT 'OWNED_BY' AS type, 'Webhook' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM webhooks AS e
UNION ALL
SELECT 'STARTS' AS type, 'Webhook' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM webhooks AS e
UNION ALL
SELECT 'USES_SECRET' AS type, 'Webhook' AS from_label, e.id AS from_id, 'Secret' AS to_label, e.secret_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM webhooks AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Alert' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM alerts AS e
UNION ALL
SELECT 'STARTS' AS type, 'Alert' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM alerts AS e
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
SELECT 'OWNED_BY' AS type, 'Episode' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM episodes AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Entity' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM entities AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Merge' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM merges AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Fact' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM facts AS e
UNION ALL
SELECT 'OWNED_BY' AS type, 'Introspection' AS from_label, e.id AS from_id, 'User' AS to_label, e.owner_id AS to_id,
    CAST(json_build_object('created_at', e.created_at) AS text) AS properties
FROM introspections AS e
UNION ALL
SELECT 'HAS_CONTENT' AS type, 'Alternative' AS from_label, e.alternative_id AS from_id, 'Episode' AS to_label, e.id AS
    to_id, CAST(json_build_object('source', e.source, 'createdAt', e.created_at) AS text) AS properties
FROM episodes AS e
WHERE e.alternative_id IS NOT NULL
UNION ALL
SELECT 'MENTIONS' AS type, 'Episode' AS from_label, e.episode_id AS from_id, 'Entity' AS to_label, e.entity_id AS to_id,
    CAST(json_build_object('name', e.name, 'extractor', e.extractor, 'confidence', e.confidence, 'createdAt',
    e.created_at) AS text) AS properties
FROM mentions AS e
UNION ALL
SELECT 'KEEPS' AS type, 'Merge' AS from_label, e.id AS from_id, 'Entity' AS to_label, e.kept_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM merges AS e
UNION ALL
SELECT 'ABSORBS' AS type, 'Merge' AS from_label, e.id AS from_id, 'Entity' AS to_label, e.absorbed_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM merges AS e
UNION ALL
SELECT 'ENRICHED_BY' AS type, 'Entity' AS from_label, e.id AS from_id, 'Process' AS to_label, e.enriched_by AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM entities AS e
WHERE e.enriched_by IS NOT NULL
UNION ALL
SELECT 'HAS_SUBJECT' AS type, 'Fact' AS from_label, e.id AS from_id, 'Entity' AS to_label, e.subject_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM facts AS e
WHERE e.subject_id IS NOT NULL
UNION ALL
SELECT 'HAS_OBJECT' AS type, 'Fact' AS from_label, e.id AS from_id, 'Entity' AS to_label, e.object_id AS to_id,
    CAST(json_build_object() AS text) AS properties
FROM facts AS e
WHERE e.object_id IS NOT NULL
UNION ALL
SELECT 'ASSERTS' AS type, 'Episode' AS from_label, e.episode_id AS from_id, 'Fact' AS to_label, e.fact_id AS to_id,
    CAST(json_build_object('kind', e.kind, 'state', e.state, 'extractor', e.extractor, 'confidence', e.confidence,
    'createdAt', e.created_at, 'saidAt', e.said_at, 'trueFrom', e.true_from, 'trueUntil', e.true_until, 'decidedAt',
    e.decided_at) AS text) AS properties
FROM assertions AS e
UNION ALL
SELECT 'HAS_ACTIVE_ENTITY' AS type, 'Conversation' AS from_label, e.conversation_id AS from_id, 'Entity' AS to_label,
    e.entity_id AS to_id, CAST(json_build_object('ownerId', e.owner_id, 'state', e.state, 'includeSummary',
    (e.include_summary = 1), 'includeFacets', (e.include_facets = 1), 'includeRelationships', (e.include_relationships =
    1), 'addedAt', e.added_at) AS text) AS properties
FROM active_entities AS e
UNION ALL
SELECT 'HAS_SUMMARY' AS type, 'Conversation' AS from_label, e.conversation_id AS from_id, 'Summary' AS to_label, e.id AS
    to_id, CAST(json_build_object() AS text) AS properties
FROM summaries AS e
UNION ALL
SELECT 'COVERS_UP_TO' AS type, 'Summary' AS from_label, e.id AS from_id, 'ConversationTurn' AS to_label, e.last_turn_id
    AS to_id, CAST(json_build_object() AS text) AS properties
FROM summaries AS e
UNION ALL
SELECT 'CREATED_BY_PROCESS' AS type, 'Summary' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id AS
    to_id, CAST(json_build_object() AS text) AS properties
FROM summaries AS e
WHERE e.process_id IS NOT NULL
UNION ALL
SELECT 'SUMMARIZES' AS type, 'Summary' AS from_label, e.summary_id AS from_id, 'Episode' AS to_label, e.episode_id AS
    to_id, CAST(json_build_object('order', e.n) AS text) AS properties
FROM summary_sources AS e
UNION ALL
SELECT 'HAS_CONTENT' AS type, 'Summary' AS from_label, e.summary_id AS from_id, 'Episode' AS to_label, e.episode_id AS
    to_id, CAST(json_build_object('n', e.n, 'createdAt', e.created_at, 'createdBy', e.created_by) AS text) AS properties
FROM summary_contents AS e
UNION ALL
SELECT 'CREATED_BY_PROCESS' AS type, 'Introspection' AS from_label, e.id AS from_id, 'Process' AS to_label, e.process_id
    AS to_id, CAST(json_build_object() AS text) AS properties
FROM introspections AS e
WHERE e.process_id IS NOT NULL
UNION ALL
SELECT 'HAS_CONTENT' AS type, 'Introspection' AS from_label, e.introspection_id AS from_id, 'Episode' AS to_label,
    e.episode_id AS to_id, CAST(json_build_object('n', e.n, 'createdAt', e.created_at, 'createdBy', e.created_by) AS
    text) AS properties
FROM introspection_contents AS e
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
