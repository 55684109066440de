"""One part of the torture in this process: a dot for each round, and a traceback at a fault."""

import sys

from tests.torture.__main__ import PARTS

if __name__ == "__main__":
    for _ in PARTS[sys.argv[1]][0](int(sys.argv[2])):
        print(".", end="", flush=True)
