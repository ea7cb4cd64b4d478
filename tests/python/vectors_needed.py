"""Tests of the processor's vectors, in builds that have none."""

import mxgold


def needs_vectors(case):
    """Skips a test where the library was built without them."""
    try:
        mxgold.convert([1.0], "e4m3fn", backend="cpu")
    except ValueError as error:
        if "Highway" not in str(error):
            raise
        case.skipTest("this build has no Highway: the vectors are not tested")
