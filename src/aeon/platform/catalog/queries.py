"""The catalog's queries.

Each kind has six queries for its `EntityRepository`: one thing as the caller may see it, the id of the caller's own
thing of a name, pages of own things, of shared things and of all that the caller sees, and the uses of a thing.
"""

from typing import Final


def page_of_own(select: str, table: str = "") -> str:
    """Returns the query of a page of own things by name; `table` is the alias and dot before its columns.

    It takes `:user`, `:limit`, the position `:own_after` and `:own_after_id`, and `:own_before`, which no name reaches.
    """
    return f"""{select}
WHERE {table}owner_id = :user AND ({table}name, {table}id) > (:own_after, :own_after_id)
  AND {table}name < :own_before ORDER BY {table}name, {table}id LIMIT :limit
"""


def page_of_visible(select: str, table: str = "", unless: str = "1 = 0") -> str:
    """Returns the query of a page of own things by name, then of other users' shared things by name.

    It takes the parameters of `page_of_own`, and the same three of shared things. Rows are left out `unless` a
    condition is false. `place` is 0 for own things, 1 for shared ones.
    """
    return f"""
WITH own AS ({select}
  WHERE {table}owner_id = :user AND ({table}name, {table}id) > (:own_after, :own_after_id)
    AND {table}name < :own_before AND NOT ({unless}) ORDER BY {table}name, {table}id LIMIT :limit
), others AS ({select}
  WHERE {table}shared = 1 AND {table}owner_id <> :user AND ({table}name, {table}id) > (:shared_after, :shared_after_id)
    AND {table}name < :shared_before AND NOT ({unless}) ORDER BY {table}name, {table}id LIMIT :limit
)
SELECT 0 AS place, own.* FROM own UNION ALL SELECT 1, others.* FROM others ORDER BY place, name, id LIMIT :limit
"""  # noqa: S608  # constants alone


_IS_HIDDEN: Final = "archived = 1 AND :archived = 0"

# Services

_SERVICE: Final = """
SELECT id, owner_id, name, type, protocol, connection_schema, schema_version, requires_secret, limits, enabled, status,
       last_health_check, error_message, shared, service_template_id, version, created_at, updated_at
FROM services
"""

SERVICE: Final = f"{_SERVICE} WHERE id = :id AND (owner_id = :user OR shared = 1)"

SERVICE_NAMED: Final = "SELECT id FROM services WHERE owner_id = :user AND name = :name"

OWN_SERVICES: Final = f"{_SERVICE} WHERE owner_id = :user AND name > :after ORDER BY name LIMIT :limit"

SHARED_SERVICES: Final = f"""{_SERVICE}
WHERE shared = 1 AND (name, id) > (:after, :after_id) ORDER BY name, id LIMIT :limit
"""

VISIBLE_SERVICES: Final = page_of_visible(_SERVICE)

CREATE_SERVICE: Final = """
INSERT INTO services (id, owner_id, name, type, protocol, connection_schema, schema_version, requires_secret, limits,
                      enabled, status, last_health_check, error_message, shared, service_template_id, version,
                      created_at, updated_at)
VALUES (:id, :owner_id, :name, :type, :protocol, :connection_schema, :schema_version, :requires_secret, :limits,
        :enabled, :status, :last_health_check, :error_message, :shared, :service_template_id, :version,
        :created_at, :updated_at)
"""

CHANGE_SERVICE: Final = """
UPDATE services
SET name = :name, connection_schema = :connection_schema, schema_version = :schema_version, limits = :limits,
    enabled = :enabled, shared = :shared, version = :version, updated_at = :updated_at,
    status = coalesce(:status, status),
    error_message = CASE WHEN CAST(:status AS text) IS NULL THEN error_message ELSE :error_message END
WHERE id = :id AND owner_id = :owner_id AND version = :before
"""
"""Without a status, its health stays as it is."""

DELETE_SERVICE: Final = "DELETE FROM services WHERE id = :id AND owner_id = :user"

CONNECTIONS_OF_SERVICE: Final = """
SELECT 'tool' AS kind, id, name, owner_id, (owner_id = :user OR shared = 1) AS visible, connection_params
FROM tools WHERE service_id = :id AND enabled = 1 ORDER BY name, visible DESC, id LIMIT :limit
"""

USERS_OF_SERVICE: Final = """
SELECT 'tool' AS kind, id, name, owner_id, (owner_id = :user OR shared = 1) AS visible
FROM tools WHERE service_id = :id ORDER BY name, visible DESC, id LIMIT :limit
"""

# Secrets: visible to their owners alone (platform 3)

_SECRET: Final = "SELECT id, owner_id, name, type, shared, vault_version, version, created_at, updated_at FROM secrets"

SECRET: Final = f"{_SECRET} WHERE id = :id AND owner_id = :user"

SECRET_NAMED: Final = "SELECT id FROM secrets WHERE owner_id = :user AND name = :name"

OWN_SECRETS: Final = f"{_SECRET} WHERE owner_id = :user AND name > :after ORDER BY name LIMIT :limit"

VISIBLE_SECRETS: Final = page_of_own(_SECRET)

CREATE_SECRET: Final = """
INSERT INTO secrets (id, owner_id, name, type, shared, vault_version, version, created_at, updated_at)
VALUES (:id, :owner_id, :name, :type, :shared, :vault_version, :version, :created_at, :updated_at)
"""

CHANGE_SECRET: Final = """
UPDATE secrets
SET name = :name, shared = :shared, vault_version = :vault_version, version = :version, updated_at = :updated_at
WHERE id = :id AND owner_id = :owner_id AND version = :before
"""

DELETE_SECRET: Final = "DELETE FROM secrets WHERE id = :id AND owner_id = :user"

USERS_OF_SECRET: Final = """
SELECT 'tool' AS kind, t.id, t.name, t.owner_id, (t.owner_id = :user OR t.shared = 1) AS visible
FROM tools t
WHERE t.id IN (SELECT id FROM tools WHERE secret_id = :id UNION SELECT tool_id FROM bindings WHERE secret_id = :id)
UNION ALL
SELECT 'webhook', id, name, owner_id, owner_id = :user FROM webhooks WHERE secret_id = :id
ORDER BY name, visible DESC, id LIMIT :limit
"""

# Tools

_TOOL: Final = """
SELECT t.id, t.owner_id, t.name, t.description, t.service_id, t.connection_params, t.operation, t.input_schema,
       t.output_schema, t.effect, t.runs_on, t.enabled, t.status, t.last_health_check, t.error_message, t.shared,
       t.tool_template_id, t.version, t.created_at, t.updated_at, s.status AS service_status,
       CASE WHEN t.owner_id = :user THEN t.secret_id END AS secret_id,
       CASE WHEN t.owner_id = :user THEN t.secret_scope END AS secret_scope,
       t.secret_id IS NOT NULL AS needs_secret
FROM tools t JOIN services s ON s.id = t.service_id
"""

TOOL: Final = f"{_TOOL} WHERE t.id = :id AND (t.owner_id = :user OR t.shared = 1)"

TOOL_NAMED: Final = "SELECT id FROM tools WHERE owner_id = :user AND name = :name"

OWN_TOOLS: Final = f"{_TOOL} WHERE t.owner_id = :user AND t.name > :after ORDER BY t.name LIMIT :limit"

SHARED_TOOLS: Final = f"""{_TOOL}
WHERE t.shared = 1 AND (t.name, t.id) > (:after, :after_id) ORDER BY t.name, t.id LIMIT :limit
"""

VISIBLE_TOOLS: Final = page_of_visible(_TOOL, "t.")

CREATE_TOOL: Final = """
INSERT INTO tools (id, owner_id, name, description, service_id, connection_params, secret_id, secret_scope, operation,
                   input_schema, output_schema, effect, runs_on, enabled, status, last_health_check, error_message,
                   shared, tool_template_id, version, created_at, updated_at)
SELECT :id, :owner_id, :name, :description, id, :connection_params, :secret_id, :secret_scope, :operation,
       :input_schema, :output_schema, :effect, :runs_on, :enabled, :status, :last_health_check, :error_message,
       :shared, :tool_template_id, :version, :created_at, :updated_at
FROM services WHERE id = :service_id AND (owner_id = :owner_id OR shared = 1) AND version = :service_version
"""

CHANGE_TOOL: Final = """
UPDATE tools
SET name = :name, description = :description, connection_params = :connection_params, secret_id = :secret_id,
    secret_scope = :secret_scope, operation = :operation, input_schema = :input_schema, output_schema = :output_schema,
    effect = :effect, runs_on = :runs_on, enabled = :enabled, shared = :shared, version = :version,
    updated_at = :updated_at, status = coalesce(:status, status),
    error_message = CASE WHEN CAST(:status AS text) IS NULL THEN error_message ELSE :error_message END
WHERE id = :id AND owner_id = :owner_id AND version = :before
  AND EXISTS (SELECT 1 FROM services WHERE id = tools.service_id AND version = :service_version)
"""
"""Without a status, its health stays as it is."""

DELETE_TOOL: Final = "DELETE FROM tools WHERE id = :id AND owner_id = :user"
"""This also deletes the bindings of other users' secrets to it."""

USERS_OF_TOOL: Final = """
SELECT 'binding' AS kind, id, 'a secret of ' || user_id AS name, user_id AS owner_id, user_id = :user AS visible
FROM bindings WHERE tool_id = :id
UNION ALL
SELECT 'process', id, name, owner_id, (owner_id = :user OR shared = 1)
FROM processes WHERE id IN (SELECT process_id FROM process_steps WHERE tool_id = :id)
ORDER BY kind, name, visible DESC, id LIMIT :limit
"""

USE_TOOL: Final = """
SELECT 1 AS found FROM tools JOIN services ON services.id = tools.service_id
WHERE tools.id = :id AND (tools.owner_id = :user OR tools.shared = 1)
    AND (services.owner_id = tools.owner_id OR services.shared = 1)
"""

# A user's own secret for another user's shared tool (platform 3)

BIND_SECRET: Final = """
INSERT INTO bindings (id, user_id, tool_id, secret_id, digest)
SELECT :id, :user, id, :secret, :digest FROM tools
WHERE id = :tool AND owner_id <> :user AND shared = 1 AND version = :version
ON CONFLICT (id) DO UPDATE SET secret_id = excluded.secret_id, digest = excluded.digest
"""
"""The version must be the one that the digest was computed from."""

UNBIND_SECRET: Final = "DELETE FROM bindings WHERE id = :id AND user_id = :user"

BOUND_SECRET: Final = "SELECT secret_id, digest FROM bindings WHERE id = :id AND user_id = :user"

# Another user's shared tools that a user trusts, which adds them to the user's kernel

TRUST_TOOL: Final = """
INSERT INTO trusts (id, user_id, tool_id, digest)
SELECT :id, :user, id, :digest FROM tools
WHERE id = :tool AND owner_id <> :user AND shared = 1 AND version = :version
ON CONFLICT (id) DO UPDATE SET digest = excluded.digest
"""

DISTRUST_TOOL: Final = "DELETE FROM trusts WHERE id = :id AND user_id = :user"

_CONSENTED: Final = "SELECT t.id, t.name, t.owner_id, t.version FROM tools t"

BOUND_TOOL: Final = f"{_CONSENTED} JOIN bindings b ON b.tool_id = t.id WHERE b.id = :id AND b.user_id = :user"

TRUSTED_TOOL: Final = f"{_CONSENTED} JOIN trusts b ON b.tool_id = t.id WHERE b.id = :id AND b.user_id = :user"

TRUSTED: Final = "SELECT tool_id, digest FROM trusts WHERE user_id = :user ORDER BY tool_id"

# Tokens that each user's own calls used

ADD_TOKEN_USE: Final = """
INSERT INTO token_uses (id, user_id, tool_id, at, prompt_tokens, completion_tokens, model)
VALUES (:id, :user, :tool, :at, :prompt_tokens, :completion_tokens, :model)
"""

TOKENS_OF: Final = """
SELECT count(*) AS calls, coalesce(sum(prompt_tokens), 0) AS prompt, coalesce(sum(completion_tokens), 0) AS completion
FROM token_uses WHERE user_id = :user AND tool_id = :tool
"""

# Health, which only the system writes (platform 5)

HEALTH_STATE: Final = """
SELECT health_failures AS failures, health_since AS since, status FROM tools WHERE id = :tool
"""

NOTE_HEALTH: Final = """
UPDATE tools
SET status = :status, error_message = :error_message, last_health_check = :at, health_failures = :failures,
    health_since = :since
WHERE id = :tool AND enabled = 1
"""

NOTE_INCOMPATIBLE_TOOL: Final = """
UPDATE tools
SET status = 'down', error_message = :why, health_since = CASE WHEN status = 'down' THEN health_since ELSE :at END
WHERE id = :id AND enabled = 1
"""
"""The next check of the tool writes its health anew."""

NOTE_SERVICE_HEALTH: Final = """
UPDATE services SET
    status = CASE WHEN EXISTS (SELECT 1 FROM tools WHERE service_id = services.id AND enabled = 1
                               AND status = 'healthy') THEN 'healthy'
                  WHEN EXISTS (SELECT 1 FROM tools WHERE service_id = services.id AND enabled = 1
                               AND status = 'degraded') THEN 'degraded'
                  ELSE 'down' END,
    last_health_check = :at,
    error_message = CASE WHEN EXISTS (SELECT 1 FROM tools WHERE service_id = services.id AND enabled = 1
                                      AND status = 'healthy') THEN NULL
                         ELSE 'No tool on it is healthy.' END
WHERE id = (SELECT service_id FROM tools WHERE id = :tool) AND enabled = 1
"""
"""A service is as healthy as the healthiest of the enabled tools on it."""

