#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes wse2/ from wse3/: the same programs for the WSE-2.

Three things differ. The module names the other machine; an output queue has no
color of its own, each fabout DSD names one instead; and a data task belongs to a
color where it belongs to an input queue on the WSE-3.
"""

import argparse
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VALUE = re.compile(r"^ *(%\w+) = (csl\.(?:constant|get_param) .*)$", re.MULTILINE)
INPUT_QUEUE = re.compile(r"csl\.initialize_queue (%\w+) : !csl\.input_queue color (%\w+)")
OUTPUT_QUEUE = re.compile(r"csl\.initialize_queue (%\w+) : !csl\.output_queue color (%\w+)")
DATA_TASK = re.compile(r"csl\.get_data_task_id (%\w+) : !csl\.input_queue")
FABOUT = re.compile(r"^( *)(%\w+) = csl\.fabout_dsd queue (%\w+)(.*)$", re.MULTILINE)


def port_program(text: str) -> str:
    """One csl.program; within its comptime block every value has one name."""
    body, comptime = re.split(r"(?=^    csl\.comptime )", text, flags=re.MULTILINE)
    values = dict(VALUE.findall(comptime))
    # "csl.constant 2 : !csl.output_queue" -> how its color is computed.
    color_of = {values[queue]: values[color] for queue, color in OUTPUT_QUEUE.findall(comptime)}
    input_color = dict(INPUT_QUEUE.findall(comptime))

    def name_color(fabout: re.Match[str]) -> str:
        indent, name, queue, rest = fabout.groups()
        # The definition of this name that comes last before the use.
        definition = dict(VALUE.findall(body[:fabout.start()]))[queue]
        return (f"{indent}{name}_color = {color_of[definition]}\n"
                f"{indent}{name} = csl.fabout_dsd queue {queue} color {name}_color{rest}")

    ported = FABOUT.sub(name_color, body)
    comptime = OUTPUT_QUEUE.sub(r"csl.initialize_queue \1 : !csl.output_queue", comptime)
    comptime = DATA_TASK.sub(
        lambda task: f"csl.get_data_task_id {input_color[task[1]]} : !csl.color", comptime)
    return ported + comptime


def port(text: str) -> str:
    text = text.replace('#csl.target<"wse3"', '#csl.target<"wse2"')
    first, *programs = re.split(r"(?=^  csl\.program )", text, flags=re.MULTILINE)
    return first + "".join(map(port_program, programs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true",
                        help="only say which files are not what they should be")
    arguments = parser.parse_args()
    wrong = []
    for source in sorted((HERE / "wse3").glob("*.mlir")):
        target = HERE / "wse2" / source.name
        text = port(source.read_text())
        if target.exists() and target.read_text() == text:
            continue
        wrong.append(target.name)
        if not arguments.check:
            target.parent.mkdir(exist_ok=True)
            target.write_text(text)
    if arguments.check:
        for name in wrong:
            print(f"error: wse2/{name} is not what port.py makes of wse3/{name}",
                  file=sys.stderr)
        return 1 if wrong else 0
    print(f"{len(wrong)} files written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
