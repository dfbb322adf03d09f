"""A world of canaries: secrets of every type, peers that echo them, commands that use them, and who looks for them."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
from base64 import b64encode, urlsafe_b64encode
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote, quote_plus

import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from aeon.testing.wire_double import WireDouble

from . import echoing

HERE = Path(__file__).parent
_LEAST = 12
KEY = "key"
"""The name of the secret that most tools use."""


def canary(name, signs=""):
    """A secret like no other, with signs that spellings change."""
    return f"canary{signs}-{name}-{os.urandom(12).hex()}{signs}z"


def spellings(secret):
    """The bytes in which it may have been written down somewhere."""
    whole = {secret, json.dumps(secret)[1:-1], json.dumps(json.dumps(secret))[3:-3], secret.encode().decode("latin-1")}
    whole |= {quote(secret), quote(secret, safe=""), quote_plus(secret), quote(quote(secret, safe=""))}
    raw = secret.encode()
    found = {text.encode() for text in whole} | {raw.hex().encode(), raw.hex().upper().encode()}
    for encode in (b64encode, urlsafe_b64encode):
        for before in range(3):
            first, last = -(-before * 8 // 6), (before + len(raw)) * 8 // 6
            found.add(encode(bytes(before) + raw)[first:last])
    return {spelling for spelling in found if len(spelling) >= _LEAST}


class Canaries:
    """All secrets of a test, by name, and where they were seen."""

    def __init__(self):
        self.values = {}
        self.seen = set()

    def new(self, name, signs=""):
        return self.add(name, canary(name, signs))

    def add(self, name, value):
        self.values[name] = (value, spellings(value))
        return value

    def look(self, where, content):
        """Note what stands in these bytes."""
        for name, (_, ways) in list(self.values.items()):  # others add to them meanwhile
            self.seen |= {(str(where), name, way.decode()) for way in ways if way in content}

    def look_under(self, folder):
        """Note what stands in files, and in their names."""
        for path in folder.rglob("*"):
            self.look("a name", os.fsencode(path))
            if path.is_file():
                self.look(path.relative_to(folder), path.read_bytes())


class Onlooker:
    """Reads, as long as commands run, what others can see of the processes that they start, and files that pass."""

    def __init__(self, canaries, project):
        self.canaries, self.project, self.over, self.children = canaries, project, threading.Event(), set()
        self.thread = threading.Thread(target=self.watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *exc):
        self.over.set()
        self.thread.join()

    def watch(self):
        while not self.over.wait(0.02):
            for entry in Path("/proc").glob("[0-9]*"):
                with suppress(OSError):
                    self.look_at(entry)
            for path in self.project.glob(".aeon/vault.db*"):
                with suppress(OSError):
                    self.canaries.look(path.name, path.read_bytes())

    def look_at(self, entry):
        said = (entry / "cmdline").read_bytes()
        self.canaries.look("a command line", said)
        is_ours = str(self.project).encode() in said or (entry / "cwd").resolve().is_relative_to(self.project)
        if is_ours and b"aeon\0" not in said and b"commanding.py" not in said:
            self.canaries.look("the environment of a child", (entry / "environ").read_bytes())
            self.children.add(Path(re.split(r"[\0 ]", said.decode())[0]).name)


def certificate(canaries):
    """A pair in PEM whose key's lines are canaries."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "me")]), datetime.now(UTC)
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, now, now + timedelta(days=1))
    pem = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    private = key.private_bytes(*pem).decode()
    for number, line in enumerate(private.splitlines()[1:-1]):
        canaries.add(f"line {number} of the key", line)
    return made.sign(key, hashes.SHA256()).public_bytes(pem[0]).decode(), private


