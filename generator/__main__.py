"""`python -m generator` is `apportion`."""

from generator.cli import entry

entry()
