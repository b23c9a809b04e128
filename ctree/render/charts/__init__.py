"""Charts: what is drawn, apart from who draws it."""
