"""The text of files as users have them."""

import os

import pytest
from pypdf import PdfWriter

from aeon.adapters.files import texts
from aeon.adapters.files.texts import read_text
from aeon.base.errors import InputError


def pdf(text):
    """A PDF of one page with a line of text."""
    stream = f"BT /F1 24 Tf 20 100 Td ({text}) Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    body, offsets = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        offsets.append(f"{len(body):010} 00000 n \n")
        body += f"{number} 0 obj{content}endobj\n"
    table = f"xref\n0 6\n0000000000 65535 f \n{''.join(offsets)}trailer<</Size 6/Root 1 0 R>>\n"
    return f"{body}{table}startxref\n{len(body)}\n%%EOF".encode()


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("Grüner Tee\n".encode(), "Grüner Tee\n"),
        (b"\xef\xbb\xbftea", "tea"),
        ("tea".encode("utf-16"), "tea"),
        (b"", ""),
        (pdf("Green tea"), "Green tea"),
    ],
)
def test_text_and_pdf_are_read(tmp_path, data, text):
    file = tmp_path / "a"
    file.write_bytes(data)
    assert read_text(file) == text


def test_what_is_no_text_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "image").write_bytes(b"\x89PNG\r\n\0\0")
    (tmp_path / "latin").write_bytes("Grüner Tee".encode("latin-1"))
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.4\nrubbish")
    with (tmp_path / "blank.pdf").open("wb") as file:
        writer = PdfWriter()
        writer.add_blank_page(100, 100)
        writer.write(file)
    for name, why in {
        "pipe": "is not a file",
        "image": "is not text in UTF-8",
        "latin": "is not text in UTF-8",
        "broken.pdf": "cannot be read as a PDF",
        "blank.pdf": "is a PDF without text",
        "lost": "No such file",
    }.items():
        with pytest.raises(InputError, match=why):
            read_text(tmp_path / name)


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(texts, "MAX_BYTES", 3)
    (tmp_path / "a").write_text("tea!")
    with pytest.raises(InputError, match="has 4 bytes; at most 3 are read"):
        read_text(tmp_path / "a")
