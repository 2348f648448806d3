"""Apportion: teams, quotas and GPU inventory compiled into Kustomize overlays."""

__version__ = "0.1.0"
ISSUES = "https://github.com/apportion/apportion/issues"
