# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How lit runs the files under test/; the build's facts come from lit.site.cfg.py.

Environment switch: SEQUIN_VERIFY_ROUNDTRIP=1 runs every sequin-opt of the whole
suite with --verify-roundtrip.
"""

import os
import re
import shlex
import shutil

import lit.formats

config.name = "Sequin"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".csl", ".rs"]
# Inputs holds data, lib test-only passes, unit GoogleTest programs, corpus seeds
# of fuzzers.
config.excludes = ["Inputs", "lib", "unit", "corpus"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.sequin_obj_root, "test")

# The timeout needs a Python module of its own; without it tests still run.
# Sanitized programs are several times slower.
supported, reason = lit_config.maxIndividualTestTimeIsSupported
if not supported:
    lit_config.note("tests run without a time limit: " + reason)
elif not lit_config.maxIndividualTestTime:
    lit_config.maxIndividualTestTime = 600 if config.sequin_sanitize else 120

# Programs under test come before installed ones of the same name.
config.environment["PATH"] = os.pathsep.join(
    [config.sequin_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.environment["FILECHECK_OPTS"] = "--enable-var-scope --dump-input-filter=error"
config.environment["SEQUIN_BUILD"] = config.sequin_obj_root
config.environment["LC_ALL"] = "C.UTF-8"
# A sanitizer's report ends in a signal, so that `not` cannot take it for a refusal.
config.environment["ASAN_OPTIONS"] = "abort_on_error=1"
config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1:abort_on_error=1"
for symbolizer in ("ASAN_SYMBOLIZER_PATH", "UBSAN_SYMBOLIZER_PATH"):
    config.environment[symbolizer] = os.path.join(config.llvm_tools_dir, "llvm-symbolizer")

if config.sequin_sanitize:
    config.available_features.add("sanitize")
config.available_features.add(config.sequin_build_type.lower())
# The wafer's compiler driver, beside the programs it is named after.
if os.path.exists(os.path.join(config.sequin_tools_dir, "compat", "cslc")):
    config.available_features.add("cslc")
# Runs on several processes, where MPI was found.
if (os.path.exists(os.path.join(config.sequin_obj_root, "lib", "libsequin-mpi.so"))
        and shutil.which("mpirun")):
    config.available_features.add("mpirun")
# Host scripts need the Python package, which sanitized builds do not have.
if os.path.exists(os.path.join(config.sequin_tools_dir, "compat", "cs_python")):
    config.available_features.add("cs_python")


def program(name):
    """A pattern for `name` as a command of a RUN line, not as part of a word,
    an option or a path."""
    return r"(?<![\w.$/=+-])" + re.escape(name) + r"(?![\w./-])"


def add_tool(name, folder, arguments="", only_if=""):
    path = shlex.quote(os.path.join(folder, name))
    config.substitutions.append((program(name) + only_if, path + arguments))


# FileCheck, count and split-file are found on PATH; `not` is built into lit.
config.substitutions.append(("%python", shlex.quote(config.python_executable)))
config.substitutions.append(("%cxx", shlex.quote(config.cxx_compiler)))
config.substitutions.append(("%cc", shlex.quote(config.c_compiler)))
config.substitutions.append(("%src", config.sequin_src_root))
config.substitutions.append(("%build", config.sequin_obj_root))

if os.environ.get("SEQUIN_VERIFY_ROUNDTRIP", "") not in ("", "0"):
    # Twice on one command line is refused, so a line that asks itself is left alone.
    add_tool("sequin-opt", config.sequin_tools_dir, " --verify-roundtrip",
             r"(?!.*--verify-roundtrip)")
for tool in ("sequin-opt", "sequin-translate", "sequin-run", "sequin-map", "sequin-csl",
             "sequin-lsp-server", "sequin-visa"):
    add_tool(tool, config.sequin_tools_dir)
