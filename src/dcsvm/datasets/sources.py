"""The data sets, and where each comes from."""

from __future__ import annotations

from typing import NamedTuple


class Source(NamedTuple):
    """A data set: its size, and where it is."""

    name: str
    n_rows: int
    n_features: int
    n_classes: int
    about: str
    original: str  # where it was published
    data_id: int | None = None  # on OpenML, if it is there in this form
    stored_as: str | None = None  # name of the file, where it differs
    bundled: str | None = None  # function of sklearn.datasets

    @property
    def file_name(self) -> str:
        """Its file in the folder of data sets."""
        return f"{self.stored_as or self.name}.parquet"


UCI = "UCI Machine Learning Repository, "
LIBSVM = "the data sets of LIBSVM (multi-class), "

# fmt: off
_ALL = (
    Source("artificial1", 1800, 2, 6, "Six classes in the plane.", "make_artificial1"),
    Source("iris", 150, 4, 3, "Iris, Fisher's values (two rows differ from the UCI file).",
           UCI + "data set 53", 61, bundled="load_iris"),
    Source("segmentation", 2310, 19, 7,
           "Image Segmentation (Statlog). The third feature is constant.", UCI + "data set 50", 36),
    Source("heart", 303, 13, 5, "Heart Disease, Cleveland, five degrees; six values are missing.",
           UCI + "data set 45, processed.cleveland.data"),
    Source("wine", 178, 13, 3, "Wine: chemical analyses.", UCI + "data set 109", 187,
           bundled="load_wine"),
    Source("wine-quality", 1599, 11, 6, "Wine Quality, red: grades 3 to 8.",
           UCI + "data set 186, winequality-red.csv", 40691),
    Source("glass", 214, 9, 6,
           "Glass Identification. Rows are sorted by class, so that their number, `extra['id']` "
           "where the file has it, gives the class away.",
           UCI + "data set 42", 41),
    Source("covertype", 581012, 54, 7, "Forest cover type.", UCI + "data set 31", 1596),
    Source("svmguide4", 612, 10, 6, "Traffic lights, from the guide to LIBSVM, not scaled.",
           LIBSVM + "svmguide4 and svmguide4.t"),
    Source("vowel", 990, 10, 11, "Deterding's vowels, without speaker and sex.",
           UCI + "data set 152", 307),
    Source("usps", 9298, 256, 10, "Handwritten digits of the US postal service.",
           LIBSVM + "usps and usps.t", 41082),
    Source("letter", 20000, 16, 26, "Letter Recognition.", UCI + "data set 59", 6),
    Source("poker", 25010, 10, 10, "Poker Hand, the training file.",
           UCI + "data set 158, poker-hand-training-true.data"),
    Source("sensorless", 2200, 48, 11,
           "Sensorless Drive Diagnosis: 200 rows of each class, of 5,319 in the original.",
           UCI + "data set 325", stored_as="sensorless_2200"),
    Source("krkopt", 28056, 6, 18, "Chess, king and rook against king.", UCI + "data set 23", 184),
    Source("mnist", 70000, 784, 10, "Handwritten digits.", "yann.lecun.com/exdb/mnist", 554),
    Source("ucr_fiftywords", 905, 270, 50, "Outlines of fifty words as time series.",
           "UCR Time Series Archive, FiftyWords"),
    Source("caltech101_silhouettes28", 8671, 784, 101, "Outlines of objects, 28 × 28.",
           "CalTech 101 Silhouettes by B. Marlin"),
    Source("clinc150_lsa128", 22500, 128, 150,
           "Intents of sentences: 128 latent components of word 1- and 2-grams.",
           "github.com/clinc/oos-eval, data_full.json, reduced by TF-IDF and TruncatedSVD"),
    Source("omniglot8_21x21", 4840, 441, 242,
           "Characters of eight alphabets, 21 × 21 counts of ink.",
           "github.com/brendenlake/omniglot, the two small background sets, reduced"),
)
# fmt: on

SOURCES = {source.name: source for source in _ALL}
# The sets of the paper, in the order of its tables.
PAPER = tuple(SOURCES)[:14]
MANY_CLASSES = tuple(SOURCES)[14:]
