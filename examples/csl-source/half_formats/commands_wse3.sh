#!/bin/sh
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
for format in f16 cb16 bf16; do
  cslc ./layout.csl --arch=wse3 --fabric-dims=8,3 --fabric-offsets=4,1 --params=N:10 \
    --fp16-format=$format --memcpy --channels=1 -o out_$format
  cs_python run.py --name out_$format
done
