"""What fits onto nodes: how much one pod can have, and how many pods of a kind a node holds."""

from __future__ import annotations

from generator.plan.model import CPU, Amounts, Pool
from generator.quantity import UNIT, Amount

MAX_PODS = 250  # of an OpenShift node, unless its KubeletConfig says otherwise


def per_pod(pool: Pool, resource: str) -> Amount:
    """Return the most that one pod can have of a resource: a node's, of shares that go one by one a single one.

    MPS always refuses requests for more than one share. Source: NVIDIA/k8s-device-plugin api/config/v1/config.go.
    """
    amount = whole(resource, pool.node.get(resource, 0))
    sharing = pool.sharing
    one_by_one = sharing.fail_greater_than_one or sharing.mode == "mps"
    return min(amount, UNIT) if resource in pool.offers and sharing.replicas > 1 and one_by_one else amount


def pods_per_node(pool: Pool, amounts: Amounts) -> tuple[int, str]:
    """Return how many pods that ask these (non-zero) amounts a node holds, and the resource that ends first.

    What the inventory does not say of its nodes, such as ephemeral-storage, never ends; then the kubelet's limit does.
    """
    counts = {
        name: pool.node.get(name, 0) // amount if amount <= per_pod(pool, name) else 0
        for name, amount in amounts.items()
        if name in pool.node or "/" in name
    }
    scarce = min(counts, key=counts.__getitem__, default=None)
    return (MAX_PODS, next(iter(amounts))) if scarce is None else (counts[scarce], scarce)


def largest(pool: Pool, resource: str, pods: int, quota: Amount) -> Amount:
    """Return the most that `pods` alike can have together of a resource, within `quota` and on the pool's nodes."""
    if not pool.nodes:
        return 0
    each = whole(resource, quota // pods)
    if resource in pool.node or "/" in resource:
        share_a_node = -(-pods // pool.nodes)
        each = min(each, per_pod(pool, resource), whole(resource, pool.node.get(resource, 0) // share_a_node))
    return pods * each


def whole(resource: str, amount: Amount) -> Amount:
    """Round down to what can be requested: cpu in thousandths of a core, all else in whole units."""
    return amount if resource == CPU else amount - amount % UNIT
