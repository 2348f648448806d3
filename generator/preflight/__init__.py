"""What a live cluster says to a compiled environment before it is synced; only read, never written."""
