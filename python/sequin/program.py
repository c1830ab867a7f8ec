# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs: compiled once, run on NumPy arrays any number of times."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping as Dictionary, Sequence
from dataclasses import dataclass
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core, _notebook
from ._core import ProgressLine
from ._boundary import refuses, refusing_class
from .errors import Diagnostic, InputError, UsageError
from .page import Page
from .report import Report

__all__ = ["Argument", "Program", "ProgressLine", "RunResult", "compile", "compile_einsum", "einsum"]

Array = NDArray[Any]

#: Where the arguments of a program lie in HBM.
ArgumentLayout = Literal["chosen", "row-major"]

#: Element types that NumPy has too; of the others (bf16, f8e4m3, ...) only names.
NUMPY_TYPES = {
    "int8": "i8",
    "int16": "i16",
    "int32": "i32",
    "float16": "f16",
    "float32": "f32",
}


@dataclass(frozen=True)
class Argument:
    """An argument or a result of a program."""

    name: str
    dtype: str
    """Element type on the machine, e.g. ``"bf16"``."""
    shape: tuple[int, ...]


@dataclass(frozen=True)
class RunResult:
    """What a run gives; unpacks as ``outputs, report``."""

    outputs: tuple[Array, ...]
    """One array per result of the program; none with `timing_only`."""
    report: Report
    verified: str | None = None
    """With `verify`: what was found equal."""

    @property
    def output(self) -> Array:
        """The only output; ValueError if there is another number of them."""
        (output,) = self.outputs
        return output

    def __iter__(self) -> Iterator[Any]:
        return iter((self.outputs, self.report))


