"""The experiments of published papers, reproduced."""
