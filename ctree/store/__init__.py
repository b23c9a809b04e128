"""Models in files: versioned JSON."""
