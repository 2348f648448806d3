"""What Kueue and its operator accept and then never act on: what raises a rule, and the nearest that does not."""

from __future__ import annotations

from typing import Any

import pytest

from tests.validate.builders import (
    GPU,
    KUEUE,
    Body,
    body,
    cluster,
    flavor,
    judged,
    local_queue,
    namespace,
    node,
    profile,
    queue,
    rules,
    sound,
    subscription,
)
from tests.validate.manifests import target

ON, ON_1_2, ON_1_1 = "openshiftAI=3.4,kueue=1.3", "kueue=1.2", "kueue=1.1"
PODSET = "kueue.x-k8s.io/podset-{}-topology"
MULTIKUEUE = "kueue.x-k8s.io/multikueue"
OLM, GROUP = "operators.coreos.com/v1alpha1", "operators.coreos.com/v1"
Case = tuple[str, list[Body], list[Body], str]


def job(asked: Body | None = None, parallelism: int = 1, labels: Body | None = None, **notes: str) -> Body:
    """Return a Job of the queue `default`; `notes` ask for a topology: required="rack"."""
    marks = {PODSET.format(how.replace("_", "-")): level for how, level in notes.items()}
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "2"}} if asked is None else asked}
    pod = {"metadata": {"annotations": marks}, "spec": {"restartPolicy": "Never", "containers": [container]}}
    queued = {"labels": {"kueue.x-k8s.io/queue-name": "default", **(labels or {})}}
    return body("batch/v1", "Job", "j", "vision", metadata=queued, spec={"parallelism": parallelism, "template": pod})


def owning(*flavors: str, name: str = "vision", **amounts: str) -> Body:
    """Return a queue of one resource group; the first flavor owns the amounts (cpu: 64), the others nothing."""
    quotas = {key.replace("gpu", GPU): value for key, value in (amounts or {"cpu": "64"}).items()}
    found: list[Body] = []
    for each in flavors:
        owned = {key: value if each == flavors[0] else "0" for key, value in quotas.items()}
        found.append({"name": each, "resources": [{"name": k, "nominalQuota": v} for k, v in owned.items()]})
    return queue(name, resourceGroups=[{"coveredResources": list(quotas), "flavors": found}])


def topology(*levels: str) -> Body:
    return body(KUEUE, "Topology", "racks", spec={"levels": [{"nodeLabel": level} for level in levels]})


def spaced(*more: Body) -> list[Body]:
    return [namespace(), local_queue(), *more]


LEVELLED, PLAIN = flavor("racked", topologyName="racks"), flavor("plain")
RACKS = [LEVELLED, topology("rack")]
ALL = {"cpu": "64", "memory": "512Gi", "gpu": "8"}
MIXED = spaced(*RACKS, PLAIN, owning("racked", "plain"))
RACKED = spaced(*RACKS, owning("racked"))
MISMATCH = "flavor-topology-mismatch"
TOPOLOGIES: list[Case] = [
    (MISMATCH, [*sound(), job(required="rack")], [*RACKED, job(required="rack")], ON),
    (MISMATCH, [*sound(), job(preferred="rack")], [*RACKED, job(preferred="rack")], ON),
    (MISMATCH, [*sound(), job(unconstrained="true")], [*RACKED, job(unconstrained="true")], ON),
    (MISMATCH, [*RACKED, job(required="block")], [*RACKED, job(required="rack")], ON),
    (MISMATCH, [*RACKED, job(required="rack", slice_required="host")], [*RACKED, job(slice_required="rack")], ON),
    (MISMATCH, [*RACKED, job(required="block")], spaced(LEVELLED, owning("racked"), job(required="block")), ON),
    (MISMATCH, [*MIXED, job()], [*MIXED, job(preferred="rack")], ON),
    (MISMATCH, [*MIXED, job()], [*RACKED, job()], ON),
    (MISMATCH, [*MIXED, job()], spaced(*RACKS, PLAIN, owning("plain", "racked"), job()), ON),
    (
        MISMATCH,
        spaced(*RACKS, PLAIN, owning("racked", "plain", **ALL), profile()),
        spaced(*RACKS, owning("racked", **ALL), profile()),
        ON,
    ),
    (MISMATCH, [*sound(), job(required="rack")], [*sound(), job()], ON_1_2),
]


