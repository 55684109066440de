"""Support vector machines of other libraries behind one interface, each with one thread.

A peer is made with the parameters of a problem; it has `fit(X, y)`, `predict(X)` for a batch and
`predict_one(X)` for a matrix of one row. Where training is measured, `n_support_vectors` counts the
rows that are support vectors of any machine. A peer that is not installed raises ImportError, one
that does not support a problem ValueError.
"""

from __future__ import annotations

import importlib.metadata
import itertools

import numpy as np
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC


class ScikitLearn:
    """scikit-learn's SVC."""

    package = "scikit-learn"

    def __init__(self, C, gamma):
        self.model = SVC(C=C, gamma=gamma)

    def fit(self, X, y):
        self.model.fit(X, y)
        return self

    def predict(self, X):
        return self.model.predict(X)

    predict_one = predict

    @property
    def n_support_vectors(self):
        return len(self.model.support_)


class OneVsOne(ScikitLearn):
    """scikit-learn's OneVsOneClassifier over SVC."""

    def __init__(self, C, gamma):
        self.model = OneVsOneClassifier(SVC(C=C, gamma=gamma))

    def fit(self, X, y):
        self.y = y
        return super().fit(X, y)

    @property
    def n_support_vectors(self):
        supports = np.zeros(len(self.y), dtype=bool)
        pairs = itertools.combinations(self.model.classes_, 2)
        for pair, machine in zip(pairs, self.model.estimators_, strict=True):
            supports[np.flatnonzero(np.isin(self.y, pair))[machine.support_]] = True
        return supports.sum()


class ScikitLearnIntelex(ScikitLearn):
    """SVC of Intel's extension for scikit-learn."""

    package = "scikit-learn-intelex"

    def __init__(self, C, gamma):
        import daal4py
        import sklearnex.svm

        daal4py.daalinit(1)
        self.model = sklearnex.svm.SVC(C=C, gamma=gamma)


class OpenCV:
    """cv2.ml.SVM."""

    package = "opencv-python-headless"

    def __init__(self, C, gamma):
        import cv2

        cv2.setNumThreads(1)
        self.row_sample = cv2.ml.ROW_SAMPLE
        self.model = cv2.ml.SVM_create()
        self.model.setType(cv2.ml.SVM_C_SVC)
        self.model.setKernel(cv2.ml.SVM_RBF)
        self.model.setC(C)
        self.model.setGamma(gamma)
        self.model.setTermCriteria((cv2.TERM_CRITERIA_EPS, 10**7, 1e-3))

    def fit(self, X, y):
        self.model.train(X.astype(np.float32), self.row_sample, y.astype(np.int32))
        return self

    def predict(self, X):
        return self.model.predict(X.astype(np.float32))[1].ravel().astype(int)

    predict_one = predict

    @property
    def n_support_vectors(self):
        return len(self.model.getSupportVectors())


class LibsvmOfficial:
    """libsvm with the Python interface of its authors."""

    package = "libsvm-official"

    def __init__(self, C, gamma):
        from libsvm import svmutil

        self.svmutil = svmutil
        self.options = f"-q -s 0 -t 2 -c {C!r} -g {gamma!r} -m 200"

    def fit(self, X, y):
        self.model = self.svmutil.svm_train(
            self.svmutil.svm_problem(y, X), self.svmutil.svm_parameter(self.options)
        )
        return self

    def predict(self, X):
        return np.array(self.svmutil.svm_predict([], X, self.model, "-q")[0], dtype=int)

    predict_one = predict

    @property
    def n_support_vectors(self):
        return self.model.get_nr_sv()


class ThunderSVM(ScikitLearn):
    """ThunderSVM without a graphics processor."""

    package = "thundersvm-cpu"

    def __init__(self, C, gamma):
        import thundersvm

        self.model = thundersvm.SVC(C=C, gamma=gamma, n_jobs=1)

    def predict(self, X):
        return self.model.predict(X).astype(int)

    predict_one = predict


class Onnx:
    """scikit-learn's SVC converted by skl2onnx and run by onnxruntime."""

    package = "onnxruntime"
    most_classes = 60  # the graph that skl2onnx makes of a vote grows with the square

    def __init__(self, C, gamma):
        import onnxruntime
        import skl2onnx

        self.onnxruntime, self.skl2onnx = onnxruntime, skl2onnx
        self.source = SVC(C=C, gamma=gamma)

    def fit(self, X, y):
        from skl2onnx.common.data_types import FloatTensorType

        if len(np.unique(y)) > self.most_classes:
            raise ValueError(f"conversion takes too long beyond {self.most_classes} classes")
        self.source.fit(X, y)
        model = self.skl2onnx.convert_sklearn(
            self.source,
            initial_types=[("X", FloatTensorType([None, X.shape[1]]))],
            options={id(self.source): {"zipmap": False}},
        )
        options = self.onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = self.onnxruntime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        return self

    def predict(self, X):
        return self.session.run(["label"], {"X": X.astype(np.float32)})[0]

    predict_one = predict


# Libraries whose prediction is measured, and whose training.
PEERS = {
    "SVC": ScikitLearn,
    "scikit-learn-intelex": ScikitLearnIntelex,
    "OpenCV": OpenCV,
    "libsvm-official": LibsvmOfficial,
    "onnxruntime": Onnx,
}
TRAINERS = {
    "SVC": ScikitLearn,
    "OneVsOneClassifier": OneVsOne,
    "scikit-learn-intelex": ScikitLearnIntelex,
    "OpenCV": OpenCV,
    "libsvm-official": LibsvmOfficial,
    "thundersvm-cpu": ThunderSVM,
}


def versions(peers):
    """The version of every peer that is installed."""
    found = {}
    for name, peer in peers.items():
        try:
            found[name] = importlib.metadata.version(peer.package)
        except importlib.metadata.PackageNotFoundError:
            found[name] = None
    return found
