//===- CslBuiltinOps.td - Host, registers, random numbers  -*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLBUILTINOPS
#define SEQUIN_DIALECT_CSL_IR_CSLBUILTINOPS

include "sequin/Dialect/Csl/IR/CslOpBase.td"

//===----------------------------------------------------------------------===//
// The host's view
//===----------------------------------------------------------------------===//

def Csl_ExportSymbolOp : Csl_SetupOp<"export_symbol",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Advertises a variable or function to the host";
  let description = [{
    @export_symbol, under a name that the layout exports with the same type. An
    array is advertised by a pointer variable, as in CSL, or itself.

    ```mlir
    csl.export_symbol @ptr_A as "A"
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$symbol, OptionalAttr<StrAttr>:$name);
  let assemblyFormat = "$symbol (`as` $name^)? attr-dict";
  let extraClassDeclaration = [{
    /// The advertised name.
    ::llvm::StringRef getAdvertisedName() {
      return getName().value_or(getSymbol());
    }
  }];
}

def Csl_GetSymbolIdOp : Csl_Op<"get_symbol_id", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The number under which a symbol is advertised";
  let description = "`%n = csl.get_symbol_id @A`; @get_symbol_id.";
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs I16:$result);
  let assemblyFormat = "$symbol attr-dict";
}

def Csl_GetSymbolValueOp : Csl_RuntimeOp<"get_symbol_value"> {
  let summary = "The value of an advertised variable by its number";
  let description = "`%v = csl.get_symbol_value %n : f32`; @get_symbol_value.";
  let arguments = (ins I16:$id);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$id attr-dict `:` qualified(type($result))";
}

def Csl_GetTensorPtrOp : Csl_RuntimeOp<"get_tensor_ptr"> {
  let summary = "An advertised tensor pointer by its number";
  let description = "`%p = csl.get_tensor_ptr %n`; @get_tensor_ptr.";
  let arguments = (ins I16:$id);
  let results = (outs Csl_WordsPtr:$result);
  let assemblyFormat = "$id attr-dict";
}

def Csl_RpcOp : Csl_SetupOp<"rpc"> {
  let summary = "Serves calls that arrive as wavelets";
  let description = [{
    @rpc: a data task that collects the number of an exported function and its
    arguments and calls it. At most one per program.

    ```mlir
    csl.rpc %id
    ```
  }];
  let arguments = (ins Csl_DataTaskIdType:$id);
  let assemblyFormat = "$id attr-dict";
}

def Csl_UnblockCmdStreamOp : Csl_RuntimeOp<"unblock_cmd_stream"> {
  let summary = "Lets the host's next command reach this PE";
  let description = [{
    `sys_mod.unblock_cmd_stream()` of the memcpy library: a function that the
    host launches comes to it in the end.
  }];
  let assemblyFormat = "attr-dict";
}

def Csl_SimPrintOp : Csl_RuntimeOp<"sim_print"> {
  let summary = "Writes to the host's log";
  let description = [{
    The library simprint: `{d}` decimal, `{u}` decimal without a sign, `{X}`
    hexadecimal, `{b}` binary, `{f}` float, `{{` a brace.
    A line ends with the operation, unless it is `partial`: then the text waits in
    the PE's buffer for what is printed next. A newline in the format ends a line
    too.

    ```mlir
    csl.sim_print "x = {d}, y = {f}"(%x, %y) : i16, f32
    csl.sim_print partial "x"
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<AnyType>:$values,
                       UnitAttr:$partial);
  let assemblyFormat = [{
    (`partial` $partial^)? $format (`(` $values^ `)` `:` qualified(type($values)))? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// The PE
//===----------------------------------------------------------------------===//

def Csl_GetRectangleOp : Csl_Op<"get_rectangle", [Pure]> {
  let summary = "The rectangle and the fabric around it";
  let description = [{
    @get_rectangle: width and height of the rectangle, of the fabric, and where
    the rectangle begins.

    ```mlir
    %w, %h, %fw, %fh, %ox, %oy = csl.get_rectangle
    ```
  }];
  let results = (outs I16:$width, I16:$height, I16:$fabric_width,
                      I16:$fabric_height, I16:$offset_x, I16:$offset_y);
  let assemblyFormat = "attr-dict";
}

def Csl_CoordinateOp : Csl_Op<"coordinate", [Pure]> {
  let summary = "Where this PE is in the rectangle";
  let description = "`%x = csl.coordinate x`; get_x_coord of the library layout.";
  let arguments = (ins Csl_Axis:$axis);
  let results = (outs I16:$result);
  let assemblyFormat = "$axis attr-dict";
}

def Csl_Random16Op : Csl_RuntimeOp<"random16"> {
  let summary = "Sixteen pseudo-random bits";
  let description = "`%r = csl.random16`; @random16.";
  let results = (outs I16:$result);
  let assemblyFormat = "attr-dict";
}

def Csl_SetActivePrngOp : Csl_RuntimeOp<"set_active_prng"> {
  let summary = "Chooses the generator of csl.random16";
  let description = "`csl.set_active_prng %n`: modulo their number.";
  let arguments = (ins I16:$id);
  let assemblyFormat = "$id attr-dict";
}

def Csl_RegisterAddressOp : Csl_Op<"register_address", [Pure]> {
  let summary = "The address of a configuration register by name";
  let description = [{
    Names and widths are the machine's (`sequin-translate --dump-machine`); an
    index chooses among the words of a register.

    ```mlir
    %a = csl.register_address "teardown_exit"
    %b = csl.register_address "route"[%color_number]
    ```
  }];
  let arguments = (ins StrAttr:$name, Optional<I16>:$index);
  let results = (outs I16:$result);
  let assemblyFormat = "$name (`[` $index^ `]`)? attr-dict";
  let hasVerifier = 1;
}

def Csl_GetConfigOp : Csl_Op<"get_config", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Reads a configuration register";
  let description = [{
    @get_config: a volatile read; with inclusive `ranges` the promise that the
    address falls into one of them. `unchecked` leaves reserved registers and
    delays to the program. In a comptime block it is what was written before.

    ```mlir
    %v = csl.get_config %a ranges [32512, 32535]
    ```
  }];
  let arguments = (ins I16:$address, OptionalAttr<DenseI64ArrayAttr>:$ranges,
                       UnitAttr:$unchecked);
  let results = (outs I16:$result);
  let assemblyFormat = [{
    $address (`ranges` $ranges^)? (`unchecked` $unchecked^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_SetConfigOp : Csl_Op<"set_config"> {
  let summary = "Writes a configuration register";
  let description = [{
    @set_config: a volatile write, in a comptime block before the program
    starts.

    ```mlir
    csl.set_config %a, %v unchecked
    ```
  }];
  let arguments = (ins I16:$address, I16:$value,
                       OptionalAttr<DenseI64ArrayAttr>:$ranges,
                       UnitAttr:$unchecked);
  let assemblyFormat = [{
    $address `,` $value (`ranges` $ranges^)? (`unchecked` $unchecked^)?
    attr-dict
  }];
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLBUILTINOPS
