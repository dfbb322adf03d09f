"""Attachments over REST: uploads as a form, downloads that nothing runs, and what is refused (platform 11, 28, 31)."""

import hashlib
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aeon.server.rest.downloads import disposition

NOTES = b"Flour, eggs, milk.\nA pinch of salt.\n"
PAGE = b"<!doctype html><script>alert(document.cookie)</script>"


def chunk(kind, body):
    return len(body).to_bytes(4, "big") + kind + body + zlib.crc32(kind + body).to_bytes(4, "big")


PNG = b"\x89PNG\r\n\x1a\n" + b"".join(
    [
        chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\2\0\0\0"),
        chunk(b"IDAT", zlib.compress(b"\0\0\0\0")),
        chunk(b"IEND", b""),
    ]
)


@pytest.fixture
def client(site):
    return site.client("me")


@pytest.fixture
def messages(client):
    """The path of the messages of an empty conversation."""
    return client.post("/api/v1/conversations", json={}).headers["location"] + "/messages"


def sent(client, path, *files, content="What is in it?", **fields):
    parts = [(name, (None, value)) for name, value in {"content": content, **fields}.items()]
    return client.post(path, files=[*parts, *(("files", each) for each in files)])


def test_a_file_that_was_sent_with_a_message_is_downloaded_as_it_was(client, messages):
    said = sent(client, messages, ("notes.txt", NOTES), ("table.csv", b"a,b\n1,2\n"))
    assert said.status_code == 201, said.text
    shown = [(each["n"], each["name"], each["mediaType"], each["size"]) for each in said.json()["attachments"]]
    assert shown == [(1, "notes.txt", "text/plain", len(NOTES)), (2, "table.csv", "text/csv", 8)]
    answer = client.get(f"{said.headers['location']}/attachments/1")
    assert (answer.status_code, answer.content) == (200, NOTES)
    assert answer.headers["etag"] == f'"{hashlib.sha256(NOTES).hexdigest()}"'
    assert answer.headers["content-type"] == "text/plain"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert answer.headers["content-disposition"] == "attachment; filename=\"notes.txt\"; filename*=UTF-8''notes.txt"
    assert client.get(f"{said.headers['location']}/attachments/3").status_code == 404
    assert client.get(f"{said.headers['location']}/attachments/0").status_code == 422


def test_an_edit_keeps_the_files_or_takes_others(client, messages):
    path = sent(client, messages, ("notes.txt", NOTES)).headers["location"]
    kept = client.post(f"{path}/alternatives", json={"content": "And now?"}).json()
    other = sent(client, f"{path}/alternatives", ("other.txt", b"Tea."), content="And this?").json()
    without = sent(client, f"{path}/alternatives", content="Still?").json()
    named = [[each["name"] for each in made["attachments"]] for made in (kept, other, without)]
    assert named == [["notes.txt"], ["other.txt"], ["notes.txt"]]


@pytest.mark.parametrize(
    ("asked", "status", "content", "place"),
    [
        ("bytes=0-4", 206, NOTES[:5], f"bytes 0-4/{len(NOTES)}"),
        ("BYTES=30-", 206, NOTES[30:], f"bytes 30-{len(NOTES) - 1}/{len(NOTES)}"),
        ("bytes=-6", 206, NOTES[-6:], f"bytes {len(NOTES) - 6}-{len(NOTES) - 1}/{len(NOTES)}"),
        ("bytes=-999", 206, NOTES, f"bytes 0-{len(NOTES) - 1}/{len(NOTES)}"),
        ("bytes=3-999999", 206, NOTES[3:], f"bytes 3-{len(NOTES) - 1}/{len(NOTES)}"),
        ("bytes=999-", 416, b"", f"bytes */{len(NOTES)}"),
        ("bytes=-0", 416, b"", f"bytes */{len(NOTES)}"),
        ("bytes=5-3", 200, NOTES, None),
        ("bytes=0-1,3-4", 200, NOTES, None),
        ("bytes=-", 200, NOTES, None),
        ("bytes=" + "9" * 40 + "-", 200, NOTES, None),
        ("lines=0-1", 200, NOTES, None),
        ("bytes=٣-٤", 200, NOTES, None),
    ],
)
def test_a_part_of_a_file_is_served_as_rfc_9110_14_says(client, messages, asked, status, content, place):
    path = sent(client, messages, ("notes.txt", NOTES)).headers["location"] + "/attachments/1"
    answer = client.get(path, headers={"range": asked.encode()})
    assert (answer.status_code, answer.content) == (status, content)
    assert answer.headers.get("content-range") == place


def test_a_part_is_served_of_the_file_that_was_read_and_an_unchanged_one_is_not_sent_again(client, messages):
    path = sent(client, messages, ("notes.txt", NOTES)).headers["location"] + "/attachments/1"
    tag = client.get(path).headers["etag"]
    for given_tag, status in ((tag, 206), ('"other"', 200), ("Wed, 21 Oct 2015 07:28:00 GMT", 200)):
        assert client.get(path, headers={"range": "bytes=0-1", "if-range": given_tag}).status_code == status
    for given_tag, status in ((tag, 304), (f'"x", W/{tag}', 304), ("*", 304), ('"x"', 200)):
        assert client.get(path, headers={"if-none-match": given_tag}).status_code == status


def test_the_files_of_another_user_and_erased_ones_are_not_there_platform_2_28(site, client, messages):
    path = sent(client, messages, ("zeppelin.txt", NOTES)).headers["location"]
    assert site.client().get(f"{path}/attachments/1").status_code == 401
    assert site.client("eve").get(f"{path}/attachments/1").status_code == 404
    assert client.delete(path).status_code == 204
    gone = client.get(f"{path}/attachments/1")
    assert (gone.status_code, "zeppelin" in gone.text) == (404, False)


def test_what_is_no_file_of_its_name_is_refused_and_a_page_is_a_text(client, messages):
    for name in ("page.png", "page.pdf", "page.JPEG"):
        refused = sent(client, messages, (name, PAGE, "image/png"))
        assert (refused.status_code, refused.headers["content-type"]) == (422, "application/problem+json"), name
    path = sent(client, messages, ("page.html", PAGE, "text/html")).headers["location"]
    assert client.get(f"{path}/attachments/1").headers["content-type"] == "text/plain"
    said = [each["content"] for each in client.get(messages.replace("messages", "path")).json()["data"]]
    assert said == ["What is in it?"], "nothing of what was refused is there"


@pytest.mark.parametrize("name", ["../../etc/passwd", "..\\..\\boot.ini", 'a"; x="b.txt', "a\r\nset-cookie: b=1.txt"])
def test_names_are_no_paths_and_end_no_header(client, messages, name):
    said = sent(client, messages, (name, NOTES))
    assert said.status_code == 201, said.text
    (shown,) = said.json()["attachments"]
    assert not {"/", "\\", "\r", "\n"} & {*shown["name"]}
    answer = client.get(f"{said.headers['location']}/attachments/1")
    assert answer.content == NOTES
    assert "set-cookie" not in answer.headers
    assert answer.headers["content-disposition"].count('"') == 2


@pytest.mark.parametrize("name", ["", "..", ".", "folder/", "\t"])
def test_a_file_without_a_name_is_refused(client, messages, name):
    body = (
        b'--x\r\ncontent-disposition: form-data; name="content"\r\n\r\nHello\r\n'
        b'--x\r\ncontent-disposition: form-data; name="files"; filename="'
        + name.encode()
        + b'"\r\n\r\nTea\r\n--x--\r\n'
    )
    sent_raw = client.post(messages, content=body, headers={"content-type": "multipart/form-data; boundary=x"})
    assert sent_raw.status_code == 422, sent_raw.text


def test_numbers_and_sizes_are_counted_not_believed(client, messages):
    assert sent(client, messages, *((f"{n}.txt", NOTES) for n in range(21))).status_code == 413
    assert sent(client, messages, ("large.txt", b"a" * ((10 << 20) + 1))).status_code == 413
    assert sent(client, messages, content="a" * 1_000_001).status_code == 422
    assert sent(client, messages, content="a" * ((4 << 20) + 1)).status_code == 413
    assert sent(client, messages, **{f"field{n}": "" for n in range(30)}).status_code == 413
    part = b'content-disposition: form-data; name="files"; filename="a.txt"\r\ncontent-length: 1\r\n\r\n'
    body = (
        b'--x\r\ncontent-disposition: form-data; name="content"\r\n\r\nHello\r\n--x\r\n'
        + part
        + NOTES
        + b"\r\n--x--\r\n"
    )
    headers = {"content-type": "multipart/form-data; boundary=x"}
    twice = body.replace(b"--x--", b'--x\r\ncontent-disposition: form-data; name="content"\r\n\r\nAgain\r\n--x--')
    assert client.post(messages, content=twice, headers=headers).status_code == 422
    for broken in (body[:-9], body[:60], b"", b"--x\r\n\r\n", b"--y--", body.replace(b'name="files"; ', b"")):
        answer = client.post(messages, content=broken, headers=headers)
        assert answer.status_code == 400, (broken, answer.text)
    for kind in ("multipart/form-data", f"multipart/form-data; boundary={'x' * 300}"):
        assert client.post(messages, content=body, headers={"content-type": kind}).status_code == 400, kind
    smuggled = client.post(messages, content=body, headers=headers)
    assert smuggled.json()["attachments"][0]["size"] == len(NOTES)
    assert len(client.get(messages.replace("messages", "path")).json()["data"]) == 1


def test_a_message_larger_than_all_its_files_may_be_ends_while_it_is_sent(client, messages, monkeypatch):
    def pieces():
        yield b'--x\r\ncontent-disposition: form-data; name="files"; filename="a.txt"\r\n\r\n'
        for _ in range(6):
            yield b"a" * (1 << 20)  # no length is announced

    monkeypatch.setattr("aeon.server.edge.guard.MAX_UPLOAD", 3 << 20)
    answer = client.post(messages, content=pieces(), headers={"content-type": "multipart/form-data; boundary=x"})
    assert answer.status_code == 413


def test_every_fault_of_a_form_is_said_with_its_place_platform_29(client, messages):
    wrong = client.post(
        messages, data={"colour": "red"}, files=[("files", ("a.txt", NOTES)), ("other", ("b.txt", NOTES))]
    )
    assert wrong.status_code == 422
    places = {each["pointer"]: each["rule"] for each in wrong.json()["details"]["problems"]}
    assert places == {"/content": "missing", "/colour": "extra_forbidden", "/other": "extra_forbidden"}
    assert client.post(messages, content=b"hello", headers={"content-type": "text/plain"}).status_code == 415
    for broken in (b"{", b"[1]", b"\xff", b"[" * 100_000):
        answer = client.post(messages, content=broken, headers={"content-type": "application/json"})
        assert answer.status_code == 422, (broken[:9], answer.text)


def test_the_same_key_with_other_files_is_another_request_platform_20(client, messages):
    headers = {"idempotency-key": "once"}
    answers = [
        client.post(messages, data={"content": "a"}, files=[("files", ("a.txt", content))], headers=headers)
        for content in (NOTES, NOTES, b"Tea.")
    ]
    assert [each.status_code for each in answers] == [201, 201, 409]
    assert answers[1].headers["idempotency-replayed"] == "true"


@given(st.text(max_size=80))
def test_a_name_never_leaves_its_place_in_the_header_rfc_6266(name):
    made = disposition(name)
    assert made.isascii()
    assert made.isprintable()
    assert made.count('"') == 2
    assert not {"/", "\\"} & {*made}
    assert made.startswith('attachment; filename="')
