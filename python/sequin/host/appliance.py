# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SdkCompiler and SdkLauncher: the calls that scripts make to a cluster, done here.

Compiling runs cslc in the folder of the program and packs its output; launching unpacks
it into a working directory, puts staged files beside it and runs commands there on the
fabric simulator. A cluster is not reached: what a script says of one has no effect, and a
warning says so where that may not be what was meant.
"""

from __future__ import annotations

import hashlib
import io
import os
import shlex
import shutil
import sys
import tarfile
import types
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

from sequin._boundary import (
    Place,
    ScratchFolder,
    host_class,
    refusals,
    run_program,
    write_file,
)
from sequin.errors import HostError

from .emit import find_cslc
from .runtime import SdkRuntime as LocalRuntime

__all__ = ["SdkCompiler", "SdkLauncher", "SdkRuntime"]

#: Arguments of the vendor's classes about a job on a cluster, which change no result.
JOB = ("disable_version_check", "mgmt_namespace", "resource_cpu", "resource_mem")
#: What an address of a system looks like in commands.
ADDRESS = "%CMADDR%"


def _warn(text: str) -> None:
    print(f"WARNING: {text}", file=sys.stderr)


def _say_cluster(of: str, arguments: dict[str, Any]) -> None:
    for name, value in arguments.items():
        if name not in JOB and value not in (None, False):
            _warn(
                f"{of}: {name}={value!r} has no effect, there is no cluster here; programs "
                "are compiled and run on this machine"
            )


def _say_simulator(of: str, simulator: bool) -> None:
    if not simulator:
        _warn(
            f"{of}: simulator is {simulator!r}, but there is no system here; the program runs "
            "on the simulator, write simulator=True"
        )


def _run(what: str, command: str, directory: Path) -> str:
    """What a command in `directory` wrote; an exception if it failed."""
    compat = Path(find_cslc("")).resolve().parent
    code, text = run_program(
        ["/bin/sh", "-c", command],
        directory,
        f"{compat}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
    )
    if code:
        raise HostError(f"{what} ended with exit code {code}: {command}\n{text}")
    return text


def _inside(flag: str, name: str) -> str:
    """`name`, if it cannot leave the folder that it is taken in."""
    if not name or Path(name).is_absolute() or ".." in Path(name).parts:
        raise HostError(f"{flag} names {name!r}, expected a place inside of the program's folder")
    return name


def _outputs_of(options: Sequence[str]) -> tuple[str, list[str]]:
    """The directory that cslc's options name, the last -o or its default, and the options
    without it."""
    output, others = "out", []
    words = iter(options)
    for word in words:
        flag, has_value, value = word.partition("=")
        if flag in ("-o", "--o"):
            output = value if has_value else next(words, "")
        else:
            others.append(word)
    return _inside("-o", output), others


class _Managed:
    """Something that is used in a `with` statement."""

    _entered = False

    def __enter__(self) -> Self:
        with refusals(type(self).__name__):
            self._enter()
        self._entered = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: types.TracebackType | None,
    ) -> None:
        self._entered = False
        self._leave()

    def _enter(self) -> None:
        """Gets what is needed inside; may fail."""

    def _leave(self) -> None:
        """Gives back what `_enter` got."""

    def _expect(self, call: str) -> None:
        if not self._entered:
            raise HostError(f"{call}() is called outside of 'with {type(self).__name__}(...)'")


@host_class
class SdkCompiler(_Managed):
    """Compiles programs into artifacts."""

    def __init__(self, **cluster: Any) -> None:
        _say_cluster("SdkCompiler", cluster)

    def compile(self, codedir: Place, layout: str, args: str, outdir: Place = ".") -> str:
        """The path of the artifact of `layout`, a file of the folder `codedir`, compiled
        with the arguments `args` of cslc. It goes into the folder `outdir`."""
        self._expect("compile")
        folder = Path(codedir)
        if not (folder / layout).is_file():
            raise HostError(f"there is no file {layout!r} in {os.fspath(codedir)!r}")
        name, options = _outputs_of(shlex.split(args))
        with ScratchFolder() as scratch:
            output = scratch / name
            output.parent.mkdir(parents=True, exist_ok=True)
            for number, word in enumerate(options):
                flag, _, value = word.lstrip("-").partition("=")
                if flag == "output-json" and value:
                    # It goes into the artifact, as all that cslc writes.
                    place = scratch / _inside("--output-json", value)
                    place.parent.mkdir(parents=True, exist_ok=True)
                    options[number] = f"--output-json={place}"
            command = shlex.join(["cslc", layout, *options, "-o", str(output)])
            sys.stderr.write(_run("the compilation", command, folder))
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w") as tar:
                for path in sorted(scratch.rglob("*")):
                    if path.is_file():
                        entry = tar.gettarinfo(path, arcname=path.relative_to(scratch).as_posix())
                        entry.mtime = entry.uid = entry.gid = 0
                        entry.uname = entry.gname = ""
                        with path.open("rb") as file:
                            tar.addfile(entry, file)
        data = packed.getvalue()
        target = Path(outdir)
        target.mkdir(parents=True, exist_ok=True)
        artifact = target / f"cs_{hashlib.sha256(data).hexdigest()[:16]}.tar"
        # Who can write the folder may have known the name before.
        write_file(artifact, data, fresh=True)
        return str(artifact)


#: Most bytes and files of an artifact, packed and unpacked.
MOST_BYTES = 1 << 32
MOST_FILES = 1 << 16


def _unpack(artifact: Place, directory: Path) -> None:
    shown = repr(os.fspath(artifact))
    if not Path(artifact).is_file():
        raise HostError(f"there is no artifact {shown}")

    def check(what: str, found: int, most: int) -> None:
        if found > most:
            raise HostError(f"{shown} has {found} {what}, an artifact has at most {most}")

    check("bytes", os.path.getsize(artifact), MOST_BYTES)
    count = size = 0
    try:
        # Without compression nothing is larger than it says.
        with tarfile.open(artifact, mode="r:") as tar:
            for entry in tar:
                path = Path(entry.name)
                if path.is_absolute() or ".." in path.parts or not entry.isfile():
                    raise HostError(f"{shown} holds {entry.name!r}, not a file")
                count += 1
                size += entry.size
                check("files", count, MOST_FILES)
                check("bytes in its files", size, MOST_BYTES)
                content = tar.extractfile(entry)
                assert content is not None
                (directory / path).parent.mkdir(parents=True, exist_ok=True)
                with (directory / path).open("wb") as file:
                    shutil.copyfileobj(content, file)
    except (tarfile.TarError, MemoryError) as error:
        raise HostError(f"{shown} is not an artifact: {error}") from error


def _copy_within(source: Path, root: Path, target: Path) -> None:
    """Copies a file or folder below `root`, whose links must not lead out of it."""
    real = source.resolve()
    if not real.is_relative_to(root):
        raise HostError(
            f"download_artifact: {source.relative_to(root).as_posix()!r} leaves the working "
            "directory by a link"
        )
    if real.is_dir():
        if any(real == parent.resolve() for parent in source.parents):
            raise HostError(
                f"download_artifact: {source.relative_to(root).as_posix()!r} leads in a circle"
            )
        target.mkdir(parents=True, exist_ok=True)
        for child in sorted(source.iterdir()):
            _copy_within(child, root, target / child.name)
    elif real.is_file():
        descriptor = os.open(real, os.O_RDONLY | os.O_NOFOLLOW)
        with open(descriptor, "rb") as file:
            write_file(target, file.read())
    else:
        raise HostError(
            f"download_artifact: {source.relative_to(root).as_posix()!r} is no file or folder"
        )


@host_class
class SdkLauncher(_Managed):
    """Runs commands beside an artifact, in a working directory that ends with the block."""

    def __init__(self, artifact: Place, simulator: bool = False, **cluster: Any) -> None:
        _say_cluster("SdkLauncher", cluster)
        _say_simulator("SdkLauncher", simulator)
        self._artifact = artifact
        self._scratch: ScratchFolder | None = None

    def _enter(self) -> None:
        self._scratch = ScratchFolder()
        try:
            _unpack(self._artifact, self._place)
        except BaseException:
            self._scratch.close()
            raise

    def _leave(self) -> None:
        if self._scratch is not None:
            self._scratch.close()

    @property
    def _place(self) -> Path:
        assert self._scratch is not None
        return self._scratch.path

    def stage(self, *paths: Place) -> None:
        """Copies files or folders into the working directory."""
        self._expect("stage")
        for path in map(Path, paths):
            if path.is_dir():
                shutil.copytree(path, self._place / path.resolve().name, dirs_exist_ok=True)
            elif path.is_file():
                shutil.copy2(path, self._place / path.name)
            else:
                raise HostError(f"stage: there is no file or folder {os.fspath(path)!r}")

    def run(self, *commands: str) -> str:
        """What the commands wrote, one after another. The first that fails ends it. In the
        place of %CMADDR% is an empty word, as runs on the simulator have no address."""
        self._expect("run")
        if not commands:
            raise HostError("run: no command is given")
        text = ""
        for command in commands:
            for quote in ('"', "'"):
                command = command.replace(f"{quote}{ADDRESS}{quote}", "''")
            text += _run("a command", command.replace(ADDRESS, "''"), self._place)
        return text

    def download_artifact(self, name: str, path: Place) -> None:
        """Copies a file or folder of the working directory to `path`."""
        self._expect("download_artifact")
        root = self._place.resolve()
        source = Path(os.path.normpath(root / name))
        if not source.is_relative_to(root):
            raise HostError(
                f"download_artifact: {name!r} leaves the working directory; names are relative to it"
            )
        if not source.exists():
            raise HostError(f"download_artifact: there is no {name!r} in the working directory")
        target = Path(path)
        if source.is_dir():
            _copy_within(source, root, target)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _copy_within(source, root, target / source.name if target.is_dir() else target)


@host_class
class SdkRuntime(LocalRuntime):
    """The older way: an artifact driven from this process."""

    #: Arguments that the runtime of a single machine has too.
    SETTINGS = ("cmaddr", "memcpy_required", "msg_level", "simfab_numthreads",
                "suppress_simfab_trace")

    def __init__(self, artifact: Place, simulator: bool = False, **arguments: Any) -> None:
        warnings.warn(
            "SdkRuntime of cerebras.sdk.client is deprecated; run a script with SdkLauncher",
            DeprecationWarning,
            stacklevel=3,
        )
        settings = {name: arguments.pop(name) for name in self.SETTINGS if name in arguments}
        _say_cluster("SdkRuntime", arguments)
        _say_simulator("SdkRuntime", simulator)
        self._unpacked = ScratchFolder()
        _unpack(artifact, self._unpacked.path)
        outputs = sorted(self._unpacked.path.rglob("out.json"))
        if not outputs:
            raise HostError(f"{os.fspath(artifact)!r} holds no compiled program")
        super().__init__(outputs[0].parent, **settings)
