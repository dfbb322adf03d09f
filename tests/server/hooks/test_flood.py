"""A flood of events, signed and not: the server answers others meanwhile, and each accepted event has one run (platform 47)."""

import base64
import resource
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from .test_door import PROCESS, Sender, hook

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

EVENTS = 2000
WRONG = f"whsec_{base64.b64encode(b'x' * 32).decode()}"


class Looks:
    """How long another user waits for a page while the flood is on."""

    def __init__(self, client):
        self.seconds, self._client, self._over = [], client, threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()

    def _look(self):
        while not self._over.wait(0.1):
            began = time.monotonic()
            assert self._client.get("/api/v1/processes").status_code == 200
            self.seconds.append(time.monotonic() - began)

    def end(self):
        self._over.set()
        self._thread.join()
        return sorted(self.seconds)


def test_two_thousand_events_as_fast_as_they_come(site):
    owner, eve = site.client("me"), site.client("eve")
    owner.post("/api/v1/apply", json={"text": PROCESS.format(shared="", wait="PT0S")})
    made = hook(owner)
    senders = [Sender(site.client(), made) for _ in range(8)]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    def send(number):
        signing = {"secrets": [WRONG]} if number % 2 else {}
        return number, senders[number % 8].send(id_=f"msg_{number // 2 % 900}", **signing)

    looks, began = Looks(eve), time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(send, range(EVENTS)))
    took, waited = time.monotonic() - began, looks.end()
    assert {answer.status_code for number, answer in answers if number % 2} <= {401, 429}
    signed = [answer for number, answer in answers if number % 2 == 0]
    assert {answer.status_code for answer in signed} == {202, 429}
    assert all("retry-after" in answer.headers for _, answer in answers if answer.status_code == 429)
    accepted = [answer.json()["run"] for answer in signed if answer.status_code == 202]
    runs, cursor = [], ""
    while cursor is not None:
        page = owner.get(f"/api/v1/runs?limit=200{cursor and f'&cursor={cursor}'}").json()
        runs, cursor = [*runs, *page["data"]], page["next"]
    assert {each["id"] for each in runs} == set(accepted)
    assert len(runs) >= 200
    assert len({each["tags"]["delivery"] for each in runs}) == len(runs)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 200, f"{grown:.0f} MiB more"
    assert waited[int(len(waited) * 0.9)] < 2, f"{waited[-5:]} after {took:.0f} s"
