"""`python -m dcsvm`, the same as the command `dcsvm`."""

from dcsvm.cli import main

main()
