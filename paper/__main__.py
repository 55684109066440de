"""Run the experiments, or what is missing of them, and write RESULTS.md and the figures."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from time import perf_counter

from paper import e1071
from paper.problems import FAST_TRIALS, OFFICIAL, OFFICIAL_SETS, PAPER, SETTINGS, TRIALS
from paper.runner import Task, run_all

HERE = Path(__file__).parent
# R takes minutes for a trial of these, to say what SVC says.
SLOW_IN_R = ("usps", "letter", "poker", "covertype")
TRIALS_IN_R = 3


def main():
    """`python -m paper`."""
    parser = argparse.ArgumentParser(prog="python -m paper", description=__doc__)
    parser.add_argument("--fast", action="store_true", help="two trials of fewer rows, 2 minutes")
    parser.add_argument("--sets", nargs="+", choices=PAPER, default=PAPER, metavar="SET")
    parser.add_argument("--trials", type=int, help=f"{TRIALS} unless given")
    parser.add_argument("--report", action="store_true", help="run nothing, write what is there")
    options = parser.parse_args()
    start = perf_counter()
    try:
        results = run_all(tasks_of(options), only_saved=options.report)
    except OSError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("\nInterrupted. What is finished is kept; the same command goes on from there.")
    from paper.report import write_report

    folder = HERE / "out" / "fast" if options.fast else HERE
    write_report(results, folder, options.fast)
    minutes = (perf_counter() - start) / 60
    print(f"{folder / 'RESULTS.md'} written, {minutes:.1f} minutes.", file=sys.stderr)


def tasks_of(options):
    """All that belongs to a run."""
    trials = range(options.trials or (FAST_TRIALS if options.fast else TRIALS))
    kinds = [(name, setting) for setting in SETTINGS for name in options.sets]
    reason = e1071.why_not()
    if reason is None:
        # In a quick look one small set shows that R is there.
        with_r = ["iris"] if options.fast else options.sets
        kinds += [(name, "e1071") for name in with_r if name in options.sets]
        literal = ("segmentation",) if options.fast else e1071.LITERAL
        kinds += [(name, "literal") for name in literal if name in options.sets]
    else:
        print(f"Without e1071: {reason}.", file=sys.stderr)
    if not options.fast:
        official = [Task(n, OFFICIAL, 0, False) for n in OFFICIAL_SETS if n in options.sets]
    else:
        official = []
    return official + [
        Task(name, kind, trial, options.fast)
        for name, kind in kinds
        for trial in trials
        if not (kind == "e1071" and name in SLOW_IN_R and trial >= TRIALS_IN_R)
    ]


if __name__ == "__main__":
    main()
