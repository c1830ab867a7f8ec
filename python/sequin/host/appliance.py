# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""SdkCompiler and SdkLauncher: the calls that scripts make to a cluster, done here.

Compiling runs cslc in the folder of the program and packs its output; launching unpacks
it into a working directory, puts staged files beside it and runs commands there on the
fabric simulator. A cluster is not reached: arguments that describe one (its address,
processors and memory of a job) are refused unless they are None or False.
"""

from __future__ import annotations

import hashlib
import io
import os
import shlex
import shutil
import subprocess
import tarfile
import tempfile
import types
import warnings
from pathlib import Path
from typing import Any, Self

from sequin.errors import HostError

from .emit import find_cslc
from .runtime import SdkRuntime as LocalRuntime

__all__ = ["SdkCompiler", "SdkLauncher", "SdkRuntime"]

Place = str | os.PathLike[str]

#: Arguments of the vendor's classes that have no effect without a cluster.
WITHOUT_EFFECT = ("disable_version_check", "resource_cpu", "resource_mem")


def _check_cluster(of: str, arguments: dict[str, Any]) -> None:
    for name, value in arguments.items():
        if name not in WITHOUT_EFFECT and value not in (None, False):
            raise HostError(
                f"{of}: {name} is {value!r}, but there is no cluster here; programs are "
                "compiled and run on this machine"
            )


def _run(what: str, command: str, directory: Path) -> str:
    """What a command in `directory` wrote; an exception if it failed."""
    compat = Path(find_cslc("")).resolve().parent
    path = f"{compat}{os.pathsep}{os.environ.get('PATH', '')}"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=directory,
        env={**os.environ, "PATH": path},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        raise HostError(f"{what} ended with exit code {done.returncode}: {command}\n{done.stdout}")
    return done.stdout


def _output_of(options: str) -> str:
    """The directory that cslc's options name: the last -o, or its default."""
    words = shlex.split(options)
    output = "out"
    for word, following in zip(words, [*words[1:], None]):
        if word == "-o" and following is not None:
            output = following
        elif word.startswith("-o="):
            output = word.removeprefix("-o=")
    return output


class _Managed:
    """Something that is used in a `with` statement."""

    _entered = False

    def __enter__(self) -> Self:
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


class SdkCompiler(_Managed):
    """Compiles programs into artifacts."""

    def __init__(self, **cluster: Any) -> None:
        _check_cluster("SdkCompiler", cluster)

    def compile(self, codedir: Place, layout: str, args: str, outdir: Place = ".") -> str:
        """The path of the artifact of `layout`, a file of the folder `codedir`, compiled
        with the arguments `args` of cslc. It goes into the folder `outdir`."""
        self._expect("compile")
        folder = Path(codedir)
        if not (folder / layout).is_file():
            raise HostError(f"there is no file {layout!r} in {os.fspath(codedir)!r}")
        name = _output_of(args)
        if Path(name).is_absolute() or ".." in Path(name).parts:
            raise HostError(f"-o names {name!r}, expected a folder inside of the program's")
        with tempfile.TemporaryDirectory() as scratch:
            output = Path(scratch) / name
            output.parent.mkdir(parents=True, exist_ok=True)
            command = shlex.join(["cslc", layout, *shlex.split(args), "-o", str(output)])
            _run("the compilation", command, folder)
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w") as tar:
                for path in sorted(output.rglob("*")):
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
        unfinished = artifact.with_suffix(".part")
        unfinished.write_bytes(data)
        unfinished.replace(artifact)
        return str(artifact)


def _unpack(artifact: Place, directory: Path) -> None:
    if not Path(artifact).is_file():
        raise HostError(f"there is no artifact {os.fspath(artifact)!r}")
    try:
        with tarfile.open(artifact) as tar:
            for entry in tar.getmembers():
                path = Path(entry.name)
                if path.is_absolute() or ".." in path.parts or not entry.isfile():
                    raise HostError(f"{os.fspath(artifact)!r} holds {entry.name!r}, not a file")
                content = tar.extractfile(entry)
                assert content is not None
                (directory / path).parent.mkdir(parents=True, exist_ok=True)
                (directory / path).write_bytes(content.read())
    except tarfile.TarError as error:
        raise HostError(f"{os.fspath(artifact)!r} is not an artifact: {error}") from error


class SdkLauncher(_Managed):
    """Runs commands beside an artifact, in a working directory that ends with the block."""

    def __init__(self, artifact: Place, simulator: bool = False, **cluster: Any) -> None:
        _check_cluster("SdkLauncher", cluster)
        if not simulator:
            raise HostError("SdkLauncher: simulator is False, but there is no system here")
        self._artifact = artifact
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

    def _enter(self) -> None:
        self._scratch = tempfile.TemporaryDirectory()
        try:
            _unpack(self._artifact, self._place)
        except BaseException:
            self._scratch.cleanup()
            raise

    def _leave(self) -> None:
        if self._scratch is not None:
            self._scratch.cleanup()

    @property
    def _place(self) -> Path:
        assert self._scratch is not None
        return Path(self._scratch.name)

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
        """What the commands wrote, one after another. The first that fails ends it."""
        self._expect("run")
        if not commands:
            raise HostError("run: no command is given")
        text = ""
        for command in commands:
            if "%CMADDR%" in command:
                raise HostError("run: %CMADDR% stands for a system's address, and there is none")
            text += _run("a command", command, self._place)
        return text

    def download_artifact(self, name: str, path: Place) -> None:
        """Copies a file or folder of the working directory to `path`."""
        self._expect("download_artifact")
        source = (self._place / name).resolve()
        if not source.is_relative_to(self._place.resolve()):
            raise HostError(
                f"download_artifact: {name!r} leaves the working directory; names are relative to it"
            )
        if not source.exists():
            raise HostError(f"download_artifact: there is no {name!r} in the working directory")
        if source.is_dir():
            shutil.copytree(source, path, dirs_exist_ok=True)
        else:
            shutil.copy2(source, path)


class SdkRuntime(LocalRuntime):
    """The older way: an artifact driven from this process."""

    def __init__(self, artifact: Place, simulator: bool = False, **settings: Any) -> None:
        warnings.warn(
            "SdkRuntime of cerebras.sdk.client is deprecated; run a script with SdkLauncher",
            DeprecationWarning,
            stacklevel=2,
        )
        if not simulator:
            raise HostError("SdkRuntime: simulator is False, but there is no system here")
        self._unpacked = tempfile.TemporaryDirectory()
        _unpack(artifact, Path(self._unpacked.name))
        outputs = sorted(Path(self._unpacked.name).rglob("out.json"))
        if not outputs:
            raise HostError(f"{os.fspath(artifact)!r} holds no compiled program")
        super().__init__(outputs[0].parent, **settings)
