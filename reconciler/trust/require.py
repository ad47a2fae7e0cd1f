"""What a site asks of every commit before it is applied, and the refusals of those that fall short, all at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from reconciler.errors import Denied, Terminal
from reconciler.trust.roles import may_change
from reconciler.trust.signatures import Signed
from renderer.model.governance import Approvers

APPROVERS = "policies/approvers.yaml"
_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Refusal:
    """A commit that may not be applied: as a whole (`path` None) or for a path that its principal may not change."""

    commit: str
    path: str | None
    principal: str | None
    why: str
    remedy: str


class Untrusted(Denied):
    """Commits since the last applied one that nobody with authority stands behind; `refusals` holds every reason."""

    def __init__(self, refusals: tuple[Refusal, ...]) -> None:
        super().__init__("\n".join(_lines(refusals)))
        self.refusals = refusals


def check_supported(approvers: Approvers) -> None:
    """Raises Terminal for approvers under which this release could never apply a change again.

    To be asked of the head's approvers, before they are applied: afterwards the site would have locked itself out.
    """
    _refuse_approved(approvers)
    if approvers.require != "signed" or _able(APPROVERS, approvers):
        return
    several = sorted(role.name for role in approvers.roles.values() if role.threshold > 1)
    note = f" (one signature doesn't meet the threshold of {', '.join(several)})" if several else ""
    raise Terminal(
        f"{APPROVERS}: under `require: signed` no principal could change this file again{note}; give one a role with"
        f" threshold 1 whose paths cover {APPROVERS}"
    )


def demand(signed: Iterable[Signed], approvers: Approvers) -> tuple[str, ...]:
    """Hold commits to the approvers of the last applied commit (at the first apply, genesis's).

    Returns sentences for plan and record: who signed, and whether that was asked for. Raises Untrusted with every
    refusal, Terminal for `require: approved`.
    """
    commits = tuple(signed)
    found = refusals(commits, approvers)
    if found:
        raise Untrusted(found)
    if approvers.require == "none":
        return (f"signatures are not asked for ({APPROVERS}: `require: none`); {_signers(commits)}",)
    return (f"signatures are asked for and hold; {_signers(commits)}",)


def refusals(signed: Iterable[Signed], approvers: Approvers) -> tuple[Refusal, ...]:
    """Every reason against the commits, oldest commit first; none where signatures aren't asked for."""
    _refuse_approved(approvers)
    if approvers.require == "none":
        return ()
    return tuple(refusal for commit in signed for refusal in _against(commit, approvers))


def _refuse_approved(approvers: Approvers) -> None:
    if approvers.require == "approved":
        raise Terminal(
            f"{APPROVERS}: `require: approved` is not supported by this release; use `require: signed`"
        )


def _against(commit: Signed, approvers: Approvers) -> Iterator[Refusal]:
    if commit.status != "good" or commit.principal is None:
        remedy = (
            f"let a principal of {APPROVERS} sign it (git commit -S with gpg.format=ssh) and push it again"
        )
        yield Refusal(commit.id, None, None, commit.why, remedy)
        return
    for path in commit.paths:
        if not may_change(commit.principal, path, approvers):
            yield Refusal(
                commit.id,
                path,
                commit.principal,
                f"is signed by {commit.principal}, none of whose roles covers {path}",
                _whom(path, approvers),
            )


def _whom(path: str, approvers: Approvers) -> str:
    able = _able(path, approvers)
    if able:
        return f"let it be signed by one who may change it: {', '.join(able)}"
    return f"nobody may change it: add it to a role's paths in {APPROVERS} first, in a commit of its own"


def _able(path: str, approvers: Approvers) -> list[str]:
    return sorted(name for name in approvers.principals if may_change(name, path, approvers))


def _signers(commits: tuple[Signed, ...]) -> str:
    counts = Counter(commit.principal or "nobody who is known" for commit in commits)
    named = ", ".join(f"{name} ({count})" for name, count in sorted(counts.items()))
    return f"commits since the last applied one, by signer: {named or 'none'}"


def _lines(found: tuple[Refusal, ...]) -> Iterator[str]:
    """One line a refusal; beyond the first twenty of a commit their number alone."""
    for commit, group in groupby(found, key=lambda refusal: refusal.commit):
        of_commit = list(group)
        for refusal in of_commit[:_SHOWN]:
            yield f"commit {commit[:12]} {refusal.why}; {refusal.remedy}"
        if len(of_commit) > _SHOWN:
            yield f"commit {commit[:12]}: {len(of_commit) - _SHOWN} more paths are refused for the same reason"
