# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes kernels of the tcp dialect: the types of a stream follow its stages."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Tensor:
    """A value in DM, VRF or TRF."""

    value: str
    type: str
    element_type: str
    element: str
    grid: str = "#grid"


@dataclass
class Kernel:
    """One launch: arguments come from the host, results go there."""

    axes: str
    slice: str = "1 # 256"
    chip: str = "1"
    cluster: str = "1 # 2"
    chips: int = 1
    comment: str = ""
    arguments: list[tuple[str, str, str]] = field(default_factory=list)
    results: list[tuple[str, str, str]] = field(default_factory=list)
    grids: list[tuple[str, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    count: int = -1

    def name(self, wanted: str = "") -> str:
        if wanted:
            return "%" + wanted
        self.count += 1
        return f"%{self.count}"

    def note(self, text: str) -> None:
        self.lines += ["", f"// {text}"] if self.lines else [f"// {text}"]

    def grid(self, name: str, slice: str, cluster: str = "") -> str:
        """One more distribution over clusters and slices."""
        self.grids.append((name, f'chip "{self.chip}", cluster "{cluster or self.cluster}", slice "{slice}"'))
        return name

    def argument(self, name: str, element_type: str, host: str, hbm: str = "") -> Tensor:
        """A tensor in HBM."""
        kind = f'!tcp.hbm<{element_type}, #axes, "{self.chip}", "{hbm or host}">'
        self.arguments.append((name, f'!tcp.host<{element_type}, #axes, "{host}">', kind))
        return Tensor(f"%{name}", kind, element_type, hbm or host)

    def to_dm(self, tensor: Tensor, at: int, element: str, name: str = "", grid: str = "#grid") -> Tensor:
        kind = f'!tcp.dm<{tensor.element_type}, {grid}, "{element}">'
        value = self.name(name)
        self.lines.append(f"{value} = tcp.to_dm {tensor.value} at {at} : {tensor.type} -> {kind}")
        return Tensor(value, kind, tensor.element_type, element, grid)

    def tile(self, tensor: Tensor, dimension: str, at: int, element: str) -> Tensor:
        """One element of a dimension of an HBM tensor."""
        value = self.name()
        self.lines.append(f'{value} = tcp.tile {tensor.value} "{dimension}" at {at} size 1 "{element}" : {tensor.type}')
        kind = f'!tcp.hbm<{tensor.element_type}, #axes, "{self.chip}", "{element}">'
        return Tensor(value, kind, tensor.element_type, element)

    def to_hbm(self, tensor: Tensor, at: int, element: str) -> Tensor:
        kind = f'!tcp.hbm<{tensor.element_type}, #axes, "{self.chip}", "{element}">'
        value = self.name()
        self.lines.append(f"{value} = tcp.to_hbm {tensor.value} at {at} : {tensor.type} -> {kind}")
        return Tensor(value, kind, tensor.element_type, element)

    def result(self, tensor: Tensor, host: str, hbm: str = "") -> None:
        stored = self.to_hbm(tensor, (len(self.results) + 8) << 28, hbm or host)
        self.results.append((stored.value, f'!tcp.host<{tensor.element_type}, #axes, "{host}">', stored.type))

    def begin(self, tensor: Tensor, other: Tensor | None = None, context: str = "main") -> Stream:
        value = self.name()
        if other:
            assert tensor.type == other.type
            text = f'tcp.begin_interleaved {context} "I" {tensor.value}, {other.value}'
        else:
            text = f"tcp.begin {context} {tensor.value}"
        self.lines.append(f"{value} = {text} : {tensor.type}")
        return Stream(self, context, value, "begin", tensor.element_type, "I" if other else "1", tensor.element,
                      tensor.grid)

    def text(self) -> str:
        """The module."""
        many = len(self.results) > 1
        hosts, hbms = ([r[i] for r in self.results] for i in (1, 2))

        def types(of: list[str]) -> str:
            return f"({', '.join(of)})" if many else of[0]

        names = ", ".join(f"%{n}: {h}" for n, h, _ in self.arguments)
        body = [f"func.func @main({names}) -> {types(hosts)} {{"]
        for i, (name, host, hbm) in enumerate(self.arguments):
            body.append(f"  %{name}_hbm = tcp.to_hbm %{name} at {i << 28} : {host} -> {hbm}")
        given = ", ".join(f"%{n}_hbm" for n, _, _ in self.arguments)
        body.append(f"  %r{f':{len(hosts)}' if many else ''} = tcp.launch @kernel({given}) : "
                    f"({', '.join(d for _, _, d in self.arguments)}) -> {types(hbms)}")
        for i, (_, host, hbm) in enumerate(self.results):
            body.append(f"  %o{i} = tcp.to_host %r{f'#{i}' if many else ''} : {hbm} -> {host}")
        body.append(f"  return {', '.join(f'%o{i}' for i in range(len(hosts)))} : {', '.join(hosts)}")
        body += ["}", ""]
        names = ", ".join(f"%{n}: {d}" for n, _, d in self.arguments)
        body.append(f"func.func @kernel({names}) -> {types(hbms)} {{")
        body += ["  " + line if line else "" for line in self.lines]
        body.append(f"  return {', '.join(v for v, _, _ in self.results)} : {', '.join(hbms)}")
        body.append("}")
        head = [f"// {line}".rstrip() for line in self.comment.splitlines()] + [""] if self.comment else []
        head += [f"#axes = #stream.axes<{self.axes}>",
                 f'#grid = #tcp.grid<#axes, chip "{self.chip}", cluster "{self.cluster}", slice "{self.slice}">']
        head += [f"{name} = #tcp.grid<#axes, {what}>" for name, what in self.grids]
        head += ["", f'module attributes {{tcp.target = #tcp.target<"rngd", chips = {self.chips}>}} {{']
        head, body = self.with_aliases(head, body)
        return "\n".join(head + ["  " + line if line else "" for line in body] + ["}"]) + "\n"

    @staticmethod
    def with_aliases(head: list[str], body: list[str]) -> tuple[list[str], list[str]]:
        """Types of tensors that occur more than once get names."""
        found = re.findall(r"!tcp\.\w+<[^>]*>", "\n".join(body))
        counts: dict[str, int] = {}
        aliases = {}
        for kind in dict.fromkeys(found):
            if found.count(kind) > 1:
                space = kind[5:kind.index("<")].capitalize()
                counts[space] = counts.get(space, 0) + 1
                aliases[kind] = f"!{space}{counts[space]}"
        for kind, alias in aliases.items():
            body = [line.replace(kind, alias) for line in body]
        lines = [f"{alias} = {kind}" for kind, alias in sorted(aliases.items(), key=lambda pair: pair[1])]
        return head[:-2] + [""] + lines + head[-2:], body


@dataclass
class Stream:
    """A stream after one of its stages."""

    kernel: Kernel
    context: str
    value: str
    stage: str
    element_type: str
    time: str
    packet: str
    grid: str
    row: str = ""

    def type(self) -> str:
        row = f', row "{self.row}"' if self.row else ""
        return f'<{self.context} {self.stage} {self.element_type}, {self.grid}{row}, "{self.time}", "{self.packet}">'

    def op(self, name: str, text: str, stage: str, types: str = "", **changes: str) -> Stream:
        value = self.kernel.name()
        self.kernel.lines.append(f"{value} = tcp.{name} {self.value} {text}".rstrip() + f" : {self.type()}{types}")
        fields = {"element_type": self.element_type, "time": self.time, "packet": self.packet, "grid": self.grid,
                  "row": self.row}
        fields.update(changes)
        return Stream(self.kernel, self.context, value, stage, **fields)

    def fetch(self, element_type: str, time: str, packet: str) -> Stream:
        return self.op("fetch", f'{element_type} "{time}", "{packet}"', "fetch", element_type=element_type, time=time,
                       packet=packet)

    def collect(self, time: str, packet: str) -> Stream:
        return self.op("collect", f'"{time}", "{packet}"', "collect", time=time, packet=packet)

    def init(self) -> Stream:
        return self.op("vector_init", "", "vector_init")

    def branch(self) -> Stream:
        return self.op("vector_intra_slice_branch", "Unconditional", "vector_branch")

    def unzip(self) -> Stream:
        """I, innermost in time, becomes the two groups."""
        time = self.time.removesuffix("I").removesuffix(", ") or "1"
        tile = "1 # 2" if time == "1" else f"{time}, 1 # 2"
        return self.op("vector_intra_slice_unzip", f'"I", "{tile}", "{time}"', "vector_branch", time=time)

    def trim(self) -> Stream:
        packet = self.packet.split(" #")[0] + " # 4"
        return self.op("vector_trim_way4", f'"{packet}"', "vector_narrow", packet=packet)

    def pad(self) -> Stream:
        packet = self.packet.split(" #")[0] + " # 8"
        return self.op("vector_pad_way8", f'"{packet}"', "vector_widen", packet=packet)

    def split(self) -> Stream:
        """For a packet "X % 8"."""
        axis = self.packet.removesuffix(" % 8")
        time = f"{axis} / 4 % 2" if self.time == "1" else f"{self.time}, {axis} / 4 % 2"
        return self.op("vector_split", f'"{time}", "{axis} % 4"', "vector_narrow", time=time, packet=f"{axis} % 4")

    def concat(self) -> Stream:
        axis = self.packet.removesuffix(" % 4")
        time = self.time.rpartition(", ")[0] or "1"
        return self.op("vector_concat", f'"{time}", "{axis} % 8"', "vector_widen", time=time, packet=f"{axis} % 8")

    def binary(self, text: str, vrf: Tensor | None = None) -> Stream:
        if vrf:
            return self.op("vector_fp_binary", f"{text}, {vrf.value}", "vector_fp", f", {vrf.type}")
        return self.op("vector_fp_binary", text, "vector_fp")

    def reduce(self, op: str, axis: str, time: str, packet: str) -> Stream:
        return self.op("vector_intra_slice_reduce", f'{op} "{axis}" "{time}", "{packet}"', "vector_intra_slice_reduce",
                       time=time, packet=packet)

    def final(self) -> Stream:
        return self.op("vector_final", "", "vector_final")

    def cast(self, element_type: str, packet: str) -> Stream:
        return self.op("cast", f'{element_type} "{packet}"', "cast", element_type=element_type, packet=packet)

    def contract(self, weights: Tensor, row: str, align: tuple[str, str], packet: str, time: str, out: str,
                 kind: str = "Interleaved") -> Stream:
        """align, contract and accumulate."""
        value = self.kernel.name()
        self.kernel.lines.append(f'{value} = tcp.align {self.value}, {weights.value} "{align[0]}", "{align[1]}" : '
                                 f"{self.type()}, {weights.type}")
        stream = Stream(self.kernel, self.context, value, "align", self.element_type, *align, self.grid, row)
        wide = "i32" if self.element_type in ("i4", "i8") else "f32"
        stream = stream.op("contract", f'"{packet}"', "contract", element_type=wide, packet=packet)
        return stream.op("accumulate", f'{kind} "{time}", "{out}"', "accumulate", time=time, packet=out, row="")

    def commit(self, at: int, element: str, name: str = "") -> Tensor:
        value = self.kernel.name(name)
        self.kernel.lines.append(f'{value} = tcp.commit {self.value} at {at} "{element}" : {self.type()}')
        kind = f'!tcp.dm<{self.element_type}, {self.grid}, "{element}">'
        return Tensor(value, kind, self.element_type, element, self.grid)

    def to_vrf(self, at: int, element: str, name: str = "") -> Tensor:
        value = self.kernel.name(name)
        self.kernel.lines.append(f'{value} = tcp.to_vrf {self.value} at {at} "{element}" : {self.type()}')
        return Tensor(value, f'!tcp.vrf<{self.element_type}, {self.grid}, "{element}">', self.element_type, element)

    def to_trf(self, row: str, element: str, name: str = "") -> Tensor:
        value = self.kernel.name(name)
        self.kernel.lines.append(f'{value} = tcp.to_trf {self.value} Full "{row}", "{element}" : {self.type()}')
        return Tensor(value, f'!tcp.trf<{self.element_type}, {self.grid}, "{row}", "{element}">', self.element_type,
                      element)
