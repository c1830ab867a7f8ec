//===- CslDsdOps.td - DSDs, FIFOs, DSRs ------------------ -*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLDSDOPS
#define SEQUIN_DIALECT_CSL_IR_CSLDSDOPS

include "sequin/Dialect/Csl/IR/CslOpBase.td"

//===----------------------------------------------------------------------===//
// Making DSDs
//===----------------------------------------------------------------------===//

def Csl_Mem1dDsdOp : Csl_Op<"mem1d_dsd", [Pure, AttrSizedOperandSegments]> {
  let summary = "A memory vector of one dimension";
  let description = [{
    @get_dsd(mem1d_dsd): base, extent, stride (default 1) and offset (default 0)
    in elements, each known or computed; or a tensor access over the base, whose
    shape is static then. `index_offset` is `.wavelet_index_offset`. Nothing is
    held against the bounds of the array (DSD-023).

    ```mlir
    %a = csl.mem1d_dsd %A : memref<10xi16> extent 5 stride 2 offset 1
    %b = csl.mem1d_dsd %p : !csl.ptr<many f32> extent %n stride %s index_offset
    %c = csl.mem1d_dsd %A : memref<20x20xi16>
           access <(i) -> (i, i), [20]>
    ```
  }];
  let arguments = (ins Csl_Base:$base, Optional<I16>:$extent,
                       Optional<I8>:$stride, Optional<I16>:$offset,
                       OptionalAttr<I64Attr>:$static_extent,
                       OptionalAttr<I64Attr>:$static_stride,
                       OptionalAttr<I64Attr>:$static_offset,
                       OptionalAttr<Csl_AccessAttr>:$access,
                       UnitAttr:$index_offset);
  let results = (outs Csl_Mem1dDsd:$result);
  let assemblyFormat = [{
    $base `:` qualified(type($base))
    `` custom<Field>("\"extent\"", $extent, $static_extent)
    `` custom<Field>("\"stride\"", $stride, $static_stride)
    `` custom<Field>("\"offset\"", $offset, $static_offset)
    (`access` $access^)? (`index_offset` $index_offset^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_Mem4dDsdOp : Csl_Op<"mem4d_dsd", [Pure]> {
  let summary = "A memory vector of up to four dimensions";
  let description = [{
    @get_dsd(mem4d_dsd). As in CSL, extents are outermost first and strides
    innermost first, and a stride is what the address changes by when its loop
    advances and the faster ones restart (DSD-027 to DSD-030). Without strides
    all are 1.

    ```mlir
    %a = csl.mem4d_dsd %A : memref<4x5xi16> extents [5, 5, 5, 5]
           strides [1, -3, -3, -23] offset 2
    %b = csl.mem4d_dsd %A : memref<4x5xi16>
           access <(i, j, k, l) -> (i + j, k + l + 2), [5, 5, 5, 5]>
    ```
  }];
  let arguments = (ins Csl_Base:$base, Optional<I16>:$offset,
                       OptionalAttr<DenseI64ArrayAttr>:$extents,
                       OptionalAttr<DenseI64ArrayAttr>:$strides,
                       OptionalAttr<I64Attr>:$static_offset,
                       OptionalAttr<Csl_AccessAttr>:$access,
                       UnitAttr:$index_offset);
  let results = (outs Csl_Mem4dDsd:$result);
  let assemblyFormat = [{
    $base `:` qualified(type($base)) (`extents` $extents^)? (`strides`
    $strides^)?
    `` custom<Field>("\"offset\"", $offset, $static_offset)
    (`access` $access^)? (`index_offset` $index_offset^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_CircbufDsdOp : Csl_Op<"circbuf_dsd", [Pure]> {
  let summary = "A ring of elements";
  let description = [{
    @get_dsd(circbuf_dsd): `extent` elements per operation, starting again at
    the base after `wraparound`. That is the array's size by default, and has to
    be given for a pointer to a scalar. Used through a DSR only (DSD-043).

    ```mlir
    %a = csl.circbuf_dsd %buffer : memref<10xf16> extent 20 wraparound 5
    ```
  }];
  let arguments = (ins Csl_Base:$base, I64Attr:$extent,
                       OptionalAttr<I64Attr>:$wraparound);
  let results = (outs Csl_CircbufDsd:$result);
  let assemblyFormat = [{
    $base `:` qualified(type($base)) `extent` $extent (`wraparound`
    $wraparound^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_FabinDsdOp : Csl_Op<"fabin_dsd", [Pure, AttrSizedOperandSegments]> {
  let summary = "Wavelets that arrive";
  let description = [{
    @get_dsd(fabin_dsd): `extent` elements from an input queue; on WSE-2 a color
    may stand for its queue. 0x7fff is without end (DSD-073).

    ```mlir
    %a = csl.fabin_dsd queue %q extent 16 priority high control_transform
    %b = csl.fabin_dsd color %red extent %n simd simd_64
    ```
  }];
  let arguments = (ins Optional<Csl_InputQueueType>:$queue,
                       Optional<Csl_ColorType>:$color, Optional<I16>:$extent,
                       OptionalAttr<I64Attr>:$static_extent,
                       OptionalAttr<Csl_Priority>:$priority,
                       OptionalAttr<Csl_SimdMode>:$simd_mode,
                       UnitAttr:$control_transform);
  let results = (outs Csl_FabinDsd:$result);
  let assemblyFormat = [{
    (`queue` $queue^)? (`color` $color^)?
    `` custom<Field>("\"extent\"", $extent, $static_extent)
    (`priority` $priority^)? (`simd` $simd_mode^)?
    (`control_transform` $control_transform^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_FaboutDsdOp : Csl_Op<"fabout_dsd", [Pure, AttrSizedOperandSegments]> {
  let summary = "Wavelets that leave";
  let description = [{
    @get_dsd(fabout_dsd): through an output queue; WSE-2 names the color too, on
    WSE-3 it is the queue's. `control` sends control wavelets, `index_offset`
    puts the operation's index into the upper half, `zero` clears a source
    afterwards, `advance_switch` advances the color's switch after the last
    wavelet.

    ```mlir
    %a = csl.fabout_dsd queue %q extent 10 zero first_source advance_switch
    %b = csl.fabout_dsd queue %q color %red extent 1 control
    ```
  }];
  let arguments = (ins Optional<Csl_OutputQueueType>:$queue,
                       Optional<Csl_ColorType>:$color, Optional<I16>:$extent,
                       OptionalAttr<I64Attr>:$static_extent,
                       OptionalAttr<Csl_Priority>:$priority,
                       OptionalAttr<Csl_SimdMode>:$simd_mode,
                       OptionalAttr<Csl_ZeroSource>:$zero,
                       UnitAttr:$control, UnitAttr:$index_offset,
                       UnitAttr:$advance_switch, UnitAttr:$control_transform);
  let results = (outs Csl_FaboutDsd:$result);
  let assemblyFormat = [{
    (`queue` $queue^)? (`color` $color^)?
    `` custom<Field>("\"extent\"", $extent, $static_extent)
    (`priority` $priority^)? (`simd` $simd_mode^)? (`zero` $zero^)?
    (`control` $control^)? (`index_offset` $index_offset^)?
    (`advance_switch` $advance_switch^)?
    (`control_transform` $control_transform^)? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Changing DSDs
//===----------------------------------------------------------------------===//

class Csl_DsdSetterOp<string mnemonic, Type dsd>
    : Csl_Op<mnemonic, [Pure, AllTypesMatch<["input", "result"]>]> {
  let results = (outs dsd:$result);
}

def Csl_SetDsdBaseAddrOp
    : Csl_DsdSetterOp<"set_dsd_base_addr", Csl_MemoryDsd> {
  let summary = "A memory DSD at another place";
  let description = [{
    @set_dsd_base_addr: the new base replaces base and offset (DSD-068).

    ```mlir
    %e = csl.set_dsd_base_addr %d, %B : !csl.dsd<mem1d>, memref<10xi16>
    ```
  }];
  let arguments = (ins Csl_MemoryDsd:$input, Csl_Base:$base);
  let assemblyFormat = [{
    $input `,` $base attr-dict `:` qualified(type($input)) `,`
    qualified(type($base))
  }];
  let hasVerifier = 1;
}

def Csl_IncrementDsdOffsetOp
    : Csl_DsdSetterOp<"increment_dsd_offset", Csl_MemoryDsd> {
  let summary = "A memory DSD some elements further";
  let description = [{
    @increment_dsd_offset: by `offset` elements of `element` (DSD-069).

    ```mlir
    %e = csl.increment_dsd_offset %d, %n of f32 : !csl.dsd<mem4d>
    ```
  }];
  let arguments = (ins Csl_MemoryDsd:$input, I16:$offset, TypeAttr:$element);
  let assemblyFormat = [{
    $input `,` $offset `of` $element attr-dict `:` qualified(type($input))
  }];
  let hasVerifier = 1;
}

def Csl_SetDsdLengthOp : Csl_DsdSetterOp<"set_dsd_length", Csl_DsdType> {
  let summary = "A DSD of another length";
  let description = [{
    @set_dsd_length: of every kind but mem4d (DSD-070).

    ```mlir
    %e = csl.set_dsd_length %d, %n : !csl.dsd<fabin>
    ```
  }];
  let arguments = (ins Csl_DsdType:$input, I16:$length);
  let assemblyFormat = [{
    $input `,` $length attr-dict `:` qualified(type($input))
  }];
  let hasVerifier = 1;
}

def Csl_SetDsdStrideOp : Csl_DsdSetterOp<"set_dsd_stride", Csl_Mem1dDsd> {
  let summary = "A mem1d DSD of another stride";
  let description = "`%e = csl.set_dsd_stride %d, %s : !csl.dsd<mem1d>`";
  let arguments = (ins Csl_Mem1dDsd:$input, I8:$stride);
  let assemblyFormat = [{
    $input `,` $stride attr-dict `:` qualified(type($input))
  }];
}

//===----------------------------------------------------------------------===//
// FIFOs
//===----------------------------------------------------------------------===//

def Csl_FifoOp : Csl_Op<"fifo", [Symbol, HasParent<"ProgramOp">,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A first-in first-out buffer in memory";
  let description = [{
    @allocate_fifo over a `csl.var`. Lengths start at 0: the other operands
    decide how long an operation is. Tasks to activate are named, or given by
    the number of a local task id.

    ```mlir
    csl.fifo @f over @buffer empty terminate full suspend activate_push @wake
      priority low
    csl.fifo @g over @other registers dest 2 src1 2 xdsr 1
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$buffer,
      OptionalAttr<Csl_FifoAction>:$empty_action,
      OptionalAttr<Csl_FifoAction>:$full_action,
      OptionalAttr<AnyAttrOf<[FlatSymbolRefAttr, I64Attr]>>:$activate_pop,
      OptionalAttr<AnyAttrOf<[FlatSymbolRefAttr, I64Attr]>>:$activate_push,
      OptionalAttr<Csl_Priority>:$priority,
      OptionalAttr<Csl_SimdMode>:$simd_mode,
      OptionalAttr<I64Attr>:$dest, OptionalAttr<I64Attr>:$src1,
      OptionalAttr<I64Attr>:$xdsr);
  let assemblyFormat = [{
    $sym_name `over` $buffer (`empty` $empty_action^)? (`full` $full_action^)?
    (`activate_pop` $activate_pop^)? (`activate_push` $activate_push^)?
    (`priority` $priority^)? (`simd` $simd_mode^)?
    (`registers` `dest` $dest^ `src1` $src1 `xdsr` $xdsr)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_GetFifoOp : Csl_Op<"get_fifo", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A FIFO as an operand";
  let description = "`%f = csl.get_fifo @f : !csl.fifo<i16>`";
  let arguments = (ins FlatSymbolRefAttr:$fifo);
  let results = (outs Csl_FifoType:$result);
  let assemblyFormat = "$fifo attr-dict `:` qualified(type($result))";
}

class Csl_SetFifoLengthOp<string mnemonic, string way> : Csl_RuntimeOp<mnemonic> {
  let summary = "How many elements the next " # way # " takes";
  let description = "`csl." # mnemonic # " %f, %n : !csl.fifo<i16>`; @" # mnemonic
      # " changes the FIFO in place.";
  let arguments = (ins Csl_FifoType:$fifo, I16:$length);
  let assemblyFormat = "$fifo `,` $length attr-dict `:` qualified(type($fifo))";
}
def Csl_SetFifoReadLengthOp
    : Csl_SetFifoLengthOp<"set_fifo_read_length", "read">;
def Csl_SetFifoWriteLengthOp
    : Csl_SetFifoLengthOp<"set_fifo_write_length", "write">;

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

class Csl_RegisterOp<string mnemonic, Type type, string what>
    : Csl_Op<mnemonic, [Pure]> {
  let summary = "A " # what # " by number";
  let description = "`csl." # mnemonic # "`: comptime only, hence an attribute.";
  let arguments = (ins I64Attr:$number);
  let results = (outs type:$result);
  let hasVerifier = 1;
}
def Csl_GetDsrOp : Csl_RegisterOp<"get_dsr", Csl_DsrType, "DSR"> {
  let description = [{
    @get_dsr, also in the form that makes a FIFO's register of another:
    `fifo_dest 2` is register 2 of the file dest.

    ```mlir
    %d = csl.get_dsr 3 : !csl.dsr<src1>
    ```
  }];
  let assemblyFormat = "$number attr-dict `:` qualified(type($result))";
}
def Csl_GetXdsrOp : Csl_RegisterOp<"get_xdsr", Csl_XdsrType, "XDSR"> {
  let assemblyFormat = "$number attr-dict";
}
def Csl_GetSrOp : Csl_RegisterOp<"get_sr", Csl_SrType, "stride register"> {
  let assemblyFormat = "$number attr-dict";
}

class Csl_LoadDsrOp<string mnemonic, dag registers, string format>
    : Csl_Op<mnemonic, [AttrSizedOperandSegments, Csl_AsyncOpInterface]> {
  defvar options = (ins UnitAttr:$async,
      Optional<Csl_LocalTaskIdType>:$activate,
      Optional<Csl_Unblockable>:$unblock,
      OptionalAttr<Csl_OnControl>:$on_control,
      Optional<Csl_Unblockable>:$control_target,
      OptionalAttr<I64Attr>:$ut_id,
      UnitAttr:$save_address, UnitAttr:$single_step);
  let arguments = !con(registers, options);
  let assemblyFormat = format # [{
    (`async` $async^)? (`activate` `(` $activate^ `)`)?
    (`unblock` `(` $unblock^ `:` qualified(type($unblock)) `)`)?
    `` custom<OnControl>($on_control, $control_target, type($control_target))
    (`ut_id` $ut_id^)? (`save_address` $save_address^)?
    (`single_step` $single_step^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_LoadToDsrOp : Csl_LoadDsrOp<"load_to_dsr",
    (ins Csl_DsrType:$dsr, Csl_DsdType:$dsd),
    "$dsr `,` $dsd `:` qualified(type($dsr)) `,` qualified(type($dsd))"> {
  let summary = "Puts a DSD into a register";
  let description = [{
    @load_to_dsr, in running code or before the start. Of a fabric DSD it takes
    the settings of an asynchronous operation, of a memory DSD `save_address` or
    `single_step`. mem4d and circbuf need further registers.

    ```mlir
    csl.load_to_dsr %d, %out : !csl.dsr<dest>, !csl.dsd<fabout> async activate(%id)
      ut_id 2
    csl.load_to_dsr %s, %mem : !csl.dsr<src1>, !csl.dsd<mem1d> save_address
    ```
  }];
}

def Csl_LoadToDsrXdsrOp : Csl_LoadDsrOp<"load_to_dsr_xdsr",
    (ins Csl_DsrType:$dsr, Csl_XdsrType:$xdsr, Csl_CircbufDsd:$dsd),
    "$dsr `,` $xdsr `,` $dsd `:` qualified(type($dsr)) `,` qualified(type($dsd))"> {
  let summary = "Puts a circular buffer into registers";
  let description = [{
    @load_to_dsr_xdsr.

    ```mlir
    csl.load_to_dsr_xdsr %d, %x, %ring : !csl.dsr<src1>, !csl.dsd<circbuf>
      save_address
    ```
  }];
}

def Csl_LoadToDsrXdsrSrOp : Csl_LoadDsrOp<"load_to_dsr_xdsr_sr",
    (ins Csl_DsrType:$dsr, Csl_XdsrType:$xdsr, Variadic<Csl_SrType>:$srs,
         Csl_Mem4dDsd:$dsd),
    "$dsr `,` $xdsr `,` `[` $srs `]` `,` $dsd `:` qualified(type($dsr)) `,` qualified(type($dsd))"> {
  let summary = "Puts a mem4d DSD into registers";
  let description = [{
    @load_to_dsr_xdsr_sr: a stride register per dimension beyond the first, one
    less where the innermost stride is 1; three for a DSD that is computed
    (DSR-025, DSR-026).

    ```mlir
    csl.load_to_dsr_xdsr_sr %d, %x, [%s0, %s1], %box
      : !csl.dsr<src0>, !csl.dsd<mem4d>
    ```
  }];
}

def Csl_SetDsrBaseAddrOp : Csl_Op<"set_dsr_base_addr"> {
  let summary = "Moves what a register points to";
  let description = [{
    @set_dsr_base_addr (DSR-028).

    ```mlir
    csl.set_dsr_base_addr %d, %A : !csl.dsr<src1>, memref<10xf32>
    ```
  }];
  let arguments = (ins Csl_DsrType:$dsr, Csl_Base:$base);
  let assemblyFormat = [{
    $dsr `,` $base attr-dict `:` qualified(type($dsr)) `,`
    qualified(type($base))
  }];
  let hasVerifier = 1;
}

def Csl_SetDsrLengthOp : Csl_Op<"set_dsr_length"> {
  let summary = "Changes the length in a register";
  let description = "`csl.set_dsr_length %d, %n : !csl.dsr<src1>` (DSR-029)";
  let arguments = (ins Csl_DsrType:$dsr, I16:$length);
  let assemblyFormat = "$dsr `,` $length attr-dict `:` qualified(type($dsr))";
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLDSDOPS
