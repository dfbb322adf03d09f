-- What was only kept by Aeon's own code is kept by the database: the tip, one active alternative of each turn, manifests,
-- and the identity of the record (platform 12, 22, 23 and 25).

-- Mended first: a turn of which nothing is active shows its newest alternative, a turn without any was never shown to
-- anyone and goes, and a tip elsewhere moves to the end of what is active.

UPDATE alternatives SET is_active = 1
WHERE sequence = (SELECT max(o.sequence) FROM alternatives AS o WHERE o.turn_id = alternatives.turn_id)
  AND NOT EXISTS (SELECT 1 FROM alternatives AS o WHERE o.turn_id = alternatives.turn_id AND o.is_active = 1);

DROP TRIGGER conversation_turns_kept;
DELETE FROM conversation_turns
WHERE NOT EXISTS (SELECT 1 FROM alternatives AS a WHERE a.turn_id = conversation_turns.id);
CREATE TRIGGER conversation_turns_kept BEFORE DELETE ON conversation_turns
BEGIN SELECT RAISE(ABORT, 'never deleted: conversation_turns'); END;

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

DELETE FROM sqlite_sequence WHERE name = 'events' AND seq = 0; -- SQLite has noted that no event was written

-- At the end of a transaction, each turn shows exactly one alternative. A foreign key is all that SQLite can check then,
-- so it names the turn that an active alternative is shown in.

ALTER TABLE alternatives ADD COLUMN shown_in TEXT GENERATED ALWAYS AS (CASE is_active WHEN 1 THEN turn_id END) VIRTUAL;
CREATE UNIQUE INDEX alternatives_shown ON alternatives (shown_in);
ALTER TABLE conversation_turns ADD COLUMN shows TEXT GENERATED ALWAYS AS (id) VIRTUAL REFERENCES alternatives (shown_in) DEFERRABLE INITIALLY DEFERRED;
CREATE INDEX conversation_turns_shows ON conversation_turns (shows);

-- The tip is an alternative of its conversation, which begins without one

CREATE TRIGGER conversations_begin BEFORE INSERT ON conversations WHEN NEW.tip_id IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a conversation begins without a tip'); END;
CREATE TRIGGER conversations_tip BEFORE UPDATE OF tip_id ON conversations
WHEN NEW.tip_id IS NOT OLD.tip_id
    AND NOT EXISTS (SELECT 1 FROM alternatives WHERE id = NEW.tip_id AND conversation_id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the tip is an alternative of the conversation'); END;

-- A manifest changes only while its answer is being made, and when it is erased, which its text says. (Inside a string of
-- JSON, quotes have a backslash before them.)

DROP TRIGGER manifests_immutable;
CREATE TRIGGER manifests_immutable BEFORE UPDATE ON manifests
WHEN NEW.alternative_id IS NOT OLD.alternative_id
    OR (NOT EXISTS (SELECT 1 FROM alternatives WHERE id = OLD.alternative_id AND state = 'generating')
        AND (NEW.digest IS NOT OLD.digest OR NEW.made_at IS NOT OLD.made_at
             OR (NEW.text IS NOT OLD.text AND instr(NEW.text, '"isErased":true') = 0)))
BEGIN SELECT RAISE(ABORT, 'immutable: manifests'); END;
CREATE TRIGGER manifests_kept BEFORE DELETE ON manifests
BEGIN SELECT RAISE(ABORT, 'never deleted: manifests'); END;

-- What identifies the record stays

CREATE TRIGGER meta_kept BEFORE DELETE ON meta
BEGIN SELECT RAISE(ABORT, 'never deleted: meta'); END;
CREATE TRIGGER meta_keys BEFORE UPDATE OF key ON meta WHEN NEW.key IS NOT OLD.key
BEGIN SELECT RAISE(ABORT, 'immutable: meta'); END;
CREATE TRIGGER meta_once BEFORE INSERT ON meta
WHEN NEW.key = 'record' AND EXISTS (SELECT 1 FROM meta WHERE key = 'record')
BEGIN SELECT RAISE(ABORT, 'immutable: meta'); END;
