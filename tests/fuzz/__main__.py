"""Fuzz all targets, or those named, each in a process of its own.

    python -m tests.fuzz --minutes 60 [TARGET ...]

The minutes are shared by the targets, which run one after the other. A process ends at a case
that behaves badly; the case is kept in build/fuzz/found, and another process goes on. The exit
code says whether any did. One line for each target is added to the log.
"""

import argparse
import os
import re
import secrets
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

from tests.fuzz.targets import TARGETS

FOLDER = Path("build/fuzz")
MOST_FOUND = 5  # by a target that has so many faults, no more are looked for
START_AND_END = 900  # seconds that a process may take beside its cases, where much else runs


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=list(TARGETS), metavar="TARGET")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--log", type=Path, default=FOLDER / "log.txt")
    given = parser.parse_args()
    (FOLDER / "found").mkdir(parents=True, exist_ok=True)
    given.log.parent.mkdir(parents=True, exist_ok=True)
    is_clean = True
    for name in given.targets:
        cases, peak, faults = fuzz(name, 60 * given.minutes / len(given.targets))
        is_clean &= not faults
        line = f"{date.today()}  {name:<12}{cases:>9,} cases  {peak:>5} MB  {len(faults)} faults"
        print(line, flush=True)
        for fault in faults:
            print(f"    {fault}")
        with given.log.open("a") as log:
            log.write(line + "\n")
    return 0 if is_clean else 1


def fuzz(name, seconds):
    """How many cases were tried, the memory taken at most, and what went wrong."""
    end = time.monotonic() + seconds
    cases, peak, faults = 0, 0, []
    while (left := int(end - time.monotonic())) > 0 and len(faults) < MOST_FOUND:
        command = [sys.executable, "-m", "tests.fuzz.one", name, FOLDER / name, left]
        output = FOLDER / f"{name}.txt"
        code = run([*map(str, command), str(secrets.randbelow(2**31))], output, left)
        text = output.read_text(errors="replace")
        cases += max(map(int, re.findall(r"^#(\d+)\s", text, re.MULTILINE)), default=0)
        peak = max([peak, *map(int, re.findall(r"rss: (\d+)Mb", text))])
        if code:
            faults.append(summary_of(text, code))
            if code < 0:  # a signal: the case is not among those found
                last = FOLDER / f"{name}.last"
                kept = last.rename(FOLDER / "found" / f"{name}-{secrets.token_hex(8)}")
                faults[-1] += f" | {kept}"
    return cases, peak, faults


def run(command, output, seconds):
    """The exit code; a process that does not end by itself is killed."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    with output.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, env=environment)
        try:
            return process.wait(seconds + START_AND_END)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()


def summary_of(text, code):
    """The exception or the report of the sanitizer, and where the case is."""
    lines = text.splitlines()
    told = [line for line in lines if re.match(r"SUMMARY|\w+(\.\w+)*(Error|Interrupt)\b", line)]
    case = [line.split()[-1] for line in lines if "Test unit written to" in line]
    return " | ".join([*(told or [f"exit code {code}"])[-2:], *case])


if __name__ == "__main__":
    sys.exit(main())
