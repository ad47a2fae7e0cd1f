"""A record has one form; what differs from it by a byte is refused."""

from __future__ import annotations

import pytest

from reconciler.audit.record import RecordInvalid, build, decode, encode, parse

DRIFT: dict[str, str | list[str]] = {
    "format": "charter.record/v1",
    "kind": "drift",
    "origin": "audit.example/aurora",
    "seq": "7",
    "prev": "a" * 64,
    "time": "2026-12-01T08:00:00Z",
    "clock": "system",
    "writer": "charter 0.1.0",
    "site_commit": "b" * 40,
    "site_digest": "c" * 64,
    "drift": "d" * 64,
    "attachment": ["d" * 64 + " drift.json"],
}
TEXT = build("drift", DRIFT).content


def test_a_record_is_what_the_documentation_says() -> None:
    assert TEXT.decode().splitlines()[:3] == [
        "format charter.record/v1",
        "kind drift",
        "origin audit.example/aurora",
    ]
    assert parse(TEXT).content == TEXT
    assert parse(TEXT).attachments == {"drift.json": "d" * 64}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"kind drift", b"kind drifts"),
        (b"kind drift\n", b"kind drift\nkind drift\n"),
        (b"seq 7", b"seq 07"),
        (b"seq 7", b"seq -7"),
        (b"seq 7", b"seq 7 "),
        (b"seq 7\n", b"seq 7\r\n"),
        (b"seq 7\n", b"seq 7\n\n"),
        (b"2026-12-01T08:00:00Z", b"2026-12-01T08:00:00+00:00"),
        (b"clock system", b"clock broken"),
        (b"clock system\n", b""),
        (b"origin audit", b"origin %61udit"),
        (b"origin audit", b"origin %c3audit"),
        (b"origin audit", b"origin %audit"),
        (b"origin audit", b"origin \xc3\xa9udit"),
        (b"charter.record/v1", b"charter.record/v2"),
        (b"a" * 64, b"A" * 64),
        (b" drift.json", b" ../drift.json"),
        (b" drift.json", b" record"),
        (b"drift.json\n", b"drift.json"),
        (b"writer charter", b"author charter"),
        (b"site_commit", b"site_digest"),
    ],
)
def test_any_other_form_is_refused(before: bytes, after: bytes) -> None:
    changed = TEXT.replace(before, after, 1)
    assert changed != TEXT
    with pytest.raises(RecordInvalid):
        parse(changed)


def test_keys_that_do_not_belong_or_are_missing() -> None:
    with pytest.raises(RecordInvalid, match="no key"):
        build("drift", {**DRIFT, "log_key": "x"})
    with pytest.raises(RecordInvalid, match="drift is missing"):
        build("drift", {key: value for key, value in DRIFT.items() if key != "drift"})


def test_repeated_values_are_sorted_and_never_twice() -> None:
    many = {**DRIFT, "attachment": [f"{mark * 64} {mark}.json" for mark in "fea"]}
    assert build("drift", many).all("attachment")[0].startswith("a")
    with pytest.raises(RecordInvalid, match="twice"):
        build("drift", {**DRIFT, "attachment": [f"{'d' * 64} drift.json"] * 2})


@pytest.mark.parametrize(
    ("text", "encoded"),
    [("é %", "%C3%A9 %25"), (" a ", "%20a%20"), ("a\nb", "a%0Ab"), ("  ", "%20%20"), ("a  b", "a  b")],
)
def test_encoding(text: str, encoded: str) -> None:
    assert encode(text) == encoded
    assert decode(encoded) == text
