//===- EmitArith.cpp - arith and math as expressions ----------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

namespace {
/// An operator and the sign that its operands need, if any.
struct Operator {
  StringRef text;
  Precedence precedence;
  std::optional<bool> isSigned;
};
} // namespace

static std::optional<Operator> getIntegerOperator(Operation &op) {
  using P = Precedence;
  return llvm::TypeSwitch<Operation *, std::optional<Operator>>(&op)
      .Case<arith::AddIOp>([](auto) { return Operator{"+", P::Sum, {}}; })
      .Case<arith::SubIOp>([](auto) { return Operator{"-", P::Sum, {}}; })
      .Case<arith::MulIOp>([](auto) { return Operator{"*", P::Product, {}}; })
      .Case<arith::DivSIOp>(
          [](auto) { return Operator{"/", P::Product, true}; })
      .Case<arith::DivUIOp>(
          [](auto) { return Operator{"/", P::Product, false}; })
      .Case<arith::RemSIOp>(
          [](auto) { return Operator{"%", P::Product, true}; })
      .Case<arith::RemUIOp>(
          [](auto) { return Operator{"%", P::Product, false}; })
      .Case<arith::AndIOp>([](auto) { return Operator{"&", P::BitAnd, {}}; })
      .Case<arith::OrIOp>([](auto) { return Operator{"|", P::BitOr, {}}; })
      .Case<arith::XOrIOp>([](auto) { return Operator{"^", P::BitXor, {}}; })
      .Default([](Operation *) { return std::nullopt; });
}

static std::optional<Operator> getFloatOperator(Operation &op) {
  using P = Precedence;
  return llvm::TypeSwitch<Operation *, std::optional<Operator>>(&op)
      .Case<arith::AddFOp>([](auto) { return Operator{"+", P::Sum, {}}; })
      .Case<arith::SubFOp>([](auto) { return Operator{"-", P::Sum, {}}; })
      .Case<arith::MulFOp>([](auto) { return Operator{"*", P::Product, {}}; })
      .Case<arith::DivFOp>([](auto) { return Operator{"/", P::Product, {}}; })
      .Default([](Operation *) { return std::nullopt; });
}

/// Of <math>.
static StringRef getLibraryFunction(Operation &op) {
  return llvm::TypeSwitch<Operation *, StringRef>(&op)
      .Case<math::SqrtOp>([](auto) { return "sqrt"; })
      .Case<math::RsqrtOp>([](auto) { return "invsqrt"; })
      .Case<math::ExpOp>([](auto) { return "exp"; })
      .Case<math::LogOp>([](auto) { return "log"; })
      .Case<math::SinOp>([](auto) { return "sin"; })
      .Case<math::CosOp>([](auto) { return "cos"; })
      .Case<math::TanhOp>([](auto) { return "tanh"; })
      .Case<math::PowFOp>([](auto) { return "pow"; })
      .Case<math::FloorOp>([](auto) { return "floor"; })
      .Case<math::CeilOp>([](auto) { return "ceil"; })
      .Case<math::AbsIOp>([](auto) { return "abs"; })
      .Case<arith::MaxSIOp, arith::MaxUIOp>([](auto) { return "max"; })
      .Case<arith::MinSIOp, arith::MinUIOp>([](auto) { return "min"; })
      .Default([](Operation *) { return ""; });
}

static std::optional<APInt> getNumber(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)))
    return number;
  return std::nullopt;
}

/// A mask reads better in hexadecimal.
static void useHexadecimal(Expression &expression, Value value) {
  std::optional<APInt> number = getNumber(value);
  if (!number || !expression.untyped || number->ult(10) ||
      StringRef(expression.text).starts_with("-"))
    return;
  expression.text =
      "0x" + llvm::utohexstr(number->getZExtValue(), /*LowerCase=*/true);
  expression.precedence = Precedence::Postfix;
}

//===----------------------------------------------------------------------===//
// Bools
//===----------------------------------------------------------------------===//

Expression CodeEmitter::negate(Value condition) {
  return opposite(use(condition),
                  condition.getDefiningOp<arith::CmpIOp>() != nullptr);
}

