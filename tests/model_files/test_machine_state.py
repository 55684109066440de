"""Every number of machines, tables and kept rows is checked."""

import numpy as np
import pytest

# One number of a state set wrong, and what is said about it.
WRONG = {
    "machines.index": (lambda m: m["machines"]["index"].__setitem__(0, 10**6), "indices beyond"),
    "machines.index below": (lambda m: m["machines"]["index"].__setitem__(0, -1), "indices"),
    "machines.start": (lambda m: m["machines"]["start"].__setitem__(1, 10**6), "does not rise"),
    "machines.start end": (lambda m: m["machines"]["start"].__setitem__(-1, 0), "does not rise"),
    "machines.coef": (lambda m: m["machines"]["coef"].__setitem__(0, np.nan), "not finite"),
    "machines.pool": (lambda m: m["machines"].update(pool=np.ones((5, 9))), "of shape"),
    "machines.intercept": (
        lambda m: m["machines"].update(intercept=m["machines"]["intercept"][1:]),
        "of shape",
    ),
    "machines.coef type": (
        lambda m: m["machines"].update(coef=m["machines"]["coef"].astype(np.float32)),
        "of type float32",
    ),
    "machines.kernel": (lambda m: m["machines"]["kernel"].update(name="magic"), "is 'magic'"),
    "machines.gamma": (lambda m: m["machines"]["kernel"].update(gamma=np.inf), "not finite"),
    "table.counts": (lambda m: m["table"]["counts"].__setitem__((0, 0), 0), "without rows"),
    "table.n_rows": (lambda m: m["table"]["values"]["n_rows"].__setitem__(0, 0), "no rows"),
    "sample": (lambda m: m["sample"]["codes"].__setitem__(0, 4), "indices beyond"),
}


@pytest.mark.parametrize("model", ["default", "margin"])
@pytest.mark.parametrize("name", WRONG)
def test_every_number_is_checked(model, name, refused_state):
    refused_state(model, *WRONG[name])
