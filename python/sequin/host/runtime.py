# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SdkRuntime: loads what cslc compiled and drives it on the fabric simulator."""

from __future__ import annotations

import difflib
import json
import os
import sys
import types
import warnings
from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from sequin import _wafer
from sequin._boundary import host_class, path_of, write_file
from sequin.errors import Error, HostError, HostTypeError, WaferFailure

from . import end_of_script
from .arguments import encode_arguments, encode_words
from .checks import member, raw_words, source_words, target_words, view_bytes, whole
from .platform import SdkExecutionPlatform, check_threads, refuse_system

__all__ = ["MemcpyDataType", "MemcpyOrder", "SdkCompileArtifacts", "SdkRuntime", "Task"]

Array = NDArray[Any]

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
#: Cycles after which a program counts as endless, unless SEQUIN_MAX_CYCLES says otherwise.
MAX_CYCLES = 1 << 32
#: Names, separated by commas or bars, of what goes into sim.log: DEBUG_LOGS.
DEBUG_VARIABLE = "SINGULARITYENV_SIMFABRIC_DEBUG"
DEBUG_LOGS = ("landing", "router", "inst_trace")
#: How the timeline begins an event, and marks one that is not over.
EVENT, UNFINISHED = '{"ph":', '"unfinished":true'
#: How many of these are looked at.
MOST_UNFINISHED = 4096


class _Number(Enum):
    """An enumeration whose members are numbers to int()."""

    def __int__(self) -> int:
        return int(self.value)


class MemcpyDataType(_Number):
    """Bits of an element on the device; on the host it is a word of 32 bits."""

    MEMCPY_32BIT = 0
    MEMCPY_16BIT = 1


class MemcpyOrder(_Number):
    """How the host's array stores [height][width][elements]."""

    ROW_MAJOR = 0
    """The elements of a PE are neighbours."""
    COL_MAJOR = 1
    """The same elements of a column of PEs are neighbours."""


@host_class
class SdkCompileArtifacts:
    """What was compiled, by its directory."""

    def __init__(self, artifacts_path: str | os.PathLike[str]) -> None:
        self.artifacts_path = os.fspath(artifacts_path)

    def __fspath__(self) -> str:
        return self.artifacts_path

    def __repr__(self) -> str:
        return f"SdkCompileArtifacts({self.artifacts_path!r})"


class Task:
    """A command that was given; task_wait() and is_task_done() take it."""

    def __init__(
        self, numbers: list[int], what: str, finish: Callable[[], None] | None
    ) -> None:
        self._numbers = numbers
        self._left = len(numbers)
        self._finish = finish
        self.what = what
        """The call, for messages."""

    def __repr__(self) -> str:
        return f"<task {self._numbers[0]}: {self.what}>"


def _stream_name(lanes: Sequence[str]) -> str:
    """The stream that the part `name[lane]` belongs to."""
    stem, _, lane = lanes[0].rpartition("[")
    return stem if lane.endswith("]") else lanes[0]


def _per_lane(call: str, count: int, lanes: Sequence[str]) -> int:
    if count % len(lanes):
        raise HostError(
            f"{call}: {count} words cannot be divided among the {len(lanes)} PEs of its port"
        )
    return count // len(lanes)


def _cycle_of(line: str) -> int:
    """Of a line of sim.log: "@35 P5.3: text"."""
    return int(line[1:].split(None, 1)[0])


class _Symbol:
    """A name that the program exports."""

    def __init__(self, number: int, fields: tuple[Any, ...]) -> None:
        self.number = number
        self.name, self.kind, self.writable, self.type, self.bytes, self.arguments = fields


