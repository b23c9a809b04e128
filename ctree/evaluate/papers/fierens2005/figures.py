"""The figures of Fierens, Ramon, Blockeel and Bruynooghe's report CW 418: Tables 2 to 7, of sets that can be had."""

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
PLAIN = ("audiology", "pendigits", "primary-tumor", "vote", "yeast")
LINKED = ("biodegradability", "carcinogenesis", "mutagenesis", "trains")
"""The sets of one table, and those of linked tables."""
NOT_TO_BE_HAD = ("diterpenes", "hiv")
"""Sets of linked tables of which no copy in the report's form is public."""

AUC: Mapping[str, tuple[float, ...]] = {
    "audiology": (98.8, 98.7, 75.3, 75.6, 80.9, 81.2, 97.4),
    "pendigits": (99.5, 99.4, 98.7, 98.7, 98.9, 98.9, 99.4),
    "primary-tumor": (71.5, 73.3, 65.8, 67.7, 67.9, 67.5, 72.7),
    "vote": (98.6, 96.5, 97.4, 97.7, 98.3, 98.4, 98.5),
    "yeast": (75.8, 79.6, 78.3, 78.3, 78.3, 78.3, 79.1),
    "biodegradability": (74.9, 75.4, 63.9, 64.1, 73.0, 71.6, 64.5),
    "carcinogenesis": (59.1, 59.3, 50.0, 50.0, 54.0, 57.2, 50.0),
    "mutagenesis": (77.0, 71.7, 71.6, 74.5, 72.8, 75.8, 71.9),
    "trains": (86.3, 89.2, 89.0, 89.2, 89.2, 89.4, 89.3),
}
AUC_DEVIATIONS: Mapping[str, tuple[float, ...]] = {
    "audiology": (0.8, 0.7, 2.7, 2.4, 5.5, 5.0, 1.1),
    "pendigits": (0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 0.1),
    "primary-tumor": (3.1, 4.3, 5.3, 1.8, 1.9, 1.9, 4.0),
    "vote": (0.7, 2.1, 1.1, 1.4, 1.5, 0.9, 1.2),
    "yeast": (3.2, 3.5, 2.5, 2.5, 2.5, 2.5, 4.0),
    "biodegradability": (6.7, 4.8, 4.0, 2.9, 4.7, 5.3, 4.0),
    "carcinogenesis": (5.8, 6.7, 0.0, 0.0, 2.7, 3.2, 0.0),
    "mutagenesis": (5.0, 4.9, 7.0, 4.4, 8.2, 6.6, 6.0),
    "trains": (0.5, 0.6, 0.6, 0.5, 0.6, 0.5, 0.5),
}
LEAVES: Mapping[str, tuple[int, ...]] = {
    "audiology": (24, 24, 2, 2, 3, 3, 18),
    "pendigits": (254, 214, 36, 36, 42, 42, 126),
    "primary-tumor": (129, 79, 2, 2, 2, 2, 5),
    "vote": (21, 6, 3, 3, 6, 6, 6),
    "yeast": (447, 123, 6, 6, 6, 6, 23),
    "biodegradability": (72, 30, 2, 2, 10, 12, 4),
    "carcinogenesis": (95, 35, 1, 1, 5, 8, 1),
    "mutagenesis": (42, 9, 2, 2, 5, 5, 2),
    "trains": (4664, 484, 38, 49, 68, 92, 64),
}
LEAF_DEVIATIONS: Mapping[str, tuple[int, ...]] = {
    "audiology": (1, 2, 0, 0, 1, 1, 3),
    "pendigits": (8, 7, 2, 2, 3, 3, 4),
    "primary-tumor": (5, 7, 0, 0, 0, 0, 1),
    "vote": (3, 3, 1, 1, 1, 1, 1),
    "yeast": (34, 13, 0, 0, 0, 0, 3),
    "biodegradability": (5, 5, 1, 1, 2, 4, 2),
    "carcinogenesis": (8, 7, 0, 0, 2, 3, 0),
    "mutagenesis": (4, 5, 0, 0, 2, 2, 0),
    "trains": (55, 29, 2, 4, 6, 6, 3),
}
MARKS: Mapping[str, Mapping[str, str]] = {
    "C4.4": {
        "audiology": ".=-----",
        "pendigits": ".-----=",
        "primary-tumor": ".=----=",
        "vote": ".--====",
        "yeast": ".++++++",
        "biodegradability": ".=--==-",
        "carcinogenesis": ".=---=-",
        "mutagenesis": ".--===-",
        "trains": ".++++++",
    },
    "C4.5": {
        "audiology": "=.-----",
        "pendigits": "+.-----",
        "primary-tumor": "=.----=",
        "vote": "+.==+++",
        "yeast": "-.----=",
        "biodegradability": "=.--==-",
        "carcinogenesis": "=.---=-",
        "mutagenesis": "+.===+=",
        "trains": "-.=====",
    },
}
"""Tables 3 and 5: whose AUC is significantly better or worse than that of C4.4, and of C4.5."""
ROOT_TESTS: Mapping[str, int] = {
    "audiology": 125,
    "pendigits": 160,
    "primary-tumor": 29,
    "vote": 16,
    "yeast": 45,
    "biodegradability": 47,
    "carcinogenesis": 305,
    "mutagenesis": 139,
    "trains": 73,
}
"""Table 2: how many tests the root is chosen from."""
SECONDS: Mapping[str, tuple[float, ...]] = {
    "audiology": (0.6, 0.5, 0.1, 0.2, 0.1, 0.2, 0.9),
    "pendigits": (23.3, 23.4, 7.8, 10.3, 8.4, 10.6, 18.9),
    "primary-tumor": (6.3, 6.4, 0.1, 0.3, 0.1, 0.2, 0.1),
    "vote": (0.2, 0.2, 0.1, 0.1, 0.1, 0.1, 0.1),
    "yeast": (33.4, 33.6, 0.4, 2.3, 0.4, 2.6, 0.9),
    "biodegradability": (3.5, 3.6, 0.1, 1.4, 0.5, 2.8, 0.3),
    "carcinogenesis": (32.5, 32.6, 0.6, 19.3, 2.8, 30.2, 0.6),
    "mutagenesis": (9.8, 9.8, 1.9, 7.7, 3.1, 9.9, 1.9),
    "trains": (2741.0, 2747.4, 38.4, 475.5, 44.1, 993.8, 42.6),
}
"""Table 7: the time to build one tree."""
