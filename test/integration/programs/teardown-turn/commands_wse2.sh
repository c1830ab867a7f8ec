#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc --arch=wse2 ./layout.csl --fabric-dims=12,5 --fabric-offsets=4,1 --params=W:5,H:2,N:12 -o out --memcpy --channels=1
cs_python run.py --name out
