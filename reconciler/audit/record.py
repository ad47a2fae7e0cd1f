"""A record as bytes and back: one form for each content, everything else refused (docs/record.md)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from reconciler.audit.fields import ATTACHMENT, KINDS, fields

LIMIT = 1 << 20
_LINE = re.compile(r"([a-z_]+) ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)\Z")
_ESCAPE = re.compile(r"%(?:[0-9A-F]{2})?")
_PAIR = tuple[str, str]


class RecordInvalid(ValueError):
    """The bytes are not a record in its one form; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Record:
    """Lines in order, values encoded as written."""

    lines: tuple[_PAIR, ...]

    def one(self, key: str) -> str:
        """Decoded value of a key that occurs once. Raises KeyError."""
        return decode(next(self._values(key)))

    def get(self, key: str) -> str | None:
        """Decoded value, None where the key is absent."""
        value = next(self._values(key), None)
        return None if value is None else decode(value)

    def all(self, key: str) -> tuple[str, ...]:
        """Decoded values of a key that may repeat."""
        return tuple(decode(value) for value in self._values(key))

    def _values(self, key: str) -> Iterator[str]:
        return (value for name, value in self.lines if name == key)

    @property
    def kind(self) -> str:
        """genesis, intent, outcome and so on."""
        return self.one("kind")

    @property
    def seq(self) -> int:
        """Position in the log, genesis 0."""
        return int(self.one("seq"))

    @property
    def attachments(self) -> dict[str, str]:
        """File name to SHA-256 (hex)."""
        found = (value.split(" ", 1) for value in self.all(ATTACHMENT))
        return {name: digest for digest, name in found}

    @property
    def content(self) -> bytes:
        """The bytes of the file `record`."""
        return _join(self.lines)

    @property
    def rooted_content(self) -> bytes:
        """What root signs: the same without the attachment lines."""
        return _join([line for line in self.lines if line[0] != ATTACHMENT])

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) of the content."""
        return hashlib.sha256(self.content).hexdigest()


def build(kind: str, values: Mapping[str, str | Sequence[str]]) -> Record:
    """A record from decoded values by key. Raises RecordInvalid where one is missing, unknown or malformed."""
    unknown = set(values) - {field.name for field in fields(kind)}
    if unknown:
        raise RecordInvalid(f"a record of kind {kind} has no key {min(unknown)}")
    lines = tuple(
        (field.name, value) for field in fields(kind) for value in _encoded(values.get(field.name, ()))
    )
    return parse(_join(lines))


def parse(content: bytes) -> Record:
    """The record that these bytes are. Raises RecordInvalid naming line and fault."""
    if len(content) > LIMIT:
        raise RecordInvalid(f"is larger than {LIMIT} bytes")
    if not content.endswith(b"\n"):
        raise RecordInvalid("does not end with a line feed")
    lines = tuple(_line(number, raw) for number, raw in enumerate(content[:-1].split(b"\n"), 1))
    _check_order(lines)
    return Record(lines)


def encode(text: str) -> str:
    """The one encoded form of a text. Raises RecordInvalid for half a surrogate pair, which no text holds."""
    try:
        body = "".join(_encode_byte(byte) for byte in text.encode("utf-8", errors="surrogateescape"))
    except UnicodeEncodeError:
        raise RecordInvalid(f"{text[:40]!a} is no text") from None
    before, after = len(body) - len(body.lstrip(" ")), len(body) - len(body.rstrip(" "))
    return "%20" * before + body.strip(" ") + "%20" * (after if before < len(body) else 0)


def decode(value: str) -> str:
    """The text of an encoded value."""
    raw = re.sub(rb"%([0-9A-F]{2})", lambda match: bytes([int(match[1], 16)]), value.encode("ascii"))
    return raw.decode("utf-8", errors="surrogateescape")


def _encode_byte(byte: int) -> str:
    return chr(byte) if 0x20 <= byte <= 0x7E and byte != 0x25 else f"%{byte:02X}"


def _encoded(value: str | Sequence[str]) -> list[str]:
    values = [value] if isinstance(value, str) else list(value)
    return sorted(encode(item) for item in values)


def _join(lines: Sequence[_PAIR]) -> bytes:
    return "".join(f"{key} {value}\n" for key, value in lines).encode("ascii")


def _line(number: int, raw: bytes) -> _PAIR:
    match = _LINE.match(raw.decode("latin-1"))
    if match is None:
        raise RecordInvalid(f"line {number} is not `key value` in printable ASCII")
    key, value = match[1], match[2]
    if any(len(found) != 3 for found in _ESCAPE.findall(value)) or encode(decode(value)) != value:
        raise RecordInvalid(f"line {number} is not in its one encoded form")
    return key, value


def _check_order(lines: tuple[_PAIR, ...]) -> None:
    kind = lines[1][1] if len(lines) > 1 and lines[1][0] == "kind" else ""
    if kind not in KINDS:
        raise RecordInvalid(f"line 2 names no kind of record: {kind[:20]!r}")
    rest = list(lines)
    for field in fields(kind):
        count = next((index for index, line in enumerate(rest) if line[0] != field.name), len(rest))
        values = [value for _, value in rest[:count]]
        _check_field(field.name, values, many=field.many, optional=field.optional)
        for value in values:
            if not field.accepts(value):
                raise RecordInvalid(f"{field.name} has a malformed value: {value[:60]!r}")
        rest = rest[count:]
    if rest:
        raise RecordInvalid(f"{rest[0][0]} is not expected there in a record of kind {kind}")


def _check_field(name: str, values: Sequence[str], *, many: bool, optional: bool) -> None:
    if not values and not optional:
        raise RecordInvalid(f"{name} is missing or out of order")
    if len(values) > 1 and not many:
        raise RecordInvalid(f"{name} is given twice")
    if list(values) != sorted(set(values)):
        raise RecordInvalid(f"{name} is not sorted, or holds a value twice")
