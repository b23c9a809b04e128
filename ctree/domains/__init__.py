"""What a parameter may be.

A domain is used wherever a value comes in: ``Number(above=0).check("alpha", value)`` refuses a wrong one in one
sentence; ``read`` takes a text, ``read_typed`` one from the command line, ``to_plain`` and ``from_plain`` go to and
from the types of JSON.
"""

from ctree.domains.domain import AnyOf, Choice, Domain, Flag, Nothing
from ctree.domains.numeric import MAX_INTEGER, Integer, Memory, Number, Numbers
from ctree.domains.plain import is_list, is_plain, plain

__all__ = [
    "MAX_INTEGER",
    "AnyOf",
    "Choice",
    "Domain",
    "Flag",
    "Integer",
    "Memory",
    "Nothing",
    "Number",
    "Numbers",
    "is_list",
    "is_plain",
    "plain",
]
