# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hunters of MLIR text, of JSON and of CSL source."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

from .forked import Programs
from .kinds import Input, Kind, csl_programs, mlir_programs
from .mutation import JsonMutator, TextMutator, Tree, TreeMutator


class MlirKind(Kind):
    """Programs of the tests, by token, number, type and operation, through the pipelines."""

    name = "mlir"
    batch = 20
    refused_whole = re.compile("nested in more than|dense array has elements of type|"
                               "is a list of integers of 64|and the aliases before it|"
                               "an affine map of more than")
    PIPELINES = {
        "linalg": [("--linalg-to-tcp=target=rngd",),
                   ("--linalg-to-tcp=target=rngd", "--tcp-to-config"),
                   ("--linalg-to-csl=grid=4,4 target=wse3",)],
        "tcp": [("--tcp-to-config",)],
        "csl": [("--csl-check-program",)],
    }

    def __init__(self, programs: Programs):
        super().__init__(programs)
        self.right, self.corpus = mlir_programs(), mlir_programs(refused=True)

    def make(self, random: Random) -> Input:
        family = random.choice(list(self.PIPELINES))
        pipeline = random.choice(self.PIPELINES[family])
        corpus = self.corpus[family]
        start = random.choice(self.right[family] if random.random() < 0.9 else corpus)
        text = TextMutator(corpus, random).mutate(start)
        return Input("sequin-opt", (*pipeline, "-o", "/dev/null", "-"), text)


class JsonKind(Kind):
    """Configurations, wafer programs and directories of cslc, by field."""

    name = "json"
    #: Larger documents take long to change.
    MOST = 16000
    COUNT = 30

    def __init__(self, programs: Programs):
        super().__init__(programs)
        corpus = mlir_programs()
        self.corpus = {
            "config": self.translated(corpus["tcp"], "--tcp-to-config", "--tcp-to-json"),
            "wafer": self.translated(corpus["csl"], "", "--csl-to-json"),
        }
        for path in sorted((Path(__file__).parents[1] / "corpus/wafer").glob("*.json")):
            text = path.read_text()
            if len(text) < self.MOST:
                self.corpus["wafer"].append(text)

    def translated(self, modules: list[str], lower: str, write: str) -> list[str]:
        """The documents that modules become, of the first that do."""
        found: list[str] = []
        for module in modules:
            if len(found) == self.COUNT:
                break
            text = module.encode()
            if lower:
                run = self.programs.get("sequin-opt").run([lower, "-"], text, output=True)
                if run.code:
                    continue
                text = run.output
            run = self.programs.get("sequin-translate").run([write, "-"], text, output=True)
            if run.code == 0 and 2 < len(run.output) < self.MOST:
                found.append(run.output.decode())
        return found

    def make(self, random: Random) -> Input:
        family = random.choice(["config", "config", "wafer"])
        corpus = self.corpus[family]
        text = JsonMutator(corpus, random).mutate(random.choice(corpus))
        name = "program.json"
        if family == "config" and random.random() < 0.5:
            return Input("sequin-translate", ("--json-to-tcp", "-o", "/dev/null", "-"), text,
                         cuts=())
        if family == "config":
            arguments: tuple[str, ...] = ("--timing-only", "--max-steps", "100000")
        else:
            target = "wse2" if '"wse2"' in text else "wse3"
            arguments = ("--target", target, "--max-steps", "20000")
            launched = re.findall(r'"(?:function|name)": ?"(\w+)"', text)
            if launched and random.random() < 0.7:
                arguments += ("--launch", random.choice(launched))
        return Input("sequin-run", (name, *arguments), text,
                     files=lambda text: {name: text.encode("utf-8", "replace")}, cuts=())


#: Nodes of the syntax tree that can stand in each other's place; the others are of their kind.
STATEMENTS = {"ExprStmt", "DeclStmt"}
DECLARATIONS = {"VarDecl", "FnDecl", "ComptimeDecl", "LayoutDecl", "ColorDecl"}
NODE = re.compile(r"^ *(\w+)(?: .*)? (\d+):(\d+)-(\d+):(\d+)$", re.MULTILINE)


def group_of(kind: str) -> str:
    """The group of a node."""
    if kind in STATEMENTS:
        return "statement"
    if kind in DECLARATIONS:
        return "declaration"
    return f"part {kind}" if kind in ("FnParam", "CaptureDecl", "FieldDecl", "EnumMember") \
        else "expression"


class CslKind(Kind):
    """Programs of examples and tests, by the nodes of their syntax trees; of several files,
    written as one text."""

    name = "csl"
    FILE = re.compile(r"^//file: ([\w./-]+)\n", re.MULTILINE)
    #: Longer programs are left out.
    MOST = 30000

    def __init__(self, programs: Programs):
        super().__init__(programs)
        self.corpus: list[Tree] = []
        self.params: list[str] = []
        for params, files in csl_programs():
            text = "".join(f"//file: {name}\n{code.rstrip()}\n" for name, code in files.items())
            if len(text) < self.MOST:
                self.corpus.append(Tree(text, self.spans(text)))
                self.params.append(params)

    def spans(self, text: str) -> list[tuple[str, int, int]]:
        """Groups and places of all nodes of all files."""
        # Declarations of several files are those of one; columns count bytes.
        data = text.encode()
        run = self.programs.get("sequin-csl").run(["--tree", "-"], data, output=True)
        starts = [0]
        for line in data.splitlines(keepends=True):
            starts.append(starts[-1] + len(line))
        # From bytes to characters.
        place = {0: 0}
        at = 0
        for index, character in enumerate(text):
            place[at] = index
            at += len(character.encode("utf-8", "replace"))
        place[at] = len(text)
        found = []
        for kind, line, column, to_line, to_column in NODE.findall(run.output.decode()):
            begin = place.get(starts[int(line) - 1] + int(column) - 1)
            end = place.get(starts[int(to_line) - 1] + int(to_column) - 1)
            if begin is None or end is None:
                continue
            group = group_of(kind)
            if group in ("statement", "declaration") and text[end:end + 1] == ";":
                end += 1
            found.append((group, begin, end))
        return found

    @classmethod
    def files(cls, text: str) -> dict[str, bytes]:
        """The files of a program's text."""
        parts = cls.FILE.split(text)
        named = zip(["top.csl", *parts[1::2]], parts[::2], strict=True)
        return {name.lstrip("/").replace("..", "_"): part.encode("utf-8", "replace")
                for name, part in named if part.strip() or name != "top.csl"}

    def make(self, random: Random) -> Input:
        i = random.randrange(len(self.corpus))
        text = TreeMutator(self.corpus, random).mutate(self.corpus[i])
        if random.random() < 0.2:
            return Input("sequin-csl", ("-o", "/dev/null", "-"), text)
        top = self.FILE.search(self.corpus[i].text)
        assert top is not None
        arguments = [top[1], f"--arch={random.choice(['wse2', 'wse3'])}"]
        if self.params[i]:
            params = self.params[i]
            if random.random() < 0.2:
                params = TextMutator([params], random).number(params)
            arguments.append(f"--params={params}")
        if "memcpy" in text or random.random() < 0.2:
            arguments += ["--memcpy", "--channels=1"]
        return Input("compat/cslc", (*arguments, "-o", "out"), text, files=self.files)
