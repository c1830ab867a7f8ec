# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Faults of the machine, staged for every program that writes.

After each, what was there before is there or the new file is whole, no temporary is left
(SIGKILL, which nobody can answer, may leave some beside), the message names the fault and
the exit code says whose it is. A fault that cannot be staged on this machine is reported as
unsupported by its name.
"""

import json
import os
import random
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "Inputs"))

import faults  # noqa: E402
from faults import CSLC, CSLC_FLAGS, LAYOUT, OLD, WRITERS, Writer, list_names  # noqa: E402

from sequin import _wafer  # noqa: E402

FILES = [writer for writer in WRITERS if not writer.is_folder]
TOOLS = [writer for writer in WRITERS if not writer.is_python]
#: Runs that a signal cuts short, for each writer.
ROUNDS = int(os.environ.get("SEQUIN_FAULT_ROUNDS", "5"))

by_writer = pytest.mark.parametrize("writer", WRITERS, ids=lambda writer: writer.name)
by_new_file_writer = pytest.mark.parametrize(
    "writer", [writer for writer in FILES if not writer.in_place], ids=lambda writer: writer.name
)
by_file_writer = pytest.mark.parametrize("writer", FILES, ids=lambda writer: writer.name)


def unsupported(fault, why):
    pytest.skip(f"unsupported: {fault}: {why}")


def limit(which, amount):
    return lambda: resource.setrlimit(which, (amount, amount))


class Place:
    """A folder in which a writer is at work."""

    def __init__(self, folder: Path, writer: Writer):
        self.folder, self.writer = folder, writer
        writer.prepare(folder)
        if writer.is_folder:
            self.run(check=True)
        self.before, self.names = writer.state(folder), list_names(folder)

    def run(self, target=None, check=False, **how):
        done = subprocess.run(self.writer.argv(target), cwd=self.folder, timeout=120,
                              **{"capture_output": True, **how})
        assert not check or done.returncode == 0, done.stderr
        return done

    def expect_refusal(self, done, *words, code=1):
        text = (done.stderr or b"").decode("utf-8", "replace")
        assert done.returncode == code, (done.returncode, text)
        assert "error: " in text and "LLVM ERROR" not in text and "Traceback" not in text, text
        assert any(word in text for word in words), text
        self.expect_unchanged()

    def expect_unchanged(self):
        assert self.writer.state(self.folder) == self.before
        self.expect_no_more()

    def expect_no_more(self, but=()):
        extra = list_names(self.folder) - self.names - {*but}
        # What the writer writes besides is of no consequence here.
        assert not {name for name in extra if not name.startswith("elsewhere")}, extra
        assert not {name for name in extra if ".tmp-" in name}, extra


@pytest.fixture
def place(tmp_path, writer):
    return Place(tmp_path / "place", writer)


@cache
def whole(writer: Writer) -> dict[str, str]:
    """What the writer writes when nothing goes wrong."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        there = Place(Path(folder), writer)
        there.run(check=True)
        return writer.state(Path(folder))


# ===--- File systems -----------------------------------------------------=== #


@cache
def has_namespaces() -> bool:
    try:
        return subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        return False


def on_file_system(system, writer, folder):
    if not has_namespaces():
        unsupported(f"file system '{system}'", "mount namespaces are not allowed here")
    folder.mkdir()
    done = subprocess.run(
        ["unshare", "-m", sys.executable, faults.__file__, system, writer.name, str(folder)],
        capture_output=True, text=True, timeout=300,
    )
    if "mount" in done.stderr and "permission" in done.stderr:
        unsupported(f"file system '{system}'", done.stderr.strip())
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["code"] == 1, found
    assert found["same"] and not found["extra"], found
    assert "error: " in found["stderr"] and "LLVM ERROR" not in found["stderr"], found
    return found["stderr"]


@by_writer
def test_full_disk(writer, tmp_path):
    assert "No space left on device" in on_file_system("full", writer, tmp_path / "disk")


@by_writer
def test_no_inodes(writer, tmp_path):
    assert "No space left on device" in on_file_system("inodes", writer, tmp_path / "disk")


