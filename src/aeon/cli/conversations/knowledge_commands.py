"""The commands inside `aeon chat` about what is known; users reject facts of an answer there (platform 40)."""

from collections.abc import Callable
from typing import Final, Literal

from aeon.application.conversations import Conversation, ConversationService
from aeon.application.knowledge import OWN_NAMES, FactState, KnowledgeService
from aeon.base.errors import InputError
from aeon.cli.console import print_message
from aeon.cli.conversations.chat_command import SlashCommand
from aeon.cli.text import printable

KNOWLEDGE_COMMANDS: Final = (
    SlashCommand("known", "/known [NAME]", "show what is known of a name, or of what this conversation is about"),
    SlashCommand("wrong", "/wrong ID", "say that a fact, or what a recalled message states, is wrong"),
    SlashCommand("confirm", "/confirm ID", "say that it is right: answers may use it"),
    SlashCommand("pin", "/pin NAME", "let answers here always know a name"),
    SlashCommand("hide", "/hide NAME", "let answers here know a name only if it is named"),
)


class KnowledgeCommands:
    """Runs these commands of one chat."""

    def __init__(
        self, conversations: ConversationService, knowledge: KnowledgeService, conversation: Callable[[], Conversation]
    ) -> None:
        """`conversation` returns the one of the chat, and raises InputError while it is empty."""
        self._conversations = conversations
        self._knowledge = knowledge
        self._conversation = conversation
        self.handlers: dict[str, Callable[[str], None]] = {
            "known": self._known,
            "wrong": self._wrong,
            "confirm": self._confirm,
            "pin": self._pin,
            "hide": self._hide,
        }

    def _known(self, name: str) -> None:
        from aeon.cli.knowledge.active import print_active
        from aeon.cli.knowledge.views import print_entity, print_own

        if name.casefold() in OWN_NAMES:
            print_own(self._conversations, self._knowledge.facts_about_user())
        elif name:
            print_entity(self._conversations, self._knowledge.show(name))
        else:
            print_active(self._knowledge.list_active(self._conversation().id))

    def _wrong(self, fact: str) -> None:
        self._decide(fact, "rejected", "no answer uses it any more")

    def _confirm(self, fact: str) -> None:
        self._decide(fact, "confirmed", "answers may use it")

    def _decide(self, fact: str, state: FactState, what_follows: str) -> None:
        from aeon.cli.knowledge.views import print_fact

        if not fact:
            raise InputError("The id of a fact or of a message is missing.", next_step="See /why and /known.")
        print_fact(self._knowledge.decide(fact, state))
        print_message(what_follows)

    def _pin(self, name: str) -> None:
        self._stand(name, "pinned", "answers here always know {}")

    def _hide(self, name: str) -> None:
        self._stand(name, "hidden", "answers here know {} only where it is named")

    def _stand(self, name: str, standing: Literal["pinned", "hidden"], words: str) -> None:
        if not name:
            raise InputError("A name is missing.", next_step="See /known.")
        entity = self._knowledge.set_active(self._conversation().id, name, standing)
        print_message(printable(words.format(entity.name)))