Expression CodeEmitter::choose(Value result, Value condition, Value yes,
                               Value no) {
  // Both values are there before the choice.
  useNamed(yes);
  useNamed(no);
  Expression test = use(condition);
  bool isInteger = hasSign(result.getType()) && result.getType().isIntOrIndex();
  IntType type = isInteger ? intType(result) : IntType();
  bool isPointer = isa<csl::PtrType>(result.getType());
  auto side = [&](Value value) {
    return isInteger   ? use(value, type)
           : isPointer ? usePointer(value, typeOf(result))
                       : use(value);
  };
  Expression a = side(yes), b = side(no);
  // Which literal is not known before the condition is; and the compiler that
  // knows the condition types none by the other side.
  auto addType = [&](Expression &side) {
    if (side.untyped)
      side = callOf("@as", {comptimeLeaf(typeOf(result)), side});
  };
  if (test.comptime || (a.untyped && b.untyped))
    addType(a);
  if (test.comptime)
    addType(b);
  Expression choice;
  choice.text = "if (" + test.text + ") " + a.text + " else " + b.text;
  choice.precedence = Precedence::Conditional;
  choice.comptime = test.comptime && a.comptime && b.comptime;
  if (test.comptime && (a.comptime || b.comptime))
    return hide(result, choice);
  return choice;
}

Expression CodeEmitter::hide(Value value, const Expression &expression) {
  if (expression.comptime || isComptime)
    return expression;
  flush(takeEffects());
  return variable(value, typeOf(value), expression);
}

Expression CodeEmitter::variable(Value value, const std::string &type,
                                 const Expression &expression) {
  std::string name = freshName(value);
  out->write("var " + name + ": " + type + " = ", Doc(expression), ";");
  Expression result = leaf(name);
  // Behind the block around it the name means nothing.
  result.leaf = false;
  return result;
}

Expression CodeEmitter::connect(Value result, bool isOr, const Expression &left,
                                const Expression &right) {
  Expression both = binary(left, isOr ? "or" : "and", right,
                           isOr ? Precedence::Or : Precedence::And);
  bool onlyBranches = llvm::all_of(result.getUsers(), [](Operation *user) {
    return isa<cf::CondBranchOp>(user);
  });
  return left.comptime && !onlyBranches ? hide(result, both) : both;
}

IntType CodeEmitter::operandType(Operation &op, IntType own, bool isSigned) {
  Value left = op.getOperand(0), right = op.getOperand(1);
  if (!left.getType().isIndex())
    return own.withSign(isSigned);
  // An index has 32 bits, whatever type holds its range: fewer are enough where
  // they hold all operands with their signs and the result.
  auto fits = [&](Value operand) {
    std::optional<APInt> number = getNumber(operand);
    if (!number)
      return intType(operand) == own;
    return own.isSigned ? number->isSignedIntN(own.width)
                        : number->isIntN(own.width);
  };
  std::optional<APInt> divisor = getNumber(right);
  // All ones, for a divisor that is 0.
  bool mayBeWide = isa<arith::DivUIOp, arith::DivSIOp>(op) &&
                   (!divisor || divisor->isZero());
  bool hasOtherSign = own.isSigned && !isSigned;
  if (hasOtherSign || mayBeWide || !fits(left) || !fits(right))
    return {32, isSigned};
  return own;
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

bool CodeEmitter::emitIntegerCast(Operation &op) {
  Value from = op.getOperand(0), to = op.getResult(0);
  IntType target = intType(to);
  if (from.getType().isInteger(1)) {
    // 1 or 0; sign-extended: -1 or 0.
    bool isNegative = isa<arith::ExtSIOp, arith::IndexCastOp>(op);
    IntType type = isNegative ? target.withSign(true) : target;
    Expression number = callOf("@as", {comptimeLeaf(type.str()), use(from)});
    define(to, isNegative ? convert(unary("-", number), type, target) : number);
    return true;
  }
  if (to.getType().isInteger(1)) {
    Expression one = comptimeLeaf("1"), zero = comptimeLeaf("0");
    one.untyped = zero.untyped = true;
    define(to, binary(binary(useTyped(from), "&", one, Precedence::BitAnd),
                      "!=", zero, Precedence::Compare));
    return true;
  }
  IntType source = intType(from);
  // A known number is extended here: a literal takes the bits of its new type.
  if (std::optional<APInt> number = getNumber(from);
      number && target.width > number->getBitWidth()) {
    bool isSigned = isa<arith::ExtSIOp, arith::IndexCastOp>(op);
    define(to, integerLiteral(isSigned ? number->sext(target.width)
                                       : number->zext(target.width),
                              target.isSigned));
    return true;
  }
  // A literal stays one as long as its sign does not matter.
  auto defineLiteral = [&](Expression literal) {
    uint64_t number;
    if (StringRef(literal.text).getAsInteger(0, number) ||
        number >> (target.width - 1))
      literal = callOf("@as", {comptimeLeaf(target.str()), literal});
    define(to, literal);
    return true;
  };
  if (from.getType().isIndex() && target.width > source.width &&
      !getNumber(from)) {
    // An index has 32 bits, whatever type holds its range.
    IntType whole = {32, source.isSigned};
    IntType extended = {32, isa<arith::IndexCastOp>(op)};
    Expression number =
        convert(convert(use(from, source), source, whole), whole, extended);
    IntType wide = target.withSign(extended.isSigned);
    define(to, convert(convert(number, extended, wide), wide, target));
    return true;
  }
  if (isa<arith::ExtSIOp, arith::IndexCastOp>(op) &&
      target.width >= source.width) {
    // The operand's sign is extended.
    if (getNumber(from))
      return defineLiteral(useExtended(from, source.withSign(true), target));
    Expression number = use(from, source.withSign(true));
    // A number that is never negative needs no detour through a signed type;
    // the range of an index says so.
    Expression wide =
        convert(number, source.withSign(true),
                target.width == source.width ? target : target.withSign(true));
    if (target.width != source.width)
      wide = convert(wide, target.withSign(true), target);
    define(to, wide);
    return true;
  }
  if (isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) &&
      target.width >= source.width) {
    if (getNumber(from))
      return defineLiteral(useExtended(from, source.withSign(false), target));
    Expression number = use(from, source.withSign(false));
    define(to, convert(number, source.withSign(false), target));
    return true;
  }
  if (getNumber(from))
    return defineLiteral(use(from, target));
  Expression number = use(from);
  if (number.untyped)
    number = callOf("@as", {comptimeLeaf(source.str()), number});
  define(to, convert(number, source, target));
  return true;
}