@by_writer
def test_read_only_file_system(writer, tmp_path):
    text = on_file_system("read-only", writer, tmp_path / "disk")
    assert "Read-only file system" in text


@by_writer
def test_quota(writer, place):
    """A file may not get larger: RLIMIT_FSIZE, as a quota a signal or an error."""
    done = place.run(preexec_fn=limit(resource.RLIMIT_FSIZE, 100))
    place.expect_refusal(done, "File too large")


@pytest.fixture
def as_nobody():
    """The user without rights, and a folder of root's that it can read."""
    if os.geteuid() != 0:
        unsupported("another user", "only root can run a program as somebody else")
    folder = Path("/tmp") / f"sequin-faults-{os.getpid()}"
    folder.mkdir()
    readable = subprocess.run([str(CSLC), "--help"], user=65534, group=65534, extra_groups=[],
                              capture_output=True)
    try:
        if readable.returncode:
            unsupported("another user", f"nobody cannot run {CSLC}")
        yield folder, {"user": 65534, "group": 65534, "extra_groups": []}
    finally:
        shutil.rmtree(folder)


@by_file_writer
def test_read_only_folder(writer, as_nobody):
    folder, user = as_nobody
    place = Place(folder / "place", writer)
    place.expect_refusal(place.run(**user), "Permission denied")


@by_file_writer
def test_read_only_file(writer, as_nobody):
    """A rename would replace what may not be written."""
    folder, user = as_nobody
    place = Place(folder / "place", writer)
    (folder / "place").chmod(0o777)
    place.expect_refusal(place.run(**user), "Permission denied")


# ===--- Signals ----------------------------------------------------------=== #


def is_early(code, number):
    """Before main() the signal itself ends the program."""
    return code == -number


durations: dict[Writer, float] = {}


def cut_short(place, number, round):
    """Sends a signal at some time of a run; the exit code."""
    if place.writer not in durations:
        begin = time.monotonic()
        place.run(check=True)
        durations[place.writer] = time.monotonic() - begin
        place.writer.prepare(place.folder)
    duration = durations[place.writer]
    chance = random.Random(f"{place.writer.name} {number} {round}")
    process = subprocess.Popen(place.writer.argv(), cwd=place.folder, stderr=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL)
    time.sleep(chance.uniform(0.2, 1.05) * duration)
    process.send_signal(number)
    return process.wait(60)


def is_whole(place, state):
    if state in (place.before, whole(place.writer)):
        return True
    # A folder that a signal nobody can answer has cut is not taken for a whole one.
    return place.writer.name == "cslc" and "out/out.json" not in state


@by_writer
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_signal(writer, place, name):
    number = getattr(signal, name)
    codes = set()
    for round in range(ROUNDS):
        writer.prepare(place.folder)
        code = cut_short(place, number, round)
        codes.add(code)
        # Python itself ends with 1 where it is interrupted while it starts.
        starts = writer.is_python and number == signal.SIGINT and code == 1
        assert code == 0 or is_early(code, number) or starts or (
            not writer.is_python and code == 128 + number), code
        state = writer.state(place.folder)
        assert state in (place.before, whole(writer)), sorted(state)
        place.expect_no_more()


@by_writer
def test_kill(writer, place):
    for round in range(ROUNDS):
        writer.prepare(place.folder)
        code = cut_short(place, signal.SIGKILL, round)
        assert code in (0, -signal.SIGKILL)
        extra = list_names(place.folder) - place.names
        for name in extra:
            if ".tmp-" in name:
                (place.folder / name).unlink()
        state = {name: text for name, text in writer.state(place.folder).items()}
        assert is_whole(place, state), sorted(state)
        place.expect_no_more()


# ===--- Limits and streams -----------------------------------------------=== #


