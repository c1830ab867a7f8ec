//===- BuiltinsRegisters.cpp - FIFOs and DSRs -----------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluator.h"

using namespace sequin;
using namespace sequin::csl_import;
using namespace sequin::csl_source;

//===----------------------------------------------------------------------===//
// FIFOs
//===----------------------------------------------------------------------===//

Value Evaluator::builtinAllocateFifo(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 2))
    return Value();
  if (phase != Phase::Initializer || !initializing || initializing->isVar)
    return error(call.span(), "@allocate_fifo initialises a global constant");
  LValue buffer = evalPlace(arg(call, 0), /*forWrite=*/false);
  Value config = evalConfig(call, 1);
  if (buffer.kind == LValue::Kind::Error || !config)
    return Value();
  Span span = arg(call, 0).span();
  Value pointer = buffer.type->isPointer()             ? read(buffer, span)
                  : buffer.kind == LValue::Kind::Known ? buffer.value
                                                       : Value(types.error());
  if (!pointer || !pointer.isPointer() || !pointer.pointer().global ||
      !pointer.pointer().path.empty() || !pointer.pointer().global->isVar ||
      !pointer.pointer().global->type->isArray())
    return error(span, "the buffer of a FIFO is a global array that is a var, "
                       "or a pointer to one");
  Global &array = *pointer.pointer().global;
  const Type *element = array.type->element;
  if (!element->isInt(16) && !element->isInt(32) && element != types.fp16() &&
      element != types.f32())
    return error(span, "the elements of a FIFO are i16, u16, i32, u32, " +
                           types.fp16()->str() + " or f32, found '" +
                           element->str() + "'");
  if (const Expr *align =
          array.var() ? array.var()->attributes().align : nullptr) {
    std::optional<int64_t> bytes =
        evalKnownInt(*align, "an alignment", 1, 1 << 15);
    if (bytes && *bytes < int64_t(session.machine.fifoAlignBytes))
      return error(span, "the buffer of a FIFO is aligned to at least " +
                             llvm::Twine(session.machine.fifoAlignBytes) +
                             " bytes, found align(" + llvm::Twine(*bytes) +
                             ")");
  } else if (array.isExtern) {
    warn(span, "the definition of an extern buffer of a FIFO has to be "
               "aligned to " +
                   llvm::Twine(session.machine.fifoAlignBytes) + " bytes");
  }
  bool wse3 = session.isWse3();
  llvm::SmallVector<llvm::StringRef> allowed = {
      "empty_action", "activate_push", "activate_pop", "dest", "src", "xdsr"};
  if (wse3)
    allowed.append({"full_action", "priority"});
  else
    allowed.push_back("simd_mode");
  Span configSpan =
      call.arguments().size() > 1 ? arg(call, 1).span() : call.span();
  if (!checkFields(config, allowed, configSpan,
                   "a FIFO of " + llvm::StringRef(session.machine.name)))
    return Value();
  auto action = [&](llvm::StringRef name, csl::FifoActionAttr &out) {
    const Value *value = config.field(name);
    if (!value)
      return true;
    llvm::SmallVector<llvm::StringRef> names = {"test_or_suspend", "terminate"};
    if (wse3)
      names.append({"suspend", "fault"});
    std::optional<std::string> chosen =
        knownChoice(*value, configSpan, names, name);
    if (!chosen)
      return false;
    out = csl::FifoActionAttr::get(&session.context,
                                   *csl::symbolizeFifoAction(*chosen));
    return true;
  };
  csl::FifoActionAttr empty, full;
  if (!action("empty_action", empty) || !action("full_action", full))
    return Value();
  auto target = [&](llvm::StringRef name, mlir::Attribute &out) {
    const Value *value = config.field(name);
    if (!value)
      return true;
    if (value->isFunction() && value->function().decl->isTask()) {
      csl::TaskOp task =
          emitTask(value->function(), csl::TaskKind::Local, configSpan);
      if (!task)
        return false;
      out = mlir::FlatSymbolRefAttr::get(&session.context, task.getSymName());
      return true;
    }
    Value id = known(*value, configSpan, "field '" + name + "'");
    if (!id)
      return false;
    if (!id.type()->is(TypeKind::LocalTaskId)) {
      error(configSpan, "field '" + name +
                            "' is a local_task_id or a task, "
                            "found type '" +
                            id.type()->str() + "'");
      return false;
    }
    out = builder.getI64IntegerAttr(id.small());
    return true;
  };
  mlir::Attribute push, pop;
  if (!target("activate_push", push) || !target("activate_pop", pop))
    return Value();
  csl::PriorityAttr priority;
  if (const Value *value = config.field("priority")) {
    std::optional<csl::Priority> level = readPriority(*value, configSpan);
    if (!level)
      return Value();
    priority = csl::PriorityAttr::get(&session.context, *level);
  }
  csl::SimdModeAttr simd;
  if (const Value *value = config.field("simd_mode")) {
    std::optional<csl::SimdMode> mode = readSimd(*value, configSpan);
    if (!mode)
      return Value();
    simd = csl::SimdModeAttr::get(&session.context, *mode);
  }
  mlir::IntegerAttr registers[3];
  llvm::StringRef names[] = {"dest", "src", "xdsr"};
  unsigned given = 0;
  for (auto [name, out] : llvm::zip(names, registers)) {
    const Value *value = config.field(name);
    if (!value)
      continue;
    Value number = known(*value, configSpan, "field '" + name + "'");
    if (!number || !number.isInteger())
      return Value();
    out = builder.getI64IntegerAttr(number.small());
    ++given;
  }
  if (given && given != 3)
    return error(configSpan, "the registers of a FIFO are given together: "
                             "'dest', 'src' and 'xdsr'");
  const Type *type = types.fifo(element);
  if (inTypeOf || !program)
    return Value(type, initializing);
  emitGlobal(array);
  initializing->symbol = symbolFor(*initializing->module, initializing->name);
  initializing->emitted = true;
  mlir::OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(program->comptime);
  csl::FifoOp::create(builder, loc(call.span()), initializing->symbol,
                      array.symbol, empty, full, pop, push, priority, simd,
                      registers[0], registers[1], registers[2]);
  return Value(type, initializing);
}

