//===- EmitMemory.cpp - Arrays, pointers, structs, enums ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

const void *CodeEmitter::rootOf(Value place) const {
  while (Operation *op = place.getDefiningOp()) {
    if (auto get = dyn_cast<csl::GetVarOp>(op))
      return program.lookup(get.getVarAttr());
    if (isa<memref::AllocaOp>(op))
      return op;
    if (!isa<csl::AddressOfOp, csl::AsMemrefOp, csl::ElementPtrOp,
             csl::FieldPtrOp, csl::PtrCastOp, memref::SubViewOp,
             memref::CastOp>(op))
      return nullptr;
    place = op->getOperand(0);
  }
  return nullptr;
}

Effects CodeEmitter::readingOf(Value place, Value read) const {
  // What may be a register is volatile.
  return csl::getPlaceNumber(place) && !read.use_empty()
             ? Effects::acting()
             : Effects::reading(rootOf(place));
}

bool CodeEmitter::isFlat(Value memref) const {
  auto get = memref.getDefiningOp<csl::GetVarOp>();
  return get && cast<MemRefType>(get.getType()).getRank() > 1 &&
         program.isFlat(program.lookup(get.getVarAttr()));
}

Expression CodeEmitter::addressOf(const std::string &place) {
  Expression result;
  result.text = "&" + place;
  result.precedence = Precedence::Unary;
  result.place = place;
  return result;
}

Expression CodeEmitter::dereference(const Expression &pointer) {
  Expression result;
  result.text = !pointer.place.empty()
                    ? pointer.place
                    : operandOf(pointer, Precedence::Postfix) + ".*";
  return result;
}

Expression CodeEmitter::indexed(const std::string &place,
                                ArrayRef<Expression> indices) {
  Expression result;
  result.text = place;
  if (indices.empty())
    return result;
  result.text += "[";
  llvm::ListSeparator comma;
  for (const Expression &index : indices) {
    result.text += StringRef(comma);
    result.text += index.text;
  }
  result.text += "]";
  return result;
}

std::vector<CodeEmitter::Index> CodeEmitter::indices(ValueRange values) {
  std::vector<Index> result;
  for (Value value : values)
    result.push_back({use(value), intType(value)});
  return result;
}

/// `left op right` of indices, whose types may differ.
CodeEmitter::Index CodeEmitter::combine(Index left, StringRef op, Index right) {
  bool isSum = op == "+";
  int64_t a, b;
  if (!StringRef(left.expression.text).getAsInteger(10, a) &&
      !StringRef(right.expression.text).getAsInteger(10, b)) {
    Expression number = comptimeLeaf(std::to_string(isSum ? a + b : a * b));
    number.untyped = true;
    return {number, left.type};
  }
  if (isSum && left.expression.text == "0")
    return right;
  if (right.expression.text == (isSum ? "0" : "1"))
    return left;
  IntType type = left.expression.untyped ? right.type : left.type;
  if (!left.expression.untyped && !right.expression.untyped &&
      left.type != right.type)
    type = {32, true};
  Expression l = convert(left.expression, left.type, type);
  Expression r = convert(right.expression, right.type, type);
  return {binary(l, op, r, isSum ? Precedence::Sum : Precedence::Product),
          type};
}

CodeEmitter::Index CodeEmitter::literalIndex(int64_t number) {
  Expression literal = comptimeLeaf(std::to_string(number));
  literal.untyped = true;
  return {literal, IntType()};
}

Expression CodeEmitter::access(Value memref, ArrayRef<Index> indices) {
  if (auto view = memref.getDefiningOp<memref::SubViewOp>()) {
    // The source's indices: offset + index * stride in each dimension that is
    // left, the offset in those that are dropped.
    std::vector<Index> inSource;
    llvm::SmallBitVector dropped = view.getDroppedDims();
    auto valueOf = [&](OpFoldResult part) {
      if (std::optional<int64_t> number = getConstantIntValue(part))
        return literalIndex(*number);
      Value value = cast<Value>(part);
      return Index{useNamed(value), intType(value)};
    };
    size_t next = 0;
    for (auto [dim, offset, stride] :
         llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
      Index start = valueOf(offset);
      if (!dropped.test(dim))
        start =
            combine(combine(indices[next++], "*", valueOf(stride)), "+", start);
      inSource.push_back(start);
    }
    return access(view.getSource(), inSource);
  }
  // An array that the host sees is flat.
  if (!indices.empty() && isFlat(memref)) {
    auto type = cast<MemRefType>(memref.getType());
    Index place = literalIndex(0);
    for (auto [index, size] : llvm::zip(indices, type.getShape()))
      place = combine(combine(place, "*", literalIndex(size)), "+", index);
    return indexed(use(memref).text, place.expression);
  }
  std::vector<Expression> plain;
  for (const Index &index : indices)
    plain.push_back(index.expression);
  return indexed(use(memref).text, plain);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

Expression CodeEmitter::loaded(const Expression &place, Value value,
                               bool isSigned) {
  if (!hasSign(value.getType()) || !isa<IntegerType>(value.getType()))
    return place;
  IntType type = intType(value);
  return convert(place, type.withSign(isSigned), type);
}

static bool isForInitials(Operation &op);

/// Whether `change`, of one field of what `read` gives, is stored where it was
/// read, with nothing between that could notice.
static bool isWrittenBack(memref::LoadOp read, csl::SetFieldOp change) {
  Value result = change.getResult();
  if (!read.getResult().hasOneUse() || !result.hasOneUse())
    return false;
  auto store = dyn_cast<memref::StoreOp>(*result.user_begin());
  if (!store || store->getBlock() != change->getBlock() ||
      store.getValueToStore() != result ||
      store.getMemRef() != read.getMemRef() ||
      store.getIndices() != read.getIndices())
    return false;
  for (Operation *op = change->getNextNode(); op != store;
       op = op->getNextNode())
    if (!isMemoryEffectFree(op))
      return false;
  return true;
}

/// The field of a struct, or of a tuple.
static std::string fieldText(StringRef name) {
  return llvm::all_of(name, llvm::isDigit) ? "[" + name.str() + "]"
                                           : "." + asIdentifier(name);
}

bool CodeEmitter::emitMemory(Operation &op) {
  if (isComptime && isForInitials(op))
    return true;
  if (auto get = dyn_cast<csl::GetVarOp>(op)) {
    defineLeaf(get, leaf(program.nameOf(program.lookup(get.getVarAttr()))));
    return true;
  }
  if (auto made = dyn_cast<memref::AllocaOp>(op)) {
    if (!made.getType().hasStaticShape() ||
        !made.getType().getLayout().isIdentity()) {
      refuse(&op, "is an array without a fixed size");
      return true;
    }
    std::string name = freshName(made);
    std::string align;
    if (std::optional<uint64_t> bytes = made.getAlignment())
      align = " align(" + std::to_string(*bytes) + ")";
    out->line("var " + name + ": " + typeOf(made) + align + ";");
    defineLeaf(made, leaf(name));
    if (llvm::all_of(made->getUsers(), [](Operation *user) {
          return isa<memref::LoadOp, memref::StoreOp>(user);
        }))
      privateRoots.insert(made.getOperation());
    return true;
  }
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    std::vector<Index> places = indices(load.getIndices());
    Expression place = access(load.getMemRef(), places);
    Expression value =
        loaded(place, load, program.signs.isSigned(load.getMemRef()));
    // An element of a constant is known to the compiler.
    auto get = load.getMemRef().getDefiningOp<csl::GetVarOp>();
    auto var = dyn_cast_or_null<csl::VarOp>(
        get ? program.lookup(get.getVarAttr()) : nullptr);
    value.comptime = var && var.getConstant() &&
                     llvm::all_of(places, [](const Index &index) {
                       return index.expression.comptime;
                     });
    define(load, value, readingOf(load.getMemRef(), load));
    return true;
  }
  auto store = [&](Value value, const Expression &place, Value to,
                   bool isSigned) {
    Expression expression = useSigned(value, isSigned);
    // It was changed there.
    if (expression.text == place.text &&
        value.getDefiningOp<csl::SetFieldOp>()) {
      takeEffects();
      return;
    }
    Effects effects = Effects::writing(rootOf(to));
    effects.acts = csl::getPlaceNumber(to) != nullptr;
    assign(place, expression, effects);
  };
  if (auto written = dyn_cast<memref::StoreOp>(op); written && isComptime)
    return setInitial(op, written.getMemRef(),
                      useSigned(written.getValueToStore(),
                                program.signs.isSigned(written.getMemRef())),
                      written.getIndices());
  if (auto written = dyn_cast<csl::StoreOp>(op); written && isComptime) {
    return setInitial(op, written.getPointer(),
                      useSigned(written.getValue(),
                                program.signs.isSigned(written.getPointer())),
                      {});
  }
  if (auto written = dyn_cast<memref::StoreOp>(op)) {
    Expression place =
        access(written.getMemRef(), indices(written.getIndices()));
    store(written.getValueToStore(), place, written.getMemRef(),
          program.signs.isSigned(written.getMemRef()));
    return true;
  }
  if (isa<memref::SubViewOp>(op)) {
    // Its accesses say what they mean in the source's indices; what they use
    // more than once gets its name here.
    for (Value operand : op.getOperands().drop_front())
      useNamed(operand);
    for (Operation *user : op.getResult(0).getUsers())
      if (!isa<memref::LoadOp, memref::StoreOp, memref::SubViewOp>(user)) {
        refuse(user, "uses a part of an array as a whole");
        return true;
      }
    return true;
  }
  if (isa<memref::CastOp>(op)) {
    defineLeaf(op.getResult(0), use(op.getOperand(0)));
    return true;
  }
  if (auto copy = dyn_cast<memref::CopyOp>(op)) {
    auto from = dyn_cast<MemRefType>(copy.getSource().getType());
    auto to = dyn_cast<MemRefType>(copy.getTarget().getType());
    if (!from || from != to || !from.hasStaticShape() ||
        isFlat(copy.getSource()) != isFlat(copy.getTarget()) ||
        !from.getLayout().isIdentity() ||
        program.signs.isSigned(copy.getSource()) !=
            program.signs.isSigned(copy.getTarget())) {
      refuse(&op, "copies between arrays of different types");
      return true;
    }
    Effects effects = Effects::reading(rootOf(copy.getSource()));
    effects.add(Effects::writing(rootOf(copy.getTarget())));
    Expression source = use(copy.getSource());
    assign(use(copy.getTarget()), source, effects);
    return true;
  }

  // Pointers.
  if (auto address = dyn_cast<csl::AddressOfOp>(op)) {
    std::vector<Index> places = indices(address.getIndices());
    bool isPlain = llvm::all_of(
        places, [](const Index &index) { return index.expression.comptime; });
    Expression result = addressOf(access(address.getMemref(), places).text);
    // A many-item pointer is to an array of rank 1.
    auto pointer = cast<csl::PtrType>(address.getType());
    int64_t rank = cast<MemRefType>(address.getMemref().getType()).getRank();
    if (places.empty() && rank > 1 &&
        isFlat(address.getMemref()) != pointer.getMany()) {
      result = callOf("@ptrcast", {comptimeLeaf(typeOf(address)), result});
      result.comptime = false;
      define(address, result);
      return true;
    }
    if (isPlain) {
      // A pointer on the way may be a variable that changes.
      Effects effects = takeEffects();
      defineLeaf(address, result, effects);
    } else {
      define(address, result);
    }
    return true;
  }
  if (auto view = dyn_cast<csl::AsMemrefOp>(op)) {
    auto pointer = cast<csl::PtrType>(view.getPointer().getType());
    // A place is written more than once, so the pointer has a name.
    Expression base = useNamed(view.getPointer());
    Effects effects = takeEffects();
    Expression place = pointer.getMany()
                           ? leaf(base.place.empty() ? base.text : base.place)
                           : dereference(base);
    defineLeaf(view, place, effects);
    return true;
  }
  if (auto element = dyn_cast<csl::ElementPtrOp>(op)) {
    auto pointer = cast<csl::PtrType>(element.getPointer().getType());
    Expression base = use(element.getPointer());
    std::string place = !pointer.getMany() ? dereference(base).text
                        : base.place.empty()
                            ? operandOf(base, Precedence::Postfix)
                            : base.place;
    std::vector<Expression> plain;
    for (const Index &index : indices(element.getIndices()))
      plain.push_back(index.expression);
    define(element, addressOf(indexed(place, plain).text));
    return true;
  }
  if (auto field = dyn_cast<csl::FieldPtrOp>(op)) {
    Expression base = use(field.getPointer());
    define(field,
           addressOf(dereference(base).text + fieldText(field.getField())));
    return true;
  }
  if (auto load = dyn_cast<csl::LoadOp>(op)) {
    Expression place = dereference(use(load.getPointer()));
    define(load, loaded(place, load, program.signs.isSigned(load.getPointer())),
           readingOf(load.getPointer(), load));
    return true;
  }
  if (auto written = dyn_cast<csl::StoreOp>(op)) {
    Expression place = dereference(use(written.getPointer()));
    store(written.getValue(), place, written.getPointer(),
          program.signs.isSigned(written.getPointer()));
    return true;
  }
  if (auto same = dyn_cast<csl::PtrCastOp>(op)) {
    define(same, callOf("@ptrcast",
                        {comptimeLeaf(typeOf(same)), use(same.getPointer())}));
    return true;
  }
  if (auto number = dyn_cast<csl::PtrToIntOp>(op)) {
    define(number, callOf("@bitcast", {comptimeLeaf(intType(number).str()),
                                       use(number.getPointer())}));
    return true;
  }
  if (auto pointer = dyn_cast<csl::IntToPtrOp>(op)) {
    define(pointer,
           callOf("@bitcast", {comptimeLeaf(typeOf(pointer)),
                               use(pointer.getAddress(), {16, false})}));
    return true;
  }
  if (auto address = dyn_cast<csl::FunctionAddressOp>(op)) {
    Expression result = comptimeLeaf(
        "&" + program.nameOf(program.lookup(address.getFunctionAttr())));
    result.precedence = Precedence::Unary;
    defineLeaf(address, result);
    return true;
  }
  return false;
}

