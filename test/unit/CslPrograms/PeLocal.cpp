//===- PeLocal.cpp - Code of random programs on arrays alone --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeWriter.h"
#include "llvm/ADT/StringRef.h"

using namespace sequin;
using namespace sequin::testing;
using llvm::StringRef;

/// Three operations that go on where the one before ended.
void PeWriter::savedAddress() {
  int count = dice.between(1, 20);
  Array &from = pick(2), &to = pick(2);
  std::string a = get(from), b = get(to);
  std::string s = let("csl.mem1d_dsd " + a + " : " + memrefOf(from) +
                      " extent " + std::to_string(count));
  std::string d = let("csl.mem1d_dsd " + b + " : " + memrefOf(to) + " extent " +
                      std::to_string(count));
  std::string sr = let("csl.get_dsr 2 : !csl.dsr<src1>");
  std::string dr = let("csl.get_dsr 4 : !csl.dsr<dest>");
  line("csl.load_to_dsr " + sr + ", " + s +
       " : !csl.dsr<src1>, !csl.dsd<mem1d> save_address");
  line("csl.load_to_dsr " + dr + ", " + d +
       " : !csl.dsr<dest>, !csl.dsd<mem1d> save_address");
  for (int i = 0; i < 3; ++i)
    line("csl.mov16 " + dr + " = " + sr + " : !csl.dsr<dest> = !csl.dsr<src1>");
}

/// A circular buffer, read twice.
void PeWriter::ring() {
  Array &from = pick(2), &to = pick(2);
  int count = dice.between(1, 30);
  std::string a = get(from);
  std::string r = let("csl.circbuf_dsd " + a + " : " + memrefOf(from) +
                      " extent " + std::to_string(count) + " wraparound " +
                      std::to_string(dice.between(1, kElements)));
  std::string sr = let("csl.get_dsr 6 : !csl.dsr<src1>");
  std::string x = let("csl.get_xdsr 1");
  line("csl.load_to_dsr_xdsr " + sr + ", " + x + ", " + r +
       " : !csl.dsr<src1>, !csl.dsd<circbuf>" +
       (dice.chance(60) ? " save_address" : ""));
  for (int i = 0; i < 2; ++i) {
    Named d = memory(to, count);
    line("csl.mov16 " + d.name + " = " + sr + " : " + d.type +
         " = !csl.dsr<src1>");
  }
}

void PeWriter::map() {
  bool isFloat = dice.chance(50);
  std::string type = isFloat ? "f32" : "i16";
  std::string name = "@map" + std::to_string(maps++);
  std::string op = isFloat ? (dice.chance(50) ? "arith.mulf" : "arith.subf")
                           : (dice.chance(50) ? "arith.muli" : "arith.xori");
  functions += "    func.func " + name + "(%a: " + type + ", %b: " + type +
               ") -> " + type + " {\n      %c = " + op + " %a, %b : " + type +
               "\n      %d = " + op + " %c, %a : " + type +
               "\n      return %d : " + type + "\n    }\n";
  unsigned bytes = isFloat ? 4 : 2;
  int count = dice.between(1, 12);
  Named a = memory(pick(bytes), count);
  Named b = dice.chance(50)
                ? memory(pick(bytes), count + dice.roll(3))
                : constant(isFloat ? DsdElement::F32 : DsdElement::I16);
  Named out = memory(pick(bytes), count + dice.roll(2));
  line("csl.map " + name + "(" + a.name + ", " + b.name + ") to " + out.name +
       " : (" + a.type + ", " + b.type + ") to " + out.type);
}