# Templates

_SERVICE_TEMPLATE: Final = """
SELECT id, owner_id, name, description, type, protocol, connection_schema, requires_secret, limits, shared, archived,
       version, created_at, updated_at
FROM service_templates
"""

SERVICE_TEMPLATE: Final = f"{_SERVICE_TEMPLATE} WHERE id = :id AND (owner_id = :user OR shared = 1)"

SERVICE_TEMPLATE_NAMED: Final = "SELECT id FROM service_templates WHERE owner_id = :user AND name = :name"

OWN_SERVICE_TEMPLATES: Final = f"""{_SERVICE_TEMPLATE}
WHERE owner_id = :user AND name > :after AND (archived = 0 OR :archived = 1) ORDER BY name LIMIT :limit
"""

SHARED_SERVICE_TEMPLATES: Final = f"""{_SERVICE_TEMPLATE}
WHERE shared = 1 AND (name, id) > (:after, :after_id) AND (archived = 0 OR :archived = 1)
ORDER BY name, id LIMIT :limit
"""

VISIBLE_SERVICE_TEMPLATES: Final = page_of_visible(_SERVICE_TEMPLATE, unless=_IS_HIDDEN)

CREATE_SERVICE_TEMPLATE: Final = """
INSERT INTO service_templates (id, owner_id, name, description, type, protocol, connection_schema, requires_secret,
                               limits, shared, archived, version, created_at, updated_at)
VALUES (:id, :owner_id, :name, :description, :type, :protocol, :connection_schema, :requires_secret,
        :limits, :shared, :archived, :version, :created_at, :updated_at)
"""

CHANGE_SERVICE_TEMPLATE: Final = """
UPDATE service_templates
SET name = :name, description = :description, shared = :shared, archived = :archived, version = :version,
    updated_at = :updated_at
WHERE id = :id AND owner_id = :owner_id AND version = :before
"""

DELETE_SERVICE_TEMPLATE: Final = "DELETE FROM service_templates WHERE id = :id AND owner_id = :user"

MADE_FROM_SERVICE_TEMPLATE: Final = """
SELECT 'service' AS kind, id, name, owner_id, (owner_id = :user OR shared = 1) AS visible
FROM services WHERE service_template_id = :id ORDER BY name, visible DESC, id LIMIT :limit
"""

_TOOL_TEMPLATE: Final = """
SELECT id, owner_id, name, description, operation, input_schema, output_schema, shared, archived, version, created_at,
       updated_at
FROM tool_templates
"""

TOOL_TEMPLATE: Final = f"{_TOOL_TEMPLATE} WHERE id = :id AND (owner_id = :user OR shared = 1)"

TOOL_TEMPLATE_NAMED: Final = "SELECT id FROM tool_templates WHERE owner_id = :user AND name = :name"

OWN_TOOL_TEMPLATES: Final = f"""{_TOOL_TEMPLATE}
WHERE owner_id = :user AND name > :after AND (archived = 0 OR :archived = 1) ORDER BY name LIMIT :limit
"""

SHARED_TOOL_TEMPLATES: Final = f"""{_TOOL_TEMPLATE}
WHERE shared = 1 AND (name, id) > (:after, :after_id) AND (archived = 0 OR :archived = 1)
ORDER BY name, id LIMIT :limit
"""

VISIBLE_TOOL_TEMPLATES: Final = page_of_visible(_TOOL_TEMPLATE, unless=_IS_HIDDEN)

CREATE_TOOL_TEMPLATE: Final = """
INSERT INTO tool_templates (id, owner_id, name, description, operation, input_schema, output_schema, shared, archived,
                            version, created_at, updated_at)
VALUES (:id, :owner_id, :name, :description, :operation, :input_schema, :output_schema, :shared, :archived,
        :version, :created_at, :updated_at)
"""

CHANGE_TOOL_TEMPLATE: Final = """
UPDATE tool_templates
SET name = :name, description = :description, shared = :shared, archived = :archived, version = :version,
    updated_at = :updated_at
WHERE id = :id AND owner_id = :owner_id AND version = :before
"""

DELETE_TOOL_TEMPLATE: Final = "DELETE FROM tool_templates WHERE id = :id AND owner_id = :user"

MADE_FROM_TOOL_TEMPLATE: Final = """
SELECT 'tool' AS kind, id, name, owner_id, (owner_id = :user OR shared = 1) AS visible
FROM tools WHERE tool_template_id = :id ORDER BY name, visible DESC, id LIMIT :limit
"""