@by_writer
def test_memory_limit(writer, place):
    """At any limit the program works, or refuses and leaves what was there."""
    refused = 0
    for megabytes in (256, 320, 512, 768, 1024):
        done = place.run(preexec_fn=limit(resource.RLIMIT_AS, megabytes << 20),
                         env={**os.environ, "OPENBLAS_NUM_THREADS": "1"})
        text = done.stderr.decode("utf-8", "replace")
        if done.returncode == 0:
            assert writer.state(place.folder) == whole(writer)
            writer.prepare(place.folder)
            continue
        refused += 1
        # 127: the libraries themselves do not fit.
        assert done.returncode in (1, 127), (megabytes, done.returncode, text)
        assert "error" in text.lower(), text
        assert writer.state(place.folder) in (place.before, whole(writer))
        place.expect_no_more()


@by_writer
def test_closed_standard_streams(writer, place):
    """A file that is opened does not become the stream that was closed."""
    for closed in ((0,), (1,), (2,), (0, 1), (0, 1, 2)):
        writer.prepare(place.folder)
        done = place.run(capture_output=False,
                         preexec_fn=lambda: [os.close(number) for number in closed])
        assert done.returncode == 0, closed
        assert writer.state(place.folder) == whole(writer), closed
        place.expect_no_more()


READERS = [
    [faults.tool("sequin-opt"), "-"],
    [faults.tool("sequin-csl"), "-"],
    [faults.tool("sequin-visa"), "-"],
    [faults.tool("sequin-translate"), "--json-to-tcp", "-"],
]
PRINTERS = [
    [faults.tool("sequin-opt"), "in.mlir"],
    [faults.tool("sequin-opt"), "--help"],
    [faults.tool("sequin-opt"), "--show-dialects"],
    [faults.tool("sequin-translate"), "--dump-machine=wse3"],
    [faults.tool("sequin-translate"), "--help"],
    [faults.tool("sequin-csl"), "in.csl"],
    [faults.tool("sequin-csl"), "--tokens", "in.csl"],
    [faults.tool("sequin-visa"), "in.rs"],
    [faults.tool("sequin-map"), "eval", "--axes", "A=64", "A"],
    [faults.tool("sequin-map"), "derive", "--axes", "A=64", "--buffer", "A", "--json"],
    [faults.tool("sequin-map"), "--help"],
    [faults.tool("sequin-run"), "--help"],
    [str(CSLC), "--help"],
]


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_closed_stdin(command, tmp_path):
    done = subprocess.run(command, capture_output=True, preexec_fn=lambda: os.close(0),
                          timeout=60)
    assert done.returncode == 1
    assert b"error: cannot open '-': Bad file descriptor" in done.stderr


@pytest.mark.parametrize("command", PRINTERS, ids=lambda words: " ".join(words)[-40:])
@pytest.mark.parametrize("fault", ["full stdout", "closed stdout", "broken pipe"])
def test_stdout(command, fault, tmp_path):
    WRITERS[0].prepare(tmp_path)
    how, text = {}, ""
    if fault == "full stdout":
        if not os.path.exists("/dev/full"):
            unsupported(fault, "there is no /dev/full")
        how, text = {"stdout": open("/dev/full", "wb")}, "No space left on device"
    elif fault == "closed stdout":
        how, text = {"preexec_fn": lambda: os.close(1)}, "Bad file descriptor"
    else:
        reader, writer = os.pipe()
        os.close(reader)
        how, text = {"stdout": os.fdopen(writer, "wb")}, "Broken pipe"
    done = subprocess.run(command, cwd=tmp_path, stderr=subprocess.PIPE, timeout=60, **how)
    assert done.returncode == 1, done.stderr
    assert f"error: cannot write to stdout: {text}" in done.stderr.decode()


def test_full_stderr(tmp_path):
    """Nobody can be told, but the code says it."""
    if not os.path.exists("/dev/full"):
        unsupported("full stderr", "there is no /dev/full")
    with open("/dev/full", "wb") as full:
        done = subprocess.run([faults.tool("sequin-map"), "eval", "--axes", "A=x", "A"],
                              stderr=full, timeout=60)
    assert done.returncode == 1


# ===--- Names ------------------------------------------------------------=== #


