"""The figures of Fierens, Ramon, Blockeel and Bruynooghe's report CW 418: Tables 2 to 7, of the public sets."""

from __future__ import annotations

from collections.abc import Mapping

METHODS = {
    "C4.4": "c4.4",
    "C4.5": "c4.5",
    "MDLs": "mdl-stop",
    "MDLp": "mdl-prune",
    "BICs": "bic-stop",
    "BICp": "bic-prune",
    "Chi": "chi2",
}
"""The report's names for the methods here, in the order of its tables."""

AUC: Mapping[str, tuple[float, ...]] = {
    "audiology": (98.8, 98.7, 75.3, 75.6, 80.9, 81.2, 97.4),
    "pendigits": (99.5, 99.4, 98.7, 98.7, 98.9, 98.9, 99.4),
    "primary-tumor": (71.5, 73.3, 65.8, 67.7, 67.9, 67.5, 72.7),
    "vote": (98.6, 96.5, 97.4, 97.7, 98.3, 98.4, 98.5),
    "yeast": (75.8, 79.6, 78.3, 78.3, 78.3, 78.3, 79.1),
}
AUC_DEVIATIONS: Mapping[str, tuple[float, ...]] = {
    "audiology": (0.8, 0.7, 2.7, 2.4, 5.5, 5.0, 1.1),
    "pendigits": (0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.1),
    "primary-tumor": (3.1, 4.3, 5.3, 1.8, 1.9, 1.9, 4.0),
    "vote": (0.7, 2.1, 1.1, 1.4, 1.5, 0.9, 1.2),
    "yeast": (3.2, 3.5, 2.5, 2.5, 2.5, 2.5, 4.0),
}
LEAVES: Mapping[str, tuple[int, ...]] = {
    "audiology": (24, 24, 2, 2, 3, 3, 18),
    "pendigits": (254, 214, 36, 36, 42, 42, 126),
    "primary-tumor": (129, 79, 2, 2, 2, 2, 5),
    "vote": (21, 6, 3, 3, 6, 6, 6),
    "yeast": (447, 123, 6, 6, 6, 6, 23),
}
LEAF_DEVIATIONS: Mapping[str, tuple[int, ...]] = {
    "audiology": (1, 2, 0, 0, 1, 1, 3),
    "pendigits": (8, 7, 2, 2, 3, 3, 4),
    "primary-tumor": (5, 7, 0, 0, 0, 0, 1),
    "vote": (3, 3, 1, 1, 1, 1, 1),
    "yeast": (34, 13, 0, 0, 0, 0, 3),
}
MARKS: Mapping[str, Mapping[str, str]] = {
    "C4.4": {
        "audiology": ".=-----",
        "pendigits": ".-----=",
        "primary-tumor": ".=----=",
        "vote": ".--====",
        "yeast": ".++++++",
    },
    "C4.5": {
        "audiology": "=.-----",
        "pendigits": "+.-----",
        "primary-tumor": "=.----=",
        "vote": "+.==+++",
        "yeast": "-.----=",
    },
}
"""Tables 3 and 5: whose AUC is significantly better or worse than that of C4.4, and of C4.5."""
ROOT_TESTS: Mapping[str, int] = {"audiology": 125, "pendigits": 160, "primary-tumor": 29, "vote": 16, "yeast": 45}
"""Table 2: how many tests the root is chosen from."""
SECONDS: Mapping[str, tuple[float, ...]] = {
    "audiology": (0.6, 0.5, 0.1, 0.2, 0.1, 0.2, 0.9),
    "pendigits": (23.3, 23.4, 7.8, 10.3, 8.4, 10.6, 18.9),
    "primary-tumor": (6.3, 6.4, 0.1, 0.3, 0.1, 0.2, 0.1),
    "vote": (0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1),
    "yeast": (33.4, 33.6, 0.4, 2.3, 0.4, 2.6, 0.9),
}
"""Table 7: the time to build one tree."""
