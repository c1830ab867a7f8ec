# Part of the Sequin project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What torch 2 has besides: `torch.compile(backend="sequin")` and `torch.export`.

UNTESTED: there was no torch 2 to be had where this was written. It is thin on purpose: graphs
that torch 2 makes are called with `import_module` of this package, which traces them with
the tracer that torch 1.13 has too, and is tested.

    >>> import sequin.torch.torch2
    >>> compiled = torch.compile(module, backend='sequin')
    >>> sequin.torch.torch2.compile_exported(torch.export.export(module, inputs))
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from ..errors import UsageError
from . import CompiledModule, compile

__all__ = ["backend", "compile_exported"]


def backend(graph: Any, example_inputs: Sequence[Any], **options: Any) -> Callable[..., Any]:
    """What `torch.compile` calls with a torch.fx.GraphModule and its inputs; `options` are
    those of `sequin.torch.compile`, given as ``torch.compile(..., options={...})``. Weights
    may be among the inputs: then every call passes them."""
    options = dict(options.pop("options", None) or options)
    compiled = compile(graph, tuple(example_inputs), options.pop("target", "rngd"), **options)

    def call(*inputs: Any) -> Any:
        made = compiled(*inputs)
        return tuple(made) if isinstance(made, (list, tuple)) else (made,)

    return call


def compile_exported(program: Any, target: str = "rngd", **options: Any) -> CompiledModule:
    """Compiles a `torch.export.ExportedProgram`, whose example inputs it has itself."""
    inputs, named = program.example_inputs
    if named:
        raise UsageError(f"the program takes {sorted(named)} by name, pass them by place")
    return compile(program.module(), inputs, target, **options)


if hasattr(torch, "compile"):
    torch._dynamo.register_backend(compiler_fn=backend, name="sequin")
