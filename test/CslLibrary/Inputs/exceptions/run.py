# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which exceptions stop a PE, and where, against NumPy's, element by element."""

import argparse
from fractions import Fraction

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name")
name = parser.parse_args().name
with open(__file__.replace("run.py", "pe.csl")) as file:
    source = file.read().splitlines()

NAMES = ["FP_UNDERFLOW", "FP_OVERFLOW", "FP_INEXACT", "FP_INVALID", "FP_DIV_BY_0"]
NONE = 5
KINDS = ["@fadds", "@fsubs", "@fmuls", "x[i] + y[i]", "x[i] - y[i]", "x[i] * y[i]", "x[i] / y[i]"]
FUNCTIONS = [np.add, np.subtract, np.multiply, np.add, np.subtract, np.multiply, np.divide]
COPY = dict(
    streaming=False,
    data_type=MemcpyDataType.MEMCPY_32BIT,
    order=MemcpyOrder.ROW_MAJOR,
    nonblock=False,
)
largest, least = np.finfo(np.float32).max, np.finfo(np.float32).tiny


def raised(function, a, b):
    """The exceptions of one element, by number. NumPy has no word for inexact."""
    found = set()
    # Of the four that it has.
    for number, key in enumerate(["under", "over", None, "invalid", "divide"]):
        if key:
            try:
                with np.errstate(all="ignore", **{key: "raise"}):
                    function(a, b)
            except FloatingPointError:
                found.add(number)
    with np.errstate(all="ignore"):
        c = function(a, b)
    if np.isfinite([a, b]).all() and not found & {3, 4}:
        if function is np.divide:
            exact = Fraction(float(a)) / Fraction(float(b))
        else:
            exact = function(Fraction(float(a)), Fraction(float(b)))
        if not np.isfinite(c) or Fraction(float(c)) != exact:
            found.add(2)
    return found, c


def check(kind, x, y, first, second=NONE):
    runner = SdkRuntime(name, cmaddr=None)
    symbols = {symbol: runner.get_id(symbol) for symbol in "xyz"}
    runner.load()
    runner.run()
    given = {}
    # The western PE computes 1 OP 1 and does what it has to.
    for symbol, values in (("x", x), ("y", y)):
        given[symbol] = np.ones((2, 6), np.float32)
        given[symbol][1] = values
        runner.memcpy_h2d(symbols[symbol], given[symbol].ravel(), 0, 0, 2, 1, 6, **COPY)
    unmasked = {first, second}
    expected = np.zeros(6, np.float32)
    stop = None
    for i in range(6):
        exceptions, value = raised(FUNCTIONS[kind], *(given[s][1][i] for s in "xy"))
        if exceptions & unmasked:
            stop = i, " and ".join(NAMES[e] for e in sorted(exceptions & unmasked))
            break
        expected[i] = value
    try:
        runner.launch("run", kind, first, second, nonblock=False)
    except RuntimeError as failure:
        text = str(failure)
        assert stop, (kind, unmasked, text)
        at, exceptions = stop
        assert "PE (1, 0)" in text, text
        assert exceptions in text, (exceptions, text)
        assert (" and " in exceptions) == ("exceptions FP" in text), text
        operation = f"element {at} of {KINDS[kind][1:]}" if kind < 3 else "float_"
        assert operation in text, (operation, text)
        line = int(text.split("pe.csl:")[1].split(":")[0])
        assert KINDS[kind] in source[line - 1], (line, text)
        return True
    assert not stop, (kind, unmasked, stop)
    z = np.zeros(12, np.float32)
    runner.memcpy_d2h(z, symbols["z"], 0, 0, 2, 1, 6, **COPY)
    runner.stop()
    np.testing.assert_array_equal(z[6:], expected)
    return False


inf = np.inf
stopped = 0
SUMS = [1, 2, 3, 1, largest, inf], [2, 2, 4, 2.0**-30, largest, -inf]
DIFFERENCES = [1, 2, 3, 1, -largest, inf], [2, 2, 4, 2.0**-30, largest, inf]
PRODUCTS = [1, least, 3, 2.0**100, least, inf], [2, 0.5, 1 / 3, 2.0**100, 0.7, 0]
QUOTIENTS = [1, least, 1, 2.0**100, -5, 0], [2, 3, 3, 2.0**-100, 0, 0]
for kind in range(7):
    data = [SUMS, DIFFERENCES, PRODUCTS, SUMS, DIFFERENCES, PRODUCTS, QUOTIENTS][kind]
    for exception in range(5):
        stopped += check(kind, *data, exception)
    # Two together; and none of floats: all goes on, with infinities and NaN.
    stopped += check(kind, *data, 1, 3)
    stopped += check(kind, *data, 2, 0)
    stopped += check(kind, *data, NONE)
print(f"{stopped} runs stopped where NumPy says")
