"""Cases beyond memory: numbers to bins, and passes over coded cases."""
