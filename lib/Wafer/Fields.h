//===- Fields.h - Names of the wafer program's fields -----------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one list of JSON keys: fields(visitor, struct) calls the visitor with key
// and member, for writing and for reading alike. A member that has its default
// is left out of the file; required() members are always there.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_WAFER_FIELDS_H
#define SEQUIN_LIB_WAFER_FIELDS_H

#include "sequin/Wafer/Program.h"

namespace sequin::wafer {

template <typename V> void fields(V &v, Routes &s) {
  v("rx", s.rx);
  v("tx", s.tx);
}

template <typename V> void fields(V &v, ColorConfig &s) {
  v.required("routes", s.positions[0]);
  v("pos1", s.positions[1]);
  v("pos2", s.positions[2]);
  v("pos3", s.positions[3]);
  v("position", s.position);
  v("switches", s.hasSwitches);
  v("ring", s.ring);
  v("pop", s.pop);
  v("teardown", s.teardown);
  v("swap_x", s.swapX);
  v("swap_y", s.swapY);
  v("filter", s.filter);
  v("location", s.location);
}

template <typename V> void fields(V &v, Filter &s) {
  v.required("kind", s.kind);
  v("count_data", s.countData);
  v("count_control", s.countControl);
  v("filter_control", s.filterControl);
  v("counter", s.counter);
  v("limit1", s.limit1);
  v("limit2", s.limit2);
  v("max_counter", s.maxCounter);
  v("min_index", s.minIndex);
  v("max_index", s.maxIndex);
  v("location", s.location);
}

template <typename V> void fields(V &v, Router &s) {
  v("colors", s.colors);
  v("filters", s.filters);
}

template <typename V> void fields(V &v, Task &s) {
  v.required("kind", s.kind);
  v.required("id", s.id);
  v("table", s.table);
  v.required("function", s.function);
  v("argument_bits", s.argumentBits);
  v("location", s.location);
}

template <typename V> void fields(V &v, RotatingTask &s) {
  v.required("id", s.id);
  v.required("alternative", s.alternative);
  v.required("limit", s.limit);
  v("counter", s.counter);
}

template <typename V> void fields(V &v, Queue &s) {
  v.required("id", s.id);
  v("color", s.color);
  v("priority", s.priority);
  v("control_table", s.controlTable);
  v("dense", s.dense);
  v("location", s.location);
}

template <typename V> void fields(V &v, Fifo &s) {
  v.required("name", s.name);
  v.required("address", s.address);
  v.required("elements", s.elements);
  v.required("element_bytes", s.elementBytes);
  v("empty_action", s.emptyAction);
  v("full_action", s.fullAction);
  v("activate_pop", s.activatePop);
  v("activate_push", s.activatePush);
  v("priority", s.priority);
  v("simd", s.simd);
  v("dsr", s.dsr);
  v("location", s.location);
}

template <typename V> void fields(V &v, DsrRef &s) {
  v.required("file", s.file);
  v.required("number", s.number);
}

template <typename V> void fields(V &v, AsyncOptions &s) {
  v("async", s.async);
  v("completion", s.completion);
  v("completion_target", s.completionTarget);
  v("on_control", s.onControl);
  v("on_control_target", s.onControlTarget);
  v("microthread", s.microthread);
}

template <typename V> void fields(V &v, DsrLoad &s) {
  v.required("dsr", s.dsr);
  v("xdsr", s.xdsr);
  v("stride_registers", s.strideRegisters);
  v("options", s.options);
  v("save_address", s.saveAddress);
  v("single_step", s.singleStep);
}

template <typename V> void fields(V &v, Descriptor &s) {
  v.required("kind", s.kind);
  v("base", s.base);
  v("stride", s.stride);
  v("shape", s.shape);
  v("wraparound", s.wraparound);
  v("extent", s.extent);
  v("index_offset", s.indexOffset);
  v("queue", s.queue);
  v("color", s.color);
  v("priority", s.priority);
  v("simd", s.simd);
  v("control", s.control);
  v("advance_switch", s.advanceSwitch);
  v("control_transform", s.controlTransform);
  v("zero", s.zero);
  v("fifo", s.fifo);
}

template <typename V> void fields(V &v, InitialDsr &s) {
  v.required("load", s.load);
  v.required("descriptor", s.descriptor);
  v("completion_target", s.completionTarget);
  v("on_control_target", s.onControlTarget);
}

template <typename V> void fields(V &v, Setup &s) {
  v.required("code", s.code);
  v("tasks", s.tasks);
  v("rotating", s.rotating);
  v("blocked_tasks", s.blockedTasks);
  v("active_tasks", s.activeTasks);
  v("blocked_microthreads", s.blockedMicrothreads);
  v("input_queues", s.inputQueues);
  v("output_queues", s.outputQueues);
  v("fifos", s.fifos);
  v("dsrs", s.dsrs);
  v("teardown_handlers", s.teardownHandlers);
  v("empty_input_handlers", s.emptyInputHandlers);
  v("empty_output_handlers", s.emptyOutputHandlers);
  v("registers", s.registers);
}

template <typename V> void fields(V &v, Variable &s) {
  v.required("name", s.name);
  v.required("address", s.address);
  v.required("kind", s.kind);
  v.required("element_bytes", s.elementBytes);
  v("shape", s.shape);
  v("constant", s.constant);
  v("data", s.data);
  v("location", s.location);
}

template <typename V> void fields(V &v, Operand &s) {
  v("kind", s.kind);
  v("value", s.value);
  v("dsr", s.dsr);
}

template <typename V> void fields(V &v, Operation &s) {
  v.required("opcode", s.opcode);
  v("dest", s.dest);
  v("source0", s.source0);
  v("source1", s.source1);
  v("scalar", s.scalar);
  v("index", s.index);
  v("priority", s.priority);
  v("options", s.options);
}

template <typename V> void fields(V &v, Shape &s) {
  v.required("extents", s.extents);
  v.required("strides", s.strides);
}

template <typename V> void fields(V &v, Print::Value &s) {
  v.required("value", s.value);
  v("form", s.form);
  v.required("width", s.width);
}

template <typename V> void fields(V &v, Print &s) {
  v.required("pieces", s.pieces);
  v("values", s.values);
  v("partial", s.partial);
}

template <typename V> void fields(V &v, Function &s) {
  v.required("name", s.name);
  v("arguments", s.arguments);
  v("results", s.results);
  v.required("registers", s.registers);
  v("frame_bytes", s.frameBytes);
  v("location", s.location);
  v.required("instructions", s.instructions);
  v("locations", s.locations);
}

template <typename V> void fields(V &v, Code &s) {
  v.required("name", s.name);
  v("variables", s.variables);
  v("text_address", s.textAddress);
  v("text_bytes", s.textBytes);
  v("stack_address", s.stackAddress);
  v("stack_bytes", s.stackBytes);
  v("functions", s.functions);
  v("operations", s.operations);
  v("dsr_loads", s.dsrLoads);
  v("descriptors", s.descriptors);
  v("shapes", s.shapes);
  v("constants", s.constants);
  v("messages", s.messages);
  v("prints", s.prints);
  v("step_slots", s.stepSlots);
  v("parameters", s.parameters);
}

template <typename V> void fields(V &v, Symbol::Definition &s) {
  v.required("code", s.code);
  v.required("index", s.index);
}

template <typename V> void fields(V &v, Symbol &s) {
  v.required("name", s.name);
  v.required("kind", s.kind);
  v("writable", s.writable);
  v("to_const", s.toConst);
  v("element", s.element);
  v("element_bytes", s.elementBytes);
  v("argument_bits", s.argumentBits);
  v("argument_kinds", s.argumentKinds);
  v.required("places", s.places);
}

template <typename V> void fields(V &v, Stream &s) {
  v.required("name", s.name);
  v.required("kind", s.kind);
  v.required("color", s.color);
  v.required("to_device", s.toDevice);
  v("x", s.x);
  v("y", s.y);
  v("side", s.side);
}

template <typename V> void fields(V &v, Patch &s) {
  v.required("address", s.address);
  v.required("data", s.data);
}

/// `pes` is written as rectangles of equal ones by the caller.
template <typename V> void fields(V &v, Pe &s) {
  v.required("setup", s.setup);
  v.required("router", s.router);
  v("parameters", s.parameters);
  v("patches", s.patches);
}

/// All but `pes`.
template <typename V> void fields(V &v, Program &s) {
  v.required("target", s.target);
  v("fp16", s.fp16);
  v.required("width", s.width);
  v.required("height", s.height);
  v.required("fabric_width", s.fabricWidth);
  v.required("fabric_height", s.fabricHeight);
  v("offset_x", s.offsetX);
  v("offset_y", s.offsetY);
  v("memcpy", s.memcpy);
  v.required("codes", s.codes);
  v.required("setups", s.setups);
  v.required("routers", s.routers);
  v("symbols", s.symbols);
  v("streams", s.streams);
  v.required("locations", s.locations);
}

} // namespace sequin::wafer

#endif // SEQUIN_LIB_WAFER_FIELDS_H
