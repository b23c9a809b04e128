"""A report of a model on one page: for those who have to decide about it."""
