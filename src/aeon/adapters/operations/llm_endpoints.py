"""Opens model servers that stored tools name by their address."""

from typing import cast

from aeon.adapters.operations.host_addresses import (
    HostResolver,
    allowed_addresses,
    first_listening_address,
    refuse_readable_key,
    resolve_host,
)
from aeon.adapters.operations.http_client import port_of
from aeon.base.errors import ConfigError
from aeon.llm.adapters.remote_api import RemoteAPIAdapter
from aeon.llm.adapters.transport import api_root
from aeon.platform.catalog.operations import LlmCall, OperationError
from aeon.platform.catalog.tool_calls import OperationRequest


def model_server(work: OperationRequest, resolve: HostResolver = resolve_host) -> RemoteAPIAdapter:
    """Open the model of a request's connection: `endpoint`, `model`, and the secret as the key. The caller closes it.

    Over http the adapter connects to the address that was checked. Over https it connects to the name, because the
    certificate is verified against the name: another server cannot present that certificate. Raises OperationError.
    """
    name = work.connection.get("model")
    if not isinstance(name, str):
        raise OperationError("the tool's connectionParams do not name a model", next_step="Add `model` to them.")
    try:
        url = api_root(str(work.connection["endpoint"]))
        port = port_of(url)
        addresses = allowed_addresses(url.host, port, resolve, allow_private=work.operation.allow_private)
        key = _key(work)
        if key is not None and not cast(LlmCall, work.operation).allow_insecure:
            refuse_readable_key(url.scheme, url.host, addresses)
        headers: dict[str, str] = {}
        if url.scheme == "http" and (address := first_listening_address(addresses, port)) != url.host:
            headers["host"] = url.netloc.decode()
            url = url.copy_with(host=address)
        return RemoteAPIAdapter(str(url), name, api_key=key, timeout=work.operation.timeout, headers=headers)
    except ConfigError as error:
        raise OperationError(error.message, next_step=error.next) from None


def _key(work: OperationRequest) -> str | None:
    if work.secret is None:
        return None
    value = work.secret.reveal()
    key = value.get("key") or value.get("access_token")
    if key is None:
        raise OperationError(
            "a secret of this type cannot be a model server's key", next_step="Give the tool an api_key."
        )
    return key