@by_file_writer
def test_symbolic_link(writer, place):
    """Written through, not replaced, whether its file is there or not."""
    if writer.in_place:
        (place.folder / "real").write_bytes((place.folder / writer.target).read_bytes())
    (place.folder / "link").symlink_to("real")
    place.run("link", check=True)
    assert (place.folder / "link").is_symlink()
    assert [(place.folder / "real").read_bytes().hex()] == list(whole(writer).values())
    place.run("link", check=True)
    place.expect_no_more({"link", "real"})


@by_file_writer
def test_circle_of_links(writer, place):
    (place.folder / "round").symlink_to("round")
    done = place.run("round")
    assert done.returncode == 1
    assert b"symbolic links" in done.stderr
    place.expect_no_more({"round"})


@by_new_file_writer
def test_pipe(writer, place):
    os.mkfifo(place.folder / "pipe")
    with open(place.folder / "read", "wb") as read:
        reader = subprocess.Popen(["cat", "pipe"], cwd=place.folder, stdout=read)
    place.run("pipe", check=True)
    assert reader.wait(60) == 0
    assert [(place.folder / "read").read_bytes().hex()] == list(whole(writer).values())
    assert stat.S_ISFIFO(os.stat(place.folder / "pipe").st_mode)
    place.expect_no_more({"pipe", "read"})


@by_new_file_writer
def test_device(writer, place):
    """/dev/null takes everything, and /dev/full nothing; both stay what they are."""
    place.run("/dev/null", check=True)
    if not os.path.exists("/dev/full"):
        unsupported("/dev/full as target", "it is not there")
    place.expect_refusal(place.run("/dev/full"), "No space left on device")
    for device in ("/dev/null", "/dev/full"):
        assert stat.S_ISCHR(os.stat(device).st_mode)
    assert not [name for name in os.listdir("/dev") if ".tmp-" in name]


@by_new_file_writer
def test_open_descriptor(writer, place):
    """/dev/fd/N goes where the shell has opened it, and what is there before stays."""
    if not os.path.exists("/dev/fd"):
        unsupported("a descriptor as target", "there is no /dev/fd")
    with open(place.folder / "log", "ab") as log:
        log.write(b"before\n")
        log.flush()
        place.run(f"/dev/fd/{log.fileno()}", check=True, pass_fds=[log.fileno()])
    expected = b"before\n".hex() + next(iter(whole(writer).values()))
    assert (place.folder / "log").read_bytes().hex() == expected
    place.expect_no_more({"log"})


@by_file_writer
def test_missing_folder(writer, place):
    done = place.run("none/out")
    place.expect_refusal(done, "No such file or directory")


@by_file_writer
def test_folder_in_the_place_of_the_file(writer, place):
    (place.folder / "taken").mkdir()
    done = place.run("taken")
    assert done.returncode == 1
    assert b"s a directory" in done.stderr, done.stderr
    place.expect_no_more({"taken"})


@pytest.mark.parametrize("writer", [w for w in WRITERS if w.is_folder], ids=lambda w: w.name)
def test_file_in_the_place_of_the_folder(writer, place):
    (place.folder / "taken").write_bytes(OLD)
    done = place.run("taken")
    assert done.returncode == 1 and b"error: cannot make the folder" in done.stderr, done.stderr
    assert (place.folder / "taken").read_bytes() == OLD
    place.expect_no_more({"taken"})


@by_file_writer
def test_very_long_name(writer, place):
    """The longest name works, although that of a temporary is longer; one more is refused."""
    longest, too_long = "n" * 255, "n" * 256
    if writer.in_place:
        (place.folder / longest).write_bytes((place.folder / writer.target).read_bytes())
    place.run(longest, check=True)
    assert [(place.folder / longest).read_bytes().hex()] == list(whole(writer).values())
    done = place.run(too_long)
    assert done.returncode == 1 and b"File name too long" in done.stderr
    place.expect_no_more({longest})


@by_file_writer
@pytest.mark.parametrize("name", [b"\xff\xfe", b"100% %%%%", b"new\nline", "größe".encode()],
                         ids=["no UTF-8", "per cent", "new line", "umlauts"])
