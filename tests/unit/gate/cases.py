"""One table for both engines: per rule a denial, its nearest legal twin, and a missing field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.unit.gate.question import DROP, NOW

H = "input/head/"
SCAN, GENES = H + "programs/health~scan/", H + "programs/health~genes/"
HEALTH = H + "tenants/health/"
TRAINING = "/quota/training/"
RUN = H + "reservations/run/"
COMMIT = "input/commits/0/"
FREEZE = "data/site/freezes/holidays/"
OLD = {"start": NOW - 7200, "end": NOW - 3600}


@dataclass(frozen=True)
class Case:
    """`found` are the violations expected, as `severity id subject`, all of them; `says` must stand in a message."""

    name: str
    edits: Mapping[str, Any]
    found: frozenset[str] = frozenset()
    says: str = ""
    waived: frozenset[str] = field(default=frozenset())


def _case(name: str, edits: Mapping[str, Any], *found: str, says: str = "", waived: str = "") -> Case:
    return Case(name, edits, frozenset(found), says, frozenset([waived] if waived else []))


UNJUDGED = "could not be judged"

CASES = [
    _case("nothing wrong", {}),
    # plane-capacity and limit-oversubscribed
    _case(
        "a model's guarantees above the plane's",
        {HEALTH + "quota/training/h200": {"guarantee": 17, "limit": 17}},
        "deny plane-capacity training",
        "warn limit-oversubscribed training",
        says="guaranteed 33 GPUs of model h200, the training plane has 32",
    ),
    _case("a model's guarantees equal to the plane's", {H + "capacity/training/models/h200": 32}),
    _case(
        "any counts in the total",
        {HEALTH + "quota/training/any": {"guarantee": 9, "limit": 9}},
        "deny plane-capacity training",
        "warn limit-oversubscribed training",
        says="guaranteed 49 GPUs of all models",
    ),
    _case("any fills the total exactly", {HEALTH + "quota/training/any": {"guarantee": 8, "limit": 8}}),
    _case(
        "a tenant without its guarantee",
        {H + "tenants/sky/quota/training/h200/guarantee": DROP},
        "deny plane-capacity training",
        "deny tenant-guarantee sky",
        says=UNJUDGED,
    ),
    _case(
        "limits above capacity only warn, with the factor",
        {H + "tenants/sky/quota/training/h200/limit": 56},
        "warn limit-oversubscribed training",
        says="sum to 84 GPUs, the training plane has 48: 1.75 times",
    ),
    _case(
        "a model's limits above capacity warn too",
        {H + "tenants/sky/quota/training/h200/limit": 20},
        "warn limit-oversubscribed training",
        says="sum to 36 GPUs of model h200, the training plane has 32: 1.12 times",
    ),
    _case(
        "a plane without nodes",
        {H + "capacity/inference": {"nodes": 0, "gpus": 0, "models": {"h200": 0, "mi300": 0}}},
        "deny plane-capacity inference",
        "warn limit-oversubscribed inference",
        says="infinitely many times",
    ),
    _case("no capacity at all", {H + "capacity": DROP}, "deny complete input", "deny plane-capacity input.head.capacity is missing",
          "warn limit-oversubscribed input.head.capacity is missing", says=UNJUDGED),
    # tenant-guarantee
    _case(
        "programmes above their tenant",
        {GENES + "quota/training/h200/guarantee": 9},
        "deny tenant-guarantee health",
        says="guaranteed 17 GPUs of model h200 for training, the tenant 16",
    ),
    _case("programmes equal to their tenant", {GENES + "quota/training/h200/guarantee": 8}),
    _case(
        "programmes above their tenant in all models together",
        {GENES + "quota/training/any/guarantee": 9},
        "deny tenant-guarantee health",
        says="guaranteed 33 GPUs of all models for training, the tenant 28",
    ),
    _case(
        "a programme without its quota", {GENES + "quota": DROP}, "deny tenant-guarantee health", says=UNJUDGED
    ),
    # zone
    _case(
        "a zone that the class of data forbids",
        {SCAN + "zones": ["a", "b"]},
        "deny zone health/scan",
        says="zone b is not permitted: tenant, site and data class personal leave a",
    ),
    _case("a zone that the class of data permits", {H + "data_classes/personal": ["a", "b"], SCAN + "zones": ["a", "b"]}),
    _case("a zone that the tenant lacks", {H + "programs/sky~now/zones": ["b"]}, "deny zone sky/now"),
    _case("a zone that the tenant has", {H + "programs/sky~now/zones": ["b"], H + "tenants/sky/zones": ["b"]}),
    _case(
        "a zone that the site lacks",
        {H + "zones": ["b"], H + "data_classes/personal": ["b"], SCAN + "zones": ["b"], GENES + "zones": ["b"]},
        "deny zone sky/now",
    ),
    _case("no zone at all", {SCAN + "zones": []}, "deny zone health/scan", says="names no zone"),
    _case("zones missing", {SCAN + "zones": DROP}, "deny zone health/scan", says=UNJUDGED),
    # qos-tier
    _case(
        "a QOS above the tier",
        {SCAN + "qos": ["low", "high"]},
        "deny qos-tier health/scan",
        says="QOS high (priority 30) stands above its tenant's tier standard (20)",
    ),
    _case("a QOS below a higher tier", {H + "programs/sky~now/qos": ["high"]}),
    _case("a default QOS above the tier", {SCAN + "default_qos": "high"}, "deny qos-tier health/scan"),
    _case("another QOS of the tier's priority", {H + "qos/high/priority": 20, SCAN + "qos": ["high"]}),
    _case("a QOS nobody declared", {SCAN + "qos": ["gold"]}, "deny qos-tier health/scan", says=UNJUDGED),
    _case("default QOS missing", {SCAN + "default_qos": DROP}, "deny qos-tier health/scan", says=UNJUDGED),
    # endpoint-guarantee
    _case(
        "an endpoint above its guarantee",
        {H + "endpoints/scan/min": 4},
        "deny endpoint-guarantee scan",
        "deny endpoint-guarantee read",
        says="needs 20 GPUs of model h200; all endpoints of health/scan need 20 of it, guaranteed are 12 and 4 of any",
    ),
    _case("an endpoint that any model's guarantee covers", {H + "endpoints/scan/min": 3}),
    _case(
        "surge counts",
        {H + "endpoints/scan/surge": 3},
        "deny endpoint-guarantee scan",
        "deny endpoint-guarantee read",
    ),
    _case(
        "endpoints share one guarantee",
        {H + "endpoints/read/gpu_model": "h200", H + "endpoints/read/min": 1},
        "deny endpoint-guarantee scan",
        "deny endpoint-guarantee read",
    ),
    _case(
        "surge missing",
        {H + "endpoints/scan/surge": DROP},
        "deny endpoint-guarantee scan",
        "deny endpoint-guarantee read",
        says=UNJUDGED,
    ),
    # reservation-time, reservation-ended, reservation-capacity
    _case(
        "a new reservation in the past",
        {"input/base/reservations/run": DROP, RUN + "start": OLD["start"], RUN + "end": OLD["end"]},
        "deny reservation-time run",
        says="ends in the past",
    ),
    _case(
        "a new reservation that starts in the past",
        {"input/base/reservations/run": DROP, RUN + "start": NOW - 1},
        "deny reservation-time run",
        says="starts in the past",
    ),
    _case("a new reservation that starts now", {"input/base/reservations/run": DROP, RUN + "start": NOW}),
    _case("a new recurring one whose first occurrence is over", {"input/base/reservations/patch": DROP}),
    _case(
        "an ended reservation that nobody touched",
        {f"input/{side}/reservations/run/{key}": value for side in ("base", "head") for key, value in OLD.items()},
    ),
    _case(
        "one under way is made longer",
        {"input/base/reservations/run/start": NOW - 60, RUN + "start": NOW - 60, RUN + "end": NOW + 9999},
    ),
    _case(
        "one under way is moved back",
        {"input/base/reservations/run/start": NOW - 60, RUN + "start": NOW - 120},
        "deny reservation-time run",
    ),
    _case(
        "an ended one at the first apply",
        {"input/base": None, RUN + "start": OLD["start"], RUN + "end": OLD["end"]},
        "warn reservation-ended run",
        says="ended before the first apply",
    ),
    _case("one under way at the first apply", {"input/base": None, RUN + "start": NOW - 60}),
    _case("the end missing", {RUN + "end": DROP}, "deny reservation-time run", says=UNJUDGED),
    _case(
        "more nodes at once than the plane has",
        {RUN + "nodes": 7, RUN + "peak": {"nodes": 7, "gpus": 48}},
        "deny reservation-capacity run",
        says="7 nodes would be held at once, the training plane has 6",
    ),
    _case("as many nodes as the plane has", {RUN + "nodes": 6, RUN + "peak": {"nodes": 6, "gpus": 48}}),
    _case(
        "more GPUs at once than the plane has",
        {RUN + "gpus": 49, RUN + "peak": {"nodes": 6, "gpus": 49}},
        "deny reservation-capacity run",
        says="49 GPUs would be held at once",
    ),
    _case("a crowd that this change didn't make", {RUN + "peak": {"nodes": 7, "gpus": 56}}),
    _case(
        "work outside the training plane",
        {RUN + "hosts": ["i1"], RUN + "outside": ["i1"]},
        "deny reservation-capacity run",
        says="outside the training plane: i1",
    ),
    _case(
        "maintenance outside the training plane",
        {RUN + "hosts": ["i1"], RUN + "outside": ["i1"], RUN + "purpose": "maintenance"},
    ),
    _case(
        "the peak missing", {RUN + "nodes": 3, RUN + "peak": DROP}, "deny reservation-capacity run", says=UNJUDGED
    ),
    # authority
    _case(
        "a path beyond the role",
        {COMMIT + "paths": ["policies/tenants/health.yaml", "inventory/nodes.yaml"]},
        "deny authority c1",
        says="thor may not change inventory/nodes.yaml",
    ),
    _case("a path deep below the role's", {COMMIT + "paths": ["policies/tenants/a/b.yaml", "policies/qos.yaml"]}),
    _case("one star doesn't cross folders", {COMMIT + "paths": ["policies/x/y.yaml"]}, "deny authority c1"),
    _case("a stranger", {COMMIT + "principal": "loki"}, "deny authority c1", says="loki may not"),
    _case("nobody", {COMMIT + "principal": None}, "deny authority c1", says="no verified signature"),
    _case("a merge key", {COMMIT + "principal": "merger"}, "deny authority c1"),
    _case(
        "the principal missing",
        {COMMIT + "principal": DROP},
        "deny authority c1",
        says="nobody known (no verified signature) may not change policies/tenants/health.yaml",
    ),
    _case(
        "signatures not asked for",
        {COMMIT + "principal": None, "data/site/approvers/require": "none"},
        "warn unsigned-site input",
        says="anybody who can push",
    ),
    _case(
        "require missing",
        {"data/site/approvers/require": DROP},
        "deny authority c1",
        "warn unsigned-site input",
        says=UNJUDGED,
    ),
    _case("the proposal's approvers have no say", {H + "approvers/principals": {}}),
    _case(
        "an uncommitted tree",
        {"input/commits": None},
        "warn uncommitted input",
        says="not judged who may change this",
    ),
    # input and complete
    _case("commits missing", {"input/commits": DROP}, "deny input input", "warn uncommitted input",
          "deny authority input.commits is missing"),
    _case("a difference that nobody committed", {"input/commits": []}, "deny input input"),
    _case("no difference, no commit", {"input/commits": [], H + "digest": "d" * 64}),
    _case(
        "two commits of one id",
        {"input/commits": [
            {"id": "c1", "paths": [], "principal": "thor"},
            {"id": "c1", "paths": ["inventory/nodes.yaml"], "principal": None},
        ]},
        "deny input input",
    ),
    _case("a commit without an id", {COMMIT + "id": DROP}, "deny input input", "deny authority 0"),
    _case("the base missing", {"input/base": DROP}, "deny input input"),
    _case("half a second", {"input/now": NOW + 0.5}, "deny input input"),
    _case("another format", {"input/format": "charter.change/v2"}, "deny input input"),
    _case("a programme that nobody owns", {HEALTH + "programs": ["health/scan"]}, "deny complete input"),
    _case("a reservation lost on the way", {H + "reservations/run": DROP}, "deny complete input"),
    _case("counts missing", {H + "counts": DROP}, "deny complete input"),
    _case("a head of another format", {H + "format": "charter.site/v2"}, "deny input input"),
    _case("a commit whose id is no text", {COMMIT + "id": 7}, "deny input input"),
    _case("paths that are no list", {COMMIT + "paths": {"a": "policies/tenants/a.yaml"}}, "deny input input"),
    _case("a path that is no text", {COMMIT + "paths": [7]}, "deny input input", "deny authority c1"),
    _case("commits that are no list", {"input/commits": {"c1": {"id": "c1", "paths": []}}}, "deny input input", "warn uncommitted input"),
    _case(
        "an endpoint that its programme doesn't know",
        {SCAN + "endpoints": ["scan"]},
        "deny complete input",
        "deny endpoint-guarantee read",
    ),
    _case(
        "an endpoint nobody refers to while another stands twice",
        {SCAN + "endpoints": ["scan"], GENES + "endpoints": ["scan", "other"]},
        "deny complete input",
        "deny endpoint-guarantee read",
    ),
    _case(
        "a GPU model that the site lacks",
        {H + "endpoints/read/gpu_model": "b300"},
        "deny endpoint-guarantee scan",
        "deny endpoint-guarantee read",
    ),
    _case(
        "a new reservation that ends now",
        {"input/base/reservations/run": DROP, RUN + "start": NOW - 60, RUN + "end": NOW},
        "deny reservation-time run",
        says="ends in the past",
    ),
    # freeze
    _case("a path that a freeze in force covers", {FREEZE + "start": NOW}, "deny freeze holidays",
          says="policies/tenants/health.yaml is frozen (nobody on site)"),
    _case("a freeze that is over", {FREEZE + "start": NOW - 3600, FREEZE + "end": NOW}),
    _case("a freeze of other paths", {FREEZE + "start": NOW, FREEZE + "paths": ["inventory/**", "policies/*.yaml"]}),
    _case("a second commit under a freeze", {FREEZE + "start": NOW, FREEZE + "paths": ["policies/qos.yaml"],
           "input/commits": [{"id": "c1", "paths": ["policies/planes.yaml"], "principal": "thor"},
                             {"id": "c2", "paths": ["policies/qos.yaml"], "principal": "thor"}]},
          "deny freeze holidays", says="policies/qos.yaml is frozen"),
    _case("the first apply under a freeze", {FREEZE + "start": NOW, "input/base": None,
          H + "reservations": {}, H + "counts/reservations": 0}),
    _case("a tree that nobody has committed under a freeze", {FREEZE + "start": NOW, "input/commits": None},
          "warn uncommitted input"),
    _case("a freeze without an end", {FREEZE + "end": DROP, FREEZE + "start": NOW}, "deny freeze holidays"),
    _case("a freeze without a start", {FREEZE + "start": DROP}, "deny freeze holidays"),
    _case("a freeze without paths", {FREEZE + "paths": DROP, FREEZE + "start": NOW}, "deny freeze holidays", says=UNJUDGED),
    _case("a freeze of a pattern that isn't one", {FREEZE + "paths": ["inventory/[*"], FREEZE + "start": NOW},
          "deny freeze holidays", says=UNJUDGED),
    _case("no freezes known", {"data/site/freezes": DROP}, "deny freeze data.site.freezes is missing"),
    _case(
        "a freeze waived",
        {FREEZE + "start": NOW, "data/site/waivers": {"freeze": {"holidays": {"until": NOW + 1, "text": "a leak"}}}},
        "deny freeze holidays",
        waived="freeze holidays",
    ),
    # waivers
    _case(
        "a waived violation stays visible",
        {SCAN + "zones": ["b"], "data/site/waivers": {"zone": {"health/scan": {"until": NOW + 1, "text": "moving"}}}},
        "deny zone health/scan",
        waived="zone health/scan",
    ),
    _case(
        "a waiver whose end is no number",
        {SCAN + "zones": ["b"], "data/site/waivers": {"zone": {"health/scan": {"until": "2030", "text": "moving"}}}},
        "deny zone health/scan",
    ),
    _case(
        "an expired waiver",
        {SCAN + "zones": ["b"], "data/site/waivers": {"zone": {"health/scan": {"until": NOW, "text": "moving"}}}},
        "deny zone health/scan",
    ),
    _case(
        "a waiver without an end",
        {SCAN + "zones": ["b"], "data/site/waivers": {"zone": {"health/scan": {"text": "moving"}}}},
        "deny zone health/scan",
    ),
    _case(
        "a waiver for another subject",
        {SCAN + "zones": ["b"], "data/site/waivers": {"zone": {"sky/now": {"until": NOW + 1, "text": "moving"}}}},
        "deny zone health/scan",
    ),
    _case(
        "authority is never waived",
        {COMMIT + "principal": None, "data/site/waivers": {"authority": {"c1": {"until": NOW + 1, "text": "late"}}}},
        "deny authority c1",
    ),
    _case(
        "the proposal can't waive itself",
        {SCAN + "zones": ["b"], H + "waivers": {"zone": {"health/scan": {"until": NOW + 1, "text": "moving"}}}},
        "deny zone health/scan",
    ),
]  # fmt: skip