/// Pushes and pops; whether they went through is stored.
void PeWriter::fifo() {
  if (localFifo.empty()) {
    localFifoBytes = dice.chance(50) ? 2 : 4;
    localFifo = "@lf";
    std::string element = localFifoBytes == 2 ? "i16" : "i32";
    variables += "    csl.var @lfbuffer : memref<" +
                 std::to_string(dice.between(2, 9)) + "x" + element + ">\n";
    variables += std::string("    csl.fifo @lf over @lfbuffer") +
                 (dice.chance(30) ? " empty terminate" : "") +
                 (!wse2 && dice.chance(30) ? " full terminate" : "") + "\n";
  }
  std::string element = localFifoBytes == 2 ? "i16" : "i32";
  std::string type = "!csl.fifo<" + element + ">";
  std::string f = let("csl.get_fifo @lf : " + type);
  int count = dice.between(1, 7);
  Named mem = memory(pick(localFifoBytes), count);
  std::string move = localFifoBytes == 2 ? "csl.mov16 " : "csl.mov32 ";
  // Lengths stay from operation to operation; 0 leaves it to the memory.
  bool push = dice.chance(55);
  std::string n = integer(dice.chance(60) ? 0 : count, "i16");
  line(std::string(push ? "csl.set_fifo_write_length "
                        : "csl.set_fifo_read_length ") +
       f + ", " + n + " : " + type);
  std::string ok;
  if (push)
    ok = let(move + f + " = " + mem.name + " : " + type + " = " + mem.type);
  else if (dice.chance(80))
    ok = let(move + mem.name + " = " + f + " : " + mem.type + " = " + type);
  else {
    Named p = pointer(localFifoBytes == 2 ? DsdElement::I16 : DsdElement::I32);
    ok = let(move + p.name + " = " + f + " : " + p.type + " = " + type);
  }
  std::string wide = let("arith.extui " + ok + " : i1 to i16");
  Array &to = pick(2, "i16");
  std::string base = get(to);
  line("memref.store " + wide + ", " + base + "[" +
       indices(to, dice.roll(kElements)) + "] : " + memrefOf(to));
}

//===----------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------===//

