"""What a command prints."""

from tests.cli.options.command import given

from dcsvm.cli.options import ConsoleOptions


def test_what_is_printed_can_be_chosen():
    assert given(ConsoleOptions) == ConsoleOptions(as_json=False, quiet=False, debug=False)
    assert given(ConsoleOptions, "--json", "-q", "--debug") == ConsoleOptions(True, True, True)