void CodeEmitter::emitFloatCompare(Operation &op) {
  auto compare = cast<arith::CmpFOp>(op);
  using Pred = arith::CmpFPredicate;
  Value lhs = compare.getLhs(), rhs = compare.getRhs();
  auto side = [&](Value value, Value other, bool isLeft) {
    bool bothLiteral = isLeft && value.getDefiningOp<arith::ConstantOp>() &&
                       other.getDefiningOp<arith::ConstantOp>();
    return bothLiteral ? useTyped(value) : use(value);
  };
  auto relation = [&](StringRef text) {
    Expression left = side(lhs, rhs, true), right = side(rhs, lhs, false);
    return binary(left, text, right, Precedence::Compare);
  };
  // Where an operand is written twice it needs a name.
  auto twice = [&] {
    useNamed(lhs);
    useNamed(rhs);
  };
  auto ordered = [&](StringRef first, StringRef second, StringRef op,
                     Precedence precedence) {
    twice();
    return binary(relation(first), op, relation(second), precedence);
  };
  auto self = [&](Value value, StringRef text) {
    Expression name = useNamed(value);
    return binary(name, text, name, Precedence::Compare);
  };
  switch (compare.getPredicate()) {
  case Pred::OEQ:
    return define(compare, relation("=="));
  case Pred::UNE:
    return define(compare, relation("!="));
  case Pred::OLT:
    return define(compare, relation("<"));
  case Pred::OLE:
    return define(compare, relation("<="));
  case Pred::OGT:
    return define(compare, relation(">"));
  case Pred::OGE:
    return define(compare, relation(">="));
  // True where a side is not a number: the opposite relation does not hold.
  case Pred::ULT:
    return define(compare, unary("!", relation(">=")));
  case Pred::ULE:
    return define(compare, unary("!", relation(">")));
  case Pred::UGT:
    return define(compare, unary("!", relation("<=")));
  case Pred::UGE:
    return define(compare, unary("!", relation("<")));
  case Pred::ONE:
    return define(compare, ordered("<", ">", "or", Precedence::Or));
  case Pred::UEQ:
    return define(compare, unary("!", ordered("<", ">", "or", Precedence::Or)));
  case Pred::ORD: {
    Expression left = self(lhs, "=="), right = self(rhs, "==");
    return define(compare, binary(left, "and", right, Precedence::And));
  }
  case Pred::UNO: {
    Expression left = self(lhs, "!="), right = self(rhs, "!=");
    return define(compare, binary(left, "or", right, Precedence::Or));
  }
  case Pred::AlwaysFalse:
    return define(compare, comptimeLeaf("false"));
  case Pred::AlwaysTrue:
    return define(compare, comptimeLeaf("true"));
  }
}

