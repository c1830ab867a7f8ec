#!/bin/bash
# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# complete.sh PREFIX WORD: what bash offers for WORD after an installed sequin-run.
# Its own functions use variables that are not set.
set -e
PATH=$1/bin:$PATH
program=sequin-run
. /usr/share/bash-completion/bash_completion
. "$1/share/bash-completion/completions/$program"
read -r _ _ function _ < <(complete -p "$program")
COMP_WORDS=("$program" "$2")
COMP_CWORD=1
COMP_LINE="$program $2"
COMP_POINT=${#COMP_LINE}
"$function" "$program" "$2" "$program" || true
printf '%s\n' "${COMPREPLY[@]}"
