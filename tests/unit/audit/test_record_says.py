"""What a record that is refused is told, word by word: the person who verifies has nothing else to go by."""

from __future__ import annotations

import pytest

from reconciler.audit.record import LIMIT, Record, RecordInvalid, build, decode, encode, parse
from tests.unit.audit.test_record import DRIFT, TEXT


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "does not end with a line feed"),
        (TEXT[:-1], "does not end with a line feed"),
        (b"x" * (LIMIT + 1), f"is larger than {LIMIT} bytes"),
        (b"x" * LIMIT, "does not end with a line feed"),
        (TEXT.replace(b"kind drift", b"kind\tdrift"), "line 2 is not `key value` in printable ASCII"),
        (TEXT.replace(b"seq 7\n", b"seq\n"), "line 4 is not `key value` in printable ASCII"),
        (TEXT.replace(b"seq 7\n", b"seq 7\n\n"), "line 5 is not `key value` in printable ASCII"),
        (TEXT.replace(b"writer charter", b"writer %63harter"), "line 8 is not in its one encoded form"),
        (TEXT.replace(b"writer charter", b"writer 5%"), "line 8 is not in its one encoded form"),
        (
            TEXT.replace(b"kind drift", b"kind drifting-away-from-all-that-is-known"),
            "line 2 names no kind of record: 'drifting-away-from-a'",
        ),
        (b"format charter.record/v1\n", "line 2 names no kind of record: ''"),
        (b"format charter.record/v1\nkindred drift\n", "line 2 names no kind of record: ''"),
        (TEXT.replace(b"seq 7\n", b"seq 07\n"), "seq has a malformed value: '07'"),
        (TEXT.replace(b"seq 7\n", b""), "seq is missing or out of order"),
        (TEXT.replace(b"seq 7\n", b"seq 7\nseq 8\n"), "seq is given twice"),
        (TEXT + b"extra 1\n", "extra is not expected there in a record of kind drift"),
        (TEXT + b"drift " + b"d" * 64 + b"\n", "drift is not expected there in a record of kind drift"),
        (
            TEXT + b"attachment " + b"a" * 64 + b" a.json\n",
            "attachment is not sorted, or holds a value twice",
        ),
        (
            TEXT.replace(b"origin audit", b"origin " + b"~" * 80 + b"audit"),
            f"origin has a malformed value: {'~' * 60!r}",
        ),
    ],
)
def test_a_refusal_says_where_and_what(content: bytes, said: str) -> None:
    with pytest.raises(RecordInvalid) as found:
        parse(content)
    assert str(found.value) == said


def test_a_key_that_does_not_belong_is_named() -> None:
    with pytest.raises(RecordInvalid) as found:
        build("drift", {**DRIFT, "zebra": "1", "ant": "2"})
    assert str(found.value) == "a record of kind drift has no key ant"


def test_values_are_had_decoded_and_absent_ones_as_none() -> None:
    record = build("drift", {**DRIFT, "writer": "chärter 5 %"})
    assert record.one("writer") == "chärter 5 %"
    assert record.get("writer") == "chärter 5 %"
    assert record.get("reason") is None
    assert record.all("reason") == ()
    assert (record.kind, record.seq) == ("drift", 7)
    assert b"writer ch%C3%A4rter 5 %25\n" in record.content
    assert record.rooted_content == record.content.replace(b"attachment " + b"d" * 64 + b" drift.json\n", b"")
    assert len(record.sha256) == 64
    with pytest.raises(StopIteration):
        Record(()).one("kind")


def test_bytes_that_are_no_utf_8_survive_and_half_a_surrogate_is_refused() -> None:
    assert decode("%FF") == "\udcff"
    assert encode("\udcff") == "%FF"
    with pytest.raises(RecordInvalid) as found:
        encode("x\ud800")
    assert str(found.value) == "'x\\ud800' is no text"
    assert [encode(text) for text in ("~", "!", "\x7f", "\x1f", "a b")] == ["~", "!", "%7F", "%1F", "a b"]
    assert [encode(text) for text in ("a ", " a", " ", "a  ")] == ["a%20", "%20a", "%20", "a%20%20"]
