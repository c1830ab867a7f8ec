//===- CslMemoryOps.td - Pointers, arrays, structs, enums  -*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLMEMORYOPS
#define SEQUIN_DIALECT_CSL_IR_CSLMEMORYOPS

include "sequin/Dialect/Csl/IR/CslOpBase.td"

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

def Csl_AddressOfOp : Csl_Op<"address_of", [Pure]> {
  let summary = "A pointer to an array or an element of it";
  let description = [{
    CSL's `&A` (a pointer to the array, or where it is expected `[*]T`) and
    `&A[i, j]`.

    ```mlir
    %p = csl.address_of %A : memref<10xf32> -> !csl.ptr<many f32>
    %q = csl.address_of %A[%i] : memref<10xf32> -> !csl.ptr<f32>
    ```
  }];
  let arguments = (ins AnyMemRef:$memref, Variadic<Index>:$indices);
  let results = (outs Csl_PtrType:$result);
  let assemblyFormat = [{
    $memref (`[` $indices^ `]`)? attr-dict `:` qualified(type($memref)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Csl_AsMemrefOp : Csl_Op<"as_memref", [Pure]> {
  let summary = "What a pointer points to";
  let description = [{
    CSL's `p.*` of a pointer to an array, the array behind a `[*]T`, a scalar
    behind a `*T`, for `memref.load` and `memref.store`.

    ```mlir
    %A = csl.as_memref %p : !csl.ptr<many f32> -> memref<?xf32>
    %s = csl.as_memref %q : !csl.ptr<f32> -> memref<f32>
    ```
  }];
  let arguments = (ins Csl_PtrType:$pointer);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $pointer attr-dict `:` qualified(type($pointer)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Csl_ElementPtrOp : Csl_Op<"element_ptr", [Pure]> {
  let summary = "A pointer to an element behind a pointer";
  let description = "`%q = csl.element_ptr %p[%i] : !csl.ptr<many f32>`: `&p[i]`.";
  let arguments = (ins Csl_PtrType:$pointer, Variadic<Index>:$indices);
  let results = (outs Csl_PtrType:$result);
  let assemblyFormat = [{
    $pointer `[` $indices `]` attr-dict `:` qualified(type($pointer)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Csl_FieldPtrOp : Csl_Op<"field_ptr", [Pure]> {
  let summary = "A pointer to a field behind a pointer";
  let description = [{
    `&p.*.x`. Fields of packed structs have no address.

    ```mlir
    %q = csl.field_ptr %p["x"] : !csl.ptr<!csl.struct<"s" {x : i16}>> -> !csl.ptr<i16>
    ```
  }];
  let arguments = (ins Csl_PtrType:$pointer, StrAttr:$field);
  let results = (outs Csl_PtrType:$result);
  let assemblyFormat = [{
    $pointer `[` $field `]` attr-dict `:` qualified(type($pointer)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Csl_LoadOp : Csl_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "Reads a value of any type through a pointer";
  let description = "`%v = csl.load %p : !csl.ptr<i16> -> i16`: `p.*`.";
  let arguments = (ins Csl_PtrType:$pointer);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $pointer attr-dict `:` qualified(type($pointer)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Csl_StoreOp : Csl_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Writes a value of any type through a pointer";
  let description = "`csl.store %v, %p : i16, !csl.ptr<i16>`: `p.* = v`.";
  let arguments = (ins AnyType:$value, Csl_PtrType:$pointer);
  let assemblyFormat = [{
    $value `,` $pointer attr-dict `:` qualified(type($value)) `,`
    qualified(type($pointer))
  }];
  let hasVerifier = 1;
}

def Csl_PtrCastOp : Csl_Op<"ptr_cast", [Pure]> {
  let summary = "The same address as a pointer to something else";
  let description = [{
    @ptrcast, and the coercions between pointer types.

    ```mlir
    %q = csl.ptr_cast %p : !csl.ptr<f32> -> !csl.ptr<i32>
    ```
  }];
  let arguments = (ins Csl_PtrType:$pointer);
  let results = (outs Csl_PtrType:$result);
  let assemblyFormat = [{
    $pointer attr-dict `:` qualified(type($pointer)) `->`
    qualified(type($result))
  }];
}

def Csl_PtrToIntOp : Csl_Op<"ptr_to_int", [Pure]> {
  let summary = "A pointer as a byte address";
  let description = "`%n = csl.ptr_to_int %p : !csl.ptr<f32>`; @bitcast.";
  let arguments = (ins Csl_PtrType:$pointer);
  let results = (outs I16:$result);
  let assemblyFormat = "$pointer attr-dict `:` qualified(type($pointer))";
}

def Csl_IntToPtrOp : Csl_Op<"int_to_ptr", [Pure]> {
  let summary = "A byte address as a pointer";
  let description = "`%p = csl.int_to_ptr %n : !csl.ptr<f32>`; @bitcast.";
  let arguments = (ins I16:$address);
  let results = (outs Csl_PtrType:$result);
  let assemblyFormat = "$address attr-dict `:` qualified(type($result))";
}

def Csl_FunctionAddressOp : Csl_Op<"function_address", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "A pointer to a function";
  let description = "`%f = csl.function_address @f : !csl.ptr<const (i16) -> ()>`";
  let arguments = (ins FlatSymbolRefAttr:$function);
  let results = (outs Csl_PtrType:$result);
  let assemblyFormat = "$function attr-dict `:` qualified(type($result))";
}

def Csl_CallIndirectOp : Csl_Op<"call_indirect"> {
  let summary = "Calls a function through a pointer";
  let description = [{
    ```mlir
    %r = csl.call_indirect %f(%a) : !csl.ptr<const (i16) -> i16>, (i16) -> i16
    ```
  }];
  let arguments = (ins Csl_PtrType:$callee, Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    $callee `(` $inputs `)` attr-dict `:` qualified(type($callee)) `,`
    functional-type($inputs, $results)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

def Csl_Aggregate : AnyTypeOf<[Csl_StructType, Csl_ArrayType]>;

def Csl_AggregateOp : Csl_Op<"aggregate", [Pure]> {
  let summary = "A struct or array of given values";
  let description = [{
    Every field of a struct in order, one of a union (named by `field`), every
    element of an array in row-major order.

    ```mlir
    %s = csl.aggregate %x, %y : (i16, f32) -> !csl.struct<"p" {x : i16, y : f32}>
    %u = csl.aggregate field "f" %y : (f32) -> !csl.struct<union "u" {i : i32, f : f32}>
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$field,
                       Variadic<AnyType>:$values);
  let results = (outs Csl_Aggregate:$result);
  let assemblyFormat = [{
    (`field` $field^)? $values attr-dict `:` functional-type($values, $result)
  }];
  let hasVerifier = 1;
}

def Csl_SplatOp : Csl_Op<"splat", [Pure]> {
  let summary = "An array of one value";
  let description = [{
    @constants and @zeros where they are values.

    ```mlir
    %a = csl.splat %x : f32 -> !csl.array<4x5xf32>
    ```
  }];
  let arguments = (ins AnyType:$value);
  let results = (outs Csl_ArrayType:$result);
  let assemblyFormat = [{
    $value attr-dict `:` qualified(type($value)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Csl_GetFieldOp : Csl_Op<"get_field", [Pure]> {
  let summary = "A field of a struct or union";
  let description = [{
    `s.x`; @field.

    ```mlir
    %x = csl.get_field %s["x"] : !csl.struct<"p" {x : i16}> -> i16
    ```
  }];
  let arguments = (ins Csl_StructType:$value, StrAttr:$field);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $value `[` $field `]` attr-dict `:` qualified(type($value)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Csl_SetFieldOp : Csl_Op<"set_field", [Pure,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "A struct or union with one field replaced";
  let description = [{
    ```mlir
    %t = csl.set_field %s["x"] = %x : !csl.struct<"p" {x : i16}>, i16
    ```
  }];
  let arguments = (ins Csl_StructType:$value, StrAttr:$field,
                       AnyType:$replacement);
  let results = (outs Csl_StructType:$result);
  let assemblyFormat = [{
    $value `[` $field `]` `=` $replacement attr-dict `:` qualified(type($value))
    `,`
    qualified(type($replacement))
  }];
  let hasVerifier = 1;
}

def Csl_GetElementOp : Csl_Op<"get_element", [Pure]> {
  let summary = "An element of an array value";
  let description = [{
    ```mlir
    %x = csl.get_element %a[%i, %j] : !csl.array<4x5xf32> -> f32
    ```
  }];
  let arguments = (ins Csl_ArrayType:$value, Variadic<Index>:$indices);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $value `[` $indices `]` attr-dict `:` qualified(type($value)) `->`
    qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Csl_SetElementOp : Csl_Op<"set_element", [Pure,
    AllTypesMatch<["value", "result"]>]> {
  let summary = "An array value with one element replaced";
  let description = [{
    ```mlir
    %b = csl.set_element %a[%i] = %x : !csl.array<4xf32>, f32
    ```
  }];
  let arguments = (ins Csl_ArrayType:$value, Variadic<Index>:$indices,
                       AnyType:$replacement);
  let results = (outs Csl_ArrayType:$result);
  let assemblyFormat = [{
    $value `[` $indices `]` `=` $replacement attr-dict `:`
    qualified(type($value)) `,`
    qualified(type($replacement))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Enums and cb16
//===----------------------------------------------------------------------===//

def Csl_EnumConstantOp : Csl_Op<"enum_constant", [Pure]> {
  let summary = "A value of an enum by name";
  let description = "`%e = csl.enum_constant \"red\" : !csl.enum<...>`";
  let arguments = (ins StrAttr:$name);
  let results = (outs Csl_EnumType:$result);
  let assemblyFormat = "$name attr-dict `:` qualified(type($result))";
  let hasVerifier = 1;
}

def Csl_ToEnumOp : Csl_Op<"to_enum", [Pure]> {
  let summary = "A number as a value of an enum";
  let description = "`%e = csl.to_enum %n : i16 -> !csl.enum<...>`; @as.";
  let arguments = (ins AnySignlessInteger:$number);
  let results = (outs Csl_EnumType:$result);
  let assemblyFormat = [{
    $number attr-dict `:` qualified(type($number)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

def Csl_ConvertCB16Op : Csl_Op<"convert_cb16", [Pure]> {
  let summary = "Between cb16 and f32, or the bits of a cb16";
  let description = [{
    From and to f32 the value (to nearest even), from and to i16 the bits.

    ```mlir
    %f = csl.convert_cb16 %h : !csl.cb16 -> f32
    ```
  }];
  let arguments = (ins AnyTypeOf<[Csl_CB16Type, F32, I16]>:$value);
  let results = (outs AnyTypeOf<[Csl_CB16Type, F32, I16]>:$result);
  let assemblyFormat = [{
    $value attr-dict `:` qualified(type($value)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLMEMORYOPS
