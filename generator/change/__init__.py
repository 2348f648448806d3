"""What a step from one revision of the inputs to another changes in each environment, and what of it is unsafe."""

RULES = frozenset(
    (
        "application-changes",
        "borrowing-limit-lifted",
        "environment-removed",
        "environment-renamed",
        "flavor-removed-in-use",
        "lending-limit-lifted",
        "local-queue-re-pointed",
        "namespace-becomes-managed",
        "namespace-removed",
        "operator-needs-reinstalling",
        "priority-value-edited",
        "profile-removed",
        "profile-scope-flipped",
        "queue-removed-undrained",
        "quota-shrunk",
        "release-goes-back",
        "runtime-removed",
        "team-removed",
        "topology-removed-in-use",
        "update-refused",
        "upgrade-without-channel",
    )
)
"""The rules by which a step is judged: only `plan` knows of them, and a waiver may name one."""
