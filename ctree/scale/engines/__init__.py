"""Where passes over parts run."""
