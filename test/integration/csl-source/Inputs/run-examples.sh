#!/bin/sh
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# run-examples.sh BUILD EXAMPLES SCRATCH NAME...: runs copies of examples as their users do, for each
# machine that they have commands for. Fails with the output of the first that does not succeed.
build=$1 examples=$2 scratch=$3
shift 3
PATH=$build/bin/compat:$PATH
export PATH
rm -rf "$scratch" && mkdir -p "$scratch" || exit 1
for name; do
  runs=0
  for commands in "$examples/$name"/commands_*.sh; do
    machine=$(basename "$commands" .sh)
    copy=$scratch/$name-$machine
    cp -r "$examples/$name" "$copy" && cd "$copy" || exit 1
    if ! "./$machine.sh" >output 2>&1 || ! grep -q SUCCESS output; then
      echo "$name, $machine:" >&2
      cat output >&2
      exit 1
    fi
    runs=$((runs + 1))
  done
  echo "$name: $runs machines"
done
