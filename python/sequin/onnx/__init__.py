# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models from ONNX files: linalg, weights as arguments, and what is not supported.

    >>> model = sequin.import_onnx('model.onnx', sizes={'batch': 1, 'seq': 128})
    >>> compiled = model.compile('rngd')
    >>> outputs, report = compiled.run(input_ids=ids)

docs/Guides/ModelsFromOnnx.md is the guide. An operator is one function in the module of
its family; builder.py and body.py write the text, graph.py walks the nodes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping as Dictionary
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from .._boundary import refuses
from .._core import ProgressLine
from ..errors import ModelError, UsageError
from . import (  # noqa: F401  each enters its operators into the table
    attention,
    contractions,
    convolutions,
    elementwise,
    movement,
    normalization,
    pooling,
    quantized,
    recurrent,
    reduction,
    resize,
    selection,
)
from .costs import Cost, Costs, Throughput
from .graph import Importer, Unsupported
from .lowering import Lowering
from .model import (
    Check,
    CompiledModel,
    Model,
    ModelResult,
    ModelValue,
    make_model,
)
from .node import OPERATORS
from .reader import IR_VERSIONS, OPSETS, parse_model, read_model

__all__ = [
    "Check",
    "CompiledModel",
    "Cost",
    "Costs",
    "IR_VERSIONS",
    "Model",
    "ModelResult",
    "ModelValue",
    "OPSETS",
    "Throughput",
    "Unsupported",
    "check",
    "import_onnx",
    "operators",
]

Source = str | os.PathLike[str] | bytes


def operators() -> tuple[str, ...]:
    """The operators of ONNX that are in the table."""
    return tuple(sorted([*OPERATORS, "If"]))


@refuses
def import_onnx(
    source: Source,
    sizes: Dictionary[str, int] | str | None = None,
    *,
    values: Dictionary[str, ArrayLike] | None = None,
    ranges: Dictionary[str, tuple[int, int]] | None = None,
    progress: ProgressLine | None = None,
) -> Model:
    """A model in linalg.

    `source` is the path of an ONNX file, or the file's bytes. `sizes` gives the sizes of
    its dynamic dimensions, ``{'batch': 1}`` or ``'batch=1'``; those without a name are
    called ``INPUT:AXIS``. `values` gives inputs their values for good: they are no inputs
    of the result, and shapes may depend on them. `ranges` promises the least and the greatest
    number of integer inputs, ``{'attention_mask': (0, 1)}``; arrays are held to that, and
    64-bit sums of them may be proven to fit in 32. `progress` is a line that shows how far the
    import is.

    Raises ModelError: for what is wrong with the file, or for the first node that is not
    supported; `check` lists all of them.
    """
    importer = _import(source, sizes, values, ranges, progress)
    if importer.unsupported:
        first, *rest = importer.unsupported
        more = f" ({len(rest)} more: check() or --check-only lists all)" if rest else ""
        raise ModelError(
            f"'{importer.name}': {first}{more}",
            node=first.node,
            operator=first.operator,
            remedy=first.remedy,
            value=first.value,
        )
    return make_model(importer)


@refuses
def check(
    source: Source,
    sizes: Dictionary[str, int] | str | None = None,
    *,
    values: Dictionary[str, ArrayLike] | None = None,
    ranges: Dictionary[str, tuple[int, int]] | None = None,
    target: str = "",
    grid: str = "",
) -> Check:
    """Lists every node of a model that is not supported, with the reason and with what
    would make it work. Arguments and errors are those of `import_onnx`.

    With a `target` also what the lowering for that machine refuses, asked about each node
    alone; for a wafer on `grid` PEs, ``"W,H"``, by default 4 by 4.
    """
    lowering = Lowering(target, grid) if target else None
    importer = _import(source, sizes, values, ranges, lowering=lowering)
    return Check(tuple(importer.unsupported), dict(sorted(importer.operators.items())))


def _import(source: Source, sizes: Any, values: Any, ranges: Any,
            progress: ProgressLine | None = None, lowering: Lowering | None = None) -> Importer:
    bound = _sizes(sizes)
    if isinstance(source, bytes):
        name, path, proto = "<bytes>", None, parse_model(source, "<bytes>")
    else:
        path = Path(source)
        name, proto = str(path), read_model(path)
    importer = Importer(proto, name, path, bound, values or {}, ranges or {}, progress)
    importer.lowering = lowering
    importer.run()
    return importer


def _sizes(sizes: Dictionary[str, int] | str | None) -> dict[str, int]:
    if not isinstance(sizes, str):
        return {name: int(size) for name, size in (sizes or {}).items()}
    result = {}
    for part in filter(None, sizes.split(",")):
        name, _, size = part.rpartition("=")
        if not name or not size.strip().isdecimal():
            raise UsageError(f"size '{part}' is no NAME=NUMBER")
        result[name.strip()] = int(size)
    return result