Value Evaluator::setFifoLength(const BuiltinCall &call, bool isRead) {
  if (!expectArgs(call, 2, 2) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  Value fifo = eval(arg(call, 0)), length = eval(arg(call, 1), types.u16());
  if (!fifo || !length)
    return Value();
  if (!fifo.isFifo())
    return error(arg(call, 0).span(), "@" + call.name().text +
                                          " is of a FIFO, found type '" +
                                          fifo.type()->str() + "'");
  mlir::Value number = materializeAs(length, types.u16(), arg(call, 1).span());
  mlir::Value operand = materialize(fifo, call.span());
  if (!number || !operand)
    return Value();
  if (isRead)
    csl::SetFifoReadLengthOp::create(builder, loc(call.span()), operand,
                                     number);
  else
    csl::SetFifoWriteLengthOp::create(builder, loc(call.span()), operand,
                                      number);
  return makeVoid();
}

Value Evaluator::builtinSetFifoReadLength(const BuiltinCall &call,
                                          const Type *) {
  return setFifoLength(call, true);
}
Value Evaluator::builtinSetFifoWriteLength(const BuiltinCall &call,
                                           const Type *) {
  return setFifoLength(call, false);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Value Evaluator::builtinGetDsr(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2))
    return Value();
  const Type *type = evalType(arg(call, 0));
  if (!type)
    return Value();
  if (!type->is(TypeKind::Dsr))
    return error(arg(call, 0).span(),
                 "@get_dsr makes a dsr_dest, dsr_src0, dsr_src1, dsr_fifo_dest "
                 "or dsr_fifo_src1, found '" +
                     type->str() + "'");
  Value number = evalKnown(arg(call, 1), "the number of a DSR");
  if (!number)
    return Value();
  // A FIFO's register may be made of another (DSR-005).
  if (number.type()->is(TypeKind::Dsr)) {
    bool fits = (type->dsr == csl::DsrKind::FifoDest &&
                 number.type()->dsr == csl::DsrKind::Dest) ||
                (type->dsr == csl::DsrKind::FifoSrc1 &&
                 number.type()->dsr == csl::DsrKind::Src1);
    if (!fits)
      return error(call.span(), "a " + type->str() + " cannot be made of a " +
                                    number.type()->str());
    number.setType(type);
    return number;
  }
  std::optional<int64_t> value = evalKnownInt(
      arg(call, 1), "the number of a DSR", 0, session.machine.dsrsPerFile - 1);
  return value ? makeInt(type, *value) : Value();
}