//===----------------------------------------------------------------------===//
// arith
//===----------------------------------------------------------------------===//

bool CodeEmitter::emitArith(Operation &op) {
  if (!isa<arith::ArithDialect>(op.getDialect()))
    return false;
  if (op.getNumResults() != 1) {
    refuse(&op, "gives two results, which no operator of CSL does");
    return true;
  }
  Value result = op.getResult(0);
  if (isa<ShapedType>(result.getType())) {
    refuse(&op, "is about vectors or tensors");
    return true;
  }
  bool isBool = op.getNumOperands() && op.getOperand(0).getType().isInteger(1);

  // Logic.
  if (isBool && isa<arith::AndIOp, arith::OrIOp, arith::MulIOp>(op)) {
    bool isOr = isa<arith::OrIOp>(op);
    Expression left = use(op.getOperand(0));
    // What is behind `and` may not be evaluated: only what costs nothing.
    Expression right = useNamed(op.getOperand(1));
    define(result, connect(result, isOr, left, right));
    return true;
  }
  if (isBool && isa<arith::XOrIOp, arith::AddIOp, arith::SubIOp>(op)) {
    if (matchPattern(op.getOperand(1), m_One())) {
      define(result, negate(op.getOperand(0)));
      return true;
    }
    Expression left = use(op.getOperand(0)), right = use(op.getOperand(1));
    define(result, binary(left, "!=", right, Precedence::Compare));
    return true;
  }

  // Sums, products, bits.
  if (std::optional<Operator> found = getIntegerOperator(op)) {
    if (isBool) {
      refuse(&op, "is arithmetic on bools");
      return true;
    }
    IntType own = intType(result);
    IntType type = found->isSigned ? operandType(op, own, *found->isSigned)
                                   : own.withSign(own.isSigned);
    Value left = op.getOperand(0), right = op.getOperand(1);
    bool bothLiteral = getNumber(left) && getNumber(right);
    std::optional<APInt> number = getNumber(right);
    if (isa<arith::XOrIOp>(op) && number && number->isAllOnes()) {
      Expression operand = use(left, type);
      if (operand.untyped)
        operand = callOf("@as", {comptimeLeaf(type.str()), operand});
      define(result, convert(unary("~", operand), type, own));
      return true;
    }
    if (std::optional<APInt> zero = getNumber(left); isa<arith::SubIOp>(op) &&
                                                     zero && zero->isZero() &&
                                                     type.isSigned && !number) {
      Expression operand = use(right, type);
      if (operand.untyped)
        operand = callOf("@as", {comptimeLeaf(type.str()), operand});
      // The least number of a type has no opposite there.
      if (operand.comptime && !isComptime)
        operand = variable(right, type.str(), operand);
      define(result, unary("-", operand));
      return true;
    }
    Expression a = use(left, type);
    StringRef text = found->text;
    Expression b;
    // Of numbers without a sign the compiler refuses a negative difference.
    bool mayBorrow = type.isSigned || !getNumber(left);
    // In the bits that are written: an index has more.
    std::optional<APInt> added;
    if (isa<arith::AddIOp>(op) && number)
      added = number->sextOrTrunc(type.width);
    if (added && added->isNegative() && !added->isMinSignedValue() &&
        mayBorrow) {
      text = "-";
      b = comptimeLeaf(spellInteger(-*added, /*isSigned=*/true));
      b.untyped = true;
    } else {
      b = use(right, type);
    }
    // Literals as they stand, or left of conversions.
    if (a.untyped && b.untyped)
      a = callOf("@as", {comptimeLeaf(type.str()), a});
    if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
      useHexadecimal(b, right);
    // Of parameters: a variable, since the compiler refuses what running code
    // wraps.
    if (a.comptime && b.comptime && !bothLiteral && !isComptime &&
        isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
      a = variable(left, type.str(), a);
    // And divides by what may be 0 at some PE.
    bool isDivision =
        isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op);
    if (b.comptime && !number && !isComptime && isDivision)
      b = variable(right, type.str(), b);
    if (a.comptime && number && number->isZero() && !isComptime && isDivision)
      a = variable(left, type.str(), a);
    define(result, convert(binary(a, text, b, found->precedence), type, own));
    return true;
  }
  if (std::optional<Operator> found = getFloatOperator(op)) {
    Expression left = use(op.getOperand(0)), right = use(op.getOperand(1));
    if (left.untyped && right.untyped)
      left = callOf("@as", {comptimeLeaf(typeOf(result)), left});
    // The compiler refuses infinities and what is no number.
    if (left.comptime && right.comptime && !isComptime)
      left = variable(op.getOperand(0), typeOf(result), left);
    define(result, binary(left, found->text, right, found->precedence));
    return true;
  }
  if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op)) {
    IntType own = intType(result);
    IntType type = isa<arith::ShLIOp>(op)
                       ? own
                       : operandType(op, own, isa<arith::ShRSIOp>(op));
    Expression left = use(op.getOperand(0), type);
    if (left.untyped)
      left = callOf("@as", {comptimeLeaf(type.str()), left});
    // The count has no sign.
    Value count = op.getOperand(1);
    Expression right = use(count, intType(count).withSign(false));
    // A bare number would take the type of the left side.
    if (std::optional<APInt> number = getNumber(count);
        number && right.untyped && type.isSigned && number->isNegative())
      right = callOf(
          "@as", {comptimeLeaf(intType(count).withSign(false).str()), right});
    StringRef text = isa<arith::ShLIOp>(op) ? "<<" : ">>";
    define(result,
           convert(binary(left, text, right, Precedence::Shift), type, own));
    return true;
  }
  if (isa<arith::NegFOp>(op)) {
    define(result, unary("-", use(op.getOperand(0))));
    return true;
  }

  // Comparisons.
  if (auto compare = dyn_cast<arith::CmpIOp>(op)) {
    using Pred = arith::CmpIPredicate;
    Value lhs = compare.getLhs(), rhs = compare.getRhs();
    static constexpr StringRef kTexts[] = {"==", "!=", "<",  "<=", ">",
                                           ">=", "<",  "<=", ">",  ">="};
    StringRef text = kTexts[static_cast<unsigned>(compare.getPredicate())];
    if (isBool) {
      Expression left = use(lhs), right = use(rhs);
      define(result, binary(left, text, right, Precedence::Compare));
      return true;
    }
    // The literal's side has no say.
    IntType type = intType(getNumber(lhs) ? rhs : lhs);
    bool isIndex = lhs.getType().isIndex();
    if (isIndex)
      type = operandType(op, type,
                         compare.getPredicate() >= Pred::ult   ? false
                         : compare.getPredicate() >= Pred::slt ? true
                                                               : type.isSigned);
    else if (compare.getPredicate() >= Pred::ult)
      type.isSigned = false;
    else if (compare.getPredicate() >= Pred::slt)
      type.isSigned = true;
    Expression left = use(lhs, type), right = use(rhs, type);
    if (left.untyped && right.untyped)
      left = callOf("@as", {comptimeLeaf(type.str()), left});
    define(result, binary(left, text, right, Precedence::Compare));
    return true;
  }
  if (isa<arith::CmpFOp>(op)) {
    emitFloatCompare(op);
    return true;
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    if (!select.getCondition().getType().isInteger(1)) {
      refuse(&op, "chooses element by element");
      return true;
    }
    if (matchPattern(select.getTrueValue(), m_Zero()) &&
        matchPattern(select.getFalseValue(), m_One()) &&
        result.getType().isInteger(1))
      define(result, negate(select.getCondition()));
    else
      define(result, choose(result, select.getCondition(),
                            select.getTrueValue(), select.getFalseValue()));
    return true;
  }

  // Conversions.
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp,
          arith::IndexCastUIOp>(op))
    return emitIntegerCast(op);
  // Of a parameter the compiler refuses what its new type does not hold.
  auto run = [&](Value value, const std::string &type, Expression number) {
    return number.comptime && !isComptime ? variable(value, type, number)
                                          : number;
  };
  if (isa<arith::ExtFOp>(op)) {
    define(result, callOf("@as", {comptimeLeaf(typeOf(result)),
                                  use(op.getOperand(0))}));
    return true;
  }
  if (isa<arith::TruncFOp>(op)) {
    Value from = op.getOperand(0);
    define(result, callOf("@as", {comptimeLeaf(typeOf(result)),
                                  run(from, typeOf(from), use(from))}));
    return true;
  }
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    Value from = op.getOperand(0);
    bool isSigned = isa<arith::SIToFPOp>(op);
    Expression number;
    if (isBool)
      number = isSigned
                   ? unary("-", callOf("@as", {comptimeLeaf("i16"), use(from)}))
                   : use(from);
    else {
      IntType type = intType(from).withSign(isSigned);
      number = use(from, type);
      if (result.getType().getIntOrFloatBitWidth() == 16)
        number = run(from, type.str(), number);
    }
    define(result, callOf("@as", {comptimeLeaf(typeOf(result)), number}));
    return true;
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op)) {
    if (result.getType().isInteger(1)) {
      refuse(&op, "rounds to one bit");
      return true;
    }
    IntType own = intType(result);
    IntType type = own.withSign(isa<arith::FPToSIOp>(op));
    Value from = op.getOperand(0);
    Expression number = run(from, typeOf(from), useTyped(from));
    define(result, convert(callOf("@as", {comptimeLeaf(type.str()), number}),
                           type, own));
    return true;
  }
  if (isa<arith::BitcastOp>(op)) {
    define(result, callOf("@bitcast", {comptimeLeaf(typeOf(result)),
                                       useTyped(op.getOperand(0))}));
    return true;
  }
  return emitMath(op);
}

bool CodeEmitter::emitMath(Operation &op) {
  if (!isa<math::MathDialect, arith::ArithDialect>(op.getDialect()))
    return false;
  StringRef function = getLibraryFunction(op);
  if (function.empty()) {
    refuse(&op, "is no function of CSL's <math>");
    return true;
  }
  Value result = op.getResult(0);
  bool isInteger = isa<IntegerType, IndexType>(result.getType());
  bool isUnsigned = isa<arith::MaxUIOp, arith::MinUIOp>(op);
  // A call would take longer than what it replaces.
  if (isInteger && op.getNumOperands() == 2) {
    IntType own = intType(result);
    IntType type = operandType(op, own, !isUnsigned);
    bool isMax = isa<arith::MaxSIOp, arith::MaxUIOp>(op);
    for (Value operand : op.getOperands())
      useNamed(operand);
    Expression left = use(op.getOperand(0), type);
    Expression right = use(op.getOperand(1), type);
    if (left.untyped)
      left = callOf("@as", {comptimeLeaf(type.str()), left});
    Expression choice;
    choice.text = "if (" + left.text + (isMax ? " > " : " < ") + right.text +
                  ") " + left.text + " else " + right.text;
    choice.precedence = Precedence::Conditional;
    choice.comptime = left.comptime && right.comptime;
    define(result, convert(choice, type, own));
    return true;
  }
  IntType own = isInteger ? intType(result) : IntType();
  IntType type = own.withSign(!isUnsigned);
  // The same: the larger of a number and its opposite.
  if (isInteger && isa<math::AbsIOp>(op) && !getNumber(op.getOperand(0))) {
    useNamed(op.getOperand(0));
    Expression operand = use(op.getOperand(0), type);
    Expression negative = unary("-", operand);
    Expression choice;
    choice.text = "if (" + operand.text + " > " + negative.text + ") " +
                  operand.text + " else " + negative.text;
    choice.precedence = Precedence::Conditional;
    choice.comptime = operand.comptime;
    define(result, convert(choice, type, own));
    return true;
  }
  std::vector<Expression> arguments;
  for (Value operand : op.getOperands())
    arguments.push_back(isInteger ? use(operand, type) : use(operand));
  // Generic functions take their type from an argument.
  for (auto [argument, operand] : llvm::zip(arguments, op.getOperands()))
    if (argument.untyped)
      argument =
          callOf("@as", {comptimeLeaf(isInteger ? type.str() : typeOf(operand)),
                         argument});
  Expression call =
      callOf(program.library("math") + "." + function.str(), arguments);
  call.comptime = false;
  define(result, isInteger ? convert(call, type, own) : call);
  return true;
}
