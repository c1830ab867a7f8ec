# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles on the appliance and leaves the artifact's path in a file."""
import json
from cerebras.sdk.client import SdkCompiler

with SdkCompiler() as compiler:
  artifact_path = compiler.compile(
      "device",
      "layout.csl",
      "--arch=wse3 --fabric-dims=10,3 --fabric-offsets=4,1 --params=num_pe:3,rows:4 --memcpy --channels=1 -o out",
      "."
  )

with open("artifact_path.json", "w", encoding="utf8") as f:
  json.dump({"artifact_path": artifact_path}, f)
