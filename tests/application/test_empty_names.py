"""An empty name means nothing: every id begins with it, so it meant the only conversation, fact or run."""

import pytest

from aeon.platform.errors import NotFoundError


@pytest.fixture
def single(project):
    """A project with one of everything that is found by the beginning of its id."""
    place = project.conversations.create("only one")
    project.conversations.say(place.id, "hello")
    project.knowledge.add({"name": "Tove"})
    project.knowledge.add_fact("Tove rows.", "Tove")
    project.runs.start("ask", {"what": "tea"})
    return project


@pytest.mark.parametrize("empty", ["", " ", "\t\n"])
@pytest.mark.parametrize(
    "use",
    [
        lambda project, name: project.conversations.find(name),
        lambda project, name: project.conversations.find_alternative(name),
        lambda project, name: project.knowledge.show(name),
        lambda project, name: project.knowledge.forget_entity(name),
        lambda project, name: project.knowledge.change(name, {"summary": "rows"}),
        lambda project, name: project.knowledge.merge("Tove", name),
        lambda project, name: project.knowledge.get_fact(name),
        lambda project, name: project.knowledge.decide(name, "wrong"),
        lambda project, name: project.knowledge.forget_fact(name),
        lambda project, name: project.runs.find_id(name),
        lambda project, name: project.runs.find_asking_run(name, "approve"),
        lambda project, name: project.processes.get_version("ask", name),
    ],
)
def test_an_empty_name_is_refused_where_an_id_may_be_given_by_its_beginning(single, use, empty):
    with pytest.raises(NotFoundError, match=r"The name or id is empty\. Give a name, an id, or the beginning of an id"):
        use(single, empty)
