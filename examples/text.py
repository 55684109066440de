"""Text: which part of scikit-learn a piece of its documentation is about.

The texts come with scikit-learn: the paragraphs of its docstrings, without the names of modules.
"""

import importlib
import inspect
import re
import sys

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from dcsvm import DCSVC

PARTS = (
    "cluster",
    "covariance",
    "cross_decomposition",
    "datasets",
    "decomposition",
    "ensemble",
    "feature_extraction.text",
    "feature_selection",
    "gaussian_process",
    "linear_model",
    "manifold",
    "metrics",
    "mixture",
    "model_selection",
    "naive_bayes",
    "neighbors",
    "neural_network",
    "preprocessing",
    "svm",
    "tree",
)


def paragraphs():
    """Paragraphs of docstrings, and the part of scikit-learn of each."""
    texts, parts = [], []
    for part in PARTS:
        module = importlib.import_module(f"sklearn.{part}")
        found = set()
        for name in set(module.__all__) & set(dir(module)):
            for text in re.split(r"\n\s*\n", inspect.getdoc(getattr(module, name)) or ""):
                if len(text.split()) >= 15 and ">>>" not in text:
                    found.add(re.sub(r"sklearn[\w.]*", "", text))
        texts += sorted(found)
        parts += [part.split(".")[0]] * len(found)
    return np.array(texts), np.array(parts)


def draw(file, n_rows=None):
    texts, parts = paragraphs()
    if n_rows is not None:
        some = np.random.default_rng(0).permutation(len(texts))[:n_rows]
        texts, parts = texts[some], parts[some]
    texts, texts_test, parts, parts_test = train_test_split(
        texts, parts, test_size=0.3, random_state=0
    )
    clf = make_pipeline(
        TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2),
        DCSVC(kernel="linear", C=10, class_weight="balanced"),
    ).fit(texts, parts)
    predicted, classes = clf.predict(texts_test), clf[-1].classes_
    counts = confusion_matrix(parts_test, predicted, labels=classes)
    share = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
    figure, axes = plt.subplots(figsize=(8, 7), layout="constrained")
    axes.imshow(share, cmap="Blues", vmin=0, vmax=1)
    for (r, c), n in np.ndenumerate(counts):
        if n > 0:
            axes.text(
                c,
                r,
                n,
                ha="center",
                va="center",
                fontsize=8,
                color="w" if share[r, c] > 0.5 else "k",
            )
    axes.set_xticks(range(len(classes)), classes, rotation=90)
    axes.set_yticks(range(len(classes)), classes)
    axes.set(xlabel="predicted", ylabel="true")
    accuracy = np.mean(predicted == parts_test)
    largest = np.unique(parts_test, return_counts=True)[1].max() / len(parts_test)
    figure.suptitle(
        f"{len(texts_test)} paragraphs: accuracy {accuracy:.1%}, always the largest: {largest:.1%}"
    )
    figure.savefig(file, dpi=110)
    return accuracy, largest


if __name__ == "__main__":
    print(draw(sys.argv[1] if len(sys.argv) > 1 else "text.png"))
