"""No two uses share a label."""

from __future__ import annotations

from p2pmatryoshka.crypto import labels

LABELS = {name: value for name, value in vars(labels).items() if name.isupper() and isinstance(value, bytes)}


def test_labels_are_distinct_ascii_without_zero() -> None:
    assert len(LABELS) > 30
    assert len(set(LABELS.values())) == len(LABELS)
    for value in LABELS.values():
        assert value.isascii() and value and b"\0" not in value


def test_no_label_is_the_beginning_of_another_kind_of_signature() -> None:
    signed = [value + b"\0" for name, value in LABELS.items() if name.startswith("SIGN_")]
    assert len(signed) > 2
    for one in signed:
        assert not any(other.startswith(one) for other in signed if other is not one)
