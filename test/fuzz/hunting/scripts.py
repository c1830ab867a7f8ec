# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A hunter of host scripts, by argument of their calls."""

from __future__ import annotations

import ast
import shutil
from random import Random
from typing import Any

from .forked import Programs
from .kinds import ROOT, Input, Kind
from .mutation import how_many, lines_of

#: What stands in the place of an argument, as Python text.
BAD = [
    "None", "True", "0", "1", "-1", "2", "5", "6", "31", "32", "65535", "65536", "2**31", "2**32",
    "2**63", "2**64", "-2**63", "10**40", "0.5", "1.0", "float('nan')", "float('inf')", "1j", "''",
    "'A'", "'h'", "'scale'", "'in'", "'none'", "'a\\0b'", "'\\udc80'", "'x' * 5000", "b'A'", "[]",
    "[0]", "(0, 0)", "(1, 2, 3)", "{}", "{'A': 8}", "set()", "object()", "int", "len", "lambda: 0",
    "iter([1])", "range(3)", "np.float32(2)", "np.float32('nan')", "np.int8(-1)", "np.uint16(5)",
    "np.int64(2**40)", "np.uint64(2**63)", "np.bool_(True)", "np.str_('A')", "np.zeros(6, np.float32)",
    "np.zeros(0, np.uint32)", "np.zeros(6)", "np.zeros(6, '>f4')", "np.zeros(12, np.uint16)",
    "np.zeros((2, 3), np.int32)", "np.zeros((3, 4))[:, ::2]", "np.zeros(6, object)",
    "np.array('A')", "np.array(5)", "np.zeros(6, 'M8[s]')", "np.zeros(6, 'S3')",
    "np.zeros(4, [('a', 'i4'), ('b', 'f8')])", "np.ma.zeros(6, np.float32)",
    "np.broadcast_to(np.float32(1), 6)", "np.full(6, np.nan, np.float32)", "np.matrix([[1, 2]])",
    "np.lib.stride_tricks.as_strided(np.zeros(1, np.float32), (2**24,), (0,))",
    "MemcpyDataType.MEMCPY_16BIT", "MemcpyOrder.COL_MAJOR", "SdkTarget.WSE2", "Route.EAST",
    "[Route.RAMP, Route.RAMP]", "Edge.TOP", "IntVector(0, 0)", "IntVector(-1, 2**40)",
    "IntRectangle(IntVector(0, 0), IntVector(1, 1))", "RoutingPosition()", "Color('c')",
    "Color('c', 31)", "SimfabConfig()", "get_platform()", "'.'", "'/dev/null'", "'/dev/full'",
    "'no/where'", "'out'", "'out/out.json'", "'../../x'", "'pe.csl'", "'rngd'", "'wse2'", "'f32'",
    "'bf16,f32'", "np.float16", "'ERROR'", "'-o'", "'--arch=wse9'", "'--params=a:1,a:2'",
    "'mk,kn->mn'", "'A, B'", "'A=8,B=4'", "dict(A=-1)", "dict(A='B-A', B=4)",
]
COPY = ("0, 0, 4, 3, 6, streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, "
        "order=MemcpyOrder.ROW_MAJOR, nonblock=False")
DATA = "np.zeros(72, np.float32)"
STREAM = ("0, 0, 2, 1, 3, streaming=True, data_type=MemcpyDataType.MEMCPY_32BIT, "
          "order=MemcpyOrder.ROW_MAJOR, nonblock=True")
