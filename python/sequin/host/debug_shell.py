# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sdk_debug_shell and csdb, as far as they have a meaning here.

`sdk_debug_shell smoke` compiles and runs a small program. `sdk_debug_shell visualize`
makes a picture of a program's fabric and says where the timeline of its last run is;
there is no graphical program. csdb is no debugger here and says what is there instead.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from sequin import _core
from sequin._boundary import ScratchFolder, refusals, run_program, write_file
from sequin.errors import Error, HostError

from .appliance import SdkCompiler, SdkLauncher
from .emit import find_cslc

__all__ = ["main"]

LAYOUT = """\
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 2, .height = 1 });
layout {
  @set_rectangle(2, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0), .first = true });
  @set_tile_code(1, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(1), .first = false });
  const c = @get_color(2);
  @set_color_config(0, 0, c, .{ .routes = .{ .rx = RAMP, .tx = EAST } });
  @set_color_config(1, 0, c, .{ .routes = .{ .rx = WEST, .tx = RAMP } });
  @export_name("data", [*]u32, true);
  @export_name("main", fn() void);
}
"""

PE = """\
param memcpy_params;
param first: bool;
const sys_mod = @import_module("<memcpy/memcpy>", memcpy_params);
var data = [4]u32 { 1, 2, 3, 4 };
var data_ptr: [*]u32 = &data;
const done_id = @get_local_task_id(10);
task done() void {
  sys_mod.unblock_cmd_stream();
}
const words = @get_dsd(mem1d_dsd, .{ .base_address = &data, .extent = 4 });
fn main() void {
  if (first) {
    const to = @get_dsd(fabout_dsd, if (@is_arch("wse3")) .{
      .extent = 4, .output_queue = @get_output_queue(2),
    } else .{
      .extent = 4, .output_queue = @get_output_queue(2), .fabric_color = @get_color(2),
    });
    @mov32(to, words, .{ .async = true, .activate = done_id });
  } else {
    const from = @get_dsd(fabin_dsd, .{ .extent = 4, .input_queue = @get_input_queue(2) });
    @mov32(words, from, .{ .async = true, .activate = done_id });
  }
}
comptime {
  @bind_local_task(done, done_id);
  if (first) {
    if (@is_arch("wse3")) {
      @initialize_queue(@get_output_queue(2), .{ .color = @get_color(2) });
    }
  } else {
    @initialize_queue(@get_input_queue(2), .{ .color = @get_color(2) });
  }
  @export_symbol(data_ptr, "data");
  @export_symbol(main);
}
"""

RUN = """\
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
with SdkRuntime("out") as runner:
    runner.launch("main", nonblock=False)
    data = np.zeros(4, np.uint32)
    runner.memcpy_d2h(data, runner.get_id("data"), 1, 0, 1, 1, 4, streaming=False,
                      data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR,
                      nonblock=False)
assert list(data) == [1, 2, 3, 4], data
print("SUCCESS")
"""


def smoke() -> None:
    with ScratchFolder() as folder:
        for name, text in (("layout.csl", LAYOUT), ("pe.csl", PE), ("run.py", RUN)):
            write_file(folder / name, text)
        for arch in ("wse2", "wse3"):
            with SdkCompiler() as compiler:
                artifact = compiler.compile(
                    folder,
                    "layout.csl",
                    f"--arch={arch} --fabric-dims=9,3 --fabric-offsets=4,1 --memcpy --channels=1",
                    folder,
                )
            with SdkLauncher(artifact, simulator=True) as launcher:
                launcher.stage(folder / "run.py")
                print(f"{arch}: {launcher.run('cs_python run.py').strip()}")


def visualize(directory: str, output: str) -> None:
    program = Path(directory) / "bin" / "out_program.json"
    if not program.is_file():
        raise HostError(f"{directory!r} is no directory of cslc: there is no {program}")
    with refusals(str(program)):
        target = json.loads(program.read_text(encoding="utf-8"))["target"]
    tool = Path(find_cslc("")).resolve().parents[1] / "sequin-run"
    # Nothing is launched: the picture is of PEs and routes.
    command = [str(tool), str(program), "--target", str(target), "--fabric-svg", output]
    code, text = run_program(command)
    if code:
        raise HostError(f"the picture failed:\n{text.rstrip()}")
    print(f"PEs and routes: {output}")
    traces = Path(directory) / "simfab_traces"
    for name, what in (("timeline.json", "timeline, for Perfetto"), ("report.json", "report")):
        if (traces / name).is_file():
            print(f"{what}: {traces / name}")
        else:
            print(f"{what}: none; a host script that runs and stops the program leaves it")


def main(arguments: list[str]) -> int:
    """What `sdk_debug_shell` was called with; the exit code."""
    parser = argparse.ArgumentParser(
        prog="sdk_debug_shell",
        description="Looks at a program and its last run.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_core.version_text.rstrip())
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("smoke", help="compiles and runs a small program on both machines")
    show = commands.add_parser("visualize", help="draws the fabric, says where the timeline is")
    show.add_argument("--artifact_dir", default="out", help="the directory that cslc wrote (out)")
    show.add_argument("--output", default="fabric.svg", help="the picture (fabric.svg)")
    options = parser.parse_args(arguments)
    try:
        if options.command == "smoke":
            smoke()
        else:
            visualize(options.artifact_dir, options.output)
    except Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


CSDB = """\
error: csdb, the vendor's debugger, is not part of Sequin. In its place:
  memory and variables of PEs   SdkRuntime.read_symbol(x, y, name, dtype) in a host script, or
                                cerebras.sdk.debug.debug_util after it
  core files                    SdkRuntime.dump_elf_core(path): ELF, a segment for each PE
  instructions, wavelets        SINGULARITYENV_SIMFABRIC_DEBUG=inst_trace,landing,router: sim.log
  timeline                      sdk_debug_shell visualize
"""

if __name__ == "__main__":
    if sys.argv[1:] == ["--csdb"]:
        sys.stderr.write(CSDB)
        sys.exit(1)
    sys.exit(main(sys.argv[1:]))
