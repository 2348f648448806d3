"""YAML text → documents with the position of every node, and every defect as a finding."""

from generator.source.nodes import Document, Map, Seq, at, value_at
from generator.source.reader import parse

__all__ = ["Document", "Map", "Seq", "at", "parse", "value_at"]
