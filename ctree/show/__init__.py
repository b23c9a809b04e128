"""Pictures of models."""
