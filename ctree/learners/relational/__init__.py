"""Trees that ask for linked rows."""