@host_class
class SdkRuntime:
    """A program on the simulated wafer.

    `bindir` is the directory that cslc wrote. load(), run(), commands, stop(), each of
    the three once and in this order. Whatever is refused raises HostError, whatever goes
    wrong on the wafer WaferFailure with the simulator's report.
    """

    def __init__(
        self,
        bindir: str | os.PathLike[str] | SdkCompileArtifacts,
        platform: SdkExecutionPlatform | None = None,
        *,
        cmaddr: str | None = None,
        suppress_simfab_trace: bool = False,
        simfab_numthreads: int = 5,
        msg_level: str = "WARNING",
        memcpy_required: bool = True,
    ) -> None:
        if isinstance(platform, str):
            # The address may come second.
            platform, cmaddr = None, cmaddr or platform
        if cmaddr:
            raise refuse_system(cmaddr)
        if msg_level not in LEVELS:
            raise HostError(f"msg_level is {msg_level!r}, expected one of {', '.join(LEVELS)}")
        threads = check_threads("simfab_numthreads", simfab_numthreads)
        self._level = LEVELS.index(msg_level)
        self._platform = platform
        if platform is not None and not isinstance(platform, SdkExecutionPlatform):
            raise HostTypeError(f"platform is {platform!r}, expected what get_platform() returns")
        self._output = _wafer.Output.open(path_of("bindir", bindir))
        self._directory = Path(bindir)
        if platform is not None and platform.target.machine != self._output.target:
            raise HostError(
                f"the program is compiled for {self._output.target}, "
                f"the platform is {platform.target.machine}"
            )
        self._symbols = [_Symbol(i, f) for i, f in enumerate(self._output.symbols())]
        self._device: _wafer.Device | None = None
        suppressed = suppress_simfab_trace or (
            platform is not None and platform.config.suppress_trace
        )
        self._traced = not suppressed
        if platform is not None:
            threads = platform.config.num_threads
        # More than there are cores would only wait for each other.
        self._threads = min(threads, len(os.sched_getaffinity(0)))
        self._logs = False
        self._state = "new"
        self._managed = False
        self._failed = False
        self._open: dict[int, tuple[Task, Any]] = {}
        self._lacks_memcpy = self._output.lacks_memcpy
        #: Of a run that was interrupted.
        self._timeline = ""
        self._failure: WaferFailure | None = None
        #: Warnings that are not repeated.
        self._said: set[str] = set()

    # ===--- Life ---------------------------------------------------------=== #

    def load(self) -> None:
        """Puts the program on the wafer."""
        if self._managed and self._state != "new":
            return
        self._expect("load()", "new")
        text = os.environ.get("SEQUIN_MAX_CYCLES", str(MAX_CYCLES))
        if not text.isdecimal():
            raise HostError(f"SEQUIN_MAX_CYCLES is {text[:40]!r}, expected a number of cycles")
        # More digits than any number of 64 bits has are the largest one.
        limit = min(int(text[-400:] if len(text) > 400 else text), (1 << 64) - 1)
        names = os.environ.get(DEBUG_VARIABLE, "").replace("|", ",").split(",")
        wanted = [log in names for log in DEBUG_LOGS]
        self._logs = any(wanted)
        self._device = _wafer.Device.create(
            self._output, limit, self._threads, self._traced, *wanted
        )
        self._state = "loaded"

    def run(self) -> None:
        """Starts the program."""
        if self._managed and self._state == "running":
            return
        self._expect("run()", "loaded")
        self._state = "running"
        end_of_script.expect_stop(self, str(self._directory))
        self._try(self._native.advance)

    def stop(self) -> None:
        """Waits for all commands, and ends the run. The directory then has what debug
        tools read."""
        if self._state == "stopped" and self._managed:
            return
        self._expect("stop()", "running")
        self._state = "stopped"
        end_of_script.stopped(self)
        try:
            if not self._failed:
                self._try(self._native.finish)
        finally:
            self._settle()
            self._leave_traces()
        waiting = self._native.waiting()
        if waiting and not self._failed:
            # A server is ready for more to the end, which is no mistake.
            self._say(
                "INFO" if self._native.armed() else "WARNING",
                "stop(): nothing moves any more, but\n" + waiting.rstrip(),
            )
        if not self._failed:
            self._say_left()
        for race in self._native.races():
            self._say("WARNING", "race: " + race)
        for read in self._native.undefined_reads():
            self._say("INFO", "read before it is written: " + read)
        # Where something waits for ever, an element too many may be the reason.
        for control in self._native.lost_controls():
            self._say("WARNING" if waiting and not self._failed else "INFO", control)

    def __enter__(self) -> SdkRuntime:
        self._managed = True
        self.load()
        self.run()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        if kind is None:
            self.stop()
        elif self._state == "running":
            self._state = "stopped"
            end_of_script.stopped(self)
            self._leave_traces()

    # ===--- Names --------------------------------------------------------=== #

    def get_id(self, symbol: str) -> int:
        """The number of an exported name."""
        return self._find(symbol).number

    def get_symbol(self, symbol: str) -> int:
        """get_id() by its other name."""
        return self.get_id(symbol)

    def coord_logical_to_physical(self, coord: tuple[int, int]) -> tuple[int, int]:
        """A place in the program's rectangle as a place on the fabric."""
        x, y = coord
        x, y = whole("x", x), whole("y", y)
        return x + self._output.offset[0], y + self._output.offset[1]

    # ===--- Commands -----------------------------------------------------=== #

    def memcpy_h2d(
        self,
        dest: int | str,
        src: Array,
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        streaming: bool = False,
        data_type: MemcpyDataType = MemcpyDataType.MEMCPY_32BIT,
        order: MemcpyOrder = MemcpyOrder.ROW_MAJOR,
        nonblock: bool = False,
    ) -> Task:
        """Copies to a symbol of the PEs (px, py) to (px + w - 1, py + h - 1), or sends to
        a color if `streaming`. `src` has a word per element: w * h * elem_per_pe."""
        return self._to_device(
            "memcpy_h2d", dest, src, (px, py, w, h), elem_per_pe,
            (streaming, data_type, order, nonblock),
        )

    def memcpy_h2d_rowbcast(
        self,
        dest: int | str,
        src: Array,
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        streaming: bool = False,
        data_type: MemcpyDataType = MemcpyDataType.MEMCPY_32BIT,
        order: MemcpyOrder = MemcpyOrder.ROW_MAJOR,
        nonblock: bool = False,
    ) -> Task:
        """The same with elem_per_pe words for each of the h rows: all PEs of a row get
        the same."""
        return self._to_device(
            "memcpy_h2d_rowbcast", dest, src, (px, py, w, h), elem_per_pe,
            (streaming, data_type, order, nonblock), spread=_wafer.Spread.ROWS,
        )

    def memcpy_h2d_colbcast(
        self,
        dest: int | str,
        src: Array,
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        streaming: bool = False,
        data_type: MemcpyDataType = MemcpyDataType.MEMCPY_32BIT,
        order: MemcpyOrder = MemcpyOrder.ROW_MAJOR,
        nonblock: bool = False,
    ) -> Task:
        """The same with elem_per_pe words for each of the w columns."""
        return self._to_device(
            "memcpy_h2d_colbcast", dest, src, (px, py, w, h), elem_per_pe,
            (streaming, data_type, order, nonblock), spread=_wafer.Spread.COLUMNS,
        )

    def memcpy_h2d_stride(
        self,
        dest: int | str,
        src: Array,
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        row_stride: int,
        col_stride: int,
        streaming: bool = False,
        data_type: MemcpyDataType = MemcpyDataType.MEMCPY_32BIT,
        order: MemcpyOrder = MemcpyOrder.ROW_MAJOR,
        nonblock: bool = False,
    ) -> Task:
        """memcpy_h2d() to every row_stride-th PE of every col_stride-th row only."""
        return self._to_device(
            "memcpy_h2d_stride", dest, src, (px, py, w, h), elem_per_pe,
            (streaming, data_type, order, nonblock),
            steps=(whole("row_stride", row_stride, 1), whole("col_stride", col_stride, 1)),
        )

    def memcpy_d2h(
        self,
        dest: Array,
        src: int | str,
        px: int,
        py: int,
        w: int,
        h: int,
        elem_per_pe: int,
        streaming: bool = False,
        data_type: MemcpyDataType = MemcpyDataType.MEMCPY_32BIT,
        order: MemcpyOrder = MemcpyOrder.ROW_MAJOR,
        nonblock: bool = False,
    ) -> Task:
        """Copies from a symbol, or receives from a color if `streaming`, into `dest`:
        w * h * elem_per_pe words."""
        name, transfer, count = self._copy(
            "memcpy_d2h", src, (px, py, w, h), elem_per_pe,
            (streaming, data_type, order, nonblock), (1, 1), to_device=False,
        )
        call = f"memcpy_d2h from '{name}'"
        words, finish = target_words(f"{call}: dest", dest, count, "w * h * elem_per_pe")
        if dest.nbytes > 4 * count:
            self._say_once(
                f"{call}: dest has {dest.size} elements, w * h * elem_per_pe = {count} are "
                "copied to its beginning"
            )
        operation = self._native.receive if streaming else self._native.copy_out
        return self._issue(
            call, [lambda: operation(words, name, transfer)], nonblock, finish, (dest, words)
        )

    def launch(self, symbol: int | str, *args: Any, nonblock: bool = False) -> Task:
        """Starts an exported function on all PEs that have it."""
        function = self._function(symbol)
        bits = encode_arguments(function.name, args, function.arguments)
        return self._launch(function, bits, nonblock)

    def call(self, symbol: int | str, args: Any = (), nonblock: bool = False) -> Task:
        """launch() in its older form, with the arguments as a list."""
        warnings.warn(
            "SdkRuntime.call() is the older form of launch()", DeprecationWarning, stacklevel=3
        )
        function = self._function(symbol)
        bits = encode_words(function.name, list(args), function.arguments)
        return self._launch(function, bits, nonblock)

    def task_wait(self, task: Task) -> None:
        """Returns when the task is done."""
        self._expect("task_wait()", "running")
        self._wait(task)
        self._settle()

    def is_task_done(self, task: Task) -> bool:
        """Whether the task is done; lets the program go on for a while if it is not."""
        if self._state == "stopped":
            return True
        self._expect("is_task_done()", "running")
        numbers = self._numbers(task)
        done = self._try(lambda: all(self._native.is_done(number) for number in numbers))
        self._settle()
        return bool(done)

    # ===--- Ports --------------------------------------------------------=== #

    def get_port_id(self, name: str) -> int:
        """The number of a stream that SdkLayout made."""
        return self._port(name, None)[0]

    def send(
        self,
        port: int | str,
        src: Array,
        n_wavelets: int | None = None,
        nonblock: bool = False,
    ) -> Task:
        """Sends the words of an array into a stream: all of them, or as many as said. A
        stream into several PEs gives each its part, in order."""
        self._expect("send()", "running")
        lanes = self._port(port, True)[1]
        call = f"send to '{_stream_name(lanes)}'"
        if n_wavelets is None:
            count = src.size if isinstance(src, np.ndarray) else 0
            words = source_words(f"{call}: src", src, count, "its size")
        else:
            count = whole("n_wavelets", n_wavelets, 0)
            words = raw_words(f"{call}: src", src, count)
        each = _per_lane(call, count, lanes)
        transfer = _wafer.Transfer(0, 0, 1, 1, each)
        parts = [
            lambda lane=lane, name=name: self._native.send(
                name, words[lane * each : (lane + 1) * each], transfer, _wafer.Spread.NONE
            )
            for lane, name in enumerate(lanes)
        ]
        return self._issue(call, parts, nonblock, None, words)

    def receive(
        self,
        port: int | str,
        dest: Array,
        n_wavelets: int | None = None,
        nonblock: bool = False,
    ) -> Task:
        """Fills the beginning of an array with words that come out of a stream; of one
        out of several PEs, with the words of each PE in turn."""
        self._expect("receive()", "running")
        lanes = self._port(port, False)[1]
        if n_wavelets is None:
            n_wavelets = dest.nbytes // 4 if isinstance(dest, np.ndarray) else 0
        count = whole("n_wavelets", n_wavelets, 0)
        call = f"receive from '{_stream_name(lanes)}'"
        words, finish = target_words(f"{call}: dest", dest, count, "n_wavelets")
        each = _per_lane(call, count, lanes)
        transfer = _wafer.Transfer(0, 0, 1, 1, each)
        parts = [
            lambda lane=lane, name=name: self._native.receive(
                words[lane * each : (lane + 1) * each], name, transfer
            )
            for lane, name in enumerate(lanes)
        ]
        return self._issue(call, parts, nonblock, finish, (dest, words))

    def receive_tofile(
        self, port: int | str, file: str | os.PathLike[str], n_wavelets: int | None = None
    ) -> None:
        """Writes words of a stream to a file, as bytes: as many as said, or all that come
        until nothing moves."""
        lanes = self._port(port, False)[1]
        if n_wavelets is None:
            self._expect("receive_tofile()", "running")
            self._try(self._native.advance)
            words = np.concatenate(
                [self._try(lambda name=name: self._native.drain(name)) for name in lanes]
            )
        else:
            words = np.zeros(whole("n_wavelets", n_wavelets, 0), np.uint32)
            self.receive(port, words, n_wavelets, nonblock=False)
        write_file(file, words.astype("<u4").tobytes())

    def report_port_infos(self) -> str:
        """Prints and returns a line for every stream of SdkLayout's."""
        lines = [
            f"port {number}: '{name}', color {color}, "
            + ("from the host" if to_device else "to the host")
            for number, (name, edge, color, to_device) in enumerate(self._output.streams())
            if edge
        ]
        text = "\n".join(lines)
        print(text)
        return text

    # ===--- Looking ------------------------------------------------------=== #

    def read_symbol(self, x: int, y: int, name: str, dtype: DTypeLike = "uint8") -> Array:
        """A variable of PE (x, y) of the program's rectangle, exported or not, as it is
        now."""
        if self._device is None:
            raise HostError("read_symbol() comes after load()")
        x, y = whole("x", x), whole("y", y)
        memory = self._try(lambda: self._native.memory(x, y))
        address, size, _ = self._output.find(x, y, name, memory)
        return view_bytes(memory[address : address + size], name, dtype)

    def dump_core(self, corefile: str | os.PathLike[str]) -> None:
        """Writes the memory of all PEs, for debug tools."""
        if self._device is None or self._state not in ("running", "stopped"):
            raise HostError("dump_core() comes after run()")
        self._native.save_memory(path_of("corefile", corefile))
        self._save_image()

    def dump_elf_core(self, path: str | os.PathLike[str]) -> None:
        """Writes the memory of all PEs as an ELF core file, a segment for each PE."""
        if self._device is None or self._state not in ("running", "stopped"):
            raise HostError("dump_elf_core() comes after run()")
        from .elf import write_elf_core

        width, height = self._output.size
        write_elf_core(
            path,
            [self._native.memory(x, y) for y in range(height) for x in range(width)],
        )

    # ===--- Parts --------------------------------------------------------=== #

    @property
    def _native(self) -> _wafer.Device:
        assert self._device is not None
        return self._device

    def _expect(self, call: str, state: str) -> None:
        if self._state == state:
            return
        history = {
            "new": "load() was not called yet",
            "loaded": "run() was not called yet" if state == "running" else "load() was called",
            "running": "run() was called",
            "stopped": "stop() was called",
        }[self._state]
        raise HostError(f"{call}: {history}; the order is load(), run(), commands, stop()")

    def _need_memcpy(self, call: str) -> None:
        """Copies and launches are memcpy's work on the device."""
        if self._lacks_memcpy:
            self._lacks_memcpy = False
            self._say(
                "WARNING",
                f"{call}: the program was compiled without --memcpy; on a system nothing "
                "would be copied or launched",
            )

    def _say(self, level: str, text: str) -> None:
        if LEVELS.index(level) >= self._level:
            print(f"{level}: {self._directory}: {text}", file=sys.stderr)

    def _say_once(self, text: str) -> None:
        """A warning that a loop would repeat."""
        if text not in self._said:
            self._said.add(text)
            self._say("WARNING", text)

    def _say_left(self) -> None:
        """Warns of words that came out of streams and that nobody received."""
        left: dict[tuple[str, int], int] = {}
        found = self._native.unreceived()
        for name, edge, color, _ in self._output.streams():
            key = _stream_name([name]) if edge else name, color
            left[key] = left.get(key, 0) + found.get(name, 0)
        for (name, color), count in left.items():
            if count:
                self._say(
                    "WARNING",
                    f"stop(): {count} words of stream '{name}', color {color}, were sent to the "
                    "host and never received",
                )

    def _try(self, work: Callable[[], Any]) -> Any:
        try:
            return work()
        except WaferFailure as failure:
            self._failed = True
            self._failure = failure
            end_of_script.stopped(self)
            self._leave_traces()
            raise
        except Error:
            raise
        except BaseException as error:
            # The handler of a signal, KeyboardInterrupt say: the wafer does not go on.
            before, self._failed = self._failed, True
            end_of_script.stopped(self)
            if not before and (busy := self._at_work()):
                error.add_note(busy)
            raise
        finally:
            for text in self._native.warnings():
                self._say("WARNING", text)

    def _page(self) -> str:
        """The run to look at (docs/Guides/ReadingAPage.md)."""
        script = os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else "a script"
        failure = self._failure
        return self._native.page(script, str(failure or ""), failure.kind if failure else "")

    def _at_work(self) -> str:
        """A PE that is in a task, where the run was interrupted; "" if the timeline does not
        say."""
        if not self._traced:
            return ""
        self._timeline = self._native.timeline()
        tasks: dict[int, dict[str, Any]] = {}
        waiting = set()
        decode, at = json.JSONDecoder().raw_decode, 0
        for _ in range(MOST_UNFINISHED):
            at = self._timeline.find(UNFINISHED, at + 1)
            if at < 0:
                break
            event, _ = decode(self._timeline, self._timeline.rfind(EVENT, 0, at))
            if "kind" in event["args"]:
                tasks[event["pid"] - 1] = event
            elif event["tid"] == 0:
                waiting.add(event["pid"] - 1)
        # An operation of the main thread may wait; a PE without one is at work.
        busy = [pe for pe in tasks if pe not in waiting] or list(tasks)
        if not busy:
            return ""
        y, x = divmod(busy[0], self._output.size[0])
        task = tasks[busy[0]]
        place = f" [{task['args']['location']}]" if "location" in task["args"] else ""
        more = f", and {len(busy) - 1} more in theirs" if len(busy) > 1 else ""
        return (
            f"PE ({x}, {y}) was in {task['args']['kind']} '{task['name']}'{place} since cycle "
            f"{task['ts']}{more}; the run was interrupted at cycle {self._native.now()}"
        )

    def _issue(
        self,
        what: str,
        operations: Sequence[Callable[[], int]],
        nonblock: bool,
        finish: Callable[[], None] | None,
        keep: Any,
    ) -> Task:
        """Gives commands that are one task."""
        task = Task([self._try(operation) for operation in operations], what, finish)
        for number in task._numbers:
            self._open[number] = task, keep
        if not nonblock:
            self._wait(task)
        self._settle()
        return task

    def _wait(self, task: Task) -> None:
        for number in self._numbers(task):
            self._try(lambda number=number: self._native.wait(number))

    def _settle(self) -> None:
        """Lets go of what done tasks kept."""
        for number in self._native.done():
            task, _ = self._open.pop(number, (None, None))
            if task is None:
                continue
            task._left -= 1
            if not task._left and task._finish is not None:
                task._finish()

    @staticmethod
    def _numbers(task: Task) -> list[int]:
        if not isinstance(task, Task):
            raise HostTypeError(f"task is {task!r}, expected what a command returned")
        return task._numbers

    def _find(self, symbol: int | str) -> _Symbol:
        if isinstance(symbol, str):
            for known in self._symbols:
                if known.name == symbol:
                    return known
            names = [s.name for s in self._symbols]
            near = difflib.get_close_matches(symbol, names, 1)
            raise HostError(
                f"the program exports no symbol '{symbol}', "
                + (f"did you mean '{near[0]}'; " if near else "")
                + f"there are {', '.join(names) or 'none'}"
            )
        if isinstance(symbol, np.ndarray):
            raise HostTypeError(
                "the symbol is an array; memcpy_h2d takes (symbol, array, ...), memcpy_d2h "
                "(array, symbol, ...)"
            )
        number = whole("the symbol", symbol, 0)
        if number >= len(self._symbols):
            raise HostError(
                f"the symbol is number {number}, the program exports {len(self._symbols)}"
            )
        return self._symbols[number]

    def _data(self, symbol: int | str, data_type: MemcpyDataType) -> str:
        found = self._find(symbol)
        if found.kind == "function":
            raise HostError(f"'{found.name}' is a function, it has no data to copy")
        if data_type is MemcpyDataType.MEMCPY_16BIT and found.bytes > 2:
            self._say(
                "WARNING",
                f"data_type is MEMCPY_16BIT, '{found.name}' has elements of type {found.type}: "
                "their bytes are taken as elements of 16 bits",
            )
        return str(found.name)

    def _function(self, symbol: int | str) -> _Symbol:
        self._expect("launch()", "running")
        self._need_memcpy("launch()")
        found = self._find(symbol)
        if found.kind != "function":
            raise HostError(f"'{found.name}' is no function, it cannot be launched")
        return found

    def _launch(self, function: _Symbol, bits: list[int], nonblock: bool) -> Task:
        return self._issue(
            f"launch of '{function.name}'",
            [lambda: self._native.launch(function.name, bits)],
            nonblock, None, None,
        )

    def _stream(self, color: int | str, to_device: bool) -> str:
        """The streaming color of a direction, by number or by the stream's name."""
        number = color if isinstance(color, str) else whole("the color", color, 0)
        known = []
        for name, edge, of_color, direction in self._output.streams():
            if edge or direction != to_device:
                continue
            if number in (name, of_color):
                return str(name)
            known.append(str(of_color))
        way = "to" if to_device else "from"
        raise HostError(
            f"color {number} does not stream {way} the device, "
            + (f"colors that do are {', '.join(known)}" if known else "no color does")
        )

    def _port(self, port: int | str, to_device: bool | None) -> tuple[int, list[str]]:
        """The number of a stream, and the names of its parts: one for each PE of the port
        that it ends at."""
        streams: dict[str, tuple[int, list[str]]] = {}
        for number, (name, edge, _, direction) in enumerate(self._output.streams()):
            if edge and to_device in (None, direction):
                streams.setdefault(_stream_name([name]), (number, []))[1].append(name)
        for whole_name, (number, lanes) in streams.items():
            if port in (whole_name, number):
                return number, lanes
        way = {True: " to the device", False: " from the device", None: ""}[to_device]
        known = ", ".join(f"'{name}'" for name in streams)
        raise HostError(f"there is no port {port!r}{way}, there are {known or 'none'}")

    def _copy(
        self,
        call: str,
        device: int | str,
        roi: tuple[int, int, int, int],
        elem_per_pe: int,
        how: tuple[bool, MemcpyDataType, MemcpyOrder, bool],
        steps: tuple[int, int],
        to_device: bool,
    ) -> tuple[str, _wafer.Transfer, int]:
        """What the copies of both directions check: the name of the symbol or stream, what
        goes where, and the words of a copy with a word for each element of each PE."""
        self._expect(f"{call}()", "running")
        self._need_memcpy(f"{call}()")
        streaming, data_type, order, _ = how
        px, py = whole("px", roi[0], 0), whole("py", roi[1], 0)
        w, h = whole("w", roi[2], 1), whole("h", roi[3], 1)
        elements = whole("elem_per_pe", elem_per_pe, 1)
        member("data_type", data_type, MemcpyDataType)
        member("order", order, MemcpyOrder)
        width, height = self._output.size
        if px + w > width or py + h > height:
            raise HostError(
                f"{w} x {h} PEs from ({px}, {py}) are not within the program's rectangle "
                f"of {width} x {height}"
            )
        count = ((w - 1) // steps[0] + 1) * ((h - 1) // steps[1] + 1) * elements
        transfer = _wafer.Transfer(
            px, py, w, h, elements,
            bits=16 if data_type is MemcpyDataType.MEMCPY_16BIT else 32,
            column_major=order is MemcpyOrder.COL_MAJOR,
            step_x=steps[0], step_y=steps[1],
        )
        name = self._stream(device, to_device) if streaming else self._data(device, data_type)
        return name, transfer, count

    def _to_device(
        self,
        call: str,
        dest: int | str,
        src: Array,
        roi: tuple[int, int, int, int],
        elem_per_pe: int,
        how: tuple[bool, MemcpyDataType, MemcpyOrder, bool],
        spread: _wafer.Spread = _wafer.Spread.NONE,
        steps: tuple[int, int] = (1, 1),
    ) -> Task:
        name, transfer, count = self._copy(
            call, dest, roi, elem_per_pe, how, steps, to_device=True
        )
        formula = "w * h * elem_per_pe"
        if spread == _wafer.Spread.ROWS:
            count, formula = roi[3] * elem_per_pe, "h * elem_per_pe"
        elif spread == _wafer.Spread.COLUMNS:
            count, formula = roi[2] * elem_per_pe, "w * elem_per_pe"
        elif steps != (1, 1):
            formula = "columns * rows * elem_per_pe"
        streaming, _, _, nonblock = how
        what = f"{call} to '{name}'"
        words = source_words(f"{what}: src", src, count, formula)
        if src.size > count:
            self._say_once(
                f"{what}: src has {src.size} elements, {formula} = {count} are copied from its "
                "beginning"
            )
        operation = self._native.send if streaming else self._native.copy_in
        return self._issue(
            what, [lambda: operation(name, words, transfer, spread)], nonblock, None, None
        )

    def _save_image(self) -> None:
        try:
            self._native.save_memory(self._output.memory_file)
        except Error as error:
            # A directory that cannot be written is no reason to fail.
            self._say("INFO", str(error))

    def _leave_traces(self) -> None:
        """What debug tools and people read afterwards."""
        if self._device is None:
            return
        self._save_image()
        config = self._platform.config if self._platform is not None else None
        if config is not None and config.dump_core and self._state == "stopped":
            self._native.save_memory(path_of("core_path", config.core_path or "out.core"))
        lines = self._native.log(0)
        if self._logs:
            lines += self._native.sim_log()
            lines.sort(key=_cycle_of)
        try:
            write_file("sim.log", "".join(line.rstrip("\n") + "\n" for line in lines))
        except OSError as error:
            self._say("INFO", str(error))
        if self._traced:
            traces = self._directory / "simfab_traces"
            try:
                traces.mkdir(exist_ok=True)
                write_file(traces / "report.json", self._native.report())
                write_file(traces / "timeline.json", self._timeline or self._native.timeline())
                write_file(traces / "page.html", self._page())
            except OSError as error:
                self._say("INFO", str(error))
