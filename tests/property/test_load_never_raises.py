"""Whatever the bytes, loading returns: a site, or problems that each point somewhere."""

from __future__ import annotations

from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from renderer.load import Loaded, load
from tests.counts import count
from tests.sites import valid

VALID = valid()
PATHS = sorted(VALID)
DOCUMENTS = {path: yaml.safe_load(data) for path, data in VALID.items() if path.endswith(".yaml")}
ATOMS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-2, 70000)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(
        [
            "n[1-8]",
            "n[1-",
            "n[0-99999999]",
            "@all",
            "n" + "9" * 5000,
            "7d",
            "UNLIMITED",
            "2027-01-01T00:00:00Z",
            "9999-12-31T23:59:59-23:59",
            "0001-01-01T00:00:00+23:59",
            "2027-01-01",
            "health/screening",
            "gres/gpu=8",
            "gres/gpu=-1",
            "/etc",
            "ssh-ed25519 AAAA",
            "\ud7ff",
        ]
    )
)
KEYS = st.sampled_from(
    sorted(
        {str(key) for document in DOCUMENTS.values() for key in document}
        | {"hosts", "tiers", "partitions", "<<"}
    )
) | st.text(max_size=8)
ANYTHING = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS | st.integers(), inner, max_size=4),
    max_leaves=12,
)
FUZZ = settings(max_examples=count(150, 3000), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _sound(loaded: Loaded) -> None:
    errors = [problem for problem in loaded.problems if problem.severity == "error"]
    assert (loaded.site is None) == bool(errors)
    for problem in loaded.problems:
        assert problem.rule
        assert problem.what
        assert problem.remedy
        assert "\n" not in str(problem)
        assert len(str(problem)) < 2000
        assert problem.line >= 0
        assert problem.column >= 0


@FUZZ
@given(st.sampled_from(PATHS), st.binary(max_size=200))
def test_any_bytes_in_place_of_a_file(path: str, content: bytes) -> None:
    _sound(load(VALID | {path: content}))


@FUZZ
@given(st.sampled_from(PATHS), st.data())
def test_a_file_with_some_bytes_changed(path: str, data: st.DataObject) -> None:
    content = bytearray(VALID[path])
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(
            st.sampled_from(
                [
                    b"",
                    b"[",
                    b"{",
                    b"}",
                    b"- ",
                    b": ",
                    b"\n",
                    b"\t",
                    b"*a",
                    b"&a ",
                    b"!!x ",
                    b"9",
                    b"\xff",
                    b'"',
                    b"#",
                ]
            )
        )
        if not content:
            break
    _sound(load(VALID | {path: bytes(content)}))


def _paths(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(path for key, inner in below for path in _paths(inner, (*at, key)))]


def _changed(value: Any, at: tuple[Any, ...], new: Any) -> Any:
    if not at:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[at[0]] = _changed(value[at[0]], at[1:], new)
    return copied


@FUZZ
@given(st.sampled_from(sorted(DOCUMENTS)), st.data(), ANYTHING)
def test_a_document_with_anything_in_any_place(path: str, data: st.DataObject, new: Any) -> None:
    at = data.draw(st.sampled_from(_paths(DOCUMENTS[path])))
    content = yaml.safe_dump(_changed(DOCUMENTS[path], at, new), sort_keys=False, allow_unicode=True)
    _sound(load(VALID | {path: content.encode()}))


@FUZZ
@given(
    st.sets(st.sampled_from(PATHS), max_size=4),
    st.dictionaries(st.text(max_size=12), st.binary(max_size=20), max_size=3),
)
def test_files_missing_and_files_too_many(gone: set[str], more: dict[str, bytes]) -> None:
    _sound(
        load(
            {path: data for path, data in VALID.items() if path not in gone}
            | {f"policies/{name}": data for name, data in more.items()}
        )
    )
