"""What tests of the kernels share."""

import pytest

from ctree_ext.lattice import itemsets, lattice, pairs, views


@pytest.fixture(params=["fast", "portable"])
def bits(request):
    """The loops over bits for this processor, and those for any."""
    modules = (itemsets, lattice, pairs, views)  # each has its own switch
    fast = {module.fast_bits(request.param == "fast") for module in modules}
    assert len(fast) == 1
    if request.param == "portable":
        assert fast == {False}
    yield
    for module in modules:
        module.fast_bits(True)
