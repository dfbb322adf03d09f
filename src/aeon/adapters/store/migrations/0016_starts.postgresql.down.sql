DROP VIEW graph_node;

ALTER TABLE schedules DROP COLUMN problem;
ALTER TABLE schedules DROP COLUMN run;
ALTER TABLE schedules DROP COLUMN started_at;

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
    'priority', priority, 'since', since, 'dueMicros', due_micros, 'shared', (shared = 1), 'version', version,
    'createdAt', created_at, 'updatedAt', updated_at) AS text) AS properties
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
