"""Whose line a warning names."""

import types

from dcsvm._util import user_line


def test_frames_of_the_package_are_passed_over():
    code = "def inner():\n    return level()\ndef outer():\n    return inner()\n"
    package = types.ModuleType("dcsvm.somewhere")
    package.level = user_line.level_of_user
    exec(code, vars(package))
    # level_of_user itself, and the two functions.
    assert package.outer() == 3
    user = types.ModuleType("user")
    user.level = user_line.level_of_user
    exec(code, vars(user))
    assert user.outer() == 1
