"""The WebAssembly engine: how it is built, and what it expects of the description of a model.

It is built once, by `make wasm`, and shipped: neither export to WebAssembly nor a report needs a
compiler. Its source is made of the parts that exported C is made of (`assembly.py`), with all
constants replaced by fields of a description that lies at a fixed address, above the stack.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from importlib.resources import files
from pathlib import Path

from dcsvm._core import CLOSE_VALUE, MOST_ASIDE, VALUE_IN_VOTES
from dcsvm.export.assembly import TERMS, filled, functions_of_kernel, part

BLOCK = 16
# Below lie the stack, which holds a kernel value for each support vector in a vote, and the
# engine's own data.
MODEL_ADDRESS = 2**22
STACK = MODEL_ADDRESS - 2**16

# Fields of the description, in order: all take four bytes, or eight where doubles come first.
DOUBLES = ("coef0", "score_gap")
INTEGERS = (
    "n_features",
    "n_classes",
    "n_query",
    "n_widest",
    "n_scores",
    "n_landmarks",
    "n_support",
    "n_words",
    "degree",
    "product",
    "function",
    "rule",
    "score_kind",
    "code",
    "has_bias",
    "n_stages",
    "names_length",
)
POINTERS = {
    "stages": "stage",
    "support": "void",
    "start": "uint32_t",
    "support_of": "place",
    "coef": "real",
    "intercept": "double",
    "bias_square": "double",
    "bias_linear": "double",
    "vector_bias": "real",
    "distance_weight": "real",
    "own_centre": "real",
    "own_scale": "real",
    "own_shift": "real",
    "level_origin": "double",
    "level_scale": "double",
    "level_low": "uint8_t",
    "level_high": "uint8_t",
    "score_weight": "real",
    "score_intercept": "real",
    "landmark": "place",
    "node_machine": "uint32_t",
    "node_child": "uint32_t",
    "node_candidates": "uint32_t",
    "node_cut": "double",
    "node_first": "uint32_t",
    "machine_pair": "uint32_t",
    "names": "char",
    "row": "real",
    "path": "model_path",
}
STAGE_FIELDS = (
    "is_projection",
    "n_in",
    "n_out",
    "from",
    "fill",
    "is_gap",
    "centre",
    "scale",
    "low",
    "high",
    "mean",
    "matrix",
)
MACROS = {
    "N_CLASSES": "n_classes",
    "N_QUERY": "n_query",
    "N_WIDEST": "n_widest",
    "N_SCORES": "n_scores",
    "N_LANDMARKS": "n_landmarks",
    "N_SUPPORT": "n_support",
    "N_WORDS": "n_words",
    "DEGREE": "degree",
    "SCORE_GAP": "score_gap",
}
FLAGS = (
    "--target=wasm32",
    "-msimd128",
    "-std=c99",
    "-O3",
    "-ffreestanding",
    "-fno-builtin",
    "-nostdlib",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wl,--no-entry",
    "-Wl,--strip-all",
    "-Wl,--stack-first",
    f"-Wl,-z,stack-size={STACK}",
)


def engine(real: str) -> bytes:
    """The shipped engine of a precision, "float" or "double"."""
    return files("dcsvm.export").joinpath("template", f"engine_{real}.wasm").read_bytes()


def engine_source(real: str) -> str:
    """The C source of the engine."""
    assert real in TERMS
    not_macros = ("row", "path", "names", "stages")
    constant = {name: "" if name == "path" else "const " for name in POINTERS}
    fields = [
        *(f"  double {name};" for name in DOUBLES),
        *(f"  int32_t {name};" for name in INTEGERS),
        *(f"  {constant[name]}{kind} *{name};" for name, kind in POINTERS.items()),
    ]
    macros = [
        *(f"#define {macro} (M->{field})" for macro, field in MACROS.items()),
        *(f"#define {name} (M->{name})" for name in POINTERS if name not in not_macros),
    ]
    exp2, tanh = functions_of_kernel("tanh", real)
    own = """  const real *own = distance_weight + (long)machine * N_QUERY;
  real mapped[N_QUERY];
  if (M->function == NONE)
    return intercept[machine] + (double)bias +
           (double)dot(q, (const real *)support + (long)machine * N_QUERY);
  if (M->product == OWN_DOT) {
    bias = map_for_machine(machine, q, mapped);
    q = mapped;
  }
