"""What tests of the kernels share."""

import pytest

from ctree_ext.lattice.bitblocks import use_fast_bits


@pytest.fixture(params=["fast", "portable"])
def bits(request):
    """The loops over bits for this processor, and those for any."""
    fast = use_fast_bits(request.param == "fast")
    assert not (fast and request.param == "portable")
    yield
    use_fast_bits(True)