def test_odd_name(writer, place, name):
    target = os.fsdecode(name)
    if writer.in_place:
        (place.folder / target).write_bytes((place.folder / writer.target).read_bytes())
    place.run(target, check=True)
    assert [(place.folder / target).read_bytes().hex()] == list(whole(writer).values())
    place.expect_no_more({target})


# ===--- Surroundings -----------------------------------------------------=== #


@by_writer
@pytest.mark.parametrize("locale", [
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
    {"LC_ALL": "tr_TR.UTF-8"}, {"LC_ALL": "no_SUCH.locale"}, {"LANG": ""},
], ids=["POSIX", "Turkish", "unknown", "none"])
def test_odd_locale(writer, place, locale):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("LC_")}
    place.run(check=True, env={**clean, **locale})
    assert writer.state(place.folder) == whole(writer)
    place.expect_no_more()


@by_writer
def test_no_temporary_folder(writer, place):
    """Temporaries are beside their files, so /tmp is of no consequence."""
    place.run(check=True, env={**os.environ, "TMPDIR": "/nonexistent", "TMP": "/nonexistent"})
    assert writer.state(place.folder) == whole(writer)
    place.expect_no_more()


@by_file_writer
def test_mode_is_kept(writer, place):
    target = place.folder / writer.target
    for mode in (0o600, 0o640, 0o755):
        writer.prepare(place.folder)
        target.chmod(mode)
        place.run(check=True, umask=0o022)
        assert stat.S_IMODE(target.stat().st_mode) == mode
    if not writer.in_place:
        place.run("new", check=True, umask=0o027)
        assert stat.S_IMODE((place.folder / "new").stat().st_mode) == 0o640


@by_writer
def test_concurrent_writers(writer, place):
    many = [subprocess.Popen(writer.argv(), cwd=place.folder, stderr=subprocess.PIPE)
            for _ in range(6)]
    for process in many:
        _, text = process.communicate(timeout=120)
        assert process.returncode == 0, text
    assert writer.state(place.folder) == whole(writer)
    place.expect_no_more()


def test_concurrent_compilations(tmp_path):
    """Compilations into one folder take turns: it is always that of one of them, also to
    who reads it meanwhile."""
    folder = tmp_path / "out"
    commands = [
        [str(CSLC), str(LAYOUT), "--arch=wse3", f"--params=n:{n}", "--colors=c:3", "-o", "out"]
        for n in (1, 7)
    ]
    for command in commands:
        subprocess.run(command, cwd=tmp_path, check=True)
    running, rounds = [], 0
    while rounds < 24 or running:
        running = [process for process in running if process.poll() is None]
        while len(running) < 4 and rounds < 24:
            running.append(subprocess.Popen(commands[rounds % 2], cwd=tmp_path))
            rounds += 1
        output = _wafer.Output.open(os.fsencode(folder))
        assert output.params()["n"] == str(output.size[0])
    document = json.loads((folder / "out.json").read_text())
    elfs = {str(path.relative_to(folder)) for path in folder.rglob("*.elf")}
    assert elfs == set(document["elf"])
    assert not [name for name in list_names(tmp_path) if ".tmp-" in name]


@pytest.mark.parametrize("copy", ["none/copy.json", ".", "/dev/full"])
def test_copy_that_cannot_be_written(tmp_path, copy):
    """Neither the copy of out.json nor the folder is left."""
    done = subprocess.run(
        [str(CSLC), str(LAYOUT), *CSLC_FLAGS, "-o", "out", f"--output-json={copy}"],
        cwd=tmp_path, capture_output=True, text=True,
    )
    assert done.returncode == 1 and "error: " in done.stderr, done.stderr
    assert list_names(tmp_path) == set()


def test_working_folder_is_gone(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    done = subprocess.run(
        [faults.tool("sequin-translate"), "--dump-machine=wse3", "-o", "out.json"],
        cwd=gone, preexec_fn=lambda: os.rmdir(gone), capture_output=True, text=True,
    )
    assert done.returncode == 1 and "cannot write 'out.json'" in done.stderr, done.stderr
