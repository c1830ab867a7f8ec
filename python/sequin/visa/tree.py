# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The syntax tree of a crate of kernels, with its names resolved.

What the importer's reader has read (include/sequin/VisaSource/Json.h), as objects.
"""

from __future__ import annotations

import gc
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .. import _core

__all__ = ["Meaning", "Module", "Node", "Source", "read"]


@dataclass(frozen=True)
class Meaning:
    """What a path or an axis stands for."""

    kind: str
    node: Node | None
    module: str
    api: str
    rest: int
    """Names of the path behind the one that was found."""


class Node:
    """A node; its members are attributes, those that are absent None."""

    kind: str
    id: int
    place: tuple[int, int, int]
    """File, line, column."""
    means: Meaning | None = None

    def __init__(self, id: int, kind: str, place: tuple[int, int, int]) -> None:
        self.id, self.kind, self.place = id, kind, place

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return None

    @property
    def names(self) -> list[str]:
        """Of a path: its names."""
        return [segment.name or "" for segment in self.segments or ()]

    def attribute(self, path: str) -> Node | None:
        """Of an item: the attribute of that path."""
        for attribute in self.attributes or ():
            if attribute.path is not None and "::".join(attribute.path.names) == path:
                return attribute  # type: ignore[no-any-return]
        return None

    def __repr__(self) -> str:
        return f"<{self.kind} {self.place[1]}:{self.place[2]}>"


@dataclass
class Module:
    """A module that is no block."""

    path: str
    file: str
    items: list[Node]
    attributes: list[Node] = field(default_factory=list)
    """Of its file, where it is one."""


@dataclass
class Source:
    """A crate and its libraries."""

    files: list[str]
    modules: dict[str, Module]
    release: str = "0.1"
    """Of the crate that is used."""
    methods: dict[int, dict[str, Node]] = field(default_factory=dict)
    """By the number of a struct or enum: its functions."""
    owners: dict[int, Module] = field(default_factory=dict)
    """By the number of an item: its module."""

    def items(self, kind: str, root: str = "crate") -> Iterator[tuple[Module, Node]]:
        """The items of a kind in a crate's modules."""
        for module in self.modules.values():
            if module.path.split("::")[0] == root:
                for item in module.items:
                    if item.kind == kind:
                        yield module, item

    def place_of(self, node: Node) -> str:
        file, line, column = node.place
        return f"{self.files[file - 1]}:{line}:{column}" if file else ""


def _resolve(value: Any, nodes: dict[int, Node]) -> Any:
    if isinstance(value, dict):
        return nodes[value["node"]]
    if isinstance(value, list):
        return [_resolve(element, nodes) for element in value]
    return value


def read(path: str | os.PathLike[str], text: str | None = None,
         libraries: dict[str, str] | None = None) -> Source:
    """Reads a crate by the file of its root. `libraries` are the crates that it names, by
    the files of their roots. Raises CompileError."""
    named = [f"{name}={os.fspath(file)}" for name, file in (libraries or {}).items()]
    text = _core.read_visa(os.fsencode(path), text, named)
    # The tree is all there to stay: to look for garbage among it takes most of the time.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return _build(json.loads(text))
    finally:
        if was_enabled:
            gc.enable()


def _build(data: dict[str, Any]) -> Source:
    nodes: dict[int, Node] = {}
    for given in data["nodes"]:
        node = Node(given["id"], given["kind"], tuple(given["at"]))
        nodes[node.id] = node
        node.source = given.get("source")
        # Children come before what they are part of.
        for name, value in given["members"].items():
            setattr(node, name, _resolve(value, nodes))
    for given in data["nodes"]:
        if "expansion" in given:
            nodes[given["id"]].expansion = nodes[given["expansion"]]  # type: ignore[attr-defined]
        means = given.get("means")
        if means:
            target = means.get("node")
            nodes[given["id"]].means = Meaning(
                means["kind"], nodes.get(target["node"]) if target else None,
                means.get("module", ""), means.get("api", ""), means.get("rest", 0))
    source = Source(data["files"], {}, data.get("release", "0.1"))
    for given in data["modules"]:
        module = Module(given["path"], given["file"], _resolve(given["items"], nodes),
                        _resolve(given.get("attributes", []), nodes))
        source.modules[module.path] = module
        for item in module.items:
            source.owners[item.id] = module
    for node in nodes.values():
        if node.kind == "ImplItem" and node.self and node.self.path:
            means = node.self.path.means
            if means and means.node:
                known = source.methods.setdefault(means.node.id, {})
                known.update({item.name: item for item in node.items or ()})
    return source
