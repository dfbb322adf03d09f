DROP TRIGGER meta_once;
DROP TRIGGER meta_keys;
DROP TRIGGER meta_kept;

DROP TRIGGER manifests_kept;
DROP TRIGGER manifests_immutable;
CREATE TRIGGER manifests_immutable BEFORE UPDATE ON manifests
BEGIN SELECT RAISE(ABORT, 'immutable: manifests'); END;

DROP TRIGGER conversations_tip;
DROP TRIGGER conversations_begin;

DROP INDEX conversation_turns_shows;
ALTER TABLE conversation_turns DROP COLUMN shows;
DROP INDEX alternatives_shown;
ALTER TABLE alternatives DROP COLUMN shown_in;
