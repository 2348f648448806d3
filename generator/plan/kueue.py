"""Settings of the Kueue CR: frameworks from the components, preemption, label policy, gang scheduling."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from generator.environment.cluster import KueueChoice
from generator.environment.load import Inputs
from generator.finding import Finding, Layer, error
from generator.plan import shares
from generator.plan.model import ClusterQueue, ComponentState, KueueSettings, Pool, Preemption
from generator.plan.queues import DEFAULT, STRATEGY, fungibility
from generator.releases.model import Kueue, OpenShiftAI
from generator.source import at
from generator.spelling import remedy

FALLBACK = "BatchJob"  # the CR demands one framework where no component brings any


def resolve(
    inputs: Inputs, components: Iterable[ComponentState], release: Kueue
) -> tuple[KueueSettings, list[Finding]]:
    """Return the settings, and what the release cannot do of them."""
    choice = inputs.environment.get("kueue") or KueueChoice()
    asked = choice.get("frameworks") or []
    findings = [f for index, name in enumerate(asked) for f in _framework_defects(name, asked, index, release)]
    brought = {f for s in components if s.state == "Managed" for f in s.component.frameworks}
    names = {*brought, *asked} & set(release.frameworks)
    for name in list(names):
        names |= set(release.implied.get(name, ()))
    frameworks = tuple(f for f in release.frameworks if f in (names or {FALLBACK}))
    place = at(inputs.environment, "kueue") if "kueue" in inputs.environment else at(inputs.environment, "platform")
    if len(frameworks) > (most := release.limits["frameworks"]):
        findings.append(
            error(
                "too-many-frameworks",
                f"the Kueue CR would list {len(frameworks)} frameworks, "
                f"and Red Hat build of Kueue {release.version} allows {most}",
                place,
                "remove some of kueue.frameworks",
                layer=Layer.SCHEMA,
            )
        )
    settings = KueueSettings(
        frameworks,
        choice.get("preemptionPolicy", "Classical"),
        choice.get("labelPolicy", "QueueName"),
        choice.get("gangScheduling", "None"),
        place,
    )
    return settings, findings


def _framework_defects(name: str, asked: list[str], index: int, release: Kueue) -> Iterator[Finding]:
    place = at(asked, index)
    if name in release.broken_frameworks:
        yield error(
            "broken-framework",
            f"framework {name} breaks Kueue: {release.broken_frameworks[name]}",
            place,
            f"remove {name}",
            layer=Layer.READINESS,
        )
    elif name not in release.frameworks:
        yield error(
            "unknown-framework",
            f"Red Hat build of Kueue {release.version} has no framework {name}",
            place,
            remedy(name, release.frameworks, "frameworks are"),
            layer=Layer.SCHEMA,
        )


def default_queue(
    inputs: Inputs, pools: Mapping[str, Pool], release: OpenShiftAI, kueue: Kueue, state: str
) -> tuple[ClusterQueue | None, list[Finding]]:
    """Return the platform's own queue where its operator would otherwise make one as large as the cluster."""
    choice = inputs.environment.get("kueue") or KueueChoice()
    if release.default_queue != "always" or state != "Unmanaged":
        return None, []
    quota = choice.get("defaultQueue") or {}
    place = at(choice, "defaultQueue") if "defaultQueue" in choice else at(inputs.environment, "platform")
    owner = shares.Owner("the platform's default queue", in_cohort=False)
    flavors, findings = shares.flavors(quota, pools, owner, {})
    queue = ClusterQueue(
        name=str(release.kueue_component.get("defaultClusterQueueName", DEFAULT)),
        team=None,
        queue=DEFAULT,
        use="interactive",
        cohort=None,
        flavors=flavors,
        namespaces=None,
        preemption=Preemption("Never", "Never", "Never"),
        fungibility=fungibility({}, kueue),
        strategy=STRATEGY,
        stop_policy="None",
        weight=None,
        admission_checks=(),
        origin=place,
    )
    return queue, findings
