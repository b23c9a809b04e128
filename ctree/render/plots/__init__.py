"""Pictures by matplotlib."""
