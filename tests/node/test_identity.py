"""The key file, what can be wrong with it, and the certificate that follows from the key."""

from __future__ import annotations

import datetime
import hashlib
import ssl
import stat
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.x509.oid import NameOID
from hypothesis import given
from hypothesis import strategies as st

from p2pmatryoshka.errors import LinkFault, StorageError, UserError
from p2pmatryoshka.node.fingerprint import fingerprint, fingerprint_text, read_fingerprint, spoken
from p2pmatryoshka.node.identity import (
    KEY_FILE,
    Identity,
    anyone,
    change_passphrase,
    is_protected,
    open_identity,
    peer_key,
)

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
ADA = Identity(KEY)


def test_the_key_is_made_on_first_use_and_found_again(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    first = open_identity(folder)
    assert open_identity(folder).public == first.public
    assert stat.S_IMODE((folder / KEY_FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [file.name for file in folder.iterdir()] == [KEY_FILE]
    assert open_identity(tmp_path / "another").public != first.public


def test_a_key_file_open_to_others_is_closed(tmp_path: Path) -> None:
    open_identity(tmp_path)
    (tmp_path / KEY_FILE).chmod(0o644)
    open_identity(tmp_path)
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600


def test_a_passphrase_protects_the_file(tmp_path: Path) -> None:
    identity = open_identity(tmp_path, "seven dolls")
    assert is_protected(tmp_path)
    raw = identity.key.private_bytes_raw()
    assert raw not in (tmp_path / KEY_FILE).read_bytes()
    assert open_identity(tmp_path, "seven dolls").public == identity.public
    with pytest.raises(UserError, match="is protected: give its passphrase"):
        open_identity(tmp_path)
    with pytest.raises(UserError, match="That passphrase does not open"):
        open_identity(tmp_path, "six dolls")


def test_the_passphrase_can_be_changed_and_taken_away(tmp_path: Path) -> None:
    public = open_identity(tmp_path).public
    assert not is_protected(tmp_path)
    change_passphrase(tmp_path, None, "seven dolls")
    assert open_identity(tmp_path, "seven dolls").public == public
    with pytest.raises(UserError):
        change_passphrase(tmp_path, "six dolls", None)
    change_passphrase(tmp_path, "seven dolls", None)
    assert open_identity(tmp_path).public == public
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"", b"hello", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_a_damaged_key_file_is_said_and_left_alone(tmp_path: Path, content: bytes) -> None:
    (tmp_path / KEY_FILE).write_bytes(content)
    with pytest.raises(StorageError, match=r"identity\.pem holds no Ed25519 key"):
        open_identity(tmp_path)
    assert (tmp_path / KEY_FILE).read_bytes() == content


def test_an_encrypted_file_cut_short_is_damaged_whatever_the_passphrase(tmp_path: Path) -> None:
    open_identity(tmp_path, "seven dolls")
    data = (tmp_path / KEY_FILE).read_bytes()
    (tmp_path / KEY_FILE).write_bytes(data[:100])
    with pytest.raises(StorageError, match="holds no Ed25519 key"):
        open_identity(tmp_path, "seven dolls")


def test_a_key_of_another_kind_is_refused(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    (tmp_path / KEY_FILE).write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    with pytest.raises(StorageError, match="no Ed25519 key"):
        open_identity(tmp_path)


def test_unusable_places_are_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="file"):
        open_identity(tmp_path / "file")
    (tmp_path / "folder" / KEY_FILE).mkdir(parents=True)
    with pytest.raises(StorageError, match=r"identity\.pem cannot be used"):
        open_identity(tmp_path / "folder")


def test_the_fingerprint_is_the_hash_of_the_key_as_certificates_hold_it() -> None:
    spki = KEY.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    assert ADA.fingerprint == fingerprint(ADA.public) == hashlib.sha256(spki).digest()


@given(st.binary(min_size=32, max_size=32))
def test_a_fingerprint_is_read_as_it_was_written(digest: bytes) -> None:
    text = fingerprint_text(digest)
    assert len(text) == 52
    assert read_fingerprint(text) == digest
    assert read_fingerprint(" " + "-".join(text[i : i + 4] for i in range(0, 52, 4)).upper() + "\n") == digest


@given(st.binary(min_size=32, max_size=32), st.integers(0, 51))
def test_a_slip_of_the_pen_gives_another_fingerprint_or_none(digest: bytes, at: int) -> None:
    text = fingerprint_text(digest)
    slip = text[:at] + ("a" if text[at] != "a" else "b") + text[at + 1 :]
    try:
        assert read_fingerprint(slip) != digest
    except UserError:
        assert at == 51  # the last letter has bits to spare, which must be zero


@pytest.mark.parametrize("text", ["", "abc", "!" * 52, "a" * 51, "a" * 53, "a" * 51 + "b", "ä" * 52, "1" * 52])
def test_what_is_no_fingerprint_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="is not a fingerprint"):
        read_fingerprint(text)


@given(st.integers(0, 2**72 - 1), st.integers(0, 71))
def test_the_words_carry_72_bits(number: int, bit: int) -> None:
    words = spoken(number.to_bytes(9, "big") + bytes(23))
    assert len(words.split()) == 6
    assert spoken((number ^ 1 << bit).to_bytes(9, "big") + bytes(23)) != words
    assert spoken(number.to_bytes(9, "big") + b"\xff" * 23) == words


def test_the_certificate_is_a_function_of_the_key() -> None:
    again = Identity(Ed25519PrivateKey.from_private_bytes(bytes(range(32))))
    encoded = ADA.certificate.public_bytes(serialization.Encoding.DER)
    assert again.certificate.public_bytes(serialization.Encoding.DER) == encoded
    assert peer_key(encoded) == ADA.public
    ADA.certificate.verify_directly_issued_by(anyone())
    # Known to the last bit, so that another implementation can check itself against it.
    assert hashlib.sha256(encoded).hexdigest() == "bf61fa28ce34b9165f3839740432ca9a43a7128ce1d880eefa5890221a5656c0"


def test_the_authority_that_is_anyone_never_changes() -> None:
    encoded = anyone().public_bytes(serialization.Encoding.DER)
    assert hashlib.sha256(encoded).hexdigest() == "485e3ba64caa2835107a1b1380894c225721a4c643a81e996af13609a5378a2e"


def test_only_tls_13_with_both_certificates() -> None:
    for context in (ADA.client_context, ADA.server_context):
        assert context.minimum_version == context.maximum_version == ssl.TLSVersion.TLSv1_3
        assert context.verify_mode == ssl.CERT_REQUIRED
    assert ADA.server_context.num_tickets == 0


def test_the_key_is_not_shown() -> None:
    assert repr(ADA) == f"Identity({spoken(ADA.fingerprint)})"
    assert KEY.private_bytes_raw().hex() not in repr(ADA)


def certificate_for(key: Ed25519PublicKey | rsa.RSAPublicKey) -> bytes:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "x")])
    day = datetime.datetime(2024, 1, 1, tzinfo=datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key).serial_number(1)
    return (
        builder.not_valid_before(day)
        .not_valid_after(day + datetime.timedelta(days=1))
        .sign(KEY, None)
        .public_bytes(serialization.Encoding.DER)
    )


def test_a_peer_with_another_kind_of_key_is_refused() -> None:
    key = rsa.generate_private_key(65537, 1024).public_key()
    with pytest.raises(LinkFault, match="not Ed25519"):
        peer_key(certificate_for(key))


@pytest.mark.parametrize(
    "public",
    [
        (1).to_bytes(32, "little"),  # order 1
        bytes(32),  # order 4
        (2**255 - 20).to_bytes(32, "little"),  # order 2
        bytes.fromhex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),  # order 8
        (2**255 - 18).to_bytes(32, "little"),  # 1, not canonical
        (2**255 - 19 + 3).to_bytes(32, "little"),  # 3, not canonical
    ],
)
def test_a_peer_with_a_bad_key_is_refused(public: bytes) -> None:
    with pytest.raises(LinkFault, match=r"link\.certificate"):
        peer_key(certificate_for(Ed25519PublicKey.from_public_bytes(public)))


@pytest.mark.parametrize("certificate", [None, b"", b"\x30\x03abc", bytes(1000)])
def test_what_is_no_certificate_is_refused(certificate: bytes | None) -> None:
    with pytest.raises(LinkFault, match=r"link\.certificate"):
        peer_key(certificate)
