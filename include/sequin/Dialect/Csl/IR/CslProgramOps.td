//===- CslProgramOps.td - Programs, variables, comptime -- -*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLPROGRAMOPS
#define SEQUIN_DIALECT_CSL_IR_CSLPROGRAMOPS

include "sequin/Dialect/Csl/IR/CslOpBase.td"

def Csl_ProgramOp : Csl_Op<"program", [Symbol, SymbolTable, IsolatedFromAbove,
    NoTerminator, SingleBlock, NoRegionArguments]> {
  let summary = "The code of a PE";
  let description = [{
    What @set_tile_code names: a CSL file and all it imports, for the values of
    its parameters that the layout gives. Holds `csl.param`, `csl.var`,
    `csl.fifo`, `func.func`, `csl.task` and `csl.comptime`.

    ```mlir
    csl.program @pe {
      csl.var @x : memref<10xf32>
      csl.task local @main() { csl.return }
      csl.comptime {
        %id = csl.constant 8 : !csl.local_task_id
        csl.bind_local_task @main to %id
        csl.activate %id
      }
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
                       OptionalAttr<StrAttr>:$sym_visibility);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name $body attr-dict-with-keyword";
  let hasRegionVerifier = 1;
}

def Csl_ParamOp : Csl_Op<"param", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "A parameter of a program";
  let description = [{
    CSL's `param`, of a type that exists at run time. The layout gives its value
    per PE (`csl.tile_code`); without one the default holds. PEs that differ in
    values alone share their code. Ids are given as integers.

    ```mlir
    csl.param @width : i16 = 4 : i16
    csl.param @tx : !csl.color
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type,
                       OptionalAttr<TypedAttrInterface>:$default_value);
  let assemblyFormat = [{
    $sym_name `:` $type (`=` $default_value^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_GetParamOp : Csl_Op<"get_param", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The value of a parameter";
  let description = "`%w = csl.get_param @width : i16`";
  let arguments = (ins FlatSymbolRefAttr:$param);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$param attr-dict `:` qualified(type($result))";
}

def Csl_VarOp : Csl_Op<"var", [Symbol, HasParent<"ProgramOp">]> {
  let summary = "A global variable or constant";
  let description = [{
    A static array or, with rank 0, a scalar, struct, pointer, id or DSD.
    Elements without a value read as zero (AMB-037). `unsigned` says how host
    and source see integers. Values of ids and cb16 are given as integers and
    f32.

    ```mlir
    csl.var @buffer : memref<4x5xf32> align(16)
    csl.var const @table unsigned : memref<3xi16> = dense<[1, 2, 3]> : tensor<3xi16>
    csl.var @shared : memref<8xi16> extern
    csl.var @d : memref<!csl.dsd<mem1d>>
    ```
  }];
  let arguments = (ins UnitAttr:$constant, SymbolNameAttr:$sym_name,
                       UnitAttr:$is_unsigned, TypeAttrOf<AnyMemRef>:$type,
                       OptionalAttr<ElementsAttr>:$initial_value,
                       OptionalAttr<I64Attr>:$alignment,
                       OptionalAttr<StrAttr>:$section,
                       OptionalAttr<StrAttr>:$link_name,
                       OptionalAttr<StrAttr>:$export_name,
                       UnitAttr:$is_extern);
  let assemblyFormat = [{
    (`const` $constant^)? $sym_name (`unsigned` $is_unsigned^)? `:` $type
    (`=` $initial_value^)? (`align` `(` $alignment^ `)`)?
    (`section` `(` $section^ `)`)? (`linkname` `(` $link_name^ `)`)?
    (`export` `(` $export_name^ `)`)? (`extern` $is_extern^)? attr-dict
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MemRefType getMemRefType() {
      return ::llvm::cast<::mlir::MemRefType>(getType());
    }
  }];
}

def Csl_GetVarOp : Csl_Op<"get_var", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A global variable";
  let description = "`%x = csl.get_var @x : memref<10xf32>`";
  let arguments = (ins FlatSymbolRefAttr:$var);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = "$var attr-dict `:` qualified(type($result))";
}

def Csl_ComptimeOp : Csl_Op<"comptime", [HasParent<"ProgramOp">, NoTerminator,
    SingleBlock, NoRegionArguments]> {
  let summary = "A top-level comptime block";
  let description = [{
    What takes effect before the program starts: bindings, queues, initial
    states, exported symbols. Its values follow from constants and parameters,
    so that they are known when a PE is loaded; ordinary operations compute
    them.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict-with-keyword";
  let hasRegionVerifier = 1;
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLPROGRAMOPS
