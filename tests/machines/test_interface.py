"""Both kinds of machines have what the table and the routes need."""

import inspect

import pytest

from dcsvm.machines.interface import KernelExpansion, Observer, PairValues
from dcsvm.machines.of_estimators import EstimatorMachines
from dcsvm.machines.pairwise import PairwiseMachines


@pytest.mark.parametrize("machines", [EstimatorMachines, PairwiseMachines])
@pytest.mark.parametrize("protocol", [Observer, PairValues])
def test_methods_take_what_the_protocol_says(machines, protocol):
    for name, wanted in vars(protocol).items():
        if name.startswith("_"):
            continue
        found = inspect.getattr_static(machines, name)
        assert isinstance(found, property) == isinstance(wanted, property), name
        if inspect.isfunction(wanted):
            of_wanted, of_found = inspect.signature(wanted), inspect.signature(found)
            assert list(of_found.parameters) == list(of_wanted.parameters), name


def test_the_parts_of_an_expansion_are_arguments_of_pairwise_machines():
    assert set(KernelExpansion.__annotations__) <= set(
        inspect.signature(PairwiseMachines).parameters
    )
