#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
cslc --arch=wse3 ./layout.csl --fabric-dims=10,5 --fabric-offsets=4,1 --params=P:3,T:4 -o out --memcpy --channels=1
cs_python run.py --name out
cslc --arch=wse3 ./layout.csl --fabric-dims=11,6 --fabric-offsets=4,1 --params=P:4,T:3 -o out4 --memcpy --channels=1
cs_python run.py --name out4