def counted(pods: str) -> list[Body]:
    return spaced(flavor(), owning("a100", cpu="64", memory="64Gi", gpu="8", pods=pods))


def limit_range(kind: str = "Container", **limits: Any) -> Body:
    amounts = {key: {"cpu": value} for key, value in limits.items()}
    return body("v1", "LimitRange", "l", "vision", spec={"limits": [{"type": kind, **amounts}]})


FOUR = spaced(flavor(), owning("a100", cpu="4"))
ZERO: Body = {"limits": {"cpu": "2", GPU: "0"}}
ABOVE, NOT_COVERED, RANGE, BEYOND = (
    "request-above-quota",
    "resource-not-covered",
    "limit-range-violated",
    "request-beyond-limit",
)
WRITTEN: Body = {"requests": {"cpu": "2"}}
AMOUNTS: list[Case] = [
    (ABOVE, [*counted("1"), job(parallelism=2)], [*counted("2"), job(parallelism=2)], ON),
    (ABOVE, [*counted("0"), profile()], [*counted("1"), profile()], ON),
    (ABOVE, [*counted("0"), job()], [*FOUR, job()], ON),
    *((NOT_COVERED, [*FOUR, job(ZERO)], [*FOUR, job()], on) for on in ("kueue=1.0", ON_1_1, ON_1_2)),
    (BEYOND, [job({**WRITTEN, "limits": {"cpu": "1999m"}})], [job({**WRITTEN, "limits": {"cpu": 2}})], ON),
    (BEYOND, [job({"requests": {GPU: "1"}, "limits": {GPU: "2"}})], [job({**WRITTEN, "limits": {"cpu": "3"}})], ON),
    (BEYOND, [job({"requests": {GPU: "1"}, "limits": {GPU: "2"}})], [job({"requests": {GPU: "1"}})], ON),
    (RANGE, [limit_range(max="1999m"), job()], [limit_range(max="2"), job()], ON),
    (RANGE, [limit_range(min="2001m"), job()], [limit_range(min="2"), job()], ON),
    (RANGE, [limit_range(max="2"), job({"limits": {"cpu": "3"}})],
     [limit_range(max="3"), job({"limits": {"cpu": "3"}})], ON),
    (RANGE, [limit_range("Pod", max="1"), job()], [limit_range("Pod", max="2"), job()], ON),
    (RANGE, [limit_range("Pod", min="3"), job()], [limit_range("PersistentVolumeClaim", min="3"), job()], ON),
    (RANGE, [limit_range(max="2"), limit_range(max="1"), job()],
     [limit_range(max="2"), limit_range(max="4"), job()], ON),
    (RANGE, [limit_range(max="1"), job(WRITTEN)], [limit_range(max="1"), job({})], ON),
    (ABOVE, [*FOUR, limit_range(defaultRequest="5", default="6"), job({})],
     [*FOUR, limit_range(defaultRequest="4"), job({})], ON),
    (ABOVE, [*FOUR, limit_range(max="5"), job({})], [*FOUR, limit_range(max="5", defaultRequest="1"), job({})], ON),
    (ABOVE, [*FOUR, job({"limits": {"cpu": "5"}})],
     [*FOUR, limit_range(defaultRequest="1", default="9"), job({"limits": {"cpu": "5"}})], ON),
]  # fmt: skip


def kueue(**config: Any) -> Body:
    return body("kueue.openshift.io/v1", "Kueue", "cluster", spec={"config": config})


def frameworks(*names: str, **integrations: Any) -> Body:
    return kueue(integrations={"frameworks": list(names), **integrations})


def weighing(weight: str, kind: str = "ClusterQueue") -> Body:
    fair = {"weight": weight}
    if kind == "ClusterQueue":
        return queue(fairSharing=fair)
    return body(KUEUE, kind, "research", spec={"fairSharing": fair})


def weighed_local(weight: str) -> Body:
    made = local_queue()
    made["spec"]["fairSharing"] = {"weight": weight}
    return made


