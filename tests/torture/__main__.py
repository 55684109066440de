"""Interrupts, kills, full disks, little memory, forks and leaks: `make torture`.

    python -m tests.torture [--rounds N] [--log FILE] [PART ...]

Every part has its share of the N rounds, and a process of its own, which ends at the first fault.
A part without faults has a line in the log with its number of rounds. Random moments are drawn
anew in each run.
"""

import argparse
import os
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

from tests.torture import forks, full_disks, interrupts, kills, leaks, little_memory

# Rounds of each thousand; of leaks there are two for each.
PARTS = {
    "interrupted fits": (interrupts.fits, 400),
    "interrupted predictions": (interrupts.predictions, 350),
    "interrupted searches": (interrupts.searches, 150),
    "interrupted commands": (interrupts.commands, 100),
    "killed saves": (kills.saves, 200),
    "files that cannot grow": (full_disks.saves, 1000),
    "full disks": (full_disks.disks, 200),
    "commands on full disks": (full_disks.commands, 60),
    "little memory": (little_memory.limits, 300),
    "forks": (forks.forks, 200),
    "cycles": (leaks.leaks, 2000),
}
LEAST = 4


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", default=list(PARTS), metavar="PART")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--log", type=Path, default=Path("build/torture/log.txt"))
    given = parser.parse_args()
    given.log.parent.mkdir(parents=True, exist_ok=True)
    code = 0
    for name in given.parts:
        rounds = max(LEAST, PARTS[name][1] * given.rounds // 1000)
        begin = time.monotonic()
        command = [sys.executable, "-m", "tests.torture.one", name, str(rounds)]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        ended = subprocess.run(command, capture_output=True, text=True, env=environment)
        n_done = ended.stdout.count(".")
        outcome = "no fault" if ended.returncode == 0 else f"FAULT, exit code {ended.returncode}"
        seconds = time.monotonic() - begin
        line = f"{date.today()}  {name:<24}{n_done:>6,} rounds {seconds:>7.0f} s  {outcome}"
        print(line, flush=True)
        with given.log.open("a") as log:
            log.write(line + "\n")
        if ended.returncode:
            print(ended.stderr[-3000:], flush=True)
            code = 1
    return code


if __name__ == "__main__":
    sys.exit(main())
