"""Cases that no memory holds: what is known of tests from counts."""
