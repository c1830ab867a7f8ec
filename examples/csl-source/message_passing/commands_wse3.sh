#!/bin/sh
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc ./layout.csl --arch=wse3 --fabric-dims=13,7 --fabric-offsets=4,1 --params=W:6,H:5 \
  --memcpy --channels=1 -o out
cs_python run.py --name out
