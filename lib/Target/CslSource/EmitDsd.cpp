//===- EmitDsd.cpp - DSDs, registers, DSD operations ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

//===----------------------------------------------------------------------===//
// Making DSDs
//===----------------------------------------------------------------------===//

bool CodeEmitter::isKnown(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<arith::ConstantOp, csl::ConstantOp, csl::GetParamOp, csl::GetVarOp>(
          op))
    return true;
  if (auto address = dyn_cast<csl::AddressOfOp>(op))
    return llvm::all_of(address->getOperands(),
                        [&](Value operand) { return isKnown(operand); });
  return false;
}

Doc CodeEmitter::baseAddress(Value base) {
  if (isa<MemRefType>(base.getType()))
    return Doc(addressOf(use(base).text));
  return Doc(use(base));
}

/// `2 * i + j + 1` over the variables of a tensor access.
static std::string spellAffine(AffineExpr expr, ArrayRef<std::string> names) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return std::to_string(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return names[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::string left = spellAffine(binary.getLHS(), names);
  std::string right = spellAffine(binary.getRHS(), names);
  if (expr.getKind() == AffineExprKind::Add) {
    if (StringRef(right).starts_with("-"))
      return left + " - " + right.substr(1);
    return left + " + " + right;
  }
  // Constants stand on the right in the map and on the left in CSL.
  auto isSum = [](AffineExpr part) {
    return part.getKind() == AffineExprKind::Add;
  };
  if (isSum(binary.getLHS()))
    left = "(" + left + ")";
  if (right == "-1")
    return "-" + left;
  return right + " * " + left;
}

/// The same access over the flat array.
static AffineMap flatten(AffineMap map, ArrayRef<int64_t> shape) {
  AffineExpr place = getAffineConstantExpr(0, map.getContext());
  for (auto [index, size] : llvm::zip(map.getResults(), shape))
    place = place * size + index;
  return simplifyAffineMap(
      AffineMap::get(map.getNumDims(), map.getNumSymbols(), place));
}

Doc CodeEmitter::describe(Operation &op) {
  std::vector<Doc> fields;
  auto flag = [&](StringRef name, bool value) {
    if (value)
      fields.push_back(Doc::field(name, "true"));
  };
  auto number = [&](StringRef name, std::optional<int64_t> known,
                    Value computed, IntType type) {
    if (known)
      fields.push_back(Doc::field(name, std::to_string(*known)));
    else if (computed)
      fields.push_back(Doc::field(name, Doc(use(computed, type))));
  };
  auto tuple = [&](StringRef name, std::optional<ArrayRef<int64_t>> values) {
    if (!values)
      return;
    std::vector<Doc> items;
    for (int64_t value : *values)
      items.emplace_back(std::to_string(value));
    fields.push_back(Doc::field(name, Doc::braces("", std::move(items))));
  };
  constexpr IntType kExtent{16, false}, kOffset{16, true}, kStride{8, true};
  auto known = [](std::optional<uint64_t> value) {
    return value ? std::optional<int64_t>(static_cast<int64_t>(*value))
                 : std::nullopt;
  };

  // A tensor access names a variable. Behind a pointer the fields say the same.
  auto access = [&](Value base, csl::AccessAttr attr, sequin::DsdKind kind) {
    if (auto get = base.getDefiningOp<csl::GetVarOp>()) {
      AffineMap map = attr.getMap();
      auto shape = cast<MemRefType>(get.getType()).getShape();
      if (isFlat(get))
        map = flatten(map, shape);
      Names scope(&names);
      static constexpr StringRef kWishes[] = {"i", "j", "k", "l"};
      llvm::SmallVector<std::string> variables;
      std::string text = "|", sizes;
      for (unsigned d = 0; d < map.getNumDims(); ++d) {
        variables.push_back(scope.take(kWishes[std::min(d, 3u)]));
        text += (d ? ", " : "") + variables.back();
        sizes += (d ? ", " : "") + std::to_string(attr.getExtents()[d]);
      }
      text += "|{" + sizes + "} -> " + use(base).text + "[";
      for (auto [index, result] : llvm::enumerate(map.getResults()))
        text += (index ? ", " : "") + spellAffine(result, variables);
      fields.push_back(Doc::field("tensor_access", Doc(text + "]")));
      return;
    }
    csl::BaseInfo info = csl::getBaseInfo(base.getType());
    llvm::Expected<MemDsd> dsd = attr.lower(*info.shape, kind);
    if (!dsd) {
      refuse(&op, llvm::toString(dsd.takeError()));
      return;
    }
    fields.push_back(Doc::field("base_address", baseAddress(base)));
    llvm::SmallVector<int64_t> extents, strides;
    for (const auto &dimension : dsd->dimensions) {
      strides.push_back(dimension.stride);
      extents.insert(extents.begin(), dimension.extent);
    }
    if (kind == sequin::DsdKind::Mem1d) {
      number("extent", extents.front(), {}, kExtent);
      number("stride", strides.front(), {}, kStride);
    } else {
      tuple("extent", ArrayRef<int64_t>(extents));
      tuple("stride", ArrayRef<int64_t>(strides));
    }
    if (dsd->offset)
      number("offset", dsd->offset, {}, kOffset);
  };

  StringRef kind;
  if (auto made = dyn_cast<csl::Mem1dDsdOp>(op)) {
    kind = "mem1d_dsd";
    if (made.getAccess()) {
      access(made.getBase(), *made.getAccess(), sequin::DsdKind::Mem1d);
    } else {
      fields.push_back(Doc::field("base_address", baseAddress(made.getBase())));
      number("extent", known(made.getStaticExtent()), made.getExtent(),
             kExtent);
      number("stride", known(made.getStaticStride()), made.getStride(),
             kStride);
      number("offset", known(made.getStaticOffset()), made.getOffset(),
             kOffset);
    }
    flag("wavelet_index_offset", made.getIndexOffset());
  } else if (auto made = dyn_cast<csl::Mem4dDsdOp>(op)) {
    kind = "mem4d_dsd";
    if (made.getAccess()) {
      access(made.getBase(), *made.getAccess(), sequin::DsdKind::Mem4d);
    } else {
      fields.push_back(Doc::field("base_address", baseAddress(made.getBase())));
      tuple("extent", made.getExtents());
      tuple("stride", made.getStrides());
      number("offset", known(made.getStaticOffset()), made.getOffset(),
             kOffset);
    }
    flag("wavelet_index_offset", made.getIndexOffset());
  } else if (auto made = dyn_cast<csl::CircbufDsdOp>(op)) {
    kind = "circbuf_dsd";
    fields.push_back(Doc::field("base_address", baseAddress(made.getBase())));
    number("extent", made.getExtent(), {}, kExtent);
    number("wraparound", known(made.getWraparound()), {}, kExtent);
  } else if (auto made = dyn_cast<csl::FabinDsdOp>(op)) {
    kind = "fabin_dsd";
    if (made.getColor())
      fields.push_back(Doc::field("fabric_color", Doc(use(made.getColor()))));
    number("extent", known(made.getStaticExtent()), made.getExtent(), kExtent);
    if (made.getQueue())
      fields.push_back(Doc::field("input_queue", Doc(use(made.getQueue()))));
    if (made.getPriority())
      fields.push_back(
          Doc::field("priority", spellPriority(*made.getPriority())));
    if (made.getSimdMode())
      fields.push_back(
          Doc::field("simd_mode",
                     spellChoice(csl::stringifySimdMode(*made.getSimdMode()))));
    flag("control_transform", made.getControlTransform());
  } else {
    auto out = cast<csl::FaboutDsdOp>(op);
    kind = "fabout_dsd";
    if (out.getColor())
      fields.push_back(Doc::field("fabric_color", Doc(use(out.getColor()))));
    number("extent", known(out.getStaticExtent()), out.getExtent(), kExtent);
    if (out.getQueue())
      fields.push_back(Doc::field("output_queue", Doc(use(out.getQueue()))));
    if (out.getPriority())
      fields.push_back(
          Doc::field("priority", spellPriority(*out.getPriority())));
    if (out.getSimdMode())
      fields.push_back(
          Doc::field("simd_mode",
                     spellChoice(csl::stringifySimdMode(*out.getSimdMode()))));
    if (out.getZero())
      fields.push_back(Doc::field(
          "zero", spellChoice(csl::stringifyZeroSource(*out.getZero()))));
    flag("control", out.getControl());
    flag("wavelet_index_offset", out.getIndexOffset());
    flag("advance_switch", out.getAdvanceSwitch());
    flag("control_transform", out.getControlTransform());
  }
  return Doc::call("@get_dsd", {Doc(kind.str()), Doc::braces("", fields)});
}

bool CodeEmitter::emitDescriptor(Operation &op) {
  if (isa<csl::Mem1dDsdOp, csl::Mem4dDsdOp, csl::CircbufDsdOp, csl::FabinDsdOp,
          csl::FaboutDsdOp>(op)) {
    Value result = op.getResult(0);
    // Known before the start: a constant of the file.
    if (llvm::all_of(op.getOperands(),
                     [&](Value operand) { return isKnown(operand); })) {
      Doc made = describe(op);
      takeEffects();
      std::string wish = program.wishFor(result);
      if (wish.size() < 3)
        wish = descriptorName(result);
      defineLeaf(result, comptimeLeaf(program.constantOf(made, wish)));
      return true;
    }
    if (isa<csl::CircbufDsdOp>(op)) {
      refuse(&op, "has a base that is not known when the program is compiled");
      return true;
    }
    if (auto made = dyn_cast<csl::Mem4dDsdOp>(op);
        made && !isKnown(made.getBase()) &&
        !isa<csl::PtrType>(made.getBase().getType()))
      useNamed(made.getBase());
    Doc doc = describe(op);
    Expression expression;
    expression.text = doc.flat();
    // As a line of its own it may break.
    if (result.hasOneUse() && expression.text.size() <= kInlineColumns)
      define(result, expression);
    else
      bindDoc(result, doc);
    return true;
  }

  auto setter = [&](StringRef builtin, std::vector<Expression> arguments) {
    define(op.getResult(0), callOf(builtin, arguments));
    return true;
  };
  if (auto change = dyn_cast<csl::SetDsdBaseAddrOp>(op)) {
    Expression dsd = use(change.getInput());
    Expression base;
    base.text = baseAddress(change.getBase()).flat();
    // A pointer to elements is none to a tensor; the builtin's new base wants
    // one (DSD-068).
    return setter("@set_dsd_base_addr", {dsd, base});
  }
  if (auto change = dyn_cast<csl::IncrementDsdOffsetOp>(op)) {
    Expression dsd = use(change.getInput());
    return setter(
        "@increment_dsd_offset",
        {dsd, use(change.getOffset(), {16, true}),
         comptimeLeaf(program.typeName(&op, change.getElement(), true))});
  }
  if (auto change = dyn_cast<csl::SetDsdLengthOp>(op)) {
    Expression dsd = use(change.getInput());
    return setter("@set_dsd_length",
                  {dsd, use(change.getLength(), {16, false})});
  }
  if (auto change = dyn_cast<csl::SetDsdStrideOp>(op)) {
    Expression dsd = use(change.getInput());
    return setter("@set_dsd_stride", {dsd, use(change.getStride(), {8, true})});
  }
  if (auto get = dyn_cast<csl::GetFifoOp>(op)) {
    defineLeaf(get,
               comptimeLeaf(program.nameOf(program.lookup(get.getFifoAttr()))));
    return true;
  }
  if (isa<csl::SetFifoReadLengthOp, csl::SetFifoWriteLengthOp>(op)) {
    StringRef builtin = isa<csl::SetFifoReadLengthOp>(op)
                            ? "@set_fifo_read_length"
                            : "@set_fifo_write_length";
    Doc fifo(use(op.getOperand(0)));
    Doc length(use(op.getOperand(1), {16, false}));
    statement("", Doc::call(builtin.str(), {fifo, length}), ";",
              Effects::acting());
    return true;
  }
  return false;
}

std::string CodeEmitter::descriptorName(Value value) const {
  Operation *op = value.getDefiningOp();
  if (isa<csl::FabinDsdOp>(op))
    return "in_dsd";
  if (isa<csl::FaboutDsdOp>(op))
    return "out_dsd";
  Value base = op->getOperand(0);
  while (auto address = base.getDefiningOp<csl::AddressOfOp>())
    base = address.getMemref();
  if (auto get = base.getDefiningOp<csl::GetVarOp>())
    return get.getVar().str() +
           (isa<csl::CircbufDsdOp>(op) ? "_ring_dsd" : "_dsd");
  return "dsd";
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

bool CodeEmitter::emitRegister(Operation &op) {
  auto wishOr = [&](const std::string &otherwise) {
    std::string wish = program.wishFor(op.getResult(0));
    return wish.size() < 3 ? otherwise : wish;
  };
  if (auto get = dyn_cast<csl::GetDsrOp>(op)) {
    std::string number = std::to_string(get.getNumber());
    csl::DsrKind kind = cast<csl::DsrType>(get.getType()).getKind();
    std::string type = program.typeName(&op, get.getType(), true);
    Doc made = Doc::call("@get_dsr", {Doc(type), Doc(number)});
    // A FIFO's register is made of another.
    if (kind == csl::DsrKind::FifoDest || kind == csl::DsrKind::FifoSrc1)
      made = Doc::call(
          "@get_dsr",
          {Doc(type), Doc::call("@get_dsr", {Doc(kind == csl::DsrKind::FifoDest
                                                     ? "dsr_dest"
                                                     : "dsr_src1"),
                                             Doc(number)})});
    std::string wish = csl::stringifyDsrKind(kind).str() + "_dsr_" + number;
    defineLeaf(get, comptimeLeaf(program.constantOf(made, wishOr(wish))));
    return true;
  }
  if (auto get = dyn_cast<csl::GetXdsrOp>(op)) {
    std::string number = std::to_string(get.getNumber());
    defineLeaf(get, comptimeLeaf(program.constantOf(
                        Doc::call("@get_xdsr", {Doc(number)}),
                        wishOr("xdsr_" + number))));
    return true;
  }
  if (auto get = dyn_cast<csl::GetSrOp>(op)) {
    std::string number = std::to_string(get.getNumber());
    defineLeaf(
        get, comptimeLeaf(program.constantOf(
                 Doc::call("@get_sr", {Doc(number)}), wishOr("sr_" + number))));
    return true;
  }
  auto load = [&](auto typed, StringRef builtin, std::vector<Doc> arguments) {
    std::vector<Doc> fields;
    if (typed.getSaveAddress())
      fields.push_back(Doc::field("save_address", "true"));
    if (typed.getSingleStep())
      fields.push_back(Doc::field("single_step", "true"));
    Doc settings = options(typed, std::move(fields));
    if (!settings.items.empty())
      arguments.push_back(std::move(settings));
    statement("", Doc::call(builtin.str(), std::move(arguments)), ";",
              Effects::acting());
    return true;
  };
  if (auto typed = dyn_cast<csl::LoadToDsrOp>(op)) {
    Doc dsr(use(typed.getDsr())), dsd(use(typed.getDsd()));
    return load(typed, "@load_to_dsr", {dsr, dsd});
  }
  if (auto typed = dyn_cast<csl::LoadToDsrXdsrOp>(op)) {
    Doc dsr(use(typed.getDsr())), xdsr(use(typed.getXdsr())),
        dsd(use(typed.getDsd()));
    return load(typed, "@load_to_dsr_xdsr", {dsr, xdsr, dsd});
  }
  if (auto typed = dyn_cast<csl::LoadToDsrXdsrSrOp>(op)) {
    Doc dsr(use(typed.getDsr())), xdsr(use(typed.getXdsr()));
    std::vector<Doc> strides;
    for (Value sr : typed.getSrs())
      strides.emplace_back(use(sr));
    Doc dsd(use(typed.getDsd()));
    return load(typed, "@load_to_dsr_xdsr_sr",
                {dsr, xdsr, Doc::braces("", std::move(strides)), dsd});
  }
  if (auto change = dyn_cast<csl::SetDsrBaseAddrOp>(op)) {
    Doc dsr(use(change.getDsr())), base = baseAddress(change.getBase());
    statement("", Doc::call("@set_dsr_base_addr", {dsr, base}), ";",
              Effects::acting());
    return true;
  }
  if (auto change = dyn_cast<csl::SetDsrLengthOp>(op)) {
    Doc dsr(use(change.getDsr())), length(use(change.getLength(), {16, false}));
    statement("", Doc::call("@set_dsr_length", {dsr, length}), ";",
              Effects::acting());
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// DSD operations
//===----------------------------------------------------------------------===//

std::string CodeEmitter::taskOrId(Value id) {
  if (auto name = id.getDefiningOp<csl::TaskIdOp>())
    return program.nameOf(program.lookup(name.getTaskAttr()));
  return use(id).text;
}

Doc CodeEmitter::options(csl::AsyncOpInterface op, std::vector<Doc> fields) {
  auto id = [&](StringRef name, Value value) {
    if (value)
      fields.push_back(Doc::field(name, Doc(taskOrId(value))));
  };
  if (op.getAsync())
    fields.push_back(Doc::field("async", "true"));
  id("activate", op.getActivate());
  id("unblock", op.getUnblock());
  if (std::optional<csl::OnControl> action = op.getOnControl()) {
    std::string what = *action == csl::OnControl::Terminate
                           ? "true"
                           : taskOrId(op.getControlTarget());
    fields.push_back(Doc::field(
        "on_control",
        Doc::braces("", {Doc::field(csl::stringifyOnControl(*action), what)})));
  }
  if (auto operation = dyn_cast<csl::DsdOpInterface>(op.getOperation())) {
    if (Value index = operation.getIndex())
      fields.push_back(Doc::field("index", Doc(use(index, {16, false}))));
    if (operation.getPriority())
      fields.push_back(
          Doc::field("priority", spellPriority(*operation.getPriority())));
  }
  if (std::optional<uint64_t> number = op.getUtId())
    fields.push_back(Doc::field(
        "ut_id", Doc(program.idOf(csl::UtIdType::get(op->getContext()),
                                  static_cast<int64_t>(*number)))));
  return Doc::braces("", std::move(fields));
}

bool CodeEmitter::emitDsdOperation(Operation &op) {
  if (auto map = dyn_cast<csl::MapOp>(op)) {
    auto callee =
        dyn_cast_or_null<func::FuncOp>(program.lookup(map.getCalleeAttr()));
    std::vector<Doc> arguments{Doc(program.nameOf(callee))};
    for (auto [index, input] : llvm::enumerate(map.getInputs())) {
      bool isNumber =
          hasSign(input.getType()) && input.getType().isIntOrIndex();
      bool isSigned = callee.isExternal() || !isNumber ||
                      program.signs.isSigned(callee.getArgument(index));
      arguments.emplace_back(isNumber
                                 ? use(input, intType(input).withSign(isSigned))
                                 : use(input));
    }
    if (map.getOutput())
      arguments.emplace_back(use(map.getOutput()));
    statement("", Doc::call("@map", std::move(arguments)), ";",
              Effects::acting());
    return true;
  }
  auto operation = dyn_cast<csl::DsdOpInterface>(op);
  if (!operation)
    return false;
  std::vector<Doc> arguments;
  if (Value dest = operation.getDestination())
    arguments.emplace_back(use(dest));
  for (Value source : operation.getSources())
    arguments.emplace_back(use(source));
  Doc settings = options(operation, {});
  if (!settings.items.empty())
    arguments.push_back(std::move(settings));
  Doc call = Doc::call("@" + getInfo(operation.getOpcode()).name.str(),
                       std::move(arguments));
  if (op.getNumResults() && !op.getResult(0).use_empty()) {
    // The result says whether a FIFO stopped it (AMB-010).
    current.add(Effects::acting());
    bindDoc(op.getResult(0), call);
    return true;
  }
  statement("", call, ";", Effects::acting());
  return true;
}
