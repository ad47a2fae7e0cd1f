"""Usage that a removal folds away is said, with how much and where to."""

from __future__ import annotations

from reconciler.targets.slurm.folding import folding
from renderer.resource import Key, Resource
from tests.unit.slurm_target.fake_slurm import FakeClient

ACCOUNTS = {
    Key("slurm", "account", name): Resource(Key("slurm", "account", name), {"parent": parent})
    for name, parent in (("health", "polar"), ("health-screening", "health"), ("weather", "polar"))
}
SHARES = "health||7200\n health-screening||5400\n  health-screening|asta|5400\n"


def test_each_account_that_goes_is_named_with_its_usage_and_its_heir() -> None:
    wanted = {key: item for key, item in ACCOUNTS.items() if key.name == "weather"}
    client = FakeClient({"sshare -nP -A health,health-screening -o Account,User,RawUsage": SHARES})
    first, second = folding(client, ACCOUNTS, wanted)
    assert first.startswith(
        "account health goes with 2.0 billed hours of usage (decayed, sshare), which count for polar"
    )
    assert second.startswith("account health-screening goes with 1.5 billed hours")


def test_unused_accounts_are_not_worth_a_word_and_nobody_is_asked_where_none_goes() -> None:
    client = FakeClient({"sshare": "health||0\n"})
    assert (
        folding(client, ACCOUNTS, {key: item for key, item in ACCOUNTS.items() if key.name != "health"}) == ()
    )
    assert folding(FakeClient({}), ACCOUNTS, ACCOUNTS) == ()
