# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sequin.visa and sequin-visa-test: kernels with host tensors, and their tests in Rust."""

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sequin
from sequin import visa
from sequin.visa.evaluate import Evaluator
from sequin.visa.numbers import fused, round_to
from conftest import SOURCE

HELLO = SOURCE / "examples" / "visa" / "hello.rs"
FORMS = Path(__file__).parent / "Inputs" / "visa_forms.rs"


@pytest.fixture
def few_steps(monkeypatch):
    monkeypatch.setattr(Evaluator, "MOST_STEPS", 100_000)


def outcomes(path):
    return {o.name: o for o in visa.Tests.read(path).run()}


# ===--- The package ------------------------------------------------------=== #


def test_launches_a_kernel_by_name():
    kernels = visa.load(HELLO)
    assert kernels.names == ["scale_and_shift", "multiply", "gemv::matrix_vector"]
    n = kernels.axis("N")
    x = visa.HostTensor.of("i32", n, np.arange(2048))
    context = visa.Context(verify=True)
    y = kernels.launch("scale_and_shift", context, x.to_hbm(context)).to_host(n)
    assert np.array_equal(y.values, 3 * np.arange(2048) + 5)
    assert context.cycles == context.launches[0].result.report.cycles > 0
    # In another order, which is only how the host lists it.
    turned = kernels.launch("scale_and_shift", context, x.to_hbm()).to_host([n % 8, n / 8])
    assert np.array_equal(turned.values.reshape(8, 256).T.reshape(-1), y.values)


def test_names_and_numbers_of_tensors_are_checked():
    kernels = visa.load(HELLO)
    with pytest.raises(sequin.UsageError, match="no kernel 'scale', known are scale_and_shift"):
        kernels.kernel("scale")
    with pytest.raises(sequin.UsageError, match="no axis 'M'"):
        kernels.axis("M")
    with pytest.raises(sequin.UsageError, match="takes 1 tensors, found 0"):
        kernels.launch("scale_and_shift", visa.Context())
    x = visa.HostTensor.zero("f32", kernels.axis("N"))
    with pytest.raises(sequin.UsageError, match="'x' is of i32, found f32"):
        kernels.launch("scale_and_shift", visa.Context(), x.to_hbm())
    with pytest.raises(sequin.UsageError, match="no element type"):
        visa.HostTensor.zero("i33", kernels.axis("N"))


def test_mappings_list_what_the_manual_says():
    a, b = visa.Axis("A", 8), visa.Axis("B", 6)
    numbers = np.arange(48)
    t = visa.HostTensor.of("i32", (a, b), numbers)
    for mapping, expected in (
        ((b, a), numbers.reshape(8, 6).T),
        ((a % 4, b, a / 4), numbers.reshape(2, 4, 6).transpose(1, 2, 0)),
        (visa.m((a, b)).pad(64), numbers),
    ):
        moved = t.to_hbm(None, 1, mapping).to_host(mapping)
        assert np.array_equal(moved.values, np.asarray(expected).reshape(-1))
    assert visa.m(b.pad(8), a).size == 64
    assert str(visa.m((a, b)).pad(64) / 8) == "[A, B] # 64 / 8"
    with pytest.raises(sequin.UsageError, match="does not divide"):
        (b / 4).size
    with pytest.raises(sequin.UsageError, match="twice"):
        visa.HostTensor.zero("i32", (a, b, a % 2))


def test_numbers_round_as_rust_does():
    x = np.array([1 + 2**-8, 1 + 3 * 2**-8, -np.inf, np.nan], np.float32)
    assert np.array_equal(round_to("bf16", x), np.float32([1, 1 + 2**-6, -np.inf, np.nan]),
                          equal_nan=True)
    rng = np.random.default_rng(0)
    a, b, c = (rng.standard_normal(1000).astype(np.float32) for _ in range(3))
    exact = [np.float32(np.longdouble(x) * np.longdouble(y) + np.longdouble(z))
             for x, y, z in zip(a, b, c)]
    assert np.array_equal(fused(a, b, c, "f32"), exact)


# ===--- Tests in Rust ----------------------------------------------------=== #


@pytest.mark.parametrize("name", ["hello", "programs", "layer"])
def test_examples_pass(name):
    found = outcomes(SOURCE / "examples" / "visa" / "tests" / f"{name}.rs")
    assert found and all(o.status == "ok" and o.cycles > 0 for o in found.values()), found


def test_forms_of_rust(few_steps):
    found = outcomes(FORMS)
    bad = {n: o for n, o in found.items() if o.status == "failed" and not n.startswith("fails::")}
    assert not bad
    assert found["ignored"].status == "ignored" and found["ignored"].message == "takes years"
    assert sum(o.status == "ok" for o in found.values()) == 7


