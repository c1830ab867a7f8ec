//===- CslDialect.td - Definition of the csl dialect -------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLDIALECT
#define SEQUIN_DIALECT_CSL_IR_CSLDIALECT

include "mlir/IR/OpBase.td"

def CslDialect : Dialect {
  let name = "csl";
  let summary = "Programs for Cerebras' wafer-scale engines";
  let description = [{
    What CSL says, after comptime: PE programs, where they are placed, the
    colors between them, tasks, queues, DSDs and the operations on them. Types,
    names of operations and fields are those of the manual.

    A module names its machine in the attribute `csl.target` and holds one
    `csl.layout` and the `csl.program`s that it places. A program holds
    parameters, variables, FIFOs, functions (`func.func`), tasks (`csl.task`)
    and top-level comptime blocks (`csl.comptime`). Ordinary code is `arith`,
    `math`, `scf`, `cf`, `func` and `memref`; integers have no sign, a global
    array is a memref, a first-class pointer a `!csl.ptr`.

    Above it are linalg (`--linalg-to-csl`) and CSL source (`--import-csl`);
    below it are the wafer program that the fabric simulator runs
    (`--csl-to-wafer`) and CSL source again (`--csl-to-source`).

    Types and operations verify what concerns them alone, with the ranges of the
    machine where the module names one. What takes two places to see (an id
    bound twice, a queue never initialised, memory that is full) is checked by
    `--csl-check-program`.
  }];
  let cppNamespace = "::sequin::csl";
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// Module attribute that names the machine (a TargetAttr).
    static constexpr ::llvm::StringLiteral kTargetAttrName = "csl.target";
    /// Module attribute of a program on whole arrays (an EntryAttr).
    static constexpr ::llvm::StringLiteral kEntryAttrName = "csl.entry";
    /// Attribute of csl.export_name (a DistributionAttr).
    static constexpr ::llvm::StringLiteral kDistributionAttrName =
        "csl.distribution";

  private:
    void registerAttributes();
    void registerTypes();

  public:
  }];
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLDIALECT
