"""The papers' experiments, done again."""
