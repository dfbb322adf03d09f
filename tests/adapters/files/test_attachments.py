"""Files to attach: read once, recognized by bytes and name, never followed out of their folder."""

import io
import os

import pytest
from pypdf import PdfWriter

from aeon.adapters.files.attachments import attachment_of, read_attachment
from aeon.base.errors import InputError
from aeon.platform.conversations.attachments import MAX_ATTACHMENT, MAX_NAME

SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG = SIGNATURE + b"\0\0\0\x0dIHDR" + b"\0\0\0\1" * 2 + b"rest"


@pytest.mark.parametrize(
    ("name", "content", "media_type", "text"),
    [
        ("a.md", b"# Tea", "text/markdown", "# Tea"),
        ("a.CSV", b"a,b\n1,2\n", "text/csv", "a,b\n1,2\n"),
        ("a.json", b'{"a": 1}', "application/json", '{"a": 1}'),
        ("main.rs", b"fn main() {}", "text/plain", "fn main() {}"),
        ("README", b"\xef\xbb\xbfhello", "text/plain", "hello"),
        ("a.txt", "Grüße".encode("utf-16"), "text/plain", "Grüße"),
        ("a.txt", PNG, "image/png", None),
        ("a.jpg", b"\xff\xd8\xffrest", "image/jpeg", None),
        ("a.gif", b"GIF89arest", "image/gif", None),
        ("a.webp", b"RIFF1234WEBPrest", "image/webp", None),
    ],
)
def test_bytes_and_name_say_what_a_file_is(name, content, media_type, text):
    found = attachment_of(name, content)
    assert (found.name, found.media_type, found.content, found.text) == (name, media_type, content, text)
    assert found.is_image == (text is None)


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("a.bin", b"\0\1\2", "not text in UTF-8"),
        ("a.txt", b"\xff\xfa", "not text in UTF-8"),
        ("a.png", b"not a picture", "not what its name says"),
        ("a.pdf", b"not a PDF", "not what its name says"),
        ("a.pdf", b"%PDF-1.7 broken", "cannot be read as a PDF"),
        ("a.png", SIGNATURE, "not what its name says"),
        ("a.png", SIGNATURE + b"\0\0\0\x0dIHDR\0\0", "not what its name says"),
        ("a.png", SIGNATURE + b"\0\0\0\x0dIHDR" + bytes(8), "not what its name says"),
        ("a.txt", b"", "is empty"),
        ("a.txt", b" \n\t", "has no text"),
        ("..", b"text", "not a file name"),
        ("folder/", b"text", "not a file name"),
    ],
)
def test_what_no_model_can_read_is_refused_with_the_reason(name, content, problem):
    with pytest.raises(InputError, match=problem):
        attachment_of(name, content)


@pytest.mark.parametrize("name", ["../../etc/passwd", "C:\\Users\\passwd", "/etc/passwd"])
def test_a_name_is_never_a_path(name):
    assert attachment_of(name, b"text").name == "passwd"


def test_a_long_name_keeps_its_ending():
    name = attachment_of("x" * 400 + ".md", b"text").name
    assert (len(name), name.endswith(".md")) == (MAX_NAME, True)


def pdf(user_key=None, owner_key=None):
    writer = PdfWriter()
    writer.add_blank_page(72, 72)
    if user_key is not None:
        writer.encrypt(user_key, owner_key, algorithm="AES-256")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def test_an_encrypted_pdf_says_so_and_one_without_text_too():
    with pytest.raises(InputError, match="is encrypted"):
        attachment_of("a.pdf", pdf("of the user"))
    with pytest.raises(InputError, match="PDF without text"):
        attachment_of("a.pdf", pdf())
    with pytest.raises(InputError, match="PDF without text"):
        attachment_of("a.pdf", pdf("", "of the owner"))


def test_a_folder_a_device_a_pipe_and_nothing_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "nothing"):
        with pytest.raises(InputError):
            read_attachment(path)
    with pytest.raises(InputError, match="not a file"):
        read_attachment(type(tmp_path)("/dev/zero"))


def test_a_link_within_its_folder_is_read_and_one_out_of_it_or_in_a_circle_is_not(tmp_path):
    folder, outside = tmp_path / "folder", tmp_path / "secret.txt"
    folder.mkdir()
    outside.write_text("secret")
    (folder / "tea.md").write_text("tea")
    (folder / "same.md").symlink_to("tea.md")
    (folder / "out.md").symlink_to(outside)
    (folder / "circle.md").symlink_to("circle.md")
    found = read_attachment(folder / "same.md")
    assert (found.name, found.text) == ("same.md", "tea")
    for name in ("out.md", "circle.md"):
        with pytest.raises(InputError, match=r"a link to|cannot be read"):
            read_attachment(folder / name)


def test_ten_mebibytes_are_read_and_not_a_byte_more(tmp_path):
    path = tmp_path / "large.txt"
    path.write_bytes(b"x" * MAX_ATTACHMENT)
    assert len(read_attachment(path).content) == MAX_ATTACHMENT
    path.write_bytes(b"x" * (MAX_ATTACHMENT + 1))
    with pytest.raises(InputError, match="10,485,761 bytes; at most 10,485,760"):
        read_attachment(path)
