"""From a table to numbers, as a pipeline that is saved with the classifier.

Every column of the table should count about alike in a distance between rows. A number is
scaled to variance one; a date becomes about four numbers, each with half the weight; a text becomes
an indicator of its value or, where there are many values, an embedding, both with a total variance
of at most about one. Indicators, also those of gaps, are not standardised: rare values would
become very large.
"""

from __future__ import annotations

from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import MaxAbsScaler, StandardScaler

from dcsvm.cli.columns import DATE, TEXT, Column

COLUMNS, CLASSIFIER = "columns", "classifier"
WEIGHT_OF_DATES = 0.5


def table_pipeline(
    columns: list[Column], classifier: Any, seed: int, standardise: bool
) -> Pipeline:
    """For tables: texts and dates become numbers, gaps are filled, numbers are standardised."""
    groups: dict[str, list[str]] = {"numbers": [], "dates": [], "texts": []}
    for column in columns:
        group = {DATE: "dates", TEXT: "texts"}.get(column.kind, "numbers")
        groups[group].append(column.name)
    # skrub, which handles columns one by one, would be slow where there are many of numbers.
    steps: dict[str, Any] = {"numbers": _numbers(standardise)}
    if groups["dates"] or groups["texts"]:
        from skrub import ApplyToCols, DatetimeEncoder, StringEncoder, TableVectorizer

        parts = ApplyToCols(DatetimeEncoder())
        steps["dates"] = Pipeline([("parts", parts), ("numbers", _numbers(standardise))])
        steps["texts"] = TableVectorizer(high_cardinality=StringEncoder(random_state=seed))
    by_column = ColumnTransformer(
        [(name, steps[name], names) for name, names in groups.items() if names],
        transformer_weights={"dates": WEIGHT_OF_DATES} if groups["dates"] else None,
        sparse_threshold=0,
    )
    return Pipeline([(COLUMNS, by_column), (CLASSIFIER, classifier)])


def sparse_pipeline(classifier: Any, standardise: bool) -> Pipeline:
    """For sparse rows: scaled, and zeros stay zeros."""
    steps: list[tuple[str, Any]] = [("scale", MaxAbsScaler())] if standardise else []
    return Pipeline([*steps, (CLASSIFIER, classifier)])


def _numbers(standardise: bool) -> FeatureUnion:
    """Gaps filled with the median, and indicators of gaps: these may be informative too."""
    values: list[tuple[str, Any]] = [
        ("fill", SimpleImputer(strategy="median", keep_empty_features=True))
    ]
    if standardise:
        values.append(("scale", StandardScaler()))
    return FeatureUnion(
        [("values", Pipeline(values)), ("gaps", MissingIndicator(error_on_new=False))]
    )
