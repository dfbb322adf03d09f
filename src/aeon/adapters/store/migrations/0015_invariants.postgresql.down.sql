DROP TRIGGER meta_keys ON meta;
DROP TRIGGER meta_kept ON meta;

DROP TRIGGER manifests_kept ON manifests;
DROP TRIGGER manifests_immutable ON manifests;
DROP FUNCTION check_manifest();
CREATE TRIGGER manifests_immutable BEFORE UPDATE ON manifests
FOR EACH ROW EXECUTE FUNCTION refuse('immutable: manifests');

DROP TRIGGER conversations_tip ON conversations;
DROP TRIGGER conversations_begin ON conversations;
DROP FUNCTION check_tip();

DROP TRIGGER conversation_turns_shows ON conversation_turns;
DROP TRIGGER alternatives_shown ON alternatives;
DROP FUNCTION check_shown_turn();
DROP FUNCTION check_active_alternative();
