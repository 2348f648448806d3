"""What the API server knows of each kind: structure, limits, defaults and CEL rules per served version; no prose."""