"""
    return "\n".join(
        [
            filled(
                "engine_top",
                real=real,
                block=str(BLOCK),
                most_aside=str(MOST_ASIDE),
                close_value=repr(CLOSE_VALUE),
                value_in_votes=repr(VALUE_IN_VOTES),
                address=hex(MODEL_ADDRESS),
                fields="\n".join(fields),
                macros="\n".join(macros),
            ),
            exp2,
            tanh,
            part("power"),
            part("dot"),
            part("distance"),
            part("weighted"),
            filled("query_bias", coef0="M->coef0"),
            filled("map_for_machine", coef0="M->coef0"),
            part("engine_kernel"),
            filled(
                "kernel",
                own_arguments="const real *own, ",
                vector="    real room[N_QUERY];\n"
                "    const real *s = vector_at(place_in_pool, room);",
                product="argument(product(q, s, own) + bias, place_in_pool)",
                function="kernel_function",
            ),
            filled("machine", own=own, arguments="own, ", coef_scale=""),
            filled("trace", name="model"),
            filled("dropped", name="model"),
            *_renamed(
                "score_classes",
                {
                    "score_linear": part("scores_linear"),
                    "score_quadratic": part("scores_quadratic"),
                    "score_landmarks": part("scores_landmarks").replace(
                        "(q, bias, l", "(0, q, bias, l"
                    ),
                },
            ),
            _SCORE,
            part("machine_of"),
            part("has_candidate"),
            filled("sum_of_machine", coef_scale=""),
            *_renamed(
                "decide",
                {
                    "decide_by_elimination": filled("elimination", name="model"),
                    "decide_by_structure": filled("structure", name="model", step=_STEP),
                    "decide_by_vote": filled(
                        "vote",
                        name="model",
                        all_kernel_values="",
                        value="machine_value(machine, q, bias)",
                    ),
                    "decide_by_vote_of_sums": filled(
                        "vote",
                        name="model",
                        value="sum_of_machine(machine, kernel)",
                        all_kernel_values=part("all_kernel_values").replace(
                            "(q, b", "(distance_weight, q, b"
                        ),
                    ),
                },
            ),
            part("prepare"),
            part("project"),
            part("engine_bottom"),
        ]
    )


_SCORE = """static void score_classes(const real *q, real bias, real *score) {
  if (M->score_kind == LINEAR)
    score_linear(q, bias, score);
  else if (M->score_kind == QUADRATIC)
    score_quadratic(q, bias, score);
  else
    score_landmarks(q, bias, score);
}
"""
_STEP = f"""    if (node_cut) {{
{part("structure_cuts").rstrip()}
    }} else {{
{part("structure_sign").rstrip()}
    }}"""


def _renamed(name: str, functions: dict[str, str]) -> list[str]:
    """Functions of the same name, each under a name of its own."""
    return [f"#define {name} {own}\n{text}#undef {name}\n" for own, text in functions.items()]


def build(folder: Path, real: str) -> Path:
    """Compile the engine; needs clang and lld."""
    made = folder / f"engine_{real}.wasm"
    with tempfile.TemporaryDirectory() as temporary:
        source = Path(temporary) / "engine.c"
        source.write_text(engine_source(real), encoding="utf-8")
        subprocess.run(["clang", *FLAGS, str(source), "-o", str(made)], check=True)
    return made


def main() -> None:
    """Build the engines that are shipped, in the folder given."""
    for real in TERMS:
        build(Path(sys.argv[1]), real)


if __name__ == "__main__":
    main()
