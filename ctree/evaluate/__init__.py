"""How good a model is, and how sure of what it says."""
