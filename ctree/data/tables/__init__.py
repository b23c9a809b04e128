"""Cases in tables in memory."""
