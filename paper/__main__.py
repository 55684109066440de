"""Run the experiments that have no result yet, and write RESULTS.md and the figures."""

from __future__ import annotations

import argparse
import multiprocessing
import signal
import sys
from pathlib import Path
from time import perf_counter

from paper import e1071, problems
from paper.problems import OFFICIAL, OFFICIAL_SETS, PAPER, SETTINGS, TIMES, TRIALS
from paper.runner import Task, run_all

HERE = Path(__file__).parent
# A trial of these takes minutes in R, and the results agree with SVC's.
SLOW_IN_R = ("usps", "letter", "poker", "covertype")
TRIALS_IN_R = 3
INTERRUPTED = 130  # the exit code of shells for it


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
        leave(str(error), 1)
    except KeyboardInterrupt:
        kept = "What is finished is kept; the same command goes on from there."
        leave(f"\nInterrupted. {kept}", INTERRUPTED)
    from paper.report import write_report

    folder = HERE / "out" / "fast" if options.fast else HERE
    write_report(results, folder, options.fast)
    minutes = (perf_counter() - start) / 60
    print(f"{folder / 'RESULTS.md'} written, {minutes:.1f} minutes.", file=sys.stderr)


def leave(message, code):
    """End at once: an interrupted pool may wait for its processes without end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for process in multiprocessing.active_children():
        process.kill()
    print(message, file=sys.stderr)
    sys.exit(code)


def tasks_of(options):
    """All tasks of a run."""
    fast, sets = options.fast, options.sets
    trials = options.trials or (problems.FAST_TRIALS if fast else TRIALS)
    counts = {(name, setting): trials for setting in SETTINGS for name in sets}
    timed = min(trials, problems.TIMED_TRIALS)
    counts |= {(name, TIMES[setting]): timed for setting in SETTINGS for name in sets}
    if not fast:
        counts |= {(name, OFFICIAL): 1 for name in OFFICIAL_SETS if name in sets}
    reason = e1071.why_not()
    if reason is None:
        counts |= _in_r(sets, trials, fast)
    else:
        print(f"Without e1071: {reason}.", file=sys.stderr)
    return [Task(*what, trial, fast) for what, count in counts.items() for trial in range(count)]


def _in_r(sets, trials, fast):
    """The number of trials in R by set and kind; a fast run has two small sets only."""
    built_in = [name for name in (["iris"] if fast else PAPER) if name in sets]
    literal = [name for name in (["segmentation"] if fast else e1071.LITERAL) if name in sets]
    slow = {name: min(trials, TRIALS_IN_R) for name in SLOW_IN_R}
    as_the_paper = trials if fast or trials < TRIALS else e1071.LITERAL_TRIALS
    return {(name, "e1071"): slow.get(name, trials) for name in built_in} | {
        (name, "literal"): as_the_paper for name in literal
    }


if __name__ == "__main__":
    main()
