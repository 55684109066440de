"""Pixels of a satellite image: what covers the ground, and where that is hard to tell.

The image is artificial: eight kinds of ground in smooth patches, each with a spectrum of six bands,
mixed at the borders, with noise. The classifier sees one pixel at a time.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from scipy.ndimage import gaussian_filter

from dcsvm import DCSVC

# Reflectance in blue, green, red, near and two short-wave infrared bands.
SPECTRA = {
    "water": (0.08, 0.06, 0.04, 0.02, 0.01, 0.01),
    "forest": (0.03, 0.06, 0.04, 0.38, 0.17, 0.08),
    "meadow": (0.05, 0.10, 0.08, 0.42, 0.26, 0.14),
    "young crop": (0.06, 0.11, 0.09, 0.34, 0.24, 0.15),
    "ripe crop": (0.08, 0.14, 0.19, 0.31, 0.33, 0.23),
    "bare soil": (0.10, 0.15, 0.21, 0.27, 0.36, 0.31),
    "rock": (0.16, 0.19, 0.22, 0.25, 0.29, 0.27),
    "town": (0.14, 0.16, 0.18, 0.22, 0.23, 0.21),
}
COLOURS = ("#2b6cb0", "#14532d", "#65a30d", "#a3e635", "#facc15", "#b45309", "#78716c", "#dc2626")


def image(size, random):
    """The kind of ground of each pixel, and its bands."""
    fields = [gaussian_filter(random.normal(size=(size, size)), size / 22) for _ in SPECTRA]
    ground = np.argmax([field / field.std() for field in fields], axis=0)
    share = np.stack([gaussian_filter((ground == c) * 1.0, 0.7) for c in range(len(SPECTRA))], -1)
    light = 1 + 0.1 * gaussian_filter(random.normal(size=(size, size)), 3)[..., np.newaxis]
    bands = share @ np.array(list(SPECTRA.values())) * light
    return ground, bands + 0.012 * random.normal(size=bands.shape)


def draw(file, n_rows=240):
    random = np.random.default_rng(0)
    ground, bands = image(n_rows, random)
    X, y = bands.reshape(-1, 6), ground.ravel()
    known = random.permutation(len(y))[: len(y) // 40]
    clf = DCSVC(C=10, scaling="global").fit(X[known], y[known])
    labels, decisions = clf.predict_with_decisions(X)
    accuracy = np.mean(labels == y)
    figure, axes = plt.subplots(1, 3, figsize=(10, 3.3), layout="constrained")
    true_colours = np.clip(bands[..., [2, 1, 0]] / 0.26, 0, 1) ** 0.7
    axes[0].imshow(true_colours)
    axes[0].set_title("the image")
    kinds = axes[1].imshow(
        labels.reshape(ground.shape), cmap=ListedColormap(COLOURS), vmin=-0.5, vmax=7.5
    )
    axes[1].set_title(f"predicted, {accuracy:.1%} right")
    key = figure.colorbar(kinds, ax=axes[1], ticks=range(8), fraction=0.045)
    key.ax.set_yticklabels(list(SPECTRA))
    asked = axes[2].imshow(decisions.reshape(ground.shape), cmap="magma_r", vmax=10)
    axes[2].set_title(f"machines asked: {decisions.mean():.1f} of 28")
    figure.colorbar(asked, ax=axes[2], fraction=0.045)
    for one in axes:
        one.set(xticks=[], yticks=[])
    figure.savefig(file, dpi=90)
    return accuracy, decisions.mean()


if __name__ == "__main__":
    print(draw(sys.argv[1] if len(sys.argv) > 1 else "satellite.png"))
