"""The learned model: a tree as immutable flat arrays with its schema."""
