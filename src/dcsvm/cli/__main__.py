"""``python -m dcsvm.cli``."""

from dcsvm.cli import main

main()
