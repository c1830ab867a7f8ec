#!/usr/bin/env bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p elsewhere && cd elsewhere
cs_python "$here/host/drive.py" --arch wse2