#: Statements of scripts, of which a script has some in this order.
RUNTIME = f"""
runner = SdkRuntime('out', platform=None, cmaddr='', suppress_simfab_trace=True, simfab_numthreads=5, msg_level='ERROR', memcpy_required=True)
runner.load()
runner.run()
A = runner.get_id('A')
where = runner.coord_logical_to_physical((1, 2))
task = runner.memcpy_h2d(A, {DATA}, {COPY})
runner.memcpy_d2h({DATA}, A, {COPY})
runner.memcpy_h2d_rowbcast('A', np.zeros(18, np.float32), {COPY})
runner.memcpy_h2d_colbcast('A', np.zeros(24, np.float32), {COPY})
runner.memcpy_h2d_stride('A', {DATA}, 0, 0, 4, 3, 6, 2, 2, streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.COL_MAJOR)
runner.memcpy_h2d('h', np.zeros(72, np.uint32), 0, 0, 4, 3, 6, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.memcpy_d2h(np.zeros(72, np.uint32), 'h', 0, 0, 4, 3, 6, data_type=MemcpyDataType.MEMCPY_16BIT)
runner.launch('scale', np.float32(2.0), nonblock=False)
runner.launch('keep', 1, 2, 3.0, np.float16(4))
runner.launch('point', np.int16(2))
runner.call('scale', [np.float32(1)])
runner.memcpy_d2h(np.zeros(6, np.uint32), 5, {STREAM})
runner.memcpy_h2d(4, np.zeros(6, np.uint32), {STREAM})
runner.is_task_done(task)
runner.task_wait(task)
runner.read_symbol(0, 0, 'A', np.float32)
runner.send(0, np.zeros(4, np.uint32), 4, nonblock=True)
runner.receive(0, np.zeros(4, np.uint32), 4, nonblock=True)
runner.receive_tofile(0, 'words.bin', 4)
runner.get_port_id('in')
runner.report_port_infos()
runner.dump_core('core')
runner.dump_elf_core('elf')
runner.stop()
looking = debug_util('out')
looking.get_symbol(5, 2, 'A', np.float32)
looking.get_symbol_rect(((4, 1), (2, 2)), 'A', np.float32)
looking.read_trace(5, 2, 'T')
""".strip().splitlines()
LAYOUT = """
target = SdkTarget.WSE3
platform = get_platform('', SimfabConfig(num_threads=1, suppress_trace=True, dump_core=False, core_path=None), target)
layout = SdkLayout(platform, msg_level='ERROR')
region = layout.create_code_region('polynomial.csl', 'stage', 1, 1)
rx = region.color('rx', 3)
tx = region.color('tx')
region.set_param_all(rx)
region.set_param_all(tx)
region.set_param(IntVector(0, 0), 'k', 3)
region.set_param_range(IntRectangle(IntVector(0, 0), IntVector(1, 1)), 'k', 3)
region.set_symbol_all('table', np.zeros((1, 2), np.float32), 2, 1)
region.place(1, 1)
to_ramp = RoutingPosition().set_output([Route.RAMP])
from_ramp = RoutingPosition().set_input([Route.RAMP])
into = region.create_input_port(rx, Edge.LEFT, [to_ramp], 16, prefix='')
out_of = region.create_output_port(tx, Edge.RIGHT, [from_ramp], 16)
region.paint_all(Color('c'), [RoutingPosition().add_input(Route.WEST).add_output(Route.EAST)], [get_edge_routing(Edge.TOP, [to_ramp])])
region.paint(IntVector(0, 0), Color('d', 7), [to_ramp])
region.paint_range(IntRectangle(IntVector(0, 0), IntVector(1, 1)), Color('e'), [to_ramp])
other = layout.create_code_region('polynomial.csl', 'other', 2, 1)
layout.hstack([region, other], IntVector(1, 1))
layout.vstack([region, other])
layout.connect(out_of, into)
first = layout.create_input_stream(into, None, 1024)
last = layout.create_output_stream(out_of)
layout.create_input_stream_from_loc(IntVector(0, 0), Color('e', 9), prefix='p')
layout.create_output_stream_from_loc(IntVector(0, 0), Color('e', 9))
layout.route()
""".strip().splitlines()
BUILD = ("layout.compile('made', libs=[], cslc_prefix='', save_port_map=True, "
         "f16_type=FP16TYPE.F16)")
APPLIANCE = """
compiler = client.SdkCompiler(resource_cpu=1, disable_version_check=True)
compiler.__enter__()
artifact = 'art.tar'
launcher = client.SdkLauncher('art.tar', simulator=True)
launcher.__enter__()
launcher.stage('pe.csl', 'out')
launcher.run('true')
launcher.download_artifact('out', 'got')
launcher.download_artifact('out/out.json', '.')
old = client.SdkRuntime('art.tar', simulator=True, msg_level='ERROR')
old.load()
""".strip().splitlines()
COMPILE = "artifact = compiler.compile('.', 'layout.csl', '--arch=wse3 --memcpy -o out', 'art')"
PACKAGE = """
a = np.ones((4, 8), np.float32)
b = np.ones((8, 2), np.float32)
sequin.einsum('mk,kn->mn', a, b, dtype='bf16', target='rngd', chips=1, verify=False, raw=False, max_steps=100000, return_report=True)
sequin.einsum('ij,j->i', np.eye(3, dtype='int8'), np.array([5, 6, 7], 'int8'), output_dtype='i32', allow_narrow=False)
program = sequin.compile_einsum('mk,kn->mn', {'m': 4, 'k': 8, 'n': 2}, dtype='bf16', output_dtype='f32', target='rngd', chips=1, argument_layout='chosen')
program.run(a, b, verify=True, raw=True, max_steps=100000)
program.run(timing_only=True)
program.mlir('config')
again = sequin.compile(program.json(), target='rngd', chips=1, entry='main', name='cell', allow_bf16=False, argument_layout='row-major')
again.run(a, b)
layout = sequin.Mapping('H / 2, W / 2, H % 2, W % 2', axes={'H': 4, 'W': 4}, tables={'t': [3, 1]})
layout.equivalent('H, W')
layout.eval()
layout.derive(buffer='H, W', packet='1', dtype='bf16', direction='read', minimal=False, segments=1, target='rngd')
layout.draw()
layout.normalize()
sequin.machine('rngd')
sdk_utils.input_array_to_u32(np.zeros(6, np.uint16), 1, 3)
sdk_utils.memcpy_view(np.zeros(6, np.uint32), np.float16)
sdk_utils.calculate_cycles(np.zeros(3, np.uint32))
sdk_utils.sub_ts([1, 2, 3, 4, 5, 6])
sdk_utils.float_to_hex(1.5)
sdk_utils.cast_uint32(np.float16(1))
""".strip().splitlines()


