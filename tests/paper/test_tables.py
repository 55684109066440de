"""Tables in Markdown."""

from paper.results import Mean

from paper import (
    published,
    tables,
)


def test_cells():
    assert tables.number(Mean(1.234, 0.056, 10)) == "1.23 ± 0.06"
    assert tables.beside(Mean(95.8, 0.1, 10), 96.43) == "95.80 ± 0.10<br>96.43 (−0.63)"
    assert tables.signed(-0.001) == "0.00"
    assert tables.beside(None, 1.0) == "–"


def test_tables_have_a_line_for_each_set_and_even_rows(results):
    texts = [tables.sets(results), tables.accuracy(results), tables.orders(results)]
    texts += [tables.cost(results, "decisions", published.DECISIONS, 2), tables.tuned(results)]
    texts += [tables.times(results, "paper"), tables.tuned_cost(results)]
    texts += [tables.evaluations(results, "tuned")]
    for text in texts:
        lines = text.splitlines()
        assert [line.split(" | ")[0] for line in lines[2:]] == ["| artificial1", "| iris", "| wine"]
        assert len({line.count("|") for line in lines}) == 1
