//===- CslFabricOps.td - Ids, queues, colors ---------------*- tablegen -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_DIALECT_CSL_IR_CSLFABRICOPS
#define SEQUIN_DIALECT_CSL_IR_CSLFABRICOPS

include "sequin/Dialect/Csl/IR/CslOpBase.td"

def Csl_ConstantOp : Csl_Op<"constant", [Pure, ConstantLike]> {
  let summary = "A color, queue, task id, microthread or direction by number";
  let description = [{
    @get_color, @get_input_queue, @get_output_queue, @get_local_task_id,
    @get_control_task_id, @get_ut_id with a comptime number, checked against the
    ranges of the machine. Directions count WEST, EAST, SOUTH, NORTH, RAMP.

    ```mlir
    %red = csl.constant 3 : !csl.color
    ```
  }];
  let arguments = (ins I16Attr:$value);
  let results = (outs Csl_AnyId:$result);
  let builders = [OpBuilder<(ins "::mlir::Type":$type, "int64_t":$value), [{
    build($_builder, $_state, type, $_builder.getI16IntegerAttr(value));
  }]>];
  let assemblyFormat = "custom<Number>($value) attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Csl_MakeIdOp : Csl_Op<"make_id", [Pure]> {
  let summary = "An id by a number that is computed";
  let description = [{
    The same builtins with a u16 that is not comptime-known, which nobody
    checks. Queues have no such form, except from a parameter (DSD-063).

    ```mlir
    %c = csl.make_id %n : !csl.color
    ```
  }];
  let arguments = (ins I16:$number);
  let results = (outs Csl_AnyId:$result);
  let assemblyFormat = "$number attr-dict `:` qualified(type($result))";
}

def Csl_GetDataTaskIdOp : Csl_Op<"get_data_task_id", [Pure]> {
  let summary = "The task id that wavelets of a color or queue activate";
  let description = [{
    @get_data_task_id: of a color on WSE-2, of an input queue on WSE-3. The
    number is the same.

    ```mlir
    %id = csl.get_data_task_id %queue : !csl.input_queue
    ```
  }];
  let arguments = (ins AnyTypeOf<[Csl_ColorType, Csl_InputQueueType]>:$source);
  let results = (outs Csl_DataTaskIdType:$result);
  let assemblyFormat = "$source attr-dict `:` qualified(type($source))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Csl_GetIntOp : Csl_Op<"get_int", [Pure]> {
  let summary = "The number behind an id, a register or an enum";
  let description = [{
    @get_int: a u16, of an enum an integer of its base type.

    ```mlir
    %n = csl.get_int %red : !csl.color -> i16
    ```
  }];
  let arguments = (ins AnyTypeOf<[Csl_AnyId, Csl_DsrType, Csl_XdsrType,
                                  Csl_SrType, Csl_EnumType]>:$value);
  let results = (outs AnySignlessInteger:$result);
  let assemblyFormat = [{
    $value attr-dict `:` qualified(type($value)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Csl_SameOp : Csl_Op<"same", [Pure, SameTypeOperands]> {
  let summary = "Whether two ids, registers or enum values are equal";
  let description = [{
    CSL's `==` on types that are no numbers. DSDs are not comparable (DSD-065).

    ```mlir
    %b = csl.same %red, %c : !csl.color
    ```
  }];
  let arguments = (ins
      AnyTypeOf<[Csl_AnyId, Csl_DsrType, Csl_XdsrType, Csl_SrType,
                 Csl_EnumType]>:$left,
      AnyTypeOf<[Csl_AnyId, Csl_DsrType, Csl_XdsrType, Csl_SrType,
                 Csl_EnumType]>:$right);
  let results = (outs I1:$result);
  let assemblyFormat = "$left `,` $right attr-dict `:` qualified(type($left))";
}

def Csl_InitializeQueueOp : Csl_SetupOp<"initialize_queue"> {
  let summary = "Binds a queue to a color";
  let description = [{
    @initialize_queue. WSE-2: an input queue has a color and may have a
    priority, an output queue nothing. WSE-3: both have a color; an input queue
    may choose a control task table, both may be in dense mode.

    ```mlir
    csl.initialize_queue %q : !csl.input_queue color %red ctrl_table_id 1 dense_mode
    ```
  }];
  let arguments = (ins AnyTypeOf<[Csl_InputQueueType,
                                  Csl_OutputQueueType]>:$queue,
                       Optional<Csl_ColorType>:$color,
                       OptionalAttr<Csl_Priority>:$priority,
                       OptionalAttr<I64Attr>:$ctrl_table_id,
                       UnitAttr:$dense_mode);
  let assemblyFormat = [{
    $queue `:` qualified(type($queue)) (`color` $color^)? (`priority`
    $priority^)?
    (`ctrl_table_id` $ctrl_table_id^)? (`dense_mode` $dense_mode^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_LocalColorConfigOp : Csl_SetupOp<"local_color_config"> {
  let summary = "Routes, switches, filter and teardown of a color at this PE";
  let description = [{
    @set_local_color_config: for every PE that has the program.

    ```mlir
    csl.local_color_config %red routes <rx [RAMP] tx [EAST]>
    ```
  }];
  let arguments = (ins Csl_ColorType:$color, Csl_RoutesAttr:$routes,
                       OptionalAttr<Csl_SwitchesAttr>:$switches,
                       OptionalAttr<Csl_FilterAttr>:$filter,
                       UnitAttr:$teardown);
  let assemblyFormat = [{
    $color `routes` $routes (`switches` $switches^)? (`filter` $filter^)?
    (`teardown` $teardown^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Csl_GetFilterIdOp : Csl_Op<"get_filter_id", [Pure]> {
  let summary = "The number of a color's filter";
  let description = [{
    @get_filter_id: the same for all PEs that share the program.

    ```mlir
    %f = csl.get_filter_id %red
    ```
  }];
  let arguments = (ins Csl_ColorType:$color);
  let results = (outs I16:$result);
  let assemblyFormat = "$color attr-dict";
}

def Csl_SetTeardownHandlerOp : Csl_SetupOp<"set_teardown_handler",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "What runs when a color enters teardown";
  let description = "`csl.set_teardown_handler @f, %red`; @set_teardown_handler.";
  let arguments = (ins FlatSymbolRefAttr:$function, Csl_ColorType:$color);
  let assemblyFormat = "$function `,` $color attr-dict";
}

def Csl_SetEmptyQueueHandlerOp : Csl_SetupOp<"set_empty_queue_handler",
    [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "What runs when a flushed queue is empty (WSE-3)";
  let description = [{
    @set_empty_queue_handler.

    ```mlir
    csl.set_empty_queue_handler @f, %q : !csl.output_queue
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$function,
                       AnyTypeOf<[Csl_InputQueueType,
                                  Csl_OutputQueueType]>:$queue);
  let assemblyFormat = [{
    $function `,` $queue attr-dict `:` qualified(type($queue))
  }];
  let hasVerifier = 1;
}

def Csl_QueueFlushOp : Csl_RuntimeOp<"queue_flush"> {
  let summary = "Activates the teardown task when a queue is empty (WSE-3)";
  let description = "`csl.queue_flush %q : !csl.output_queue`; @queue_flush.";
  let arguments = (ins AnyTypeOf<[Csl_InputQueueType,
                                  Csl_OutputQueueType]>:$queue);
  let assemblyFormat = "$queue attr-dict `:` qualified(type($queue))";
  let hasVerifier = 1;
}

#endif // SEQUIN_DIALECT_CSL_IR_CSLFABRICOPS
