"""What a parameter may be.

A domain is used wherever a value comes in: ``Number(above=0).check("alpha", value)`` refuses a wrong one in one
sentence; ``read`` takes a text, ``read_typed`` one from the command line, ``to_plain`` and ``from_plain`` go to and
from the types of JSON.
"""
