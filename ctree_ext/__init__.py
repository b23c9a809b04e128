"""The compiled kernels: arrays in, arrays out."""

from importlib.util import find_spec

if find_spec("ctree_ext.base.cases") is None:
    raise ImportError(
        "the compiled modules of ctree are not beside their sources: start Python in another directory to use the "
        "installed package, or compile them here with `pip install -e .`"
    )
