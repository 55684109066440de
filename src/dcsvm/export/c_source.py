"""`to_c`: a fitted classifier as one C99 file with a small header."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from dcsvm._core import CLOSE_VALUE, MOST_ASIDE, VALUE_IN_VOTES
from dcsvm._util.files import atomic_write
from dcsvm.export import c_tables
from dcsvm.export.assembly import filled, machine_parts, part
from dcsvm.export.exporting import Exported, entry_tables, export
from dcsvm.export.preprocessing import EntryMap, Projection
from dcsvm.export.rules import MAX_NODES

BLOCK = 16
FEW_NAMES = 4096


@dataclass(frozen=True)
class CSource:
    """A model in C.

    Attributes
    ----------
    name : str
        The name of the model, with which all names in the header begin.
    source, header : str
        The text of the two files.
    table_bytes : int
        Bytes of the tables, which are most of what the compiled model takes.
    """

    name: str
    source: str
    header: str
    table_bytes: int

    def write(self, path: str | os.PathLike[str]) -> tuple[Path, Path]:
        """Write the source to a path that ends in .c, and the header beside it."""
        source = Path(path)
        header = source.with_suffix(".h")
        if source.suffix == ".h":
            raise ValueError(f"{source} is the name of a header: give it one that ends in .c.")
        text = self.source.replace(f'#include "{self.name}.h"', f'#include "{header.name}"', 1)
        for file, content in ((source, text), (header, self.header)):
            with atomic_write(file) as temporary:
                temporary.write_text(content, encoding="utf-8", newline="\n")
        return source, header


def to_c(
    model: Any,
    name: str = "model",
    *,
    precision: str = "auto",
    support: str = "exact",
    max_nodes: int = MAX_NODES,
) -> CSource:
    """Export a fitted classifier to C.

    The file allocates nothing, needs no library, and changes no global data: any number of threads
    can use it. It predicts the classes that `model.predict` predicts, but for rows that rounding
    moves across a border.

    Parameters
    ----------
    model : fitted DCSVC, OneVsOneSVC or DAGSVC
        Or a pipeline that ends in one, after steps that work on numbers: StandardScaler,
        MinMaxScaler, MaxAbsScaler, SimpleImputer, MissingIndicator, PCA, FeatureUnion and
        ColumnTransformer.
    name : str, default="model"
        The functions are called ``<name>_predict`` and so on.
    precision : {"auto", "float", "double"}, default="auto"
        Of rows, support vectors and kernel values. "auto" is that in which `model` is evaluated.
    support : {"exact", "float", "int16", "int8"}, default="exact"
        How support vectors are stored. "exact" loses nothing: whole numbers take a byte or
        two, also when they are standardised, others are stored in the precision given.
        "int16" and "int8" round them, and coefficients to 16 bits; `changed_labels` measures
        what this changes.
    max_nodes : int, default=65536
        A decision structure with more nodes is refused.

    Returns
    -------
    source : CSource
        The text of both files; `source.write("model.c")` writes them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from dcsvm import DCSVC
    >>> from dcsvm.export import to_c
    >>> X, y = load_iris(return_X_y=True)
    >>> source = to_c(DCSVC().fit(X, y), name="iris")
    >>> "int iris_predict(const iris_real *x);" in source.header
    True
    """
    exported = export(model, precision=precision, support=support, max_nodes=max_nodes)
    return c_source(exported, name)


def c_source(exported: Exported, name: str = "model") -> CSource:
    """The C of an exported model."""
    name = c_tables.identifier(name)
    parts = [
        _top(exported, name),
        _constants(exported),
        *_stage_tables(exported),
        *(c_tables.table(t, values) for t, values in exported.tables.items()),
        _names(exported, name),
        filled("trace", name=name),
        *code_of_machines(exported),
        *_code_of_rule(exported, name),
        *_code_of_predict(exported, name),
    ]
    n_bytes = exported.table_bytes
    return CSource(name, "\n".join(parts), _header(exported, name), n_bytes)


def _top(exported: Exported, name: str) -> str:
    k, n = len(exported.classes), exported.n_features
    return f"""/* A support vector classifier: {k} classes, {n} features.

   Written by dcsvm {version("dcsvm")}. The functions are described in the header. Nothing here is
   changed when they run: any number of threads can call them. */

#include <stdint.h>

#include "{name}.h"

