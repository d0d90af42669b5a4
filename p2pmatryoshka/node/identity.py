"""Who I am: one Ed25519 key in a file, and the certificates that show it to peers.

TLS asks for certificates, but trust here comes from comparing keys: with invite, roster and contacts.
Python's TLS has no hook for judging an unknown certificate, so every certificate is issued by "anyone", an
authority whose private key is public. It proves nothing. It only makes both sides demand a certificate and
check that the other holds its key; whose key that is, the link compares itself.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import secrets
import ssl
import sys
import tempfile
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.x509.oid import NameOID

from p2pmatryoshka.crypto import signing
from p2pmatryoshka.errors import LinkFault, Refused, StorageError, UserError
from p2pmatryoshka.node.fingerprint import fingerprint, fingerprint_text, spoken
from p2pmatryoshka.node.folder import make_folder, unusable

KEY_FILE = "identity.pem"
PROTOCOL = "p2pmatryoshka/1"
"""The application protocol that both sides of a link must name (RFC 7301)."""

_FIRST_DAY = datetime.datetime(2000, 1, 1, tzinfo=datetime.UTC)  # wide, because clocks are wrong
_LAST_DAY = datetime.datetime(9999, 12, 31, 23, 59, 59, tzinfo=datetime.UTC)
_ANYONE = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(b"p2pmatryoshka/1 anyone").digest())
_ANYONE_NAME = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "p2pmatryoshka anyone")])


@dataclass(frozen=True, repr=False)
class Identity:
    """An identity key with what TLS needs of it. Other signatures by `key` have labels of their own."""

    key: Ed25519PrivateKey

    def __repr__(self) -> str:
        return f"Identity({spoken(self.fingerprint)})"

    @cached_property
    def public(self) -> bytes:
        """The public key, 32 bytes: what rosters hold."""
        return self.key.public_key().public_bytes_raw()

    @cached_property
    def fingerprint(self) -> bytes:
        """32 bytes; see `fingerprint`."""
        return fingerprint(self.public)

    @cached_property
    def certificate(self) -> x509.Certificate:
        """Issued by "anyone" and always the same for the same key."""
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, fingerprint_text(self.fingerprint))])
        serial = int.from_bytes(self.fingerprint[:16], "big") >> 1 | 1
        return _issued(name, self.key.public_key(), serial, authority=False)

    @cached_property
    def client_context(self) -> ssl.SSLContext:
        """For the side that opened the connection."""
        return self._context(ssl.PROTOCOL_TLS_CLIENT)

    @cached_property
    def server_context(self) -> ssl.SSLContext:
        """For the side that was called. No tickets: every connection proves both keys anew."""
        context = self._context(ssl.PROTOCOL_TLS_SERVER)
        context.num_tickets = 0
        return context

    def _context(self, protocol: int) -> ssl.SSLContext:
        context = ssl.SSLContext(protocol)
        context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=_pem(anyone()))
        context.set_alpn_protocols([PROTOCOL])
        self._load_into(context)
        return context

    def _load_into(self, context: ssl.SSLContext) -> None:
        """Python's TLS takes keys from files only: one in memory if there are such, else encrypted."""
        password = secrets.token_hex(32)
        data = _pem(self.certificate).encode() + _key_pem(self.key, password.encode())
        if sys.platform == "linux":
            descriptor = os.memfd_create("identity")
            try:
                os.write(descriptor, data)
                context.load_cert_chain(f"/proc/self/fd/{descriptor}", password=password)
            finally:
                os.close(descriptor)
        else:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder, "identity.pem")
                path.touch(mode=0o600)
                path.write_bytes(data)
                context.load_cert_chain(path, password=password)


def open_identity(folder: Path, passphrase: str | None = None) -> Identity:
    """The identity kept in `folder`; made on first use, encrypted if a passphrase is given.

    UserError if the passphrase is wrong or missing; StorageError if the file cannot be used.
    """
    path = folder / KEY_FILE
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        make_folder(folder)
        _write(path, _key_pem(Ed25519PrivateKey.generate(), _octets(passphrase)), anew=True)
        return open_identity(folder, passphrase)
    except OSError as error:
        raise unusable(path, error) from error
    _make_private(path)
    return Identity(_read(path, data, passphrase))