/// The variable that an array or pointer is in, and the way to the place there:
/// an element's number, a field's, and so on.
static csl::VarOp findPlace(Value place, ValueRange indices,
                            ProgramEmitter &program,
                            std::vector<int64_t> &path) {
  // Row-major.
  auto step = [&](ArrayRef<int64_t> shape, ValueRange numbers) {
    int64_t number = 0;
    for (auto [index, size] : llvm::zip(numbers, shape)) {
      std::optional<int64_t> known = getConstantIntValue(index);
      if (!known || *known < 0 || *known >= size)
        return false;
      number = number * size + *known;
    }
    path.push_back(number);
    return true;
  };
  csl::VarOp var;
  if (auto get = place.getDefiningOp<csl::GetVarOp>()) {
    var = cast<csl::VarOp>(program.lookup(get.getVarAttr()));
    auto type = cast<MemRefType>(get.getType());
    return type.getRank() && indices.empty() ? var
           : step(type.getShape(), indices)  ? var
                                             : csl::VarOp();
  }
  if (auto address = place.getDefiningOp<csl::AddressOfOp>())
    return findPlace(address.getMemref(), address.getIndices(), program, path);
  if (auto field = place.getDefiningOp<csl::FieldPtrOp>()) {
    var = findPlace(field.getPointer(), {}, program, path);
    auto type =
        cast<csl::StructType>(field.getPointer().getType().getPointee());
    path.push_back(*type.getFieldIndex(field.getField()));
    return var;
  }
  if (auto view = place.getDefiningOp<csl::AsMemrefOp>()) {
    var = findPlace(view.getPointer(), {}, program, path);
    auto type = dyn_cast<MemRefType>(view.getType());
    if (!type || !var)
      return {};
    return indices.empty() || step(type.getShape(), indices) ? var
                                                             : csl::VarOp();
  }
  if (auto element = place.getDefiningOp<csl::ElementPtrOp>()) {
    var = findPlace(element.getPointer(), {}, program, path);
    auto type = dyn_cast<csl::ArrayType>(
        cast<csl::PtrType>(element.getPointer().getType()).getPointee());
    return var && type && step(type.getShape(), element.getIndices())
               ? var
               : csl::VarOp();
  }
  return {};
}

/// Whether all that is done with a pointer is to store initial values.
static bool isForInitials(Operation &op) {
  return isa<csl::AddressOfOp, csl::FieldPtrOp, csl::AsMemrefOp,
             csl::ElementPtrOp>(op) &&
         llvm::all_of(op.getResult(0).getUses(), [&](OpOperand &use) {
           Operation *user = use.getOwner();
           if (isa<csl::StoreOp, memref::StoreOp>(user))
             return use.getOperandNumber() == 1;
           return isForInitials(*user);
         });
}

bool CodeEmitter::setInitial(Operation &op, Value place,
                             const Expression &value, ValueRange indices) {
  takeEffects();
  std::vector<int64_t> path;
  csl::VarOp var;
  if (isa<csl::ComptimeOp>(op.getParentOp()) && op.getBlock()->isEntryBlock())
    var = findPlace(place, indices, program, path);
  if (!var) {
    refuse(&op, "stores into what is no place of a variable of the file that "
                "is known before the program starts, or only in some cases");
    return true;
  }
  program.setInitial(var, path, value);
  return true;
}

//===----------------------------------------------------------------------===//
// Aggregates
//===----------------------------------------------------------------------===//

bool CodeEmitter::emitAggregate(Operation &op) {
  if (auto made = dyn_cast<csl::AggregateOp>(op)) {
    std::vector<Doc> items;
    std::string type;
    if (auto aggregate = dyn_cast<csl::StructType>(made.getType())) {
      bool isTuple = aggregate.getName().empty() &&
                     !aggregate.getFieldNames().empty() &&
                     aggregate.getFieldNames().front().getValue() == "0";
      type = aggregate.getName().empty() &&
                     aggregate.getKind() == csl::AggregateKind::Plain &&
                     !aggregate.getIsUnion()
                 ? ""
                 : typeOf(made) + " ";
      for (auto [index, value] : llvm::enumerate(made.getValues())) {
        unsigned field = made.getField()
                             ? *aggregate.getFieldIndex(*made.getField())
                             : index;
        Expression item =
            useSigned(value, program.signs.isSigned(aggregate, field));
        // Nothing else says of what type a literal is here.
        if (item.untyped && type.empty())
          item = callOf("@as", {comptimeLeaf(typeOf(value)), item});
        items.push_back(
            isTuple
                ? Doc(item)
                : Doc::field(
                      asIdentifier(aggregate.getFieldNames()[field].getValue()),
                      item));
      }
    } else {
      type = typeOf(made) + " ";
      for (Value value : made.getValues())
        items.emplace_back(useSigned(value, program.signs.isSigned(made)));
    }
    Expression result;
    result.text = Doc::braces(type, std::move(items)).flat();
    define(made, result);
    return true;
  }
  if (auto splat = dyn_cast<csl::SplatOp>(op)) {
    Expression value =
        useSigned(splat.getValue(), program.signs.isSigned(splat));
    bool isZero = value.untyped && (value.text == "0" || value.text == "0.0");
    define(splat,
           isZero ? callOf("@zeros", {comptimeLeaf(typeOf(splat))})
                  : callOf("@constants", {comptimeLeaf(typeOf(splat)), value}));
    return true;
  }
  if (auto get = dyn_cast<csl::GetFieldOp>(op)) {
    Expression base = use(get.getValue());
    Expression result;
    result.text =
        operandOf(base, Precedence::Postfix) + fieldText(get.getField());
    auto type = cast<csl::StructType>(get.getValue().getType());
    unsigned field = *type.getFieldIndex(get.getField());
    define(get, loaded(result, get, program.signs.isSigned(type, field)));
    return true;
  }
  if (auto get = dyn_cast<csl::GetElementOp>(op)) {
    Expression base = useNamed(get.getValue());
    std::vector<Expression> plain;
    for (const Index &index : indices(get.getIndices()))
      plain.push_back(index.expression);
    define(get, loaded(indexed(base.text, plain), get,
                       program.signs.isSigned(get.getValue())));
    return true;
  }
  // What is replaced in comptime blocks has no place there.
  if (isa<csl::SetFieldOp, csl::SetElementOp>(op) && isComptime) {
    refuse(&op, "is not for a comptime block");
    return true;
  }
  // A changed copy: `var t = s; t.x = x;`. Only packed structs come here, see
  // SayInCsl.h.
  if (auto set = dyn_cast<csl::SetFieldOp>(op)) {
    Value source = set.getValue();
    // What goes back to where it was read is changed there.
    std::string name;
    const void *root = nullptr;
    if (auto read = source.getDefiningOp<memref::LoadOp>();
        read && pending.contains(source) && isWrittenBack(read, set)) {
      name = use(source).text;
      takeEffects();
      root = rootOf(read.getMemRef());
      // One that only this operation uses is changed in place.
    } else if (auto before = source.getDefiningOp<csl::SetFieldOp>();
               before && source.hasOneUse() &&
               before->getBlock() == set->getBlock()) {
      name = use(source).text;
      takeEffects();
    } else {
      Expression start = use(source);
      name = freshName(set);
      statement("var " + name + " = ", Doc(start), ";", {});
    }
    auto type = cast<csl::StructType>(source.getType());
    if (!root) {
      root = slotRoot(name);
      privateRoots.insert(root);
    }
    unsigned field = *type.getFieldIndex(set.getField());
    assign(leaf(name + fieldText(set.getField())),
           useSigned(set.getReplacement(), program.signs.isSigned(type, field)),
           Effects::writing(root));
    defineLeaf(set, leaf(name), Effects::reading(root));
    return true;
  }
  if (auto constant = dyn_cast<csl::EnumConstantOp>(op)) {
    defineLeaf(constant, comptimeLeaf(typeOf(constant) + "." +
                                      asIdentifier(constant.getName())));
    return true;
  }
  if (auto to = dyn_cast<csl::ToEnumOp>(op)) {
    define(to, callOf("@as", {comptimeLeaf(typeOf(to)), use(to.getNumber())}));
    return true;
  }
  if (auto converted = dyn_cast<csl::ConvertCB16Op>(op)) {
    Value from = converted.getValue(), to = converted.getResult();
    bool isBits = from.getType().isInteger(16) || to.getType().isInteger(16);
    std::string type =
        to.getType().isInteger(16) ? intType(to).str() : typeOf(to);
    define(to, callOf(isBits ? "@bitcast" : "@as",
                      {comptimeLeaf(type), useTyped(from)}));
    return true;
  }
  return false;
}
