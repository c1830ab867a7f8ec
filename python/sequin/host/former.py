# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What warnings say of forms that only former releases take, as cslc does."""

from __future__ import annotations

import warnings

__all__ = ["warn_former"]


def warn_former(form: str, until: str, since: str, instead: str, stacklevel: int = 2) -> None:
    """`until` is empty where it is not known which releases had the form."""
    text = (
        f"{form} is of releases up to {until}; since {since} {instead}"
        if until
        else f"{form} is of a former release; now {instead}"
    )
    warnings.warn(text, FutureWarning, stacklevel=stacklevel + 1)