class HostKind(Kind):
    """Scripts against the host runtime, layouts, the calls for a cluster and the package."""

    name = "host"

    def __init__(self, programs: Programs):
        super().__init__(programs)
        # What a script finds where it runs: a compiled program, an artifact, sources.
        out = self.directory / "out"
        (out / "bin").mkdir(parents=True, exist_ok=True)
        module = (ROOT / "test/python/Inputs/host.mlir").read_bytes()
        run = programs.get("sequin-translate").run(["--csl-to-json", "-"], module, output=True)
        if run.code:
            raise RuntimeError(run.errors)
        (out / "bin/out_program.json").write_bytes(run.output)
        (out / "out.json").write_text(
            '{"version": 1, "program": "bin/out_program.json", "params": {"N": "16"}}')
        shutil.make_archive(str(programs.scratch / "art"), "tar", self.directory, "out")
        shutil.move(programs.scratch / "art.tar", self.directory / "art.tar")
        shutil.copy(ROOT / "examples/host/layout/polynomial.csl", self.directory)
        for name in ("layout.csl", "pe.csl"):
            shutil.copy(ROOT / "examples/host/memcpy" / name, self.directory)

    def make(self, random: Random) -> Input:
        way = random.randrange(20)
        lines = list(RUNTIME if way < 8 else LAYOUT if way < 13 else APPLIANCE if way < 15
                     else PACKAGE)
        # These start programs, each of which takes as long as many other inputs.
        if lines == LAYOUT and random.random() < 0.02:
            lines.append(BUILD)
        elif lines == APPLIANCE and random.random() < 0.05:
            lines.insert(2, COMPILE)
        if lines[0] == RUNTIME[0]:
            # Most scripts come up to the commands.
            kept = [line for line in lines[3:] if random.random() < 0.4]
            lines = lines[:3] + kept
        elif len(lines) > 6 and random.random() < 0.5:
            del lines[random.randrange(len(lines) // 2, len(lines)):]
        for _ in range(how_many(random) + 1):
            self.change(random, lines)
        return Input("python", (), "\n".join(lines) + "\n", cuts=(lines_of,))

    def change(self, random: Random, lines: list[str]) -> None:
        """A call with another argument, without one, with one more, twice, or elsewhere."""
        i = random.randrange(len(lines))
        way = random.randrange(12)
        if way == 0:
            lines.insert(random.randrange(len(lines) + 1), lines[i])
            return
        if way == 1 and len(lines) > 1:
            lines.insert(random.randrange(len(lines)), lines.pop(i))
            return
        tree = ast.parse(lines[i])
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)
                 and (node.args or node.keywords) and not self.is_numpy(node)]
        if not calls:
            return
        call = random.choice(calls)
        bad: Any = ast.parse(random.choice(BAD), mode="eval").body
        count = len(call.args)
        at = random.randrange(count + len(call.keywords))
        if way == 2:
            call.args.append(bad)
        elif way == 3 and at < count:
            del call.args[at]
        elif way == 4 and count > 1 and at < count:
            other = random.randrange(count)
            call.args[at], call.args[other] = call.args[other], call.args[at]
        elif at < count:
            call.args[at] = bad
        else:
            call.keywords[at - count].value = bad
        lines[i] = ast.unparse(tree)

    @staticmethod
    def is_numpy(call: ast.Call) -> bool:
        """Whether NumPy is called, not the package."""
        return ast.unparse(call.func).startswith("np.")