def held(policy: str, made: Body) -> Body:
    return {**made, "spec": {**made["spec"], "stopPolicy": policy}}


def scoped(mode: str) -> Body:
    return queue(admissionScope={"admissionMode": mode})


def multi_kueue_config(management: str) -> Body:
    return body(KUEUE, "MultiKueueConfig", "m", spec={"clusters": ["w"], "quotaManagement": management})


def cohort(owned: str, name: str = "research") -> Body:
    resources = [{"name": "cpu", "nominalQuota": "1"}]
    group = {"coveredResources": ["cpu"], "flavors": [{"name": owned, "resources": resources}]}
    return body(KUEUE, "Cohort", name, spec={"resourceGroups": [group]})


BELOW = [flavor(), flavor("b"), queue(cohortName="research")]
FAIR, CLASSICAL = (kueue(preemption={"preemptionPolicy": policy}) for policy in ("FairSharing", "Classical"))
SHARING = kueue(admissionFairSharing={"configuration": "Default"})
USAGE, NONE = "UsageBasedAdmissionFairSharing", "NoAdmissionFairSharing"
MIGRATION = {"migration": {"mode": "RetainFirstAdmission"}}
EFFECT, STOPPED, EMPTY = "setting-without-effect", "queue-stopped", "queue-covers-nothing"
EXTERNAL = {"externalFrameworks": [{"group": "a.com", "resource": "as", "version": "v1"}]}
DEVICES = kueue(resources={"deviceClassMappings": [{"name": "gpu", "deviceClassNames": ["gpu.nvidia.com"]}]})
BARE = body(KUEUE, "ClusterQueue", "vision", spec={"namespaceSelector": {}})
HELD = [namespace(), flavor(), local_queue(), held("Hold", queue())]
SETTINGS: list[Case] = [
    (EFFECT, [LEVELLED], [PLAIN], ON_1_1),
    (EFFECT, [weighing("2"), CLASSICAL], [weighing("2"), FAIR], ON),
    (EFFECT, [weighing("2"), kueue()], [weighing("2")], ON),
    (EFFECT, [weighing("2", "Cohort"), CLASSICAL], [weighing("1", "Cohort"), CLASSICAL], ON),
    (EFFECT, [weighed_local("2")], [weighed_local("1")], ON),
    (EFFECT, [weighed_local("2"), FAIR], [weighed_local("2"), SHARING], "kueue=1.4"),
    (EFFECT, [weighed_local("2"), FAIR], [weighed_local("2")], "kueue=1.4"),
    (EFFECT, [scoped(USAGE)], [scoped(NONE)], ON),
    (EFFECT, [scoped(USAGE), FAIR], [scoped(USAGE), SHARING], "kueue=1.4"),
    (EFFECT, [queue(concurrentAdmissionPolicy=MIGRATION)], [queue()], "kueue=1.4"),
    (EFFECT, [multi_kueue_config("Automated")], [multi_kueue_config("Manual")], "kueue=1.4"),
    (EFFECT, [*BELOW, cohort("b")], [*BELOW, cohort("a100")], ON),
    (EFFECT, [*BELOW, cohort("b")], [flavor("b"), cohort("b")], ON),
    *((EFFECT, [frameworks("Pod", **EXTERNAL)], [frameworks("Pod")], f"kueue=1.{minor}") for minor in range(5)),
    (EFFECT, [frameworks("BatchJob", **EXTERNAL)], [kueue(multiKueue=EXTERNAL)], ON),
    ("device-classes-without-api", [DEVICES], [kueue()], "kueue=1.4,openshift=4.20"),
    (STOPPED, [*HELD, job()], [*HELD, local_queue("other", marked=False)], ON),
    (STOPPED, [*HELD, job()], [*sound(), job()], ON),
    (STOPPED, [*HELD, profile()], [*sound(), held("Hold", queue("spare")), profile()], ON),
    (STOPPED, [*sound()[:3], held("HoldAndDrain", local_queue()), job()],
     [*sound()[:3], held("None", local_queue()), job()], ON),
    (EMPTY, [BARE, local_queue()], [BARE], ON),
    (EMPTY, [BARE, local_queue()], [BARE, *spaced()[:1], local_queue(to="other")], ON),
    ("local-queue-without-cluster-queue", [body(KUEUE, "LocalQueue", "q", "vision", spec={})], [local_queue()], ON),
    ("local-queue-without-cluster-queue", [body(KUEUE, "LocalQueue", "q", "vision")], [local_queue()], "kueue=1.0"),
    (
        "priority-name-too-long",
        [body(KUEUE, "WorkloadPriorityClass", "p" * 64, value=1)],
        [body(KUEUE, "WorkloadPriorityClass", "p" * 63, value=1)],
        ON,
    ),
]  # fmt: skip


