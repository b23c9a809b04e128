"""Trees grown level by level, from cases that no memory holds."""
