-- What was only kept by Aeon's own code is kept by the database: the tip, one active alternative of each turn, manifests,
-- and the identity of the record (platform 12, 22, 23 and 25).

-- Mended first: a turn of which nothing is active shows its newest alternative, a turn without any was never shown to
-- anyone and goes, and a tip elsewhere moves to the end of what is active.

UPDATE alternatives SET is_active = 1
WHERE sequence = (SELECT max(o.sequence) FROM alternatives AS o WHERE o.turn_id = alternatives.turn_id)
  AND NOT EXISTS (SELECT 1 FROM alternatives AS o WHERE o.turn_id = alternatives.turn_id AND o.is_active = 1);

ALTER TABLE conversation_turns DISABLE TRIGGER conversation_turns_kept;
DELETE FROM conversation_turns
WHERE NOT EXISTS (SELECT 1 FROM alternatives AS a WHERE a.turn_id = conversation_turns.id);
ALTER TABLE conversation_turns ENABLE TRIGGER conversation_turns_kept;

WITH RECURSIVE shown (conversation, n, id) AS (
    SELECT c.id, 0, a.id
    FROM conversations AS c
         JOIN conversation_turns AS t ON t.conversation_id = c.id AND t.parent_id IS NULL
         JOIN alternatives AS a ON a.turn_id = t.id AND a.is_active = 1
    WHERE c.tip_id IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM alternatives AS o WHERE o.id = c.tip_id AND o.conversation_id = c.id)
    UNION ALL
    SELECT shown.conversation, n + 1, a.id
    FROM shown JOIN alternatives AS a ON a.responds_to_id = shown.id AND a.is_active = 1
)
UPDATE conversations
SET tip_id = (SELECT s.id FROM shown AS s WHERE s.conversation = conversations.id ORDER BY s.n DESC LIMIT 1)
WHERE tip_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM alternatives AS o WHERE o.id = conversations.tip_id AND o.conversation_id = conversations.id);

-- At the end of a transaction, each turn shows exactly one alternative: `alternatives_active` refuses a second one. Each
-- turn is looked up by the index, however small the table was when the plan was made.

CREATE FUNCTION check_active_alternative() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM alternatives WHERE turn_id = NEW.turn_id AND is_active = 1) THEN
        RAISE EXCEPTION 'a turn has an active alternative' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE FUNCTION check_shown_turn() RETURNS trigger LANGUAGE plpgsql SET enable_seqscan = off AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM alternatives WHERE turn_id = NEW.id AND is_active = 1) THEN
        RAISE EXCEPTION 'a turn has an active alternative' USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END
$$;

CREATE CONSTRAINT TRIGGER alternatives_shown AFTER UPDATE OF is_active ON alternatives DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW WHEN (OLD.is_active = 1 AND NEW.is_active = 0) EXECUTE FUNCTION check_active_alternative();

CREATE CONSTRAINT TRIGGER conversation_turns_shows AFTER INSERT ON conversation_turns DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION check_shown_turn();

-- The tip is an alternative of its conversation, which begins without one

CREATE FUNCTION check_tip() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM alternatives WHERE id = NEW.tip_id AND conversation_id = NEW.id) THEN
        RAISE EXCEPTION 'the tip is an alternative of the conversation' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;

CREATE TRIGGER conversations_begin BEFORE INSERT ON conversations
FOR EACH ROW WHEN (NEW.tip_id IS NOT NULL) EXECUTE FUNCTION refuse('a conversation begins without a tip');

CREATE TRIGGER conversations_tip BEFORE UPDATE OF tip_id ON conversations
FOR EACH ROW WHEN (NEW.tip_id IS DISTINCT FROM OLD.tip_id) EXECUTE FUNCTION check_tip();

-- A manifest changes only while its answer is being made, and when it is erased, which its text says. (Inside a string of
-- JSON, quotes have a backslash before them.)

CREATE FUNCTION check_manifest() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.alternative_id IS DISTINCT FROM OLD.alternative_id
        OR (NOT EXISTS (SELECT 1 FROM alternatives WHERE id = OLD.alternative_id AND state = 'generating')
            AND (NEW.digest IS DISTINCT FROM OLD.digest OR NEW.made_at IS DISTINCT FROM OLD.made_at
                 OR (NEW.text IS DISTINCT FROM OLD.text AND strpos(NEW.text, '"isErased":true') = 0)))
    THEN
        RAISE EXCEPTION 'immutable: manifests' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;

DROP TRIGGER manifests_immutable ON manifests;
CREATE TRIGGER manifests_immutable BEFORE UPDATE ON manifests
FOR EACH ROW EXECUTE FUNCTION check_manifest();

CREATE TRIGGER manifests_kept BEFORE DELETE ON manifests
FOR EACH ROW EXECUTE FUNCTION refuse('never deleted: manifests');

-- What identifies the record stays

CREATE TRIGGER meta_kept BEFORE DELETE ON meta
FOR EACH ROW EXECUTE FUNCTION refuse('never deleted: meta');

CREATE TRIGGER meta_keys BEFORE UPDATE OF key ON meta
FOR EACH ROW WHEN (NEW.key IS DISTINCT FROM OLD.key) EXECUTE FUNCTION refuse('immutable: meta');
