"""All SQL queries of stored Processes.

A change of a definition replaces all steps of the Process. Definitions are content-addressed and are never deleted.
"""

from typing import Final

from aeon.platform.catalog.queries import page_of_visible
from aeon.platform.store import DialectQuery

# Processes

_PROCESS: Final = """
SELECT p.id, p.owner_id, p.name, p.description, p.initial_context, p.output_template, p.token_budget,
       p.max_recursion_depth, p.enabled, p.paused, p.retention_days, p.digest, p.shared, p.version, p.created_at,
       p.updated_at, d.text AS definition
FROM processes p JOIN definitions d ON d.digest = p.digest
"""

PROCESS: Final = f"{_PROCESS} WHERE p.id = :id AND (p.owner_id = :user OR p.shared = 1)"

PROCESS_NAMED: Final = "SELECT id FROM processes WHERE owner_id = :user AND name = :name"

OWN_PROCESSES: Final = f"{_PROCESS} WHERE p.owner_id = :user AND p.name > :after ORDER BY p.name LIMIT :limit"

SHARED_PROCESSES: Final = f"""{_PROCESS}
WHERE p.shared = 1 AND (p.name, p.id) > (:after, :after_id) ORDER BY p.name, p.id LIMIT :limit
"""

VISIBLE_PROCESSES: Final = page_of_visible(_PROCESS, "p.")

CREATE_PROCESS: Final = """
INSERT INTO processes (id, owner_id, name, description, initial_context, output_template, token_budget,
                       max_recursion_depth, enabled, paused, retention_days, digest, shared, version, created_at,
                       updated_at)
VALUES (:id, :owner_id, :name, :description, :initial_context, :output_template, :token_budget,
        :max_recursion_depth, :enabled, :paused, :retention_days, :digest, :shared, :version, :created_at, :updated_at)
"""

CHANGE_PROCESS: Final = """
UPDATE processes
SET name = :name, description = :description, initial_context = :initial_context, output_template = :output_template,
    token_budget = :token_budget, max_recursion_depth = :max_recursion_depth, enabled = :enabled, paused = :paused,
    retention_days = :retention_days, digest = :digest, shared = :shared, version = :version, updated_at = :updated_at
WHERE id = :id AND owner_id = :owner_id AND version = :before
"""

DELETE_PROCESS: Final = "DELETE FROM processes WHERE id = :id AND owner_id = :user"
"""Deletes steps and versions, too.

Foreign keys refuse the deletion while a step, a schedule, a webhook, an alert, a conversation, a summary, a note or an
entity refers to the Process.
"""

USERS_OF_PROCESS: Final = """
SELECT 'process' AS kind, id, name, owner_id, (owner_id = :user OR shared = 1) AS visible
FROM processes WHERE id IN (SELECT process_id FROM process_steps WHERE called_process_id = :id) AND id <> :id
UNION ALL
SELECT 'schedule', id, name, owner_id, owner_id = :user FROM schedules WHERE process_id = :id
UNION ALL
SELECT 'webhook', id, name, owner_id, owner_id = :user FROM webhooks WHERE process_id = :id
UNION ALL
SELECT 'alert', id, name, owner_id, owner_id = :user FROM alerts WHERE process_id = :id
UNION ALL
SELECT 'conversation', id, coalesce(title, id), owner_id, owner_id = :user FROM conversations WHERE id IN (
    SELECT id FROM conversations WHERE default_process_id = :id
    UNION
    SELECT conversation_id FROM alternatives WHERE process_id = :id
    UNION
    SELECT conversation_id FROM summaries WHERE process_id = :id
)
UNION ALL
SELECT 'note', id, 'note ' || id, owner_id, owner_id = :user FROM introspections WHERE process_id = :id
UNION ALL
SELECT 'described entity', id, coalesce(name, id), owner_id, owner_id = :user FROM entities WHERE enriched_by = :id
ORDER BY kind, name, visible DESC, id LIMIT :limit
"""

# Definitions, current and past

