"""Right answers from public bug reports, every one run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from renderer.notation.error import NotationError
from renderer.notation.hostlist import expand, fold, is_nodename
from renderer.notation.tres import gpus

CASES = Path(__file__).parents[2] / "cases"
HOSTLISTS: list[dict[str, Any]] = yaml.safe_load((CASES / "hostlist_vectors.yaml").read_text())
TRES: list[dict[str, Any]] = yaml.safe_load((CASES / "tres_gpu_vectors.yaml").read_text())
EXPRESSIONS = [case for case in HOSTLISTS if "expr" in case]
NODES = [case for case in HOSTLISTS if "nodes" in case]
assert len(EXPRESSIONS) + len(NODES) == len(HOSTLISTS)


@pytest.mark.parametrize("case", EXPRESSIONS, ids=lambda case: case["expr"][:40])
def test_expression(case: dict[str, Any]) -> None:
    refused = False in (case.get("valid"), case.get("valid_slurm_nodename"), case.get("valid_nodename"))
    if refused:
        with pytest.raises(NotationError):
            expand(case["expr"])
        return
    names = expand(case["expr"])
    assert len(names) == case["count"]
    assert names[0] == case.get("first", names[0])
    assert names[-1] == case.get("last", names[-1])
    assert expand(fold(names)) == names


@pytest.mark.parametrize("case", NODES, ids=lambda case: ",".join(case["nodes"])[:40])
def test_fold(case: dict[str, Any]) -> None:
    folded = fold(case["nodes"])
    wanted = case.get("fold") or ",".join(case.get("fold_groups") or case["slurm_fold"])
    assert folded == wanted
    assert folded != case.get("not")
    assert sorted(expand(folded)) == sorted(case["nodes"])


@pytest.mark.parametrize("case", TRES, ids=lambda case: case["tres"][:40] or "empty")
def test_gpus(case: dict[str, Any]) -> None:
    if case["gpus"] is None:
        with pytest.raises(NotationError):
            gpus(case["tres"])
    else:
        assert gpus(case["tres"]) == case["gpus"]


@pytest.mark.parametrize(
    "text",
    ["@all", "n1!n2", "n[1-3]&n2", "n1^n2", "n*", "n1 n2", "n1\n", "", "n[1-", "n1]", "n[[1]]", "n[3-1]"],
)
def test_hostile_host_lists_are_refused(text: str) -> None:
    with pytest.raises(NotationError):
        expand(text)


@pytest.mark.parametrize("text", ["n[0-999999999999]", "r[1-1000]n[1-1000]", "n[" + "9" * 50 + "]"])
def test_a_huge_host_list_is_refused_before_it_is_expanded(text: str) -> None:
    with pytest.raises(NotationError):
        expand(text)


def test_reserved_words_are_no_node_names() -> None:
    assert not is_nodename("ALL")
    assert not is_nodename("-n")
    assert is_nodename("su01-n01")
