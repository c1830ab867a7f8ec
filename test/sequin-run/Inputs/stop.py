# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""stop.py FOLDER COMMAND...: runs the command with --checkpoint, interrupts it once there is
a first checkpoint, and goes on from the one that it leaves."""

import os
import signal
import subprocess
import sys
import time

import numpy as np

folder, command = sys.argv[1], sys.argv[2:]
size = 320
checkpoint = os.path.join(folder, "run.ck")
tensor = f"tensor<{size}x{size}xf32>"
with open(os.path.join(folder, "matmul.mlir"), "w") as file:
    file.write(f"""
func.func @main(%a: {tensor}, %b: {tensor}) -> {tensor} {{
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : {tensor}
  %init = linalg.fill ins(%zero : f32) outs(%empty : {tensor}) -> {tensor}
  %c = linalg.matmul ins(%a, %b : {tensor}, {tensor}) outs(%init : {tensor}) -> {tensor}
  return %c : {tensor}
}}
""")
a = np.random.default_rng(3).integers(-4, 5, (size, size)).astype("f4")
np.save(os.path.join(folder, "a.npy"), a)

run = subprocess.Popen([*command, "--checkpoint", checkpoint, "--checkpoint-every", "500"],
                       stderr=subprocess.PIPE, text=True)
while run.poll() is None and not os.path.exists(checkpoint):
    time.sleep(0.01)
run.send_signal(signal.SIGINT)
said = run.communicate()[1]
print("ends with", run.returncode)
result = os.path.join(folder, "c.npy")
print("an output" if os.path.exists(result) else "no output")
print(said.strip())
again = subprocess.run([*command, "--resume", checkpoint], check=False)
right = os.path.exists(result) and np.array_equal(np.load(result), a @ a)
print(f"resumed: {again.returncode}, the result is {'right' if right else 'wrong'}")