ADD_DEFINITION: Final = """
INSERT INTO definitions (digest, text, created_at) VALUES (:digest, :text, :at) ON CONFLICT (digest) DO NOTHING
"""

DEFINITION: Final = "SELECT text FROM definitions WHERE digest = :digest"

ADD_VERSION: Final = """
INSERT INTO process_versions (process_id, version, digest, at) VALUES (:id, :version, :digest, :at)
"""

VERSIONS: Final = "SELECT digest, version, at FROM process_versions WHERE process_id = :id ORDER BY version"

ADD_STEP: Final = """
INSERT INTO process_steps (process_id, position, id, tool_id, called_process_id, inputs, output_variable,
                           output_token_budget, output_required, mode, condition, timeout, interaction_mode,
                           section, options)
VALUES (:process_id, :position, :id, :tool_id, :called_process_id, :inputs, :output_variable,
        :output_token_budget, :output_required, :mode, :condition, :timeout, :interaction_mode, :section, :options)
"""

ADD_DEPENDENCY: Final = """
INSERT INTO step_dependencies (process_id, step, needs, rank) VALUES (:process_id, :step, :needs, :rank)
"""

DELETE_STEPS: Final = "DELETE FROM process_steps WHERE process_id = :id"
"""The steps' dependencies are deleted with them."""

# Targets of steps, as visible to the user who saves the Process (platform 2, 3)

TOOLS_CALLED: Final = """
SELECT t.id, t.name, t.version, t.input_schema, t.output_schema, t.operation, t.owner_id, s.type AS service_type,
       (t.enabled = 1 AND s.enabled = 1) AS enabled,
       (s.owner_id = t.owner_id OR s.shared = 1) AS is_reachable,
       (t.secret_id IS NOT NULL OR s.requires_secret = 1) AS needs_secret,
       (t.owner_id = :user OR b.id IS NOT NULL) AS has_secret
FROM tools t JOIN services s ON s.id = t.service_id
LEFT JOIN bindings b ON b.user_id = :user AND b.tool_id = t.id
WHERE t.id IN (SELECT value FROM json_each(:ids)) AND (t.owner_id = :user OR t.shared = 1)
"""

_PROCESSES_CALLED: Final = """
SELECT p.id, p.name, p.version, p.digest, p.enabled, p.initial_context, p.owner_id, s.called_process_id AS callee,
       count(*) = count(CASE WHEN s.condition IS NOT NULL OR s.section <> 'main' THEN 1 END) AS is_conditional,
       (SELECT {typed_inputs} FROM definitions d WHERE d.digest = p.digest) AS typed_inputs
FROM processes p LEFT JOIN process_steps s ON s.process_id = p.id AND s.called_process_id IS NOT NULL
WHERE p.id IN (SELECT value FROM json_each(:ids)) AND (p.owner_id = :user OR p.shared = 1)
GROUP BY p.id, s.called_process_id
ORDER BY p.id, s.called_process_id
"""

PROCESSES_CALLED: Final = DialectQuery(
    _PROCESSES_CALLED.format(typed_inputs="json_extract(d.text, '$.inputs')"),
    _PROCESSES_CALLED.format(typed_inputs="CAST(d.text AS json) ->> 'inputs'"),
)

_TOOL_VERSIONS: Final = "SELECT id, version FROM tools WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id"

_PROCESS_VERSIONS: Final = """
SELECT id, version FROM processes WHERE id IN (SELECT value FROM json_each(:ids)) ORDER BY id
"""

TOOL_VERSIONS: Final = DialectQuery(sqlite=_TOOL_VERSIONS, postgresql=f"{_TOOL_VERSIONS} FOR SHARE")
"""Locks these tools until the unit of work ends; SQLite has a single writer anyway."""

PROCESS_VERSIONS: Final = DialectQuery(sqlite=_PROCESS_VERSIONS, postgresql=f"{_PROCESS_VERSIONS} FOR SHARE")
"""Locks these Processes until the unit of work ends."""
