//===- TcpMemoryOps.td - Moves between memories, launch ----*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_TCP_IR_TCPMEMORYOPS
#define SEQUIN_DIALECT_TCP_IR_TCPMEMORYOPS

include "sequin/Dialect/Tcp/IR/TcpOpBase.td"
include "mlir/IR/SymbolInterfaces.td"

class Tcp_MoveOp<string mnemonic> : Tcp_Op<mnemonic> {
  let hasVerifier = 1;
}

def Tcp_ToHbmOp : Tcp_MoveOp<"to_hbm"> {
  let summary = "Moves a tensor to HBM";
  let description = [{
    From the host by the PCIe DMA engine, or from DM by the tensor DMA engine
    (manual: `.to_hbm(&mut ctx.pdma, addr)`, `.to_hbm(&mut ctx.tdma, addr)`). The
    tensor is the same; its layout may change.

    ```mlir
    %out = tcp.to_hbm %result at 268435456
        : !tcp.dm<i32, #grid, "A % 8"> -> !tcp.hbm<i32, #axes, "1", "A">
    ```
  }];
  let arguments = (ins AnyTypeOf<[Tcp_HostType, Tcp_DmType]>:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$address);
  let results = (outs Tcp_HbmType:$result);
  let assemblyFormat = [{
    $input `at` $address attr-dict `:` qualified(type($input)) `->` qualified(type($result))
  }];
}

def Tcp_ToDmOp : Tcp_MoveOp<"to_dm"> {
  let summary = "Moves a tensor from HBM to data memory";
  let description = [{
    By the tensor DMA engine (manual: `.to_dm::<Cluster, Slice, Element>(&mut
    ctx.tdma, addr)`). Slice axes that the tensor does not have are broadcast over.

    ```mlir
    %dm = tcp.to_dm %in at 0
        : !tcp.hbm<i32, #axes, "1", "A"> -> !tcp.dm<i32, #grid, "A % 8">
    ```
  }];
  let arguments = (ins Tcp_HbmType:$input,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$address);
  let results = (outs Tcp_DmType:$result);
  let assemblyFormat = [{
    $input `at` $address attr-dict `:` qualified(type($input)) `->` qualified(type($result))
  }];
}

def Tcp_ToHostOp : Tcp_MoveOp<"to_host"> {
  let summary = "Moves a tensor from HBM to the host";
  let description = [{
    By the PCIe DMA engine (manual: `.to_host::<Element>(&mut ctx.pdma)`).
  }];
  let arguments = (ins Tcp_HbmType:$input);
  let results = (outs Tcp_HostType:$result);
  let assemblyFormat = [{
    $input attr-dict `:` qualified(type($input)) `->` qualified(type($result))
  }];
}

def Tcp_LaunchOp
    : Tcp_Op<"launch", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a kernel";
  let description = [{
    Runs the function `callee` on the device (manual: `launch(kernel, ...)`). Its
    arguments and results are HBM tensors.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<Tcp_HbmType>:$inputs);
  let results = (outs Variadic<Tcp_HbmType>:$outputs);
  let assemblyFormat = [{
    $callee `(` $inputs `)` attr-dict `:` functional-type($inputs, $outputs)
  }];
}

#endif // SEQUIN_DIALECT_TCP_IR_TCPMEMORYOPS
