"""The commands, one module each, imported when it is chosen.

A module's `arguments(parser)` declares what the command takes beside the common options, and its `run(options)` does it
and returns the exit status.
"""

COMMANDS = {
    "compile": "check the inputs, then write output/",
    "check": "check the inputs and whether output/ is fresh; writes nothing",
    "lint": "judge Kubernetes manifests of anywhere as the cluster would",
    "plan": "show what changes since a revision of Git, and what of it is unsafe",
    "preflight": "hold the live cluster, or a list of its nodes, against an environment; only reads",
    "crds": "keep the CRDs of one's own cluster, to judge objects by them",
    "ledger": "show what each pool can schedule, who is guaranteed it, what each queue can get",
    "policy": "list the policies, show one, or test them by their own examples",
    "schema": "print the JSON Schema of the input, for editors",
    "init": "write a new repository that compiles",
}
