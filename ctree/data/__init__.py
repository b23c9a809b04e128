"""Data: schema, data sets, and the files and tables that they come from."""