def remote(*controllers: str) -> list[Body]:
    checks = [body(KUEUE, "AdmissionCheck", f"c{i}", spec={"controllerName": c}) for i, c in enumerate(controllers)]
    names = [{"name": f"c{index}"} for index, _ in enumerate(controllers)]
    return [*checks, {**QUEUED, "spec": {**QUEUED["spec"], "admissionChecksStrategy": {"admissionChecks": names}}}]


QUEUED = owning("racked")
OTHERS = topology("rack") | {"metadata": {"name": "other"}}
AWAY = [LEVELLED, OTHERS, *remote(MULTIKUEUE)]
HERE = [LEVELLED, OTHERS, *remote("kueue.x-k8s.io/provisioning-request")]
PLACES: list[Case] = [
    ("missing-topology", HERE, AWAY, ON),
    ("missing-topology", [*AWAY, owning("racked", name="b")], AWAY, ON),
    ("missing-topology", AWAY, [LEVELLED, topology("rack"), *AWAY[2:]], ON_1_2),
    ("flavor-without-nodes", [node("n"), *HERE], [node("n"), *AWAY], ON),
]


def legacy(**labels: str) -> list[Body]:
    marks = {"labels": {"kueue-managed": "true", **labels}}
    return [body("v1", "Namespace", "vision", metadata=marks), flavor(), queue(), local_queue()]


def platform(state: str) -> Body:
    spec = {"components": {"kueue": {"managementState": state}}}
    return body("datasciencecluster.opendatahub.io/v2", "DataScienceCluster", "default-dsc", spec=spec)


UNMANAGED = platform("Unmanaged")


def timed(seconds: str) -> list[Body]:
    return [namespace(), job(labels={"kueue.x-k8s.io/max-exec-time-seconds": seconds})]


def installing(package: str, **spec: str) -> Body:
    return {**(made := subscription(package, "own")), "spec": {**made["spec"], **spec}}


def group(*targets: str) -> Body:
    return body(GROUP, "OperatorGroup", "g", "own", spec={"targetNamespaces": list(targets)} if targets else {})


OPERATOR = installing("kueue-operator")
CHANNEL, CSV = "unknown-channel", "unknown-csv"


def kueue_of(channel: str, csv: str = "1.3.1") -> list[Body]:
    return [installing("kueue-operator", channel=channel, startingCSV=f"kueue-operator.v{csv}")]