void PeWriter::scalars() {
  static const char *const integerOps[] = {
      "addi",  "subi",  "muli",  "divsi",     "divui",     "remsi",     "remui",
      "andi",  "ori",   "xori",  "shli",      "shrsi",     "shrui",     "minsi",
      "maxsi", "minui", "maxui", "ceildivsi", "ceildivui", "floordivsi"};
  static const char *const floatOps[] = {"addf",     "subf",     "mulf",
                                         "divf",     "maxnumf",  "minnumf",
                                         "maximumf", "minimumf", "remf"};
  static const char *const unaryOps[] = {
      "sqrt",  "exp",   "log",       "sin",   "cos",   "tanh",
      "floor", "ceil",  "absf",      "exp2",  "log1p", "trunc",
      "erf",   "rsqrt", "roundeven", "round", "atan",  "log2"};
  static const char *const orders[] = {"slt", "ult", "eq", "sge", "ugt"};
  static const char *const floatOrders[] = {"olt", "uge", "une", "ord", "oeq"};
  bool hasHalf = format != Fp16Format::CB16;
  std::string type = std::vector<std::string>{
      "i16", "i32", "f32",
      hasHalf ? half : "f32"}[static_cast<size_t>(dice.roll(4))];
  bool isFloat = type[0] == 'f' || type[0] == 'b';
  unsigned bytes = type == "i32" || type == "f32" ? 4 : 2;
  auto load = [&] {
    Array &array = pick(bytes, type);
    std::string base = get(array);
    return let("memref.load " + base + "[" +
               indices(array, dice.roll(kElements)) + "] : " + memrefOf(array));
  };
  std::vector<std::string> values = {load(), load(), load()};
  auto any = [&] { return values[dice.roll(static_cast<int>(values.size()))]; };
  for (int i = dice.between(1, 6); i--;) {
    std::string a = any(), b = any();
    int what = dice.roll(10);
    if (what == 0) {
      std::string c =
          isFloat ? let(std::string("arith.cmpf ") + floatOrders[dice.roll(5)] +
                        ", " + a + ", " + b + " : " + type)
                  : let(std::string("arith.cmpi ") + orders[dice.roll(5)] +
                        ", " + a + ", " + b + " : " + type);
      values.push_back(
          let("arith.select " + c + ", " + any() + ", " + b + " : " + type));
    } else if (what == 1 && isFloat) {
      values.push_back(let(std::string("math.") + unaryOps[dice.roll(18)] +
                           " " + a + " : " + type));
    } else if (what == 2 && isFloat) {
      std::string n = let("arith.fptosi " + a + " : " + type + " to i16");
      values.push_back(let("arith.sitofp " + n + " : i16 to " + type));
    } else if (what == 3 && isFloat) {
      values.push_back(
          let("math.fma " + a + ", " + b + ", " + any() + " : " + type));
    } else if (what == 2 && type == "i16") {
      std::string w = let("arith.extsi " + a + " : i16 to i32");
      std::string v = let("arith.extui " + b + " : i16 to i32");
      std::string p = let("arith.muli " + w + ", " + v + " : i32");
      std::string s = integer(dice.roll(17), "i32");
      p = let("arith.shrsi " + p + ", " + s + " : i32");
      values.push_back(let("arith.trunci " + p + " : i32 to i16"));
    } else if (what == 3 && !isFloat) {
      const char *const counts[] = {"ctpop", "ctlz", "cttz", "absi"};
      values.push_back(let(std::string("math.") + counts[dice.roll(4)] + " " +
                           a + " : " + type));
    } else if (isFloat) {
      std::string name = floatOps[dice.roll(9)];
      // Of equal operands the compiler takes one, even a NaN that the machine
      // would replace by its own; here they are never equal.
      if (name.starts_with("max") || name.starts_with("min")) {
        std::string one = let("arith.constant 1.0 : " + type);
        b = let("arith.addf " + b + ", " + one + " : " + type);
      }
      values.push_back(
          let("arith." + name + " " + a + ", " + b + " : " + type));
    } else {
      std::string name = integerOps[dice.roll(20)];
      // A division by zero has no meaning.
      if (name.find("div") != std::string::npos || name.starts_with("rem"))
        b = let("arith.ori " + b + ", " + integer(1, type) + " : " + type);
      values.push_back(
          let("arith." + name + " " + a + ", " + b + " : " + type));
    }
  }
  Array &to = pick(bytes, type);
  std::string base = get(to);
  line("memref.store " + values.back() + ", " + base + "[" +
       indices(to, dice.roll(kElements)) + "] : " + memrefOf(to));
}

/// A loop with a value that goes round, a condition, and random bits.
void PeWriter::loop() {
  Array &array = pick(2, "i16");
  std::string base = get(array);
  std::string zero = index(0), one = index(1), end = index(dice.between(0, 9));
  std::string start =
      dice.chance(30) ? let("csl.random16") : constant(DsdElement::I16).name;
  std::string limit = integer(dice.between(-2000, 2000), "i16");
  std::string result = fresh(), i = fresh(), carried = fresh(), c = fresh(),
              r = fresh(), t = fresh(), e = fresh(), n = fresh();
  line(result + " = scf.for " + i + " = " + zero + " to " + end + " step " +
       one + " iter_args(" + carried + " = " + start + ") -> (i16) {");
  line("  " + n + " = arith.index_cast " + i + " : index to i16");
  line("  " + c + " = arith.cmpi slt, " + carried + ", " + limit + " : i16");
  line("  " + r + " = scf.if " + c + " -> (i16) {");
  line("    " + t + " = arith.addi " + carried + ", " + carried + " : i16");
  line("    scf.yield " + t + " : i16");
  line("  } else {");
  line("    " + e + " = arith.subi " + n + ", " + carried + " : i16");
  line("    scf.yield " + e + " : i16");
  line("  }");
  line("  scf.yield " + r + " : i16");
  line("}");
  line("memref.store " + result + ", " + base + "[" +
       indices(array, dice.roll(kElements)) + "] : " + memrefOf(array));
}