@pytest.mark.parametrize("name, message", [
    ("difference", "1 of 10 elements differ, the first at 7: left 7, right 0"),
    ("other_panic", "assertion failed: 1 + 1 == 3"),
    ("no_panic", "did not panic"),
    ("another_panic", "panicked with 'nothing', expected was 'something'"),
    ("out_of_bounds", "the len is 3 but the index is 3"),
    ("endless", "more than 100,000 expressions"),
    ("deep", "too deep"),
    ("unknown_method", "method 'rotate' is not evaluated"),
    ("wrong_mapping", "'A' has 12 positions without padding, found 11 numbers"),
    ("other_axes", "axis A of the tensor is not in the mapping"),
])
def test_failures_say_why(few_steps, name, message):
    (outcome,) = visa.Tests.read(FORMS).run([f"fails::{name}"])
    assert outcome.status == "failed" and message in outcome.message
    assert re.match(r".*visa_forms\.rs:\d+:\d+$", outcome.place)


def changed(tmp_path, old, new):
    """The tests of hello.rs with a change in them or in the kernels."""
    (tmp_path / "tests").mkdir(exist_ok=True)
    for name in ("hello.rs", "tests/hello.rs"):
        text = (HELLO.parent / name).read_text()
        (tmp_path / name).write_text(text.replace(old, new))
    return tmp_path / "tests" / "hello.rs"


def test_wrong_kernel_fails(tmp_path):
    found = outcomes(changed(tmp_path, "FxpBinaryOp::AddFxp, 5", "FxpBinaryOp::AddFxp, 6"))
    assert "2048 of 2048 elements differ" in found["three_x_plus_five"].message
    assert found["products_wrap"].status == "ok"


def test_refused_kernel_is_a_panic(tmp_path):
    path = changed(tmp_path, "m![1], m![N % 8]>()\n        .collect", "m![1], m![N % 4]>()\n        .collect")
    found = outcomes(path)["three_x_plus_five"]
    assert found.status == "failed" and "tcp.collect" in found.message
    text = path.read_text().replace("#[tokio::test]\nasync fn three", "#[tokio::test]\n"
                                    '#[should_panic(expected = "flit")]\nasync fn three')
    path.write_text(text)
    found = outcomes(path)["three_x_plus_five"]
    assert found.status == "ok" and "tcp.collect" in found.message


def test_mutations_end_well(tmp_path, few_steps):
    """Whatever is in a test, it passes, fails or is refused."""
    text = FORMS.read_text()
    tokens = re.findall(r"\w+|\s+|[^\w\s]", text)
    words = sorted({t for t in tokens if not t.isspace()})
    rng = random.Random(7)
    path = tmp_path / "changed.rs"
    ran = 0
    for _ in range(60):
        mutant = list(tokens)
        at = rng.randrange(len(mutant))
        mutant[at] = rng.choice([rng.choice(words), "", mutant[at] * 2])
        path.write_text("".join(mutant))
        try:
            ran += len(outcomes(path))
        except sequin.CompileError as error:
            assert error.line
    assert ran > 0


# ===--- The program ------------------------------------------------------=== #


def tool(*arguments):
    done = subprocess.run([sys.executable, "-m", "sequin.visa.tool", *map(str, arguments)],
                          capture_output=True, text=True, timeout=300,
                          env={"PYTHONPATH": str(Path(sequin.__file__).resolve().parents[1])})
    assert "Traceback" not in done.stderr
    return done


def test_program_passes_and_reports(tmp_path):
    report = tmp_path / "report.json"
    tests = HELLO.parent / "tests" / "hello.rs"
    done = tool(tests, "three", "products", "--verify", "--report", report)
    assert done.returncode == 0 and "test result: ok. 2 passed; 0 failed; 0 ignored" in done.stdout
    rows = json.loads(report.read_text())
    assert [(r["name"], r["status"], r["kernels"]) for r in rows] == [
        ("three_x_plus_five", "ok", ["hello::scale_and_shift"]),
        ("products_wrap", "ok", ["hello::multiply"])]
    assert tool(tests, "--list").stdout.split() == ["three_x_plus_five", "products_wrap",
                                                    "matrix_times_vector"]


def test_program_fails_with_places():
    done = tool(FORMS, "fails::difference")
    assert done.returncode == 1 and "test result: FAILED" in done.stdout
    assert re.search(r"visa_forms\.rs:\d+:\d+: error: test 'fails::difference' failed", done.stderr)


@pytest.mark.parametrize("arguments, code, message", [
    (["no.rs"], 1, "no.rs"),
    ([FORMS, "nothing_of_this_name"], 1, "has no test of these names"),
    ([HELLO], 1, "has no test"),
    ([FORMS, "--target", "wse2"], 2, "unknown target"),
    ([FORMS, "--library", "x"], 2, "no NAME=FILE"),
    ([FORMS, "--nothing"], 2, "--help"),
])
def test_program_refuses(arguments, code, message):
    done = tool(*arguments)
    assert done.returncode == code and "error: " in done.stderr and message in done.stderr
