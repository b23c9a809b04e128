"""Case files and the coding of columns."""