@refusing_class
class Program:
    """A program compiled for a machine; made by `compile` and `compile_einsum`.

    May be used by several threads at a time: the interpreter lock is released while
    a program is compiled and while it runs.
    """

    _native: _core.Program
    _name: str
    _text: str

    def __init__(self) -> None:
        raise UsageError("a Program is made by sequin.compile or sequin.compile_einsum")

    @classmethod
    def _compile(cls, **options: Any) -> Program:
        defaults: dict[str, Any] = {
            "path": "",
            "text": None,
            "einsum": "",
            "sizes": [],
            "dtype": "",
            "output_dtype": "",
            "entry": "main",
            "allow_bf16": False,
            "allow_narrow": False,
            "argument_layout": "chosen",
            "addresses": "",
            "operations": {},
            "progress": None,
        }
        program = object.__new__(cls)
        path = options.get("path", "")
        program._name = os.fsdecode(path) if path else options.get("einsum", "")
        program._text = options.get("text") or ""
        program._native = _core.Program.compile(**{**defaults, **options})
        return program

    @property
    def target(self) -> str:
        """Name of the machine it was compiled for."""
        return self._native.target()

    @property
    def chips(self) -> int:
        """Number of chips it runs on."""
        return self._native.chips()

    @property
    def inputs(self) -> tuple[Argument, ...]:
        """What `run` takes, in order."""
        return tuple(Argument(*fields) for fields in self._native.inputs())

    @property
    def outputs(self) -> tuple[Argument, ...]:
        """What `run` gives, in order."""
        return tuple(Argument(*fields) for fields in self._native.outputs())

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What the compiler said although it succeeded."""
        return tuple(map(Diagnostic._from_native, self._native.warnings()))

    def run(
        self,
        *arrays: ArrayLike,
        verify: bool = False,
        timing_only: bool = False,
        raw: bool = False,
        max_steps: int | None = None,
        progress: ProgressLine | None = None,
    ) -> RunResult:
        """Simulates the program.

        `arrays`: one per argument, of its shape. Numbers are rounded to the nearest
        value of the argument's element type, ties to even; uint16 for bf16 and uint8
        for f8 are the elements' bits. Floating results come back as float32 (f16 and
        narrower too, exactly) unless `raw`, which gives bf16 as uint16 and f8 as
        uint8; integers come in their width, i4 as int8.

        `verify` also runs the unlowered program on the reference interpreter and
        compares. `timing_only` counts cycles and moves no data: arrays may be left out
        and there are no outputs. `max_steps` bounds the work of the simulator, in
        steps as `sequin-run --max-steps` counts them. `progress` is a line on stderr that
        shows how far the simulation is.

        Raises InputError for arrays that do not fit, SimulationTrap where the program
        breaks a rule of the machine, VerificationError where results differ,
        UsageError for `verify` with `timing_only`.
        """
        if verify and timing_only:
            raise UsageError("timing_only computes no values that verify could compare")
        named = [] if timing_only else _named(arrays, "arrays")
        return self._run(named, verify, timing_only, raw, max_steps, progress)

    def _run(
        self,
        named: list[tuple[str, Array]],
        verify: bool,
        timing_only: bool,
        raw: bool,
        max_steps: int | None,
        progress: ProgressLine | None = None,
    ) -> RunResult:
        outputs, native, verified = self._native.run(
            named, timing_only=timing_only, verify=verify, raw=raw, max_steps=max_steps,
            progress=progress,
        )
        return RunResult(tuple(outputs), Report._from_native(native), verified or None)

    def page(self, *, title: str = "", max_steps: int | None = None) -> Page:
        """The program's run as a page to look at (docs/Guides/ReadingAPage.md), which
        `Page.save` writes and a notebook shows. No data is needed: times do not depend on
        it. Raises what `run` does."""
        report = self.run(timing_only=True, max_steps=max_steps).report
        return report.page(title or os.path.basename(self._name), text=self._text, name=self._name)

    def mlir(self, level: Literal["given", "tcp", "config"] = "given") -> str:
        """The program as MLIR: as it was given, lowered to `tcp`, or as the `tcp.config`
        that runs. InputError for a level it was never at."""
        return self._native.mlir(level)

    def json(self) -> str:
        """The configuration that runs (docs/Spec/Config.md); `compile` takes it."""
        return self._native.json()

    def config(self) -> dict[str, Any]:
        """`json`, parsed."""
        parsed: dict[str, Any] = json.loads(self.json())
        return parsed

    def _repr_html_(self) -> str:
        return _notebook.program_html(self)

    def __repr__(self) -> str:
        def signature(arguments: tuple[Argument, ...]) -> str:
            return ", ".join(f"{a.dtype} {list(a.shape)}" for a in arguments)

        chips = f", {self.chips} chips" if self.chips != 1 else ""
        return (
            f"<sequin.Program for {self.target}{chips}: "
            f"({signature(self.inputs)}) -> ({signature(self.outputs)})>"
        )


@refuses
def compile(
    source: str | os.PathLike[str],
    *,
    target: str | None = None,
    chips: int | None = None,
    entry: str = "main",
    name: str = "<string>",
    allow_bf16: bool = False,
    argument_layout: ArgumentLayout = "chosen",
    operations: Dictionary[str, str] | None = None,
    progress: ProgressLine | None = None,
) -> Program:
    """Compiles MLIR or a configuration for a machine.

    `source` is a path (a PathLike, or a one-line string that ends in ``.mlir`` or
    ``.json``) or the text itself, which messages call `name`. It may be linalg on
    tensors, `tcp`, or a lowered configuration (MLIR or JSON); what is not lowered yet
    is lowered.

    `target` and `chips` are needed for what names no machine (`chips` is then 1) and
    must agree with what does. `entry` is the function to run.

    `allow_bf16` rounds f32 and f16 operands of contractions to bf16; otherwise they are
    cut into digits, which keeps their accuracy and costs more contractions
    (`Report.digit_products`). `argument_layout` says where the arguments lie in HBM:
    as the compiler likes, or ``"row-major"``, in the order of their dimensions with rows
    padded to 64 bytes. Both are about linalg, of no consequence for what is lowered.
    `progress` is a line on stderr that shows what the compiler is at.

    `operations` says what the operations at some locations are called in reports, for a
    program that was made from something else.

    Raises CompileError, with the place of everything that is wrong.
    """
    options: dict[str, Any] = {
        "target": target or "",
        "chips": chips,
        "entry": entry,
        "allow_bf16": allow_bf16,
        "argument_layout": argument_layout,
        "operations": dict(operations or {}),
        "progress": progress,
    }
    if isinstance(source, os.PathLike) or _is_path(source):
        return Program._compile(path=os.fsencode(source), **options)
    return Program._compile(path=name, text=source, **options)


@refuses
def import_visa(
    source: str | os.PathLike[str],
    *,
    entry: str | None = None,
    addresses: Literal["allocate", "given"] = "allocate",
    target: str | None = None,
    name: str = "kernel.rs",
) -> Program:
    """Compiles a kernel of the Virtual ISA manual, written in Rust.

    `source` is a path (a PathLike, or a one-line string that ends in ``.rs``) or the
    text itself, which messages call `name`. `entry` is the function, by its name or its
    path below the crate's root (``"gemv::matrix_vector"``); without it, the only one
    with ``#[device]``. The arguments of the program are those of the function in order,
    without what it only writes; its results are what the function returns and then the
    ``&mut`` arguments that it has written.

    `addresses` assigns memory by lifetime, or keeps what the source says.

    Raises CompileError, with the place of everything that is wrong.
    """
    options: dict[str, Any] = {
        "target": target or "",
        "chips": None,
        "entry": entry or "main",
        "addresses": addresses,
    }
    if isinstance(source, os.PathLike) or ("\n" not in source and source.endswith(".rs")):
        return Program._compile(path=os.fsencode(source), **options)
    return Program._compile(path=name, text=source, **options)


def _is_path(source: str) -> bool:
    if not isinstance(source, str):
        raise TypeError(f"source is a path or a text, found {type(source).__name__}")
    return "\n" not in source and source.endswith((".mlir", ".json"))


@refuses
def compile_einsum(
    subscripts: str,
    sizes: str | Dictionary[str, int],
    *,
    dtype: DTypeLike | Sequence[DTypeLike],
    output_dtype: DTypeLike | None = None,
    target: str = "rngd",
    chips: int = 1,
    allow_narrow: bool = False,
    argument_layout: ArgumentLayout = "chosen",
) -> Program:
    """Compiles an einsum, e.g. ``compile_einsum('mk,kn->mn', {'m': 512, 'k': 2048,
    'n': 512}, dtype='bf16')``.

    `dtype` is the element type of the operands, or one for each; a name
    (``"bf16"``) or a NumPy type. The result has the accumulator's type (f32 for
    floating operands, i32 for integers) unless `output_dtype` says otherwise.

    Intermediates that are wider than what an engine takes are cut into digits, which
    keeps them exact; `allow_narrow` rounds them to bf16, or saturates them to i8,
    instead. `argument_layout` is that of `compile`.

    Raises CompileError.
    """
    if isinstance(sizes, str):
        sizes_text = sizes
    else:
        sizes_text = ",".join(f"{index}={size}" for index, size in sizes.items())
    return Program._compile(
        einsum=subscripts,
        sizes=[sizes_text] if sizes_text else [],
        dtype=_type_names(dtype),
        output_dtype="" if output_dtype is None else _type_names(output_dtype),
        target=target,
        chips=chips,
        allow_narrow=allow_narrow,
        argument_layout=argument_layout,
    )


@overload
def einsum(
    subscripts: str,
    *operands: ArrayLike,
    dtype: DTypeLike | Sequence[DTypeLike] | None = ...,
    output_dtype: DTypeLike | None = ...,
    target: str = ...,
    chips: int = ...,
    verify: bool = ...,
    raw: bool = ...,
    max_steps: int | None = ...,
    allow_narrow: bool = ...,
    return_report: Literal[False] = ...,
) -> Array: ...
@overload
def einsum(
    subscripts: str,
    *operands: ArrayLike,
    dtype: DTypeLike | Sequence[DTypeLike] | None = ...,
    output_dtype: DTypeLike | None = ...,
    target: str = ...,
    chips: int = ...,
    verify: bool = ...,
    raw: bool = ...,
    max_steps: int | None = ...,
    allow_narrow: bool = ...,
    return_report: Literal[True],
) -> tuple[Array, Report]: ...
@refuses
def einsum(
    subscripts: str,
    *operands: ArrayLike,
    dtype: DTypeLike | Sequence[DTypeLike] | None = None,
    output_dtype: DTypeLike | None = None,
    target: str = "rngd",
    chips: int = 1,
    verify: bool = False,
    raw: bool = False,
    max_steps: int | None = None,
    allow_narrow: bool = False,
    return_report: bool = False,
) -> Array | tuple[Array, Report]:
    """`numpy.einsum` on the simulated machine.

    ``einsum('mk,kn->mn', a, b, dtype='bf16')`` rounds the operands to bf16 and gives
    the f32 result as an array of the result's shape; with `return_report` a pair of
    it and the Report. Sizes come from the operands' shapes; a dimension of size 1
    goes with any size, as in NumPy. Without `dtype` the operands keep the type their
    arrays have, which must be one of the machine's (int8, float32, ...).

    `verify`, `raw` and `max_steps` are those of `Program.run`, the others those of
    `compile_einsum`.

    Raises CompileError, and what `Program.run` does.
    """
    named = _named(operands, "operands")
    if dtype is None:
        dtype = [_type_of(name, array) for name, array in named]
    text, matched, sizes = _match(subscripts, named)
    program = compile_einsum(
        text,
        sizes,
        dtype=dtype,
        output_dtype=output_dtype,
        target=target,
        chips=chips,
        allow_narrow=allow_narrow,
    )
    result = program._run(matched, verify, False, raw, max_steps)
    return (result.output, result.report) if return_report else result.output


def _match(
    subscripts: str, named: list[tuple[str, Array]]
) -> tuple[str, list[tuple[str, Array]], dict[str, int]]:
    """Sizes of the indices; dimensions of size 1 that stand for a larger size are
    dropped from their operand, which changes no sum of products."""
    terms, result = _core.parse_einsum(subscripts)
    if len(terms) != len(named):
        raise InputError(
            f"error: '{subscripts}' has {len(terms)} operands, found {len(named)}"
        )
    sizes: dict[str, int] = {}
    origin: dict[str, str] = {}
    for term, (name, array) in zip(terms, named):
        if len(term) != array.ndim:
            raise InputError(
                f"error: '{name}': shape is {list(array.shape)}, '{term}' has "
                f"{len(term)} indices"
            )
        for index, size in zip(term, array.shape):
            if sizes.get(index, 1) == 1:
                sizes[index], origin[index] = size, name
            elif size not in (1, sizes[index]):
                raise InputError(
                    f"error: '{name}': index '{index}' has size {size}, in "
                    f"'{origin[index]}' it has size {sizes[index]}"
                )
    matched = []
    dropped = False
    for place, (term, (name, array)) in enumerate(zip(terms, named)):
        keep = [
            axis
            for axis, (index, size) in enumerate(zip(term, array.shape))
            if size == sizes[index]
        ]
        if len(keep) < len(term):
            dropped = True
            terms[place] = "".join(term[axis] for axis in keep)
            array = array.reshape([array.shape[axis] for axis in keep])
        matched.append((name, array))
    text = f"{','.join(terms)}->{result}" if dropped else subscripts
    return text, matched, sizes


def _named(arrays: Sequence[ArrayLike], prefix: str) -> list[tuple[str, Array]]:
    """The arrays in C order and native byte order, with names for messages."""
    named = []
    for i, given in enumerate(arrays):
        array = np.asarray(given, order="C")
        if array.dtype.byteorder == ">":
            array = array.astype(array.dtype.newbyteorder("="))
        named.append((f"{prefix}[{i}]", array))
    return named


def _type_of(name: str, array: Array) -> str:
    found = NUMPY_TYPES.get(array.dtype.name)
    if found is None:
        raise InputError(
            f"error: '{name}' is of {array.dtype.name}, which is no element type of a "
            f"machine; give dtype, or arrays of {', '.join(NUMPY_TYPES)}"
        )
    return found


def _type_names(dtype: DTypeLike | Sequence[DTypeLike]) -> str:
    """The names of one type, or of several with commas between them."""
    if isinstance(dtype, str):
        return NUMPY_TYPES.get(dtype, dtype)
    if isinstance(dtype, (list, tuple)):
        return ",".join(map(_type_names, dtype))
    given: Any = dtype
    try:
        name = np.dtype(given).name
    except TypeError:
        raise UsageError(f"{dtype!r} is no element type") from None
    return NUMPY_TYPES.get(name, name)
