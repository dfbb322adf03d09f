"""What stands between a client and PostgreSQL in tests: it cuts a connection at a chosen word, or speaks TLS."""

import datetime as dt
import socket
import ssl
import struct
import threading
from contextlib import suppress

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LAST_WORDS = b"SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"
FATAL = b"E" + struct.pack("!I", len(LAST_WORDS) + 4) + LAST_WORDS
SSL_REQUEST = struct.pack("!II", 8, 80877103)


class Front:
    """Passes on all connections to a server's port until it is closed."""

    def __init__(self, server_port, tls=None):
        """`tls` is an SSLContext: then the client must ask for TLS, and the server is spoken to without."""
        self._server_port = server_port
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._cut = None
        self._left = None
        self._open = []
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut_at(self, word, *, is_passed_on):
        """At the next message with that word close the connection; first pass it on and swallow the answer, or not."""
        self._cut = (word, is_passed_on)

    def end_after(self, messages):
        """Pass on so many messages of the server; then tell the client, as a server that is stopped, and close."""
        self._left = messages

    def close(self):
        self._listener.close()
        for either in self._open:
            end(either)  # a thread that reads keeps a socket open that is only closed
            either.close()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            if self._tls:
                assert client.recv(len(SSL_REQUEST)) == SSL_REQUEST
                client.sendall(b"S")
                client = self._tls.wrap_socket(client, server_side=True)
            server = socket.create_connection(("127.0.0.1", self._server_port))
            self._open += [client, server]
            threading.Thread(target=self._answer, args=(client, server), daemon=True).start()
            self._ask(client, server)
        except OSError:
            client.close()

    def _ask(self, client, server):
        while data := client.recv(65536):
            if self._cut and self._cut[0] in data:
                _, is_passed_on = self._cut
                self._cut = None
                end(client)
                if is_passed_on:
                    server.sendall(data)
                end(server, socket.SHUT_WR)
                return
            server.sendall(data)
        end(server, socket.SHUT_WR)

    def _answer(self, client, server):
        try:
            while data := server.recv(65536):
                passed_on = self._passed_on(data)
                client.sendall(passed_on)
                if passed_on is not data:
                    break
        except OSError:
            pass
        end(client)
        end(server)

    def _passed_on(self, data):
        """`data`, which are whole messages where messages are counted, or what the client gets in their place."""
        if self._left is None:
            return data
        at = 0
        while at < len(data) and self._left:
            (length,) = struct.unpack_from("!I", data, at + 1)
            at += 1 + length
            self._left -= 1
        if self._left:
            return data
        self._left = None
        return data[:at] + FATAL


def end(either, how=socket.SHUT_RDWR):
    with suppress(OSError):
        either.shutdown(how)


def certificate(folder, name):
    """An authority, and a server's certificate of it for that name: the authority's file, and the server's context."""
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    by = f"authority of {name}"
    authority = signed(by, authority_key.public_key(), by, authority_key, is_authority=True)
    served = signed(name, key.public_key(), by, authority_key, is_authority=False)
    root = folder / f"{name}-root.pem"
    root.write_bytes(authority.public_bytes(serialization.Encoding.PEM))
    both = folder / f"{name}.pem"
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    both.write_bytes(private + served.public_bytes(serialization.Encoding.PEM))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(both)
    return root, context


def signed(name, public_key, issuer, issuer_key, *, is_authority):
    now = dt.datetime.now(dt.UTC)
    subject, by = (x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, each)]) for each in (name, issuer))
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by)
        .public_key(public_key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )
