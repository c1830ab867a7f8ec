#!/usr/bin/env cs_python
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles four programs, one per PE, and compares memory and status with a Python model."""
import argparse, json
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder

OPS = "halt push dup swap over drop rot add sub mul div mod neg lt eq ldm stm jmp jz call ret".split()

def asm(text):
    labels, lines = {}, []
    for tok in text.strip().splitlines():
        tok = tok.split(";")[0].strip()
        if not tok: continue
        if tok.endswith(":"): labels[tok[:-1]] = len(lines)
        else: lines.append(tok.split())
    out = []
    for i, t in enumerate(lines):
        op, a = t[0], (t[1] if len(t) > 1 else "0")
        if a in labels:
            a = labels[a] if op == "call" else labels[a] - (i + 1)
        out.append((OPS.index(op) << 8) | (int(a) & 0xff))
    return out

GCD = """
push 0
ldm 0
push 0
ldm 1
loop:
dup
jz done
swap
over
mod
jmp loop
done:
drop
push 0
stm 2
halt"""
FIB = """
push 0
push 1
loop:
push 0
ldm 0
jz done
swap
over
add
push 0
ldm 0
push 1
sub
push 0
stm 0
jmp loop
done:
drop
push 0
stm 1
halt"""
FACT = """
push 0
ldm 0
call fact
push 0
stm 1
push 7
neg
push 2
div
push 0
stm 2
halt
fact:
dup
push 2
lt
jz rec
drop
push 1
ret
rec:
dup
push 1
sub
call fact
mul
ret"""
BAD = """
push 3
push 0
div
halt"""
progs = [GCD, FIB, FACT, BAD]
mem = [[1071, 462], [30], [10], [5]]

ap = argparse.ArgumentParser(); ap.add_argument("--name"); ap.add_argument("--cmaddr")
args = ap.parse_args()
P = json.load(open(f"{args.name}/out.json"))["params"]
C, D = int(P["CODE_LEN"]), int(P["DATA_LEN"])
code = np.zeros((2, 2, C), np.uint32); data = np.zeros((2, 2, D), np.int32)
for k in range(4):
    c = asm(progs[k]); code[k // 2, k % 2, :len(c)] = c; data[k // 2, k % 2, :len(mem[k])] = mem[k]

r = SdkRuntime(args.name, cmaddr=args.cmaddr)
r.load(); r.run()
RM = MemcpyOrder.ROW_MAJOR
B16, B32 = MemcpyDataType.MEMCPY_16BIT, MemcpyDataType.MEMCPY_32BIT
r.memcpy_h2d(r.get_id("code"), code.ravel(), 0, 0, 2, 2, C, streaming=False, order=RM, data_type=B16, nonblock=False)
r.memcpy_h2d(r.get_id("data"), data.ravel(), 0, 0, 2, 2, D, streaming=False, order=RM, data_type=B32, nonblock=False)
r.launch("run_vm", np.uint32(5000), nonblock=False)
st = np.zeros(16, np.uint32); r.memcpy_d2h(st, r.get_id("status"), 0, 0, 2, 2, 4, streaming=False, order=RM, data_type=B16, nonblock=False)
out = np.zeros(4 * D, np.int32); r.memcpy_d2h(out, r.get_id("data"), 0, 0, 2, 2, D, streaming=False, order=RM, data_type=B32, nonblock=False)
r.stop()
st, out = st.reshape(4, 4), out.reshape(4, D)
print(st); print(out[:, :4])
fib = [0, 1]
while len(fib) < 40: fib.append(fib[-1] + fib[-2])
assert out[0, 2] == np.gcd(1071, 462)
assert out[1, 1] == fib[30], (out[1, 1], fib[30])
assert out[2, 1] == 3628800 and out[2, 2] == -3
assert list(st[:, 0]) == [0, 0, 0, 4]
assert st[3, 1] == 3
print("SUCCESS!")