OPERATORS: list[Case] = [
    ("namespace-not-managed", legacy(), [*legacy(), UNMANAGED], ON),
    ("namespace-not-managed", [*legacy(), platform("Removed")], [*legacy(), UNMANAGED], "kueue=1.3"),
    (
        "namespace-not-managed",
        [*legacy(**{"kueue.openshift.io/managed": "false"}), UNMANAGED],
        [*legacy(**{"kueue.openshift.io/managed": "true"}), UNMANAGED],
        ON,
    ),
    ("max-exec-time", timed("0"), timed("1"), ON),
    ("max-exec-time", timed("1h"), timed("3600"), ON),
    ("max-exec-time", timed("0"), timed("0")[1:], ON),
    ("operator-group-targets", [OPERATOR, group("own")], [OPERATOR, group()], ON),
    ("operator-group-targets", [OPERATOR, group("own")], [installing("job-set"), group("own")], ON),
    (CHANNEL, kueue_of("alpha"), kueue_of("stable-v1.3"), ON),
    (CHANNEL, kueue_of("stable-v1.4", "1.4.0"), kueue_of("stable-v1.3"), ON),
    (CHANNEL, kueue_of("alpha"), [installing("nfd", channel="alpha")], ON),
    (CSV, kueue_of("stable-v1.3", "1.2.0"), kueue_of("stable-v1.3", "1.3.0"), ON),
    (CSV, kueue_of("stable-v1.3", "1.3.0"), kueue_of("stable-v1.3"), "kueue=1.3,openshift=4.22"),
    (CSV, kueue_of("stable-v1.3", "1.3.7"), kueue_of("stable-v1.3"), ON),
    (CSV, [installing("rhods-operator", channel="stable-3.x", startingCSV="rhods-operator.3.3.0")],
     [installing("rhods-operator", channel="stable-3.x", startingCSV="rhods-operator.3.4.2")], ON),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rule", "broken", "passing", "on"),
    [*TOPOLOGIES, *AMOUNTS, *SETTINGS, *PLACES, *OPERATORS],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_boundary(rule: str, broken: list[Body], passing: list[Body], on: str) -> None:
    assert rule in {said.split()[-1] for said in rules(broken, target(on))}
    assert rule not in {said.split()[-1] for said in rules(passing, target(on))}


def test_a_topology_is_told_where_it_is_asked_for() -> None:
    (found,) = (f for f in judged(cluster([*RACKED, job(required="block")])) if f.rule == MISMATCH)
    assert (found.path, found.fix is not None) == ("spec.template.metadata.annotations", True)


LATER = [
    ("flavor-topology-mismatch", [*sound(), job(required="rack")], "kueue=1.0", ON_1_2),
    ("flavor-topology-mismatch", [*MIXED, job()], ON_1_1, ON_1_2),
    ("framework-without-operator", [frameworks("JobSet"), subscription("nfd")], ON_1_2, ON),
    ("framework-without-operator", [frameworks("LeaderWorkerSet"), subscription("nfd")], ON_1_1, ON),
    ("missing-topology", AWAY, ON, ON_1_2),
    ("missing-topology", HERE, ON_1_1, ON),
    ("resource-not-covered", [*FOUR, job(ZERO)], ON, ON_1_2),
    ("resource-not-covered", [*FOUR, job(ZERO)], "kueue=1.4", "kueue=1.0"),
    ("device-classes-without-api", [DEVICES], "kueue=1.4,openshift=4.21", "kueue=1.4,openshift=4.20"),
    ("unknown-csv", kueue_of("stable-v1.3", "1.3.0"), "kueue=1.3,openshift=4.21", "kueue=1.3,openshift=4.22"),
    ("setting-without-effect", [LEVELLED, topology("rack")], ON_1_2, ON_1_1),
    ("setting-without-effect", [queue(concurrentAdmissionPolicy=MIGRATION)], ON, "kueue=1.4"),
]


@pytest.mark.parametrize(("rule", "bodies", "without", "on"), LATER, ids=lambda v: v if isinstance(v, str) else "")
def test_what_depends_on_the_release(rule: str, bodies: list[Body], without: str, on: str) -> None:
    assert rule in {said.split()[-1] for said in rules(bodies, target(on))}
    assert rule not in {said.split()[-1] for said in rules(bodies, target(without))}


SEVERITIES = [
    (kueue_of("alpha"), "error unknown-channel"),
    (kueue_of("stable-v1.3", "1.2.0"), "error unknown-csv"),
    (kueue_of("stable-v1.3", "1.3.7"), "warning unknown-csv"),
]


@pytest.mark.parametrize(("bodies", "said"), SEVERITIES)
def test_what_may_be_younger_than_the_data_is_a_warning(bodies: list[Body], said: str) -> None:
    assert said in rules(bodies, target(ON))


def test_of_an_environment_only_what_somebody_wrote_is_judged() -> None:
    made = [*HELD, job(), weighing("2"), CLASSICAL, *kueue_of("alpha")]
    assert {"queue-stopped", "setting-without-effect", "unknown-channel"}.isdisjoint(
        said.split()[-1] for said in rules(made, target(ON), whole=True)
    )
