"""What a row costs by the vote of all machines, and by elimination: which of them is faster.

All is counted in kernel evaluations of as many operations. The vote evaluates the kernel once per
distinct support vector, for many rows together, and adds each value to the sums of k − 1 machines.
Elimination evaluates the support vectors of few machines, but each of its decisions takes more than
that: a row looks for its next opponent, and waits for a machine that no other row has just used.
Measured on the sets of the benchmarks, that is what about `EVALUATIONS_OF_DECISION` evaluations
take.

Where the whole vote costs no more than a handful of decisions, no shortlist can be faster.
"""

from __future__ import annotations

from dcsvm.machines.pairwise import PairwiseMachines
from dcsvm.routing.elimination.calibration import operations_of_kernel

# What a decision takes beside the evaluations of its machine.
EVALUATIONS_OF_DECISION = 100
# A vote that costs no more than this is faster than any elimination.
FEW_EVALUATIONS = 2.5 * EVALUATIONS_OF_DECISION


def cost_of_vote(machines: PairwiseMachines) -> float:
    """Of a row, by the vote of all machines."""
    operations = operations_of_kernel(machines.kernel, machines.multiplications_per_evaluation)
    return machines.evaluations_of_a_vote + 2.0 * len(machines.index) / operations


def cost_of_elimination(evaluations: float, decisions: float) -> float:
    """Of a row, by so many kernel evaluations of so many machines."""
    return evaluations + EVALUATIONS_OF_DECISION * decisions


def vote_is_cheaper(machines: PairwiseMachines, evaluations: float, decisions: float) -> bool:
    """Whether it takes less than elimination by so much.

    Not where kernel values are given, and to compute them is what takes the time.
    """
    is_cheaper = cost_of_vote(machines) < cost_of_elimination(evaluations, decisions)
    return machines.kernel.is_built_in and is_cheaper


def needs_no_shortlist(machines: PairwiseMachines) -> bool:
    """Whether the vote costs so little that nothing else is worth trying."""
    is_compared = machines.kernel.is_built_in and machines.n_classes > 2
    return is_compared and cost_of_vote(machines) <= FEW_EVALUATIONS