class McpServed:
    """The echoing MCP server over HTTP, in a thread of this process."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self.socket.getsockname()[1]}/mcp"
        app = echoing.server.streamable_http_app()

        async def listened(scope, receive, send):
            await echoing.listening(app, scope, receive, send)

        options = {"interface": "asgi3", "ws": "none", "log_level": "critical", "timeout_graceful_shutdown": 1}
        self.server = uvicorn.Server(uvicorn.Config(listened, **options))
        self.thread = threading.Thread(target=self.server.run, args=([self.socket],))
        self.thread.start()

    def stop(self):
        self.server.should_exit = True
        self.thread.join()
        self.socket.close()


SCHEMA = {"type": "object", "required": ["endpoint"], "properties": {"endpoint": {"type": "string"}}}
STDIO = {"type": "object", "required": ["command"]}
REST = {"type": "rest_request", "method": "POST", "path": "/{way}", "body": {"a": "{way}"}, "timeout": 2}
WAY = {"type": "object", "required": ["way"], "properties": {"way": {"type": "string"}}}


class World:
    """Secrets of every type, tools that use them on peers that echo them, and commands, all in one folder."""

    def __init__(self, folder):
        self.project, self.outputs, self.canaries = folder / "project", folder / "outputs", Canaries()
        for each in (self.project / ".git", self.outputs, folder / "home"):
            each.mkdir(parents=True)
        self.values = self.made_values()
        self.echo = echoing.EchoServer(
            {name: self.canaries.new(f"new {name}", "+/") for name in ("access_token", "refresh_token")}
        )
        self.mcp, self.model = McpServed(), WireDouble([], api_key="another")
        self.said = b""
        self.codes = []
        self.environ = {name: value for name, value in os.environ.items() if not name.startswith("AEON_")}
        self.environ |= {"HOME": str(folder / "home"), "PYTHONPATH": os.pathsep.join(sys.path)}
        self.values["expired"]["token_url"] = (
            f"http://127.0.0.1:{self.echo.server_port}/token/{self.canaries.new('url')}"
        )

    def made_values(self):
        new = self.canaries.new
        pem, private = certificate(self.canaries)
        return {
            "key": {"key": new("key", "\"/+&'%\\")},
            "header": {"key": new("header", "<?=;,~")},
            "password": {"username": new("username", "@é"), "password": new("password", ":ü€/+")},
            "oauth": {
                "access_token": new("access", "/+="),
                "refresh_token": new("refresh", "/+="),
                "token_url": "https://127.0.0.1/" + new("token-url"),
                "client_id": new("client"),
                "client_secret": new("client-secret", "&?"),
            },
            "expired": {
                "access_token": new("expired"),
                "refresh_token": new("old-refresh", "/+"),
                "client_id": new("client-id"),
                "client_secret": new("secret-of-client", '"\\'),
                "expires_at": "2020-01-01T00:00:00+00:00",
            },
            "pair": {"certificate": pem, "private_key": private},
        }

    def documents(self):
        """The file that is applied: values are variables of the environment."""
        types = {"password": "password", "oauth": "oauth_token", "expired": "oauth_token", "pair": "certificate"}
        services = {
            "echo": ("rest_api", "http", SCHEMA),
            "peer": ("mcp_server", "http", SCHEMA),
            "child": ("mcp_server", "stdio", STDIO),
            "llm": ("llm_provider", "http", SCHEMA),
        }
        yield from (
            {"kind": "Service", "name": name, "type": kind, "protocol": protocol, "connectionSchema": schema}
            for name, (kind, protocol, schema) in services.items()
        )
        for name, value in self.values.items():
            filled = {field: f"${{{name}_{field}}}" for field in value}
            yield {"kind": "Secret", "name": name, "type": types.get(name, "api_key"), "value": filled}
        endpoint = {"endpoint": f"http://127.0.0.1:{self.echo.server_port}"}
        for name in self.values:
            more = {"authHeader": "x-api-key"} if name == "header" else {}
            yield self.tool(name, "echo", REST, {**endpoint, **more}, secret=name, inputSchema=WAY)
        wanted = {"type": "object", "properties": {"body": {"type": "integer"}}}
        yield self.tool("misfit", "echo", REST, endpoint, secret=KEY, inputSchema=WAY, outputSchema=wanted)
        mcp = {"type": "mcp_call", "timeout": 10}
        for word in ("echo", "fail"):
            yield self.tool(f"peer {word}", "peer", {**mcp, "tool": word}, {"endpoint": self.mcp.endpoint}, secret=KEY)
            command = {"command": sys.executable, "args": [echoing.__file__]}
            yield self.tool(f"child {word}", "child", {**mcp, "tool": word}, command)
        asked = {"type": "llm_call", "promptTemplate": "Say hello.", "timeout": 5}
        yield self.tool("ask", "llm", asked, {"endpoint": self.model.base_url, "model": "scripted"}, secret=KEY)

    def tool(self, name, service, operation, connection, **more):
        own = {"connectionParams": connection, "operation": {**operation, "allowPrivate": True}}
        return {"kind": "Tool", "name": name, "service": service, **own, "inputSchema": {"type": "object"}, **more}

    def variables(self):
        return {f"{name}_{field}": part for name, value in self.values.items() for field, part in value.items()}

    def start(self, *argv, more=None, **streams):
        return subprocess.Popen(argv, cwd=self.project, env={**self.environ, **(more or {})}, **streams)

    def process(self, *argv, stdin="", more=None):
        """The command as a process of its own."""
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        child = self.start(sys.executable, "-m", "aeon", *argv, more=more, **pipes)
        out, err = child.communicate(stdin.encode(), 60)
        self.keep(argv, out, err)
        return child.returncode

    def commands(self, *commands, more=None):
        """Commands in one process. Each is the words, and what stdin holds in a tuple behind them."""
        told = [each if isinstance(each, dict) else {"argv": list(each), "stdin": ""} for each in commands]
        codes = self.outputs / f"codes {len(self.codes)}"
        script = (sys.executable, str(HERE / "commanding.py"), str(codes))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        child = self.start(*script, more=more, **pipes)
        out, err = child.communicate("\n".join(map(json.dumps, told)).encode(), 300)
        self.keep("commands", out, err)
        return [code for _, code in json.loads(codes.read_text())]

    def keep(self, what, *streams):
        self.codes.append(what)
        for stream in streams:
            self.said += stream
            self.canaries.look(f"what {what} said", stream)

    def stop(self):
        self.echo.stop()
        self.mcp.stop()
        self.model.close()
