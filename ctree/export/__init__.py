"""Trees for use elsewhere: SQL, PMML, and plain Python and C, with the same class probabilities."""
