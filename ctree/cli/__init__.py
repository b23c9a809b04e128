"""The `ctree` command, one module a subcommand."""
