"""`python -m generator` is `apportion`."""

from generator.start import entry

entry()
