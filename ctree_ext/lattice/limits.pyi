# Nothing of this module can be used from Python.
