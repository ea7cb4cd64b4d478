"""`python3 -m mxgold` is the mxgold program."""

from ._program import main

main()
