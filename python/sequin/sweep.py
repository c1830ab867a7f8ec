# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many programs, or one with many arguments, on several processes."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, Literal

from . import program as programs
from ._boundary import refuses
from .errors import Error, UsageError
from .program import RunResult

__all__ = ["sweep"]

Point = Mapping[str, Any]


def _keywords(function: Callable[..., Any], *others: str) -> frozenset[str]:
    names = inspect.signature(function).parameters.keys() - {"self", "arrays", "progress"}
    return frozenset(names) | frozenset(others)


_RUN = _keywords(programs.Program.run)
_MAKERS: tuple[tuple[str, Callable[..., programs.Program], frozenset[str]], ...] = (
    ("source", programs.compile, _keywords(programs.compile)),
    ("subscripts", programs.compile_einsum, _keywords(programs.compile_einsum)),
)


def _check(number: int, point: Point) -> None:
    """What no program could make right."""
    makers = [(name, known) for name, _, known in _MAKERS if name in point]
    if len(makers) != 1:
        found = " and ".join(repr(name) for name, _ in makers) or "neither"
        raise UsageError(f"point {number} has 'source' or 'subscripts', found {found}")
    unknown = sorted(point.keys() - makers[0][1] - _RUN - {"arrays"})
    if unknown:
        raise UsageError(f"point {number} with {makers[0][0]!r} has no {unknown[0]!r}, known are "
                         + ", ".join(sorted((makers[0][1] | _RUN | {'arrays'}))))


def _run(point: Point) -> RunResult | Error:
    """One point; runs in a process of the executor. An Error is a value here, so that it
    is this point's and nobody else's."""
    try:
        (_, make, known), = (maker for maker in _MAKERS if maker[0] in point)
        compiled = make(**{name: point[name] for name in known & point.keys()})
        options = {name: point[name] for name in _RUN & point.keys()}
        options.setdefault("timing_only", "arrays" not in point)
        return compiled.run(*point.get("arrays", ()), **options)
    except Error as error:
        return error


@refuses
def sweep(
    points: Iterable[Point],
    *,
    executor: Executor | None = None,
    errors: Literal["raise", "keep"] = "raise",
) -> list[RunResult | Error]:
    """Compiles and runs a program at every point, several at a time.

    A point is a dictionary of arguments by their names: those of `compile` (``source``,
    ``target``, ...) or of `compile_einsum` (``subscripts``, ``sizes``, ``dtype``, ...), and
    those of `Program.run` (``verify``, ``max_steps``, ...). ``arrays`` is a sequence of one
    array per argument of the program, each of the argument's shape; without it cycles are
    counted and nothing is computed (``timing_only``). Points need not have anything in
    common.

        >>> points = [{'subscripts': 'mk,kn->mn', 'sizes': {'m': m, 'k': 512, 'n': 512},
        ...            'dtype': 'bf16'} for m in (128, 256, 512)]
        >>> [result.report.cycles for result in sequin.sweep(points)]

    Returns the results in the order of the points: of each a `RunResult`, whose ``outputs``
    have the shapes of the program's results (none if nothing was computed).

    `executor` is any of `concurrent.futures`; it stays open. Without one, a pool with a
    process for each processor lives as long as the call. What executors of processes get
    and give is pickled: ``source`` is a text or a path, not a Program, and reports of
    processes are like those from files, without `Report.timeline` and `Report.page`.

    With ``errors='raise'`` the error of the first point that fails is raised and points that
    have not begun are not run; with ``'keep'`` the `Error` is in the place of its result.

    Raises UsageError for a point that is none, with its number, before anything runs, and
    what `compile`, `compile_einsum` and `Program.run` raise.
    """
    if errors not in ("raise", "keep"):
        raise UsageError(f"errors is 'raise' or 'keep', found {errors!r}")
    all_points = [dict(point) for point in points]
    for number, point in enumerate(all_points):
        _check(number, point)
    if executor is None:
        with ProcessPoolExecutor() as pool:
            return _collect(pool, all_points, errors)
    return _collect(executor, all_points, errors)


def _collect(executor: Executor, points: list[dict[str, Any]], errors: str
             ) -> list[RunResult | Error]:
    futures: list[Future[RunResult | Error]] = []
    results: list[RunResult | Error] = []
    try:
        futures.extend(executor.submit(_run, point) for point in points)
        for future in futures:
            result = future.result()
            if errors == "raise" and isinstance(result, Error):
                raise result
            results.append(result)
    finally:
        for future in futures:
            future.cancel()
    return results