Value Evaluator::builtinGetXdsr(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  std::optional<int64_t> value = evalKnownInt(
      arg(call, 0), "the number of an XDSR", 0, session.machine.xdsrs - 1);
  return value ? makeInt(types.simple(TypeKind::Xdsr), *value) : Value();
}

Value Evaluator::builtinGetSr(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 1, 1))
    return Value();
  std::optional<int64_t> value =
      evalKnownInt(arg(call, 0), "the number of an SR", 0,
                   session.machine.strideRegisters - 1);
  return value ? makeInt(types.simple(TypeKind::Sr), *value) : Value();
}

/// @load_to_dsr (0 further registers), with an XDSR (1), with SRs (2).
Value Evaluator::loadDsr(const BuiltinCall &call, unsigned registers) {
  unsigned count = 2 + registers;
  if (!expectArgs(call, count, count + 1) ||
      !expectPhase(call, {Phase::Runtime, Phase::TopComptime}))
    return Value();
  llvm::SmallVector<Value> values;
  for (unsigned i = 0; i < count; ++i) {
    values.push_back(eval(arg(call, i)));
    if (!values.back())
      return Value();
  }
  Value config = evalConfig(call, count);
  if (!config)
    return Value();
  const Value &dsr = values[0], &dsd = values[count - 1];
  if (!dsr.type()->is(TypeKind::Dsr))
    return error(arg(call, 0).span(), "@" + call.name().text +
                                          " loads a DSR, found type '" +
                                          dsr.type()->str() + "'");
  if (!dsd.type()->is(TypeKind::Dsd))
    return error(arg(call, count - 1).span(), "@" + call.name().text +
                                                  " loads a DSD, found type '" +
                                                  dsd.type()->str() + "'");
  using Kind = csl::DescriptorKind;
  Kind kind = dsd.type()->dsd;
  bool fits = registers == 0   ? kind != Kind::Mem4d && kind != Kind::Circbuf
              : registers == 1 ? kind == Kind::Circbuf
                               : kind == Kind::Mem4d;
  if (!fits)
    return error(arg(call, count - 1).span(),
                 "a " + dsd.type()->str() + " is loaded with @" +
                     (kind == Kind::Mem4d     ? "load_to_dsr_xdsr_sr"
                      : kind == Kind::Circbuf ? "load_to_dsr_xdsr"
                                              : "load_to_dsr"));
  if (registers >= 1 && !values[1].type()->is(TypeKind::Xdsr))
    return error(arg(call, 1).span(), "expected an xdsr, found type '" +
                                          values[1].type()->str() + "'");
  OpOptions options;
  Span span =
      call.arguments().size() > count ? arg(call, count).span() : call.span();
  SetupScope setup(*this);
  if (!readOptions(config, span, /*isLoad=*/true, /*isDfilt=*/false, options))
    return Value();
  mlir::Value dsrValue = materialize(dsr, call.span());
  mlir::Value dsdValue = materialize(dsd, call.span());
  if (!dsrValue || !dsdValue)
    return Value();
  mlir::Location at = loc(call.span());
  auto flag = [&](bool set) {
    return set ? builder.getUnitAttr() : mlir::UnitAttr();
  };
  if (registers == 0) {
    csl::LoadToDsrOp::create(
        builder, at, dsrValue, dsdValue, flag(options.async), options.activate,
        options.unblock, options.onControl, options.controlTarget, options.utId,
        flag(options.saveAddress), flag(options.singleStep));
    return makeVoid();
  }
  mlir::Value xdsr = materialize(values[1], call.span());
  if (!xdsr)
    return Value();
  if (registers == 1) {
    csl::LoadToDsrXdsrOp::create(
        builder, at, dsrValue, xdsr, dsdValue, flag(options.async),
        options.activate, options.unblock, options.onControl,
        options.controlTarget, options.utId, flag(options.saveAddress),
        flag(options.singleStep));
    return makeVoid();
  }
  llvm::SmallVector<mlir::Value> srs;
  if (values[2].isAggregate()) {
    for (const Value &part : values[2].elements()) {
      if (!part.type()->is(TypeKind::Sr))
        return error(arg(call, 2).span(), "expected a tuple of sr, found type "
                                          "'" +
                                              part.type()->str() + "'");
      srs.push_back(materialize(part, call.span()));
    }
  } else if (!values[2].isVoid()) {
    return error(arg(call, 2).span(), "expected a tuple of sr, found type '" +
                                          values[2].type()->str() + "'");
  }
  csl::LoadToDsrXdsrSrOp::create(
      builder, at, dsrValue, xdsr, srs, dsdValue, flag(options.async),
      options.activate, options.unblock, options.onControl,
      options.controlTarget, options.utId, flag(options.saveAddress),
      flag(options.singleStep));
  return makeVoid();
}

