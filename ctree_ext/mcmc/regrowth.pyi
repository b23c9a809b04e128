# Nothing of this module can be seen from Python.
