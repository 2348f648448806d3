"""`python -m generator` is `apportion`."""

import sys

from generator.cli import entry

sys.exit(entry())