/// Regions of scf.index_switch and scf.while.
void PeWriter::choice() {
  Array &array = pick(2, "i16");
  std::string base = get(array), type = memrefOf(array);
  auto element = [&] {
    return base + "[" + indices(array, dice.roll(kElements)) + "] : " + type;
  };
  std::string at = element();
  std::string v = let("memref.load " + at);
  std::string three = integer(3, "i16"), one = integer(1, "i16"),
              five = integer(5, "i16");
  std::string low = let("arith.andi " + v + ", " + three + " : i16");
  std::string which = let("arith.index_cast " + low + " : i16 to index");
  std::string chosen = fresh(), a = fresh(), b = fresh();
  line(chosen + " = scf.index_switch " + which + " -> i16");
  line("case 0 {");
  line("  " + a + " = arith.subi " + v + ", " + five + " : i16");
  line("  scf.yield " + a + " : i16");
  line("}");
  line("case 2 {");
  line("  scf.yield " + five + " : i16");
  line("}");
  line("default {");
  line("  " + b + " = arith.xori " + v + ", " + low + " : i16");
  line("  scf.yield " + b + " : i16");
  line("}");
  // Counts the bits off, so it ends.
  std::string start = let("arith.ori " + chosen + ", " + one + " : i16");
  std::string result = fresh(), x = fresh(), zero = integer(0, "i16"),
              go = fresh(), y = fresh(), less = fresh(), next = fresh(),
              count = fresh(), more = fresh(), seen = fresh();
  line(result + ":2 = scf.while (" + x + " = " + start + ", " + count + " = " +
       zero + ") : (i16, i16) -> (i16, i16) {");
  line("  " + go + " = arith.cmpi ne, " + x + ", " + zero + " : i16");
  line("  scf.condition(" + go + ") " + x + ", " + count + " : i16, i16");
  line("} do {");
  line("^bb0(" + y + ": i16, " + seen + ": i16):");
  line("  " + less + " = arith.subi " + y + ", " + one + " : i16");
  line("  " + next + " = arith.andi " + y + ", " + less + " : i16");
  line("  " + more + " = arith.addi " + seen + ", " + one + " : i16");
  line("  scf.yield " + next + ", " + more + " : i16, i16");
  line("}");
  std::string sum = let("arith.addi " + result + "#1, " + chosen + " : i16");
  std::string to = element();
  line("memref.store " + sum + ", " + to);
}

/// Integers of 8 and 64 bits.
void PeWriter::wide() {
  Array &array = pick(2, "i16");
  std::string base = get(array), type = memrefOf(array);
  auto load = [&] {
    std::string at = indices(array, dice.roll(kElements));
    return let("memref.load " + base + "[" + at + "] : " + type);
  };
  static const char *const ops[] = {"addi",  "subi", "muli",  "minsi",
                                    "maxui", "xori", "shrsi", "divsi"};
  bool narrow = dice.chance(50);
  std::string t = narrow ? "i8" : "i64";
  auto convert = [&](const std::string &value) {
    return narrow            ? let("arith.trunci " + value + " : i16 to i8")
           : dice.chance(50) ? let("arith.extsi " + value + " : i16 to i64")
                             : let("arith.extui " + value + " : i16 to i64");
  };
  std::string a = convert(load()), b = convert(load());
  std::string one = integer(1, t);
  for (int i = dice.between(1, 4); i--;) {
    const char *op = ops[dice.roll(8)];
    std::string right = b;
    if (StringRef(op) == "divsi")
      right = let("arith.ori " + b + ", " + one + " : " + t);
    std::string c =
        let(std::string("arith.") + op + " " + a + ", " + right + " : " + t);
    b = a;
    a = c;
  }
  std::string less = let("arith.cmpi slt, " + a + ", " + b + " : " + t);
  a = let("arith.select " + less + ", " + b + ", " + a + " : " + t);
  std::string r;
  if (narrow) {
    r = let("arith.extsi " + a + " : i8 to i16");
  } else {
    std::string by = integer(dice.roll(40), "i64");
    std::string shifted = let("arith.shrui " + a + ", " + by + " : i64");
    r = let("arith.trunci " + shifted + " : i64 to i16");
  }
  std::string at = indices(array, dice.roll(kElements));
  line("memref.store " + r + ", " + base + "[" + at + "] : " + type);
}