Value Evaluator::builtinLoadToDsr(const BuiltinCall &call, const Type *) {
  return loadDsr(call, 0);
}
Value Evaluator::builtinLoadToDsrXdsr(const BuiltinCall &call, const Type *) {
  return loadDsr(call, 1);
}
Value Evaluator::builtinLoadToDsrXdsrSr(const BuiltinCall &call, const Type *) {
  return loadDsr(call, 2);
}

Value Evaluator::builtinSetDsrBaseAddr(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  Value dsr = eval(arg(call, 0));
  LValue target = evalPlace(arg(call, 1), /*forWrite=*/false);
  if (!dsr || target.kind == LValue::Kind::Error)
    return Value();
  Value base = target.type->isArray() ? addressOf(target, arg(call, 1).span())
                                      : read(target, arg(call, 1).span());
  if (!base)
    return Value();
  if (!dsr.type()->is(TypeKind::Dsr) || !base.type()->isPointer())
    return error(call.span(), "@set_dsr_base_addr is of a DSR and a pointer, "
                              "found types '" +
                                  dsr.type()->str() + "' and '" +
                                  base.type()->str() + "'");
  mlir::Value number = materialize(dsr, call.span());
  mlir::Value address = materialize(base, call.span());
  if (number && address)
    csl::SetDsrBaseAddrOp::create(builder, loc(call.span()), number, address);
  return makeVoid();
}

Value Evaluator::builtinSetDsrLength(const BuiltinCall &call, const Type *) {
  if (!expectArgs(call, 2, 2) || !expectPhase(call, {Phase::Runtime}))
    return Value();
  Value dsr = eval(arg(call, 0)), length = eval(arg(call, 1), types.u16());
  if (!dsr || !length)
    return Value();
  if (!dsr.type()->is(TypeKind::Dsr))
    return error(arg(call, 0).span(), "@set_dsr_length is of a DSR, found type "
                                      "'" +
                                          dsr.type()->str() + "'");
  mlir::Value number = materialize(dsr, call.span());
  mlir::Value value = materializeAs(length, types.u16(), arg(call, 1).span());
  if (number && value)
    csl::SetDsrLengthOp::create(builder, loc(call.span()), number, value);
  return makeVoid();
}
