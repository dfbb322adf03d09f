DROP VIEW graph_edge;
DROP VIEW graph_node;

ALTER TABLE schedules DROP COLUMN problem;
ALTER TABLE schedules DROP COLUMN run;
ALTER TABLE schedules DROP COLUMN started_at;

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
    'null') || ',' || '"shared":' || CASE shared WHEN 1 THEN 'true' ELSE 'false' END || ',' || '"version":' ||
    coalesce(version, 'null') || ',' || '"createdAt":' || coalesce('"' || replace(replace(created_at, '\', '\\'), '"',
    '\"') || '"', 'null') || ',' || '"updatedAt":' || coalesce('"' || replace(replace(updated_at, '\', '\\'), '"', '\"')
    || '"', 'null') || '}' AS properties
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
