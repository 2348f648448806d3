"""CEL as the API server evaluates it: Google's C++ runtime, and Kubernetes' own functions added to it."""
