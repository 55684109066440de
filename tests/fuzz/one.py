"""Fuzz one target in this process, which ends at the first case that behaves badly.

    python -m tests.fuzz.one TARGET FOLDER SECONDS SEED

Atheris, which is libFuzzer for Python, changes the cases in FOLDER and keeps those that reach new
lines of dcsvm. The case that a process dies of is in FOLDER/../found, or, where a signal ended it,
in FOLDER/../TARGET.last.
"""

import signal
import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["dcsvm"]):
    import dcsvm.cli.app  # noqa: F401

from tests.fuzz.choices import Choices
from tests.fuzz.targets import TARGETS

# Of a processor; where none is used, a case may wait for the longer time.
SECONDS_PER_CASE, SECONDS_OF_WAITING = 10, 100
MEGABYTES, LONGEST_CASE = 2048, 2**16


def main(name, folder, seconds, seed):
    target, folder = TARGETS[name], Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(target.seeds()):
        (folder / f"seed{number}").write_bytes(data)
        target.try_case(data)  # imports what it needs
    found = folder.parent / "found"
    found.mkdir(exist_ok=True)
    own = target.mutate and mutator(target.mutate)
    options = {
        "max_total_time": seconds,
        "seed": seed,
        "timeout": SECONDS_OF_WAITING,
        "rss_limit_mb": MEGABYTES,
        "max_len": LONGEST_CASE,
        "artifact_prefix": f"{found}/{name}-",
        "print_final_stats": 1,
    }
    arguments = [f"-{option}={value}" for option, value in options.items()]
    last = folder.with_suffix(".last")

    def try_case(data):
        last.write_bytes(data)
        signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_CASE)
        target.try_case(data)
        signal.setitimer(signal.ITIMER_PROF, 0)

    atheris.Setup([sys.argv[0], *arguments, str(folder)], try_case, custom_mutator=own)
    atheris.Fuzz()


def mutator(mutate):
    """Every other case is changed by the target itself."""

    def change(data, max_size, seed):
        if seed % 2:
            return atheris.Mutate(data, max_size)
        return mutate(data, Choices(seed.to_bytes(8, "big")))[:max_size]

    return change


if __name__ == "__main__":
    main(*sys.argv[1:])
