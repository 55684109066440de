"""The structure as a picture."""

import matplotlib as mpl
import matplotlib.pyplot as plt

from dcsvm import DCSVC
from dcsvm.inspection import decision_structure, plot_tree


def test_pictures_take_any_class_name(strange_names):
    X, y = strange_names
    clf = DCSVC.paper().fit(X, y)
    plot_tree(clf, highlight=X[0])
    plt.gcf().canvas.draw()


def test_picture_shows_what_the_tree_has(drawn):
    texts = [t.get_text() for t in plot_tree(drawn, max_nodes=15)]
    tree = decision_structure(drawn).tree(max_children=3, max_nodes=15)
    machines = sorted(t for t in texts if " vs " in t)
    assert machines == sorted(
        "{} vs {}".format(*b.node.machine) for b in tree.walk() if b.node.kind == "machine"
    )


def test_picture_marks_a_path_beyond_its_limits(drawn, digits):
    x = digits[0][1300]
    length = len(decision_structure(drawn, highlight=x).highlighted)
    plot_tree(drawn, highlight=x, max_depth=1)
    boxes = plt.gca().patches
    assert sum(b.get_edgecolor() == mpl.colors.to_rgba("#d1495b") for b in boxes) == length


def test_text_stays_within_its_boxes_and_boxes_apart(drawn, digits):
    figure, ax = plt.subplots(figsize=(9, 6))
    plot_tree(drawn, ax=ax, highlight=digits[0][1300])
    figure.canvas.draw()
    boxes = [p.get_window_extent() for p in ax.patches]
    for a in range(len(boxes)):
        for b in range(a):
            assert not boxes[a].overlaps(boxes[b])
    texts = [t for t in ax.texts if t.get_zorder() == 5 and not t.get_text().endswith("more")]
    for text in texts:
        at = text.get_window_extent()
        inside = [b for b in boxes if b.contains((at.x0 + at.x1) / 2, (at.y0 + at.y1) / 2)]
        if inside:
            assert at.x0 >= inside[0].x0
            assert at.x1 <= inside[0].x1
