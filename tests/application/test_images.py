"""`Project.ask(images=...)`: the model sees them with each request, and a resumed run needs the same."""

import pytest

from aeon.base.errors import InputError
from aeon.llm.interface import Image
from aeon.testing.llm import ScriptedAdapter
from aeon.tools.attachments import PART_CHARACTERS

GIF = b"GIF89a" + bytes(8)
SEEN = (Image("image/gif", GIF),)


def test_a_program_shows_images_of_its_project(opened):
    model = ScriptedAdapter(["A dot."])
    project = opened(model=model)
    (project.folder / "dot.gif").write_bytes(GIF)
    result = project.ask("What is this?", images=["dot.gif"])
    assert (result.answer, result.status) == ("A dot.", "completed")
    assert [request.images for request in model.requests] == [SEEN]
    assert "Image dot.gif, 14 bytes, sha256 " in result.plan["steps"][0]["description"]


def test_each_request_about_a_long_text_has_the_images(opened):
    model = ScriptedAdapter(["first", "second", "both"])
    project = opened(model=model)
    (project.folder / "dot.gif").write_bytes(GIF)
    (project.folder / "long.txt").write_text("alpha " * (PART_CHARACTERS // 6) + "\n\n" + "beta " * 100)
    assert project.ask("Which?", files=["long.txt"], images=["dot.gif"]).status == "completed"
    assert {request.images for request in model.requests} == {SEEN}


def test_a_number_that_may_be_in_an_image_is_not_doubted_core_19(opened):
    """The model may have read it there, which code cannot check."""
    project = opened(model=ScriptedAdapter(["The bill is 87.50.", "The bill is 87.50."]))
    (project.folder / "bill.gif").write_bytes(GIF)
    (project.folder / "note.txt").write_text("Please pay the bill.")
    assert project.ask("What is to be paid?", files=["note.txt"], images=["bill.gif"]).trusted
    assert not project.ask("What is to be paid?", files=["note.txt"]).trusted


def test_images_of_one_request_are_not_those_of_the_next(opened):
    model = ScriptedAdapter(["A dot.", "Paris."])
    project = opened(model=model)
    (project.folder / "dot.gif").write_bytes(GIF)
    project.ask("What is this?", images=["dot.gif"])
    project.ask("What is the capital of France?")
    assert [request.images for request in model.requests] == [SEEN, ()]


def test_a_resumed_run_needs_the_same_images(opened):
    model = ScriptedAdapter(["A dot."])
    project = opened(model=model)
    (project.folder / "dot.gif").write_bytes(GIF)
    (project.folder / "other.gif").write_bytes(GIF + b"x")
    stopped = project.ask("What is this?", images=["dot.gif"], cancellation=lambda: True)
    assert stopped.log is not None
    with pytest.raises(InputError, match=r"needed again, unchanged: dot\.gif"):
        project.resume(stopped.log)
    with pytest.raises(InputError, match="did not see these images: other"):
        project.resume(stopped.log, images=["dot.gif", "other.gif"])
    assert project.resume(stopped.log, images=["dot.gif"]).answer == "A dot."
    assert [request.images for request in model.requests] == [SEEN]
