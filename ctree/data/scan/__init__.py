"""Cases in files that no memory holds, batch by batch."""
