"""An OpenID provider for tests, which signs everybody in at once, and can be made to do one thing wrong."""

import json
import threading
import time
from base64 import b64decode, urlsafe_b64encode
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CLIENT, SECRET = "aeon", "client-s3cret: +%"


class SmallProvider:
    """A provider on loopback. `claims` are about who signs in; `fault` names what it does wrong.

    `info` is what it says at its userinfo endpoint; None if it has none.
    """

    def __init__(self):
        self._key = rsa.generate_private_key(65537, 2048)
        self._other = rsa.generate_private_key(65537, 2048)
        self._codes = {}
        self.claims = {"sub": "4711", "email": "Ann@example.org", "email_verified": True}
        self.info = None
        self.fault, self.kid, self.asked = "", "one", []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.issuer = f"http://localhost:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def discovery(self):
        found = {
            "issuer": "https://other.example" if self.fault == "issuer of the document" else self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": "http://keys.example/jwks" if self.fault == "keys elsewhere" else f"{self.issuer}/jwks",
            "authorization_response_iss_parameter_supported": True,
        }
        if self.info is not None:
            found["userinfo_endpoint"] = f"{self.issuer}/me"
        return found | ({"more": "x" * 300_000} if self.fault == "huge document" else {})

    def keys(self):
        key = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        return {"keys": [{**key, "kid": self.kid, "use": "sig"}]}

    def authorize(self, query):
        """Where the browser goes on to."""
        assert (query["response_type"], query["code_challenge_method"]) == ("code", "S256")
        code = f"code{len(self._codes)}"
        self._codes[code] = query
        answer = {"code": code, "state": query["state"], "iss": self.issuer}
        answer |= {"state": {"state": "x" * 43}, "issuer of the answer": {"iss": "https://other.example"}}.get(
            self.fault.removeprefix("wrong "), {}
        )
        if self.fault == "no issuer in the answer":
            del answer["iss"]
        if self.fault == "access denied":
            answer = {"error": "access_denied", "state": query["state"], "iss": self.issuer}
        return f"{query['redirect_uri']}?{urlencode(answer)}"

    def token(self, fields, authorization):
        """The status and the answer of the token endpoint."""
        if b64decode(authorization.removeprefix("Basic ")) != b"aeon:client-s3cret%3A+%2B%25":
            return 401, {"error": "invalid_client"}
        asked = self._codes.pop(fields["code"], None)
        challenge = urlsafe_b64encode(sha256(fields["code_verifier"].encode()).digest()).decode().rstrip("=")
        if asked is None or (challenge, fields["redirect_uri"]) != (asked["code_challenge"], asked["redirect_uri"]):
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "x", "token_type": "Bearer", "id_token": self._signed(asked["nonce"])}

    def _signed(self, nonce):
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT, "iat": now, "exp": now + 300, "nonce": nonce, **self.claims}
        claims |= {
            "wrong nonce": {"nonce": "another"},
            "wrong issuer": {"iss": "https://other.example"},
            "foreign audience": {"aud": "another"},
            "shared audience": {"aud": [CLIENT, "another"]},
            "foreign azp": {"azp": "another"},
            "no subject": {"sub": ""},
            "expired": {"iat": now - 7200, "exp": now - 3600},
        }.get(self.fault, {})
        if self.fault == "no expiry":
            del claims["exp"]
        headers = {"kid": "unknown" if self.fault == "unknown key" else self.kid}
        if self.fault == "alg none":
            return jwt.encode(claims, None, "none", headers)
        if self.fault == "HS256 with the public key":
            public = self._key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            return hs256(claims, public, headers)
        return jwt.encode(claims, self._other if self.fault == "foreign key" else self._key, "RS256", headers)

    def _handler(self):
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                path = urlsplit(self.path)
                provider.asked.append(path.path)
                if path.path == "/authorize":
                    self.send_response(302)
                    self.send_header("location", provider.authorize(dict(parse_qsl(path.query))))
                    self.send_header("content-length", "0")
                    self.end_headers()
                elif path.path == "/me":
                    self.say(200 if self.headers["authorization"] == "Bearer x" else 401, provider.info)
                else:
                    self.say(200, provider.keys() if path.path == "/jwks" else provider.discovery())

            def do_POST(self):
                fields = {
                    key: values[0]
                    for key, values in parse_qs(self.rfile.read(int(self.headers["content-length"])).decode()).items()
                }
                self.say(*provider.token(fields, self.headers["authorization"] or ""))

            def say(self, status, answer):
                body = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                """Say nothing."""

        return Handler


def hs256(claims, key, headers):
    """A token that takes a public key for a secret, which PyJWT itself refuses to make."""
    import hmac

    def part(data):
        return urlsafe_b64encode(data).rstrip(b"=")

    signed = b".".join(part(json.dumps(each).encode()) for each in ({"alg": "HS256", "typ": "JWT", **headers}, claims))
    return (signed + b"." + part(hmac.new(key, signed, sha256).digest())).decode()
