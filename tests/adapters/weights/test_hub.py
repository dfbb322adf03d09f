"""The hub over a real connection on loopback: resumed, cut, stalled, wrong."""

import dataclasses

import pytest

from aeon.adapters.weights.fetch import WeightsSourceError
from aeon.adapters.weights.hub import HubSource

pytestmark = pytest.mark.server


@pytest.fixture
def source(hub):
    return HubSource(base_url=hub.url, connect_timeout=2.0, read_timeout=0.3)


@pytest.fixture
def deliver(source, spec, tmp_path, events):
    return lambda: source.deliver(spec, tmp_path, events)


@pytest.fixture
def part(tmp_path):
    return tmp_path / "download.part"


def test_a_whole_download_has_the_published_hash(deliver, spec, content, events):
    delivery = deliver()
    assert delivery.path.read_bytes() == content
    assert delivery.sha256 == spec.sha256
    assert (events[-1].done, events[-1].total) == (spec.size, spec.size)


@pytest.mark.parametrize("behaviour", ["cut", "stall"])
def test_an_interrupted_download_continues_where_it_was(hub, deliver, spec, behaviour):
    hub.behaviours = [behaviour]
    assert deliver().sha256 == spec.sha256
    assert hub.requests == [None, f"bytes={spec.size // 2}-"]


def test_a_later_call_continues_what_an_earlier_one_left(hub, deliver, part, spec, content):
    part.write_bytes(content[:1000])
    assert deliver().sha256 == spec.sha256
    assert hub.requests == ["bytes=1000-"]


def test_a_complete_part_is_not_asked_for_again(hub, deliver, part, spec, content):
    part.write_bytes(content)
    assert deliver().sha256 == spec.sha256
    assert hub.requests == []


def test_a_part_that_is_too_long_is_thrown_away(hub, deliver, part, spec, content):
    part.write_bytes(content + b"more")
    assert deliver().sha256 == spec.sha256
    assert hub.requests == [None]


def test_a_server_without_ranges_starts_over(hub, deliver, part, spec, content):
    part.write_bytes(content[:1000])
    hub.behaviours = ["ranges ignored"]
    delivery = deliver()
    assert delivery.sha256 == spec.sha256
    assert delivery.path.read_bytes() == content


def test_connections_that_are_cut_again_and_again_end_the_attempt_and_keep_the_part(hub, deliver, part, spec):
    hub.behaviours = ["cut"] * 20
    with pytest.raises(WeightsSourceError, match="after 6 requests"):
        deliver()
    assert len(hub.requests) == 6
    assert 0 < part.stat().st_size < spec.size


def test_a_missing_file_says_so(hub, deliver):
    hub.behaviours = ["404"]
    with pytest.raises(WeightsSourceError, match="answered 404"):
        deliver()


@pytest.mark.parametrize("body", [b"<html>please log in</html>", b"x" * 200_000])
def test_a_body_of_another_length_is_refused_before_it_is_written(hub, deliver, part, content, body):
    hub.content = body
    with pytest.raises(WeightsSourceError, match="does not offer"):
        deliver()
    assert not part.exists()


def test_a_body_without_announced_length_is_capped_at_the_published_size(hub, deliver, part, content):
    hub.content, hub.behaviours = bytes(10_000_000), ["no length"]
    with pytest.raises(WeightsSourceError, match="sends more than"):
        deliver()
    assert part.stat().st_size < 5_000_000


def test_a_file_that_changed_its_length_between_two_requests_is_refused(hub, deliver, part, content):
    part.write_bytes(content[:1000])
    hub.content = content + b"more"
    with pytest.raises(WeightsSourceError, match="does not offer"):
        deliver()


def test_nobody_listening_is_a_source_error(source, deliver, spec, tmp_path, events):
    nowhere = dataclasses.replace(source, base_url="http://127.0.0.1:1")
    with pytest.raises(WeightsSourceError, match="ConnectError"):
        nowhere.deliver(spec, tmp_path, events)
