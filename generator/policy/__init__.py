"""Policies: what a platform team wants beyond what the cluster accepts; CEL in YAML, judged over plain values."""
