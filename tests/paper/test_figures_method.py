"""Figures 1 to 3."""

from paper.figures_method import first, second, third


def test_figures_of_the_method(example):
    assert "svm₁₂" in [text.get_text() for text in first().axes[0].texts]
    assert len(second(example).axes[0].texts) == 15 * 6
    assert len(third(example).axes) == 2
