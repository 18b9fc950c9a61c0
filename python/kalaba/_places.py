"""Which frame of Python is the user's own."""

import os
import sys

import numpy as np

PACKAGE = os.path.dirname(__file__)
NUMPY = os.path.dirname(np.__file__)


def place_of_caller():
    """The frame of the user's own code: (code, instruction, line)."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((PACKAGE, NUMPY, "<__array")):
        frame = frame.f_back
    return (frame.f_code, frame.f_lasti, frame.f_lineno) if frame is not None else None
