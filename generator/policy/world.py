"""All that policies can judge of one environment, made when a policy asks for it and once."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from generator.finding import ObjectRef
from generator.manifest import Manifest
from generator.plan.ledger import Ledger
from generator.plan.model import Plan
from generator.policy.items import MANIFESTS
from generator.policy.ledger_items import LedgerItems
from generator.policy.model import Item, plain
from generator.policy.plan_items import PlanItems


class World:
    """The items of one environment by collection; `world("plan.pools")`."""

    def __init__(self, plan: Plan, ledger: Ledger, manifests: Sequence[Manifest]) -> None:
        self.plan = PlanItems(plan, ledger)
        self._name, self._ledger, self._manifests = plan.name, LedgerItems(plan, ledger), manifests
        self._known: dict[str, list[Item]] = {}

    def __call__(self, collection: str) -> list[Item]:
        """Return the items of a collection."""
        if collection not in self._known:
            self._known[collection] = self._items(collection)
        return self._known[collection]

    def _items(self, collection: str) -> list[Item]:
        if collection.startswith(MANIFESTS):
            return [self._manifest(m) for m in self._by_kind.get(collection.removeprefix(MANIFESTS), ())]
        side, _, name = collection.partition(".")
        return self.plan.of(name) if side == "plan" else self._ledger.of(name)

    @cached_property
    def _by_kind(self) -> dict[str, list[Manifest]]:
        found: dict[str, list[Manifest]] = {}
        for manifest in self._manifests:
            found.setdefault(manifest.kind, []).append(manifest)
        return found

    def _manifest(self, manifest: Manifest) -> Item:
        ref = ObjectRef(self._name, manifest.kind, manifest.name, manifest.namespace, manifest.api_version)
        return Item(plain(manifest.body), manifest.origin, ref)
