"""The curves that plots and reports show, as numbers."""