/// Structs in memory, packed and as values; arrays as values.
void PeWriter::record() {
  static const std::string kRecord =
      "!csl.struct<\"record\" {a : i8, b : i32, c : i16, d : "
      "!csl.array<3xi16>}>";
  static const std::string kPacked =
      "!csl.struct<packed \"bits\" {low : i3, high : i13}>";
  if (records++ == 0)
    variables += "    csl.var @record : memref<" + kRecord +
                 ">\n    csl.var @bits_word : memref<" + kPacked + ">\n";
  Array &array = pick(2, "i16");
  std::string base = get(array), type = memrefOf(array);
  auto load = [&] {
    std::string at = indices(array, dice.roll(kElements));
    return let("memref.load " + base + "[" + at + "] : " + type);
  };
  auto store = [&](const std::string &value) {
    std::string at = indices(array, dice.roll(kElements));
    line("memref.store " + value + ", " + base + "[" + at + "] : " + type);
  };
  std::string v = load(), w = load();
  std::string r = let("csl.get_var @record : memref<" + kRecord + ">");
  std::string whole = let("memref.load " + r + "[] : memref<" + kRecord + ">");
  std::string d = let("csl.get_field " + whole + "[\"d\"] : " + kRecord +
                      " -> !csl.array<3xi16>");
  std::string i = index(dice.roll(3));
  d = let("csl.set_element " + d + "[" + i + "] = " + v +
          " : !csl.array<3xi16>, i16");
  whole = let("csl.set_field " + whole + "[\"d\"] = " + d + " : " + kRecord +
              ", !csl.array<3xi16>");
  std::string b =
      let("csl.get_field " + whole + "[\"b\"] : " + kRecord + " -> i32");
  std::string wide = let("arith.extsi " + w + " : i16 to i32");
  b = let("arith.addi " + b + ", " + wide + " : i32");
  whole = let("csl.set_field " + whole + "[\"b\"] = " + b + " : " + kRecord +
              ", i32");
  line("memref.store " + whole + ", " + r + "[] : memref<" + kRecord + ">");
  std::string p = let("csl.address_of " + r + " : memref<" + kRecord +
                      "> -> !csl.ptr<" + kRecord + ">");
  std::string c = let("csl.field_ptr " + p + "[\"c\"] : !csl.ptr<" + kRecord +
                      "> -> !csl.ptr<i16>");
  line("csl.store " + v + ", " + c + " : i16, !csl.ptr<i16>");
  std::string q = let("csl.field_ptr " + p + "[\"d\"] : !csl.ptr<" + kRecord +
                      "> -> !csl.ptr<!csl.array<3xi16>>");
  std::string j = index(dice.roll(3));
  std::string e = let("csl.element_ptr " + q + "[" + j +
                      "] : !csl.ptr<!csl.array<3xi16>> -> !csl.ptr<i16>");
  store(let("csl.load " + e + " : !csl.ptr<i16> -> i16"));
  std::string k = let("csl.get_var @bits_word : memref<" + kPacked + ">");
  std::string bits = let("memref.load " + k + "[] : memref<" + kPacked + ">");
  std::string low = let("arith.trunci " + w + " : i16 to i3");
  bits = let("csl.set_field " + bits + "[\"low\"] = " + low + " : " + kPacked +
             ", i3");
  std::string high =
      let("csl.get_field " + bits + "[\"high\"] : " + kPacked + " -> i13");
  std::string more = let("arith.trunci " + v + " : i16 to i13");
  high = let("arith.addi " + high + ", " + more + " : i13");
  bits = let("csl.set_field " + bits + "[\"high\"] = " + high + " : " +
             kPacked + ", i13");
  line("memref.store " + bits + ", " + k + "[] : memref<" + kPacked + ">");
}

