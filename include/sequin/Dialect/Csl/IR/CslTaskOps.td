//===- CslTaskOps.td - Tasks, bindings, activation ------- -*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLTASKOPS
#define SEQUIN_DIALECT_CSL_IR_CSLTASKOPS

include "sequin/Dialect/Csl/IR/CslOpBase.td"

def Csl_TaskOp : Csl_Op<"task", [HasParent<"ProgramOp">, FunctionOpInterface,
    AutomaticAllocationScope, IsolatedFromAbove]> {
  let summary = "Code that the task picker starts";
  let description = [{
    A data task takes what a wavelet carries: one value of 16 or 32 bits, or two
    of 16 (data, then index). A control task takes none, one or two of 16 bits,
    a local task nothing. It runs to its end, is never called and returns
    nothing.

    ```mlir
    csl.task data @recv(%data: f32) {
      csl.return
    }
    ```
  }];
  let arguments = (ins Csl_TaskKind:$kind, SymbolNameAttr:$sym_name,
                       TypeAttrOf<FunctionType>:$function_type,
                       OptionalAttr<StrAttr>:$sym_visibility,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs);
  let regions = (region MinSizedRegion<1>:$body);
  let extraClassDeclaration = [{
    ::mlir::Region *getCallableRegion() { return &getBody(); }
    ::llvm::ArrayRef<::mlir::Type> getArgumentTypes() {
      return getFunctionType().getInputs();
    }
    ::llvm::ArrayRef<::mlir::Type> getResultTypes() {
      return getFunctionType().getResults();
    }
    bool isDeclaration() { return false; }
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Csl_ReturnOp : Csl_Op<"return", [Pure, HasParent<"TaskOp">, ReturnLike,
    Terminator]> {
  let summary = "Ends a task";
  let assemblyFormat = "attr-dict";
}

class Csl_BindOp<string mnemonic, Type id, string kind> : Csl_SetupOp<mnemonic,
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let arguments = (ins FlatSymbolRefAttr:$task, id:$id);
  let assemblyFormat = "$task `to` $id attr-dict";
  let summary = "Binds a " # kind # " task to an id";
}

def Csl_BindDataTaskOp
    : Csl_BindOp<"bind_data_task", Csl_DataTaskIdType, "data"> {
  let description = "`csl.bind_data_task @recv to %id`; @bind_data_task.";
}
def Csl_BindLocalTaskOp
    : Csl_BindOp<"bind_local_task", Csl_LocalTaskIdType, "local"> {
  let description = "`csl.bind_local_task @main to %id`; @bind_local_task.";
}
def Csl_BindControlTaskOp
    : Csl_BindOp<"bind_control_task", Csl_ControlTaskIdType, "control"> {
  let description = [{
    @bind_control_task. `table` is the control task table (WSE-3, TSK-047) that
    queues choose with `ctrl_table_id`.

    ```mlir
    csl.bind_control_task @ctl to %id table 1
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$task, Csl_ControlTaskIdType:$id,
                       OptionalAttr<I64Attr>:$table);
  let assemblyFormat = "$task `to` $id (`table` $table^)? attr-dict";
  let hasVerifier = 1;
}

def Csl_BindRotatingTasksOp : Csl_SetupOp<"bind_rotating_tasks",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Two tasks that take turns (WSE-3)";
  let description = [{
    @bind_rotating_tasks: `main` runs `limit` times, then `alternative`, a
    control task, runs once.

    ```mlir
    csl.bind_rotating_tasks @main, @other to %id limit 10 init 5
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$main, FlatSymbolRefAttr:$alternative,
                       Csl_DataTaskIdType:$id,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$limit,
                       OptionalAttr<I64Attr>:$init);
  let assemblyFormat = [{
    $main `,` $alternative `to` $id `limit` $limit (`init` $init^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_SetControlTaskTableOp : Csl_SetupOp<"set_control_task_table"> {
  let summary = "Gives control tasks a table of their own (WSE-3)";
  let description = [{
    @set_control_task_table: ids of control tasks no longer clash with those of
    data and local tasks. Instructions per entry are 2, 4 (the default) or 8;
    entries are 1 (the default) to 7 apart.

    ```mlir
    csl.set_control_task_table instructions 8 stride 2
    ```
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "4">:$instructions,
                       DefaultValuedAttr<I64Attr, "1">:$stride);
  let assemblyFormat = [{
    (`instructions` $instructions^)? (`stride` $stride^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_TaskIdOp : Csl_Op<"task_id", [Pure,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "The id that a task is bound to";
  let description = [{
    A task's name where CSL takes one for an id: `.activate = main`. The task
    has one binding.

    ```mlir
    %id = csl.task_id @main : !csl.local_task_id
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$task);
  let results = (outs AnyTypeOf<[Csl_LocalTaskIdType,
                                 Csl_DataTaskIdType]>:$result);
  let assemblyFormat = "$task attr-dict `:` qualified(type($result))";
}

def Csl_ActivateOp : Csl_Op<"activate"> {
  let summary = "Makes a local task active";
  let description = [{
    @activate: the task runs when it is unblocked too. Several activations
    before it starts are one (TSK-029). In a comptime block it is active from
    the start.
  }];
  let arguments = (ins Csl_LocalTaskIdType:$id);
  let assemblyFormat = "$id attr-dict";
}

def Csl_BlockOp : Csl_Op<"block"> {
  let summary = "Keeps a task, the wavelets of a channel or a microthread waiting";
  let description = [{
    @block. WSE-2: color, data or local task id; WSE-3: input queue, data or
    local task id, microthread.

    ```mlir
    csl.block %red : !csl.color
    ```
  }];
  let arguments = (ins Csl_Blockable:$id);
  let assemblyFormat = "$id attr-dict `:` qualified(type($id))";
  let hasVerifier = 1;
}

def Csl_UnblockOp : Csl_Op<"unblock"> {
  let summary = "Reverses csl.block";
  let description = "`csl.unblock %red : !csl.color`; @unblock.";
  let arguments = (ins Csl_Blockable:$id);
  let assemblyFormat = "$id attr-dict `:` qualified(type($id))";
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLTASKOPS
