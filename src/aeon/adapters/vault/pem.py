"""Reads certificates and private keys in PEM, to check that they are valid and match."""

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
from cryptography.x509 import load_pem_x509_certificates

_DER = (Encoding.DER, PublicFormat.SubjectPublicKeyInfo)


def certificate_public_key(text: str) -> bytes | None:
    """Returns the public key (DER) of the first certificate of a PEM chain.

    Returns None if it is unreadable.
    """
    try:
        return load_pem_x509_certificates(text.encode())[0].public_key().public_bytes(*_DER)
    except (ValueError, UnsupportedAlgorithm):
        return None


def private_key_public_key(text: str) -> bytes | None:
    """Returns the public key (DER) of a PEM private key; None if unreadable without passphrase."""
    try:
        return load_pem_private_key(text.encode(), password=None).public_key().public_bytes(*_DER)
    except (TypeError, ValueError, UnsupportedAlgorithm):
        return None


def is_encrypted(text: str) -> bool:
    """Returns whether a private key needs a passphrase."""
    try:
        load_pem_private_key(text.encode(), password=None)
    except TypeError:
        return True
    except (ValueError, UnsupportedAlgorithm):
        return False
    return False
