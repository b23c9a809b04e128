"""Cases beyond memory: numbers to bins, counts by codes."""
