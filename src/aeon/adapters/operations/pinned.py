"""HTTP connections to one address that was checked, for clients that make their requests themselves."""

import ssl
from collections.abc import Callable

import httpx2

_UNAUTHORIZED = 401


class PinnedTransport(httpx2.AsyncBaseTransport):
    """Sends what is for one host to one address, and nothing elsewhere. The host's name stays in the header and in TLS.

    `on_refusal` is called for every answer that is 401, before its client reads it.
    """

    def __init__(self, host: str, address: str, verify: ssl.SSLContext, on_refusal: Callable[[], None]) -> None:
        self._host = host
        self._address = address
        self._on_unauthorized = on_refusal
        self._inner = httpx2.AsyncHTTPTransport(verify=verify, trust_env=False)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        if request.url.host != self._host:
            raise httpx2.ConnectError("a request to another host")
        pinned = httpx2.Request(
            request.method,
            request.url.copy_with(host=self._address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": self._host},
        )
        response = await self._inner.handle_async_request(pinned)
        if response.status_code == _UNAUTHORIZED:
            self._on_unauthorized()
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()
