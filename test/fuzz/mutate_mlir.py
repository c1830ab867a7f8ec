#!/usr/bin/python3
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Gives mutated MLIR programs to the pipelines of sequin-opt and keeps what ends by a
signal, a sanitizer or the clock.

    mutate_mlir.py --bin build-sanitize/bin --seed 1 --count 20000 --keep FOLDER

The programs are those of test/ and examples/. A mutation is of a token (deleted, doubled,
another of its kind, a number at a limit), of a type (another of the program) or of an
operation (deleted, doubled, moved, taken from another program). Input number i of a seed is
the same on every run over the same tree; --only i makes that one alone. A finding is made
smaller by lines and then by tokens while it ends in the same way.
"""
import argparse
import random
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|[%#!^@][A-Za-z0-9_.$-]*|->|[A-Za-z_][A-Za-z0-9_.$]*|\d+(?:\.\d+)?|\s+|.')
TYPE = re.compile(r"tensor<[^<>]*>|memref<[^<>]*>|!\w+\.\w+(?:<[^<>]*>)?|\b[bfi]f?\d+\b")
NUMBERS = ["0", "1", "-1", "2", "3", "7", "16", "255", "256", "4096", "65535", "65536",
           "2147483647", "2147483648", "4294967295", "4294967296", "9223372036854775807",
           "18446744073709551615"]
PIECES = ["<", ">", "[", "]", "(", ")", "{", "}", ",", ":", "=", "->", "*", "/", "%"]
PIPELINES = {
    "linalg": [["--linalg-to-tcp=target=rngd"],
               ["--linalg-to-tcp=target=rngd", "--tcp-to-config"],
               ["--linalg-to-csl=grid=4,4 target=wse3"]],
    "tcp": [["--tcp-to-config"]],
    "csl": [["--csl-check-program"]],
}
#: What refuses a whole file before it is split.
REFUSED_WHOLE = re.compile("nested in more than|dense array has elements of type|"
                           "is a list of integers of 64|and the aliases before it|"
                           "an affine map of more than")
BATCH = 20
SEPARATOR = "\n// -----\n"


def programs():
    """Programs by what they are for, without the comments of tests."""
    found = {kind: [] for kind in PIPELINES}
    for path in sorted([*ROOT.glob("test/**/*.mlir"), *ROOT.glob("examples/**/*.mlir")]):
        for text in re.split(r"^// -----.*$", path.read_text(errors="replace"), flags=re.M):
            text = re.sub(r"^\s*//.*\n", "", text, flags=re.M).strip()
            if not text or len(text) > 20000:
                continue
            kind = ("csl" if "csl." in text else "tcp" if "tcp." in text
                    else "linalg" if "linalg" in text or "tensor" in text else None)
            if kind:
                found[kind].append(text)
    return found


class Mutator:
    def __init__(self, corpus, random_):
        self.corpus, self.random = corpus, random_

    def mutate(self, text):
        for _ in range(self.random.choice([1, 1, 1, 2, 2, 3, 5])):
            text = self.random.choice([self.token, self.token, self.number, self.number,
                                       self.type, self.operation])(text)
        return text

    def token(self, text):
        tokens = TOKEN.findall(text)
        places = [i for i, token in enumerate(tokens) if not token.isspace()]
        if not places:
            return text
        i = self.random.choice(places)
        way = self.random.randrange(5)
        if way == 0:
            tokens[i] = ""
        elif way == 1:
            tokens[i] += " " + tokens[i]
        elif way == 2:
            tokens[i] = self.random.choice(PIECES)
        else:
            # Another token that begins alike, of this program or another one.
            other = tokens if way == 3 else TOKEN.findall(self.random.choice(self.corpus))
            alike = [token for token in other if not token.isspace()
                     and (token[0] == tokens[i][0] or token[0].isalpha() == tokens[i][0].isalpha())]
            if alike:
                tokens[i] = self.random.choice(alike)
        return "".join(tokens)

    def number(self, text):
        found = list(re.finditer(r"\d+", text))
        if not found:
            return text
        match = self.random.choice(found)
        new = self.random.choice(NUMBERS)
        if self.random.random() < 0.5:
            # As a shape or an axis has it, everywhere.
            return re.sub(rf"(?<!\d){match[0]}(?!\d)", new, text)
        return text[:match.start()] + new + text[match.end():]

    def type(self, text):
        found = list(TYPE.finditer(text))
        others = found + list(TYPE.finditer(self.random.choice(self.corpus)))
        if not found:
            return text
        match, other = self.random.choice(found), self.random.choice(others)
        if self.random.random() < 0.3:
            return text.replace(match[0], other[0])
        return text[:match.start()] + other[0] + text[match.end():]

    def operation(self, text):
        lines = text.split("\n")
        i, j = self.random.randrange(len(lines)), self.random.randrange(len(lines))
        way = self.random.randrange(4)
        if way == 0:
            del lines[i]
        elif way == 1:
            lines.insert(j, lines[i])
        elif way == 2:
            lines[i], lines[j] = lines[j], lines[i]
        else:
            lines.insert(i, self.random.choice(self.random.choice(self.corpus).split("\n")))
        return "\n".join(lines)


class Runner:
    def __init__(self, program, seconds):
        self.program, self.seconds = program, seconds

    def end(self, pipeline, text, split=False):
        """How a run ends badly, in a few words; empty if it does not."""
        command = [self.program, *pipeline, "-o", "/dev/null", "-"]
        if split:
            command.append("--split-input-file")
        try:
            run = subprocess.run(
                command, input=text.encode(errors="replace"), stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, timeout=self.seconds * (BATCH if split else 1),
                env={"ASAN_OPTIONS": "allocator_may_return_null=0:hard_rss_limit_mb=4000:"
                                     "detect_leaks=0:exitcode=99",
                     "UBSAN_OPTIONS": "print_stacktrace=1", "PATH": "/usr/bin:/bin"})
        except subprocess.TimeoutExpired:
            return "more than %d s" % self.seconds
        errors = run.stderr.decode(errors="replace")
        if split and REFUSED_WHOLE.search(errors):
            return "refused as a whole"
        if run.returncode in (0, 1):
            return ""
        places = [line for line in errors.split("\n")
                  if re.search(r"(lib|include)/(?:sequin/)?\w+/.*:\d+", line)
                  and "/usr/" not in line]
        what = re.search(r"runtime error: .*|AddressSanitizer: [\w-]+|rss limit|error: .*", errors)
        place = re.search(r"((?:lib|include)/\S+:\d+)", places[0])[1] if places else ""
        upstream = "" if places else next(iter(re.findall(r"mlir::[\w:]+", errors)), "")
        return f"code {run.returncode} {what[0] if what else ''} {place}{upstream}"


def shrink(text, is_same):
    """A smaller text that still is_same(), by lines and then by tokens."""
    for cut in (lambda t: t.split("\n"), TOKEN.findall):
        joint = "\n" if cut is not TOKEN.findall else ""
        parts, size = cut(text), 0
        size = max(1, len(parts) // 2)
        budget = 200
        while size and budget:
            i = 0
            while i < len(parts) and budget:
                budget -= 1
                rest = parts[:i] + parts[i + size:]
                if is_same(joint.join(rest)):
                    parts = rest
                else:
                    i += size
            size //= 2
        text = joint.join(parts)
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bin", default=str(ROOT / "build-sanitize/bin"))
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 31))
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--only", type=int, help="the number of one input, which is printed")
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--kind", choices=PIPELINES, help="programs of one kind alone")
    parser.add_argument("--keep", default="findings", help="where findings go")
    options = parser.parse_args()
    corpus = programs()
    kinds = [options.kind] if options.kind else list(PIPELINES)

    def make(number):
        random_ = random.Random(f"{options.seed}:{number}")
        kind = random_.choice(kinds)
        pipeline = random_.choice(PIPELINES[kind])
        return tuple(pipeline), Mutator(corpus[kind], random_).mutate(
            random_.choice(corpus[kind]))

    if options.only is not None:
        pipeline, text = make(options.only)
        print("// sequin-opt", *pipeline)
        print(text)
        return 0
    print(f"seed {options.seed}, {options.count} inputs, "
          f"{sum(map(len, corpus.values()))} programs", flush=True)
    runner = Runner(str(Path(options.bin) / "sequin-opt"), options.seconds)
    batches, found = {}, {}

    def look(pipeline, number, text):
        end = runner.end(pipeline, text)
        if not end or end in found:
            return
        found[end] = number
        same = (lambda t: runner.end(pipeline, t) == end) if "more than" not in end else None
        small = shrink(text, same) if same else text
        folder = Path(options.keep)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{options.seed}-{number}.mlir"
        path.write_text(f"// sequin-opt {' '.join(map(repr, pipeline))}\n// {end}\n{small}\n")
        print(f"input {number}: {end}\n  {path}", flush=True)

    def flush(pipeline):
        inputs = batches.pop(pipeline, [])
        if inputs and runner.end(pipeline, SEPARATOR.join(text for _, text in inputs), True):
            for number, text in inputs:
                look(pipeline, number, text)

    for number in range(options.count):
        pipeline, text = make(number)
        batches.setdefault(pipeline, []).append((number, text))
        if len(batches[pipeline]) == BATCH:
            flush(pipeline)
    for pipeline in list(batches):
        flush(pipeline)
    print(f"{options.count} inputs, {len(found)} findings")
    return 1 if found else 0


sys.exit(main())