/// A variable of the function, views and copies.
void PeWriter::scratch() {
  std::string name = "@scratch" + std::to_string(maps++);
  Array &from = pick(2, "i16"), &to = pick(2, "i16");
  std::string a = std::to_string(dice.roll(8)),
              n = std::to_string(dice.between(1, 8));
  functions += "    func.func " + name +
               "(%s: memref<64xi16>, %d: "
               "memref<64xi16>) {\n"
               "      %t = memref.alloca() : memref<64xi16>\n"
               "      memref.copy %s, %t : memref<64xi16> to memref<64xi16>\n"
               "      %e = memref.expand_shape %t [[0, 1]] output_shape [8, 8] "
               ": memref<64xi16> into memref<8x8xi16>\n"
               "      %v = memref.subview %e[" +
               a +
               ", 0] [1, 8] [1, 1] : "
               "memref<8x8xi16> to memref<1x8xi16, strided<[8, 1], offset: " +
               std::to_string(8 * std::stoi(a)) +
               ">>\n"
               "      %z = arith.constant 0 : index\n"
               "      %o = arith.constant 1 : index\n"
               "      %n = arith.constant " +
               n +
               " : index\n"
               "      scf.for %i = %z to %n step %o {\n"
               "        %x = memref.load %v[%z, %i] : memref<1x8xi16, "
               "strided<[8, 1], offset: " +
               std::to_string(8 * std::stoi(a)) +
               ">>\n        memref.store %x, %d[%i] : memref<64xi16>\n"
               "      }\n      return\n    }\n";
  auto flat = [&](const Array &array) {
    std::string type = memrefOf(array);
    std::string base = get(array);
    if (array.shape.size() == 1)
      return base;
    std::string groups;
    for (size_t d = 0; d < array.shape.size(); ++d)
      groups += (d ? ", " : "") + std::to_string(d);
    return let("memref.collapse_shape " + base + " [[" + groups +
               "]] : " + type + " into memref<64xi16>");
  };
  std::string s = flat(from), d = flat(to);
  line("func.call " + name + "(" + s + ", " + d +
       ") : (memref<64xi16>, memref<64xi16>) -> ()");
}

/// DSDs whose base moves by the operation's index.
void PeWriter::indexedMemory() {
  Array &from = pick(2), &to = pick(2);
  int count = dice.between(1, 20), words = dice.roll(40);
  std::string a = get(from), b = get(to);
  std::string s = let("csl.mem1d_dsd " + a + " : " + memrefOf(from) +
                      " extent " + std::to_string(count) + " index_offset");
  std::string d =
      let("csl.mem1d_dsd " + b + " : " + memrefOf(to) + " extent " +
          std::to_string(count) + (dice.chance(50) ? " index_offset" : ""));
  std::string i = integer(words, "i16");
  line("csl.mov16 " + d + " = " + s +
       " : !csl.dsd<mem1d> = !csl.dsd<mem1d> index(" + i + ")");
}

void PeWriter::local() {
  int what = dice.roll(100);
  if (what < 50)
    dsdOperation();
  else if (what < 57)
    savedAddress();
  else if (what < 63)
    ring();
  else if (what < 70)
    map();
  else if (what < 78)
    fifo();
  else if (what < 84)
    scalars();
  else if (what < 87)
    loop();
  else if (what < 90)
    choice();
  else if (what < 92)
    wide();
  else if (what < 95)
    record();
  else if (what < 97)
    scratch();
  else
    indexedMemory();
}