typedef {name}_real real;
"""


def _constants(exported: Exported) -> str:
    n_query = len(exported.stages.last.source)
    lines = [
        f"  N_CLASSES = {len(exported.classes)}",
        f"  N_QUERY = {n_query}",
        f"  BLOCK = {BLOCK}",
    ]
    if exported.machines.function == "power":
        lines.append(f"  DEGREE = {exported.machines.degree}")
    if "N_LANDMARKS" in exported.constants:
        lines.append(f"  N_LANDMARKS = {int(exported.constants['N_LANDMARKS'])}")
    after = []
    if exported.tables["support"].dtype.kind == "i":
        after.append(f"typedef {c_tables.C_TYPES[exported.tables['support'].dtype.name]} code;")
    if "support_of" in exported.tables:
        after.append(f"typedef {c_tables.C_TYPES[exported.tables['support_of'].dtype.name]} place;")
    match exported.rule:
        case "elimination":
            n_scores = len(exported.tables["score_intercept"])
            lines += [
                f"  N_SCORES = {n_scores}",
                f"  MOST_ASIDE = {MOST_ASIDE}",
                "  OPEN = 1",
                "  OUT = 0",
            ]
            gap = min(exported.constants["SCORE_GAP"], float(np.finfo(np.float32).max))
            after += [
                f"static const double VALUE_IN_VOTES = {c_tables.number(VALUE_IN_VOTES)};",
                f"static const real SCORE_GAP = (real){c_tables.number(gap)};",
                f"static const double CLOSE_VALUE = {c_tables.number(CLOSE_VALUE)};",
                "\ntypedef struct {\n  int loser, machine;\n  double value;\n} closely;",
            ]
        case "structure":
            lines.append(f"  N_WORDS = {-(-len(exported.classes) // 32)}")
        case "vote" if _sums_all(exported):
            lines.append(f"  N_SUPPORT = {len(exported.tables['support'])}")
    return "enum {\n" + ",\n".join(lines) + "\n};\n\n" + "\n".join(after) + "\n"


def _sums_all(exported: Exported) -> bool:
    """Whether all kernel values are computed first, each serving several machines."""
    own = exported.machines.product in ("own_weighted", "own_dot")
    return exported.rule == "vote" and not own and exported.machines.function != "none"


def _stage_tables(exported: Exported) -> list[str]:
    made = []
    for t, stage in enumerate((*exported.stages.before, exported.stages.last)):
        if isinstance(stage, Projection):
            matrix = stage.matrix.astype(exported.tables["intercept"].dtype)
            real = np.float32 if exported.real == "float" else np.float64
            tables = {"mean": stage.mean, "matrix": matrix.astype(real)}
        else:
            tables = entry_tables(stage)
        made += [c_tables.table(f"stage{t}_{name}", values) for name, values in tables.items()]
    return made


def code_of_machines(exported: Exported) -> list[str]:
    """The functions that give the value of a machine."""
    machines = exported.machines
    return machine_parts(
        machines.product,
        machines.function,
        exported.real,
        has_bias=machines.has_bias,
        has_vector_bias="vector_bias" in exported.tables,
        has_coef_scale="coef_scale" in exported.tables,
        coef0=repr(machines.coef0),
        has_codes=exported.tables["support"].dtype.kind == "i",
        by_machine=not _sums_all(exported),
    )


def _code_of_rule(exported: Exported, name: str) -> list[str]:
    if exported.rule == "elimination":
        return [
            filled("dropped", name=name),
            part(f"scores_{exported.score_kind}"),
            part("machine_of"),
            filled("elimination", name=name),
        ]
    if exported.rule == "structure":
        step = "structure_cuts" if "node_cut" in exported.tables else "structure_sign"
        return [
            filled("dropped", name=name),
            part("has_candidate"),
            filled("structure", name=name, step=part(step).rstrip("\n")),
        ]
    if _sums_all(exported):
        return [
            filled(
                "vote",
                name=name,
                all_kernel_values=part("all_kernel_values"),
                value="sum_of_machine(machine, kernel)",
            )
        ]
    return [
        filled("vote", name=name, all_kernel_values="", value="machine_value(machine, q, bias)")
    ]


def _code_of_predict(exported: Exported, name: str) -> list[str]:
    stages = (*exported.stages.before, exported.stages.last)
    kinds = [part("prepare")]
    kinds += [part("project")] if any(isinstance(s, Projection) for s in stages) else []
    widths = [exported.n_features]
    body, variables, x = [], [], "x"
    for t, stage in enumerate(stages):
        width = len(stage.matrix) if isinstance(stage, Projection) else len(stage.source)
        out = "q" if t == len(stages) - 1 else f"row{t}"
        if out != "q":
            variables.append(f"  real {out}[{width}];")
        if isinstance(stage, EntryMap):
            has = entry_tables(stage)
            names = ("from", "fill", "is_gap", "centre", "scale", "low", "high")
            tables = ", ".join(f"stage{t}_{n}" if n in has else "0" for n in names)
            body.append(f"  map_entries({x}, {out}, {width}, {tables});")
        else:
            body.append(
                f"  project({x}, {out}, {widths[-1]}, {width}, stage{t}_mean, stage{t}_matrix);"
            )
        widths.append(width)
        x = out
    prepare = "\n".join(
        [
            "/* A row as support vectors are stored. */",
            "static void prepare(const real *x, real *q) {",
            *variables,
            *body,
            "}",
            "",
        ]
    )
    bias = "bias_of(q)" if exported.machines.has_bias else "0"
    return [*kinds, filled("predict", name=name, prepare=prepare, bias=bias)]


def _names(exported: Exported, name: str) -> str:
    made = c_tables.texts(f"{name}_class_names", [str(c) for c in exported.classes])
    if _has_feature_names(exported):
        assert exported.feature_names is not None
        made += "\n" + c_tables.texts(f"{name}_feature_names", exported.feature_names)
    return made


def _has_feature_names(exported: Exported) -> bool:
    return exported.feature_names is not None and len(exported.feature_names) <= FEW_NAMES


def _header(exported: Exported, name: str) -> str:
    guard, upper = f"{name.upper()}_H", name.upper()
    features = ""
    if _has_feature_names(exported):
        features = f"\nextern const char *const {name}_feature_names[{upper}_N_FEATURES];\n"
    return filled(
        "header",
        name=name,
        upper=upper,
        guard=guard,
        real=exported.real,
        n_features=str(exported.n_features),
        n_classes=str(len(exported.classes)),
        most_decisions=str(exported.most_decisions),
        features=features,
    )
