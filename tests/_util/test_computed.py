"""An attribute is computed once, and no lock is held meanwhile."""

import threading

from tests import patience

from dcsvm._util.computed import computed_once


class Counted:
    def __init__(self):
        self.times = 0

    @computed_once
    def value(self):
        """What it is."""
        self.times += 1
        return object()


def test_it_is_computed_once_for_each_object():
    one, other = Counted(), Counted()
    assert one.value is one.value
    assert one.value is not other.value
    assert (one.times, other.times) == (1, 1)
    assert vars(one)["value"] is one.value
    assert Counted.value.__doc__ == "What it is."


def test_threads_do_not_wait_for_each_other_and_get_the_same_object():
    meeting = threading.Barrier(2, timeout=patience.SECONDS)

    class Slow:
        @computed_once
        def value(self):
            meeting.wait()  # broken, unless both are in here at the same time
            return object()

    slow, got = Slow(), []
    threads = [threading.Thread(target=lambda: got.append(slow.value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(got) == 2
    assert got[0] is got[1] is slow.value
