"""What tests of kernels share."""

import pytest

from ctree_ext.base.processor import use_processor

LEVELS = {"any processor": 0, "AVX2": 1, "AVX-512": 2, "wide count": 3}


@pytest.fixture(params=LEVELS.values(), ids=LEVELS)
def processor(request):
    """The loops for any processor, and those for processors that can do more."""
    level = use_processor(request.param)
    if level == request.param:
        yield
    use_processor(max(LEVELS.values()))
    if level < request.param:
        pytest.skip("this processor cannot do that")
