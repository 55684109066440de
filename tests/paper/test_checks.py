"""Statements that should hold."""

from paper import (
    checks,
)


def test_checks_say_what_holds(results):
    found = {check.statement: check for check in checks.all_checks(results)}
    assert found["iris: 1.6 to 1.8 decisions"].holds
    assert found["fewer than k − 1 decisions, θ = 0.1 %"].holds
    never = checks.near(results, "iris", -1.0, "iris")
    assert not never.holds
    assert "✗" in checks.markdown([never], {})
    assert "explained" in checks.markdown([never], {never.statement: "Because."})
