"""All trees at once."""
