"""``python -m ctree``: the command, where its script is not on the path."""

from ctree.cli.start import main

if __name__ == "__main__":
    raise SystemExit(main())
