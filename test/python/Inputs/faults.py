# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The writers of test_faults.py: each writes a file or a folder that was there before.

As a program it runs a writer on a file system of its own, in a mount namespace:

    unshare -m faults.py SYSTEM WRITER FOLDER

SYSTEM is `full` (a tmpfs without room), `inodes` (one without files left) or `read-only`.
What it finds afterwards goes to stdout as JSON.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import sequin

SOURCE = Path(__file__).resolve().parents[3]
BIN = Path(sequin.__file__).resolve().parents[2] / "bin"
CSLC = BIN / "compat" / "cslc"
LAYOUT = SOURCE / "test" / "cslc" / "Inputs" / "layout.csl"
MODULE = SOURCE / "test" / "python" / "Inputs" / "host.mlir"
#: What a writer replaces.
OLD = b"// what was there before\n"


@dataclass(frozen=True)
class Writer:
    """`command` in `folder` writes `target` there; from sources that `prepare` makes."""

    name: str
    target: str
    command: tuple[str, ...]
    is_folder: bool = False
    is_python: bool = False
    #: Whether the target is also what is read.
    in_place: bool = False

    def prepare(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "in.mlir").write_text(
            "module {\n" + "".join(f"  func.func private @f{i}()\n" for i in range(4000)) + "}\n"
        )
        (folder / "in.csl").write_text("param n:u16;\n" + "const  x = 1 ;\n" * 4000)
        (folder / "in.rs").write_text("const  X: u64 = 1 ;\n" * 4000)
        for name in ("a", "b"):
            np.save(folder / f"{name}.npy", np.ones((64, 64), np.float32))
        target = folder / self.target
        if self.in_place:
            target.write_text("param n:u16;\n" + "const  x = 1 ;\n" * 4000)
        elif not self.is_folder:
            target.write_bytes(OLD)

    def argv(self, target: str | None = None) -> list[str]:
        return [word.replace("TARGET", target or self.target) for word in self.command]

    def state(self, folder: Path) -> dict[str, str]:
        """What there is of the target, by name."""
        target = folder / self.target
        paths = sorted(target.rglob("*")) if self.is_folder else [target]
        return {
            str(path.relative_to(folder)): path.read_bytes().hex()
            for path in paths if path.is_file()
        }


def tool(name: str) -> str:
    return str(BIN / name)


PYTHON = """
import sys
sys.path.insert(0, {package!r})
from sequin._boundary import write_file
from sequin.errors import Error
try:
    write_file(sys.argv[1], b"x" * 200_000)
except OSError as error:
    sys.exit(f"error: {{error}}")
""".format(package=str(Path(sequin.__file__).resolve().parents[1]))

CSLC_FLAGS = ("--arch=wse3", "--fabric-dims=11,4", "--fabric-offsets=4,1", "--params=n:4",
              "--colors=c:3", "--memcpy", "--channels=1")

WRITERS = (
    Writer("sequin-opt", "out.mlir", (tool("sequin-opt"), "in.mlir", "-o", "TARGET")),
    Writer("sequin-translate", "out.json",
           (tool("sequin-translate"), "--dump-machine=wse3", "-o", "TARGET")),
    Writer("sequin-translate --output-directory", "sources",
           (tool("sequin-translate"), "--csl-to-source", str(MODULE), "--output-directory",
            "TARGET"), is_folder=True),
    Writer("sequin-csl", "out.csl", (tool("sequin-csl"), "in.csl", "-o", "TARGET")),
    Writer("sequin-csl -i", "own.csl", (tool("sequin-csl"), "-i", "TARGET"), in_place=True),
    Writer("sequin-visa", "out.rs", (tool("sequin-visa"), "in.rs", "-o", "TARGET")),
    Writer("sequin-map draw", "out.svg",
           (tool("sequin-map"), "draw", "--axes", "H=16,W=16", "W, H", "-o", "TARGET")),
    Writer("sequin-run", "out.npy",
           (tool("sequin-run"), "--einsum", "mk,kn->mn", "--size", "m=64,k=64,n=64", "--dtype",
            "bf16", "--target", "rngd", "--input", "a.npy", "--input", "b.npy", "--output",
            "TARGET")),
    Writer("cslc", "out", (str(CSLC), str(LAYOUT), *CSLC_FLAGS, "-o", "TARGET"), is_folder=True),
    Writer("cslc --output-json", "copy.json",
           (str(CSLC), str(LAYOUT), *CSLC_FLAGS, "-o", "elsewhere", "--output-json=TARGET")),
    Writer("package", "out.bin", (sys.executable, "-c", PYTHON, "TARGET"), is_python=True),
)


def on_file_system(system: str, writer: Writer, folder: Path) -> dict[str, object]:
    """Runs the writer where nothing can be written any more."""
    size = "nr_inodes=24,size=4m" if system == "inodes" else "size=512k"
    subprocess.run(["mount", "-t", "tmpfs", "-o", size, "none", str(folder)], check=True)
    writer.prepare(folder)
    if writer.is_folder:
        # The folder as it was, of an earlier run that had room.
        subprocess.run(writer.argv(), cwd=folder, check=True, capture_output=True)
    before = writer.state(folder)
    names = list_names(folder)
    if system == "full":
        try:
            with open(folder / "filler", "wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(4096))
        except OSError:
            pass
        names.add("filler")
    elif system == "inodes":
        try:
            for number in range(100):
                (folder / f"filler{number}").touch()
                names.add(f"filler{number}")
        except OSError:
            pass
    else:
        subprocess.run(["mount", "-o", "remount,ro", str(folder)], check=True)
    done = subprocess.run(writer.argv(), cwd=folder, capture_output=True, timeout=120)
    return {
        "code": done.returncode,
        "stderr": done.stderr.decode("utf-8", "replace"),
        "same": writer.state(folder) == before,
        "extra": sorted(list_names(folder) - names),
    }


def list_names(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


if __name__ == "__main__":
    chosen = next(writer for writer in WRITERS if writer.name == sys.argv[2])
    print(json.dumps(on_file_system(sys.argv[1], chosen, Path(sys.argv[3]))))
