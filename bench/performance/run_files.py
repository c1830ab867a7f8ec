# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The files of a run that the programs of this folder take: configuration, machine, report."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Json = Mapping[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path)
    parser.add_argument("machine", type=Path)
    parser.add_argument("--report", type=Path, required=True)


def load(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[Json, Json, Json]:
    """(configuration, machine, report). Ends the program with an error if one cannot be read, or
    if the configuration is for another machine."""
    try:
        program, machine, report = (json.loads(path.read_text()) for path in
                                    (options.config, options.machine, options.report))
    except (OSError, ValueError) as error:
        parser.error(str(error))
    if program["target"] != machine["name"]:
        parser.error(f"the program is for '{program['target']}', "
                     f"the machine is '{machine['name']}'")
    return program, machine, report