def is_protected(folder: Path) -> bool:
    """Whether a passphrase is needed to open the identity kept in `folder`."""
    try:
        return b"ENCRYPTED" in (folder / KEY_FILE).read_bytes()
    except OSError:
        return False


def change_passphrase(folder: Path, old: str | None, new: str | None) -> None:
    """Writes the key file anew, encrypted with `new`, for None not at all. Errors: see `open_identity`."""
    identity = open_identity(folder, old)
    _write(folder / KEY_FILE, _key_pem(identity.key, _octets(new)), anew=False)


def peer_key(certificate: bytes | None) -> bytes:
    """The 32 bytes of the Ed25519 key in a peer's certificate (DER). LinkFault if there is no good one."""
    if not certificate:
        raise LinkFault("link.certificate", "the peer showed no certificate")
    try:
        key = x509.load_der_x509_certificate(certificate).public_key()
    except (ValueError, UnsupportedAlgorithm) as error:
        raise LinkFault("link.certificate", f"a certificate that cannot be read: {error}") from error
    if not isinstance(key, Ed25519PublicKey):
        raise LinkFault("link.certificate", "the certificate's key is not Ed25519")
    public = key.public_bytes_raw()
    try:
        signing.check_identity_key(public)
    except Refused as refusal:
        raise LinkFault("link.certificate", str(refusal)) from refusal
    return public


@lru_cache(maxsize=1)
def anyone() -> x509.Certificate:
    """The authority that issues every certificate, because everyone can."""
    return _issued(_ANYONE_NAME, _ANYONE.public_key(), 1, authority=True)


def _issued(name: x509.Name, key: Ed25519PublicKey, serial: int, authority: bool) -> x509.Certificate:
    usage = x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(_ANYONE_NAME)
        .public_key(key)
        .serial_number(serial)
        .not_valid_before(_FIRST_DAY)
        .not_valid_after(_LAST_DAY)
        .add_extension(x509.BasicConstraints(ca=authority, path_length=0 if authority else None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(_ANYONE.public_key()), critical=False)
        .sign(_ANYONE, None)
    )


def _pem(certificate: x509.Certificate) -> str:
    return certificate.public_bytes(serialization.Encoding.PEM).decode("ascii")


def _octets(passphrase: str | None) -> bytes | None:
    return passphrase.encode() if passphrase else None


def _key_pem(key: Ed25519PrivateKey, passphrase: bytes | None) -> bytes:
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        encryption = serialization.BestAvailableEncryption(passphrase)
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)


def _read(path: Path, data: bytes, passphrase: str | None) -> Ed25519PrivateKey:
    protected = b"ENCRYPTED" in data
    if protected and not passphrase:
        raise UserError(f"The identity in {path} is protected: give its passphrase.")
    try:
        key = serialization.load_pem_private_key(data, _octets(passphrase) if protected else None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        if protected and data.strip().endswith(b"-----END ENCRYPTED PRIVATE KEY-----"):
            raise UserError(f"That passphrase does not open {path}: try again.") from error
        raise StorageError(_damaged(path)) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise StorageError(_damaged(path))
    return key


def _damaged(path: Path) -> str:
    return (
        f"{path} holds no Ed25519 key in PEM form: put your copy of it back, "
        "or move the file away to begin with a new identity."
    )


def _make_private(path: Path) -> None:
    if os.name == "posix" and path.stat().st_mode & 0o077:
        try:
            path.chmod(0o600)
        except OSError as error:
            raise unusable(path, error) from error


def _write(path: Path, data: bytes, anew: bool) -> None:
    """All of the file or nothing of it; `anew` leaves one alone that somebody else has made meanwhile."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(descriptor)
            if not (anew and _linked(draft, path)):
                draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise unusable(path, error) from error


def _linked(draft: Path, path: Path) -> bool:
    """Gives the draft its name unless somebody has it; False where the system knows no such stroke."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return True
    except OSError:
        return path.exists()
    return True
