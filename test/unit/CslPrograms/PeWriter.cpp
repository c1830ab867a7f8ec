//===- PeWriter.cpp - The code of one PE of a random program --------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PeWriter.h"
#include "sequin/Support/DsdArithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace sequin;
using namespace sequin::testing;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string sequin::testing::joined(const std::vector<std::string> &parts) {
  return llvm::join(parts, ", ");
}

static std::string hex(uint64_t value, unsigned digits) {
  std::string text = llvm::utohexstr(value, /*LowerCase=*/true);
  return std::string(text.size() < digits ? digits - text.size() : 0, '0') +
         text;
}

/// Mostly of moderate size; sometimes any bits.
static uint32_t randomF32(Dice &dice) {
  if (dice.chance(4))
    return static_cast<uint32_t>(dice.bits());
  return dsd::encodeF32(static_cast<float>(dice.between(-1000, 1000)) / 64);
}
static uint32_t randomFp16(Dice &dice, Fp16Format format) {
  if (dice.chance(4))
    return static_cast<uint32_t>(dice.bits()) & 0xffff;
  return dsd::encodeFp16(format, dice.between(-200, 200) / 16.0);
}

PeWriter::PeWriter(Dice &dice, bool wse2, Fp16Format format)
    : dice(dice), wse2(wse2), format(format) {
  half = format == Fp16Format::F16    ? "f16"
         : format == Fp16Format::BF16 ? "bf16"
                                      : "!csl.cb16";
  auto add = [&](const std::string &name, const std::string &element,
                 unsigned bytes) {
    static const std::vector<std::vector<int>> shapes = {
        {64}, {8, 8}, {4, 16}, {4, 4, 4}};
    Array array{name, element, bytes, shapes[dice.roll(4)]};
    std::string type;
    for (int size : array.shape)
      type += std::to_string(size) + "x";
    std::string value;
    if (element != "!csl.cb16") {
      value = " = dense<\"0x";
      for (int i = 0; i < kElements; ++i) {
        uint64_t bits = element == "f32"   ? randomF32(dice)
                        : element == "i32" ? static_cast<uint32_t>(dice.bits())
                        // i16 arrays hold floats too: DSDs have no types.
                        : element != "i16" || dice.chance(50)
                            ? randomFp16(dice, format)
                            : static_cast<uint16_t>(dice.bits());
        for (unsigned b = 0; b < bytes; ++b)
          value += hex(bits >> (8 * b) & 0xff, 2);
      }
      value += "\"> : tensor<" + type + element + ">";
    }
    variables += "    csl.var @" + name + " : memref<" + type + element + ">" +
                 value + "\n";
    arrays.push_back(std::move(array));
  };
  for (int i = 0; i < 4; ++i)
    add("w" + std::to_string(i), "i32", 4);
  for (int i = 0; i < 5; ++i)
    add("s" + std::to_string(i), "f32", 4);
  for (int i = 0; i < 6; ++i)
    add("h" + std::to_string(i), "i16", 2);
  for (int i = 0; i < 3; ++i)
    add("g" + std::to_string(i), half, 2);
  variables += "    csl.var @pending : memref<i16>\n";
  threads = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int i = 7; i > 0; --i)
    std::swap(threads[i], threads[dice.roll(i + 1)]);
}

std::string PeWriter::let(const std::string &text) {
  std::string name = fresh();
  line(name + " = " + text);
  return name;
}

std::string PeWriter::integer(int value, const std::string &type) {
  return let("arith.constant " + std::to_string(value) + " : " + type);
}

std::string PeWriter::typeOf(DsdElement element) const {
  switch (element) {
  case DsdElement::I16:
    return "i16";
  case DsdElement::I32:
    return "i32";
  case DsdElement::F16:
    return half;
  default:
    return "f32";
  }
}

Named PeWriter::constant(DsdElement element) {
  std::string type = typeOf(element);
  switch (element) {
  case DsdElement::I16:
    // Small ones are shift counts and exponents too.
    return {integer(dice.chance(50) ? dice.between(-20, 20)
                                    : dice.between(-32768, 32767),
                    type),
            type};
  case DsdElement::I32:
    return {integer(static_cast<int>(dice.bits() & 0x7fffffff), type), type};
  case DsdElement::F16: {
    uint32_t bits = randomFp16(dice, format);
    if (format == Fp16Format::CB16) {
      std::string word = integer(static_cast<int16_t>(bits), "i16");
      return {let("csl.convert_cb16 " + word + " : i16 -> !csl.cb16"), type};
    }
    return {let("arith.constant 0x" + hex(bits, 4) + " : " + type), type};
  }
  default:
    return {let("arith.constant 0x" + hex(randomF32(dice), 8) + " : f32"),
            "f32"};
  }
}

Array &PeWriter::pick(unsigned bytes, const std::string &element) {
  for (int tries = 0;; ++tries) {
    Array &array = arrays[dice.roll(static_cast<int>(arrays.size()))];
    if (array.bytes == bytes && !busy.count(array.name) &&
        (element.empty() || array.element == element))
      return array;
    if (tries > 2000)
      busy.clear(); // a phase never takes that many
  }
}

std::string PeWriter::get(const Array &array) {
  std::string type;
  for (int size : array.shape)
    type += std::to_string(size) + "x";
  return let("csl.get_var @" + array.name + " : memref<" + type +
             array.element + ">");
}

std::string sequin::testing::memrefOf(const Array &array) {
  std::string type = "memref<";
  for (int size : array.shape)
    type += std::to_string(size) + "x";
  return type + array.element + ">";
}

std::string PeWriter::indices(const Array &array, int element) {
  std::vector<std::string> parts;
  int rest = element;
  for (size_t d = array.shape.size(); d-- > 0;) {
    parts.insert(parts.begin(), index(rest % array.shape[d]));
    rest /= array.shape[d];
  }
  return joined(parts);
}

//===----------------------------------------------------------------------===//
// DSDs
//===----------------------------------------------------------------------===//

Named PeWriter::memory(const Array &array, int count) {
  if (count > 1 && dice.chance(35))
    return nest(array, count);
  // A stride whose last element is inside.
  int most = count > 1 ? (kElements - 1) / (count - 1) : 5;
  int stride =
      dice.chance(40) ? 1 : dice.between(-std::min(most, 6), std::min(most, 6));
  int reach = stride * (count - 1);
  int offset =
      dice.between(std::max(0, -reach), kElements - 1 - std::max(0, reach));
  std::string base = get(array), type = memrefOf(array);
  std::string text = "csl.mem1d_dsd " + base + " : " + type;
  if (array.shape.size() == 1 && dice.chance(30))
    text += " access <(i) -> (i * " + std::to_string(stride) + " + " +
            std::to_string(offset) + "), [" + std::to_string(count) + "]>";
  else if (dice.chance(30)) {
    std::string e = integer(count, "i16"), s = integer(stride, "i8"),
                o = integer(offset, "i16");
    text += " extent " + e + " stride " + s + " offset " + o;
  } else {
    text += " extent " + std::to_string(count) + " stride " +
            std::to_string(stride) + " offset " + std::to_string(offset);
  }
  std::string type1 = "!csl.dsd<mem1d>";
  // The same by way of the builtins that change DSDs.
  if (dice.chance(15)) {
    std::string d = let("csl.mem1d_dsd " + base + " : " + type + " extent 1");
    std::string o = integer(offset, "i16"), e = integer(count, "i16"),
                s = integer(stride, "i8");
    d = let(
        "csl.increment_dsd_offset " + d + ", " + o + " of " +
        (array.element == "!csl.cb16" ? std::string("i16") : array.element) +
        " : " + type1);
    d = let("csl.set_dsd_length " + d + ", " + e + " : " + type1);
    return {let("csl.set_dsd_stride " + d + ", " + s + " : " + type1), type1};
  }
  return {let(text), type1};
}

Named PeWriter::nest(const Array &array, int count) {
  // Extents innermost first.
  std::vector<int> extents;
  int rest = count;
  while (rest > 1 && extents.size() < 3) {
    std::vector<int> divisors;
    for (int d = 2; d <= rest; ++d)
      if (rest % d == 0)
        divisors.push_back(d);
    int chosen = divisors[dice.roll(static_cast<int>(divisors.size()))];
    extents.push_back(chosen);
    rest /= chosen;
  }
  if (rest > 1 || extents.empty() || dice.chance(10))
    extents.push_back(rest);
  std::vector<int> strides;
  int low = 0, high = 0;
  for (int tries = 0;; ++tries) {
    strides.clear();
    low = high = 0;
    int natural = 1;
    for (int extent : extents) {
      int stride = tries > 20 ? natural : dice.between(-9, 9);
      natural *= extent;
      strides.push_back(stride);
      (stride < 0 ? low : high) += stride * (extent - 1);
    }
    if (high - low < kElements)
      break;
  }
  int offset = dice.between(-low, kElements - 1 - high);
  std::string base = get(array);
  std::string text = "csl.mem4d_dsd " + base + " : " + memrefOf(array);
  size_t loops = extents.size();
  if (array.shape.size() == 1 && dice.chance(50)) {
    std::string variables, sum, sizes;
    for (size_t v = 0; v < loops; ++v) { // outermost first
      size_t d = loops - 1 - v;
      std::string name = "i" + std::to_string(v);
      variables += (v ? ", " : "") + name;
      sum += name + " * " + std::to_string(strides[d]) + " + ";
      sizes += (v ? ", " : "") + std::to_string(extents[d]);
    }
    text += " access <(" + variables + ") -> (" + sum + std::to_string(offset) +
            "), [" + sizes + "]>";
  } else {
    std::string sizes, stored;
    int restart = 0;
    for (size_t d = 0; d < loops; ++d) {
      stored += (d ? ", " : "") + std::to_string(strides[d] - restart);
      restart += strides[d] * (extents[d] - 1);
      sizes += (d ? ", " : "") + std::to_string(extents[loops - 1 - d]);
    }
    text += " extents [" + sizes + "] strides [" + stored + "] offset " +
            std::to_string(offset);
  }
  return {let(text), "!csl.dsd<mem4d>"};
}

Named PeWriter::viaDsr(Named dsd, const std::string &file, int number) {
  if (dsd.type != "!csl.dsd<mem1d>" || !dice.chance(20))
    return dsd;
  std::string type = "!csl.dsr<" + file + ">";
  std::string dsr = let("csl.get_dsr " + std::to_string(number) + " : " + type);
  line("csl.load_to_dsr " + dsr + ", " + dsd.name + " : " + type + ", " +
       dsd.type);
  return {dsr, type};
}

Named PeWriter::pointer(DsdElement element) {
  Array &array = pick(getBytes(element), typeOf(element));
  std::string base = get(array);
  std::string type = "!csl.ptr<" + array.element + ">";
  return {let("csl.address_of " + base + "[" +
              indices(array, dice.roll(kElements)) + "] : " + memrefOf(array) +
              " -> " + type),
          type};
}

//===----------------------------------------------------------------------===//
// DSD operations
//===----------------------------------------------------------------------===//

/// A random operation. With `dest` it writes there, with `stream` its last
/// source is that; both are of `bytes` bytes per element.
void PeWriter::operation(std::optional<Named> dest, std::optional<Named> stream,
                         unsigned bytes, int count, const std::string &options,
                         bool reserve) {
  const DsdOpInfo *info = nullptr;
  std::string form;
  for (;;) {
    auto opcode =
        static_cast<DsdOpcode>(dice.roll(static_cast<int>(kDsdOpcodes)));
    if (opcode == DsdOpcode::Dfilt)
      continue;
    info = &getInfo(opcode);
    std::vector<std::string> forms;
    for (uint16_t bit = 1; bit; bit = static_cast<uint16_t>(bit << 1))
      if (info->forms & bit)
        forms.push_back(getFormName(bit).str());
    form = forms[dice.roll(static_cast<int>(forms.size()))];
    if (dest && (form[0] != 'D' || getBytes(info->dest) != bytes))
      continue;
    // A control wavelet or a send needs nothing else; a receive a stream that
    // is its last.
    if (stream) {
      size_t last = form.rfind('S');
      if (last == std::string::npos)
        continue;
      DsdElement element = last == 1 ? info->source0 : info->source1;
      if (opcode == DsdOpcode::Faddhs && form == "DCS")
        element = DsdElement::F32;
      if (getBytes(element) != bytes)
        continue;
      if (reserve && form[0] == 'P')
        continue;
    }
    break;
  }
  std::vector<std::string> taken;
  // A register that is loaded again while the operation runs would be a race.
  auto maybeDsr = [&](Named dsd, const std::string &file, int number) {
    return reserve ? dsd : viaDsr(dsd, file, number);
  };
  auto array = [&](unsigned size) -> Array & {
    Array &chosen = pick(size);
    if (reserve)
      taken.push_back(chosen.name);
    return chosen;
  };
  Named to;
  bool toPointer = form[0] == 'P';
  if (dest)
    to = *dest;
  else if (toPointer)
    to = pointer(info->dest);
  else
    to = maybeDsr(memory(array(getBytes(info->dest)), count), "dest",
                  dice.roll(3));
  std::vector<Named> sources;
  size_t last = form.rfind('S');
  bool swapped = info->name == "faddhs" && form == "DCS";
  for (size_t i = 1; i < form.size(); ++i) {
    DsdElement element = i == 1   ? info->source0
                         : i == 2 ? info->source1
                                  : info->scalar;
    if (element == DsdElement::None)
      element = info->scalar;
    if (swapped)
      element = i == 1 ? DsdElement::F16 : DsdElement::F32;
    if (form[i] == 'C') {
      sources.push_back(constant(element));
      continue;
    }
    if (stream && i == last) {
      sources.push_back(*stream);
      continue;
    }
    bool isFirstOfTwo = i == 1 && form.size() > 2 && form[2] == 'S';
    sources.push_back(maybeDsr(memory(array(getBytes(element)), count),
                               isFirstOfTwo ? "src0" : "src1",
                               dice.between(3, 5)));
  }
  std::vector<std::string> names, types;
  for (const Named &source : sources) {
    names.push_back(source.name);
    types.push_back(source.type);
  }
  line("csl." + info->name.str() + " " + to.name + " = " + joined(names) +
       " : " + to.type + " = " + joined(types) + options);
  busy.insert(taken.begin(), taken.end());
}

void PeWriter::dsdOperation() {
  operation({}, {}, 0, dice.between(1, 20), "", false);
}

//===----------------------------------------------------------------------===//
// Channels
//===----------------------------------------------------------------------===//

/// One for each queue, so that no two meet.
std::string PeWriter::microthread(int queue) {
  return wse2 ? "" : " ut_id " + std::to_string(threads[queue]);
}

void PeWriter::bindInput(int queue, int color, bool dense) {
  std::string q = "%iq" + std::to_string(queue),
              c = "%ic" + std::to_string(queue);
  comptime += "      " + q + " = csl.constant " + std::to_string(queue) +
              " : !csl.input_queue\n      " + c + " = csl.constant " +
              std::to_string(color) + " : !csl.color\n" +
              "      csl.initialize_queue " + q + " : !csl.input_queue color " +
              c + (dense ? " dense_mode" : "") + "\n";
}

void PeWriter::bindOutput(int queue, int color, bool dense) {
  std::string q = "%oq" + std::to_string(queue),
              c = "%oc" + std::to_string(queue);
  comptime += "      " + q + " = csl.constant " + std::to_string(queue) +
              " : !csl.output_queue\n      " + c + " = csl.constant " +
              std::to_string(color) + " : !csl.color\n" +
              "      csl.initialize_queue " + q + " : !csl.output_queue" +
              (wse2 ? "" : " color " + c) + (dense ? " dense_mode" : "") + "\n";
}

/// What both ends of a channel say of its elements.
static std::string simdOf(const Channel &channel) {
  return channel.half && channel.packed && !channel.dense ? " simd simd_32"
                                                          : "";
}

Named PeWriter::fabin(int queue, int extent, const std::string &simd) {
  std::string q =
      let("csl.constant " + std::to_string(queue) + " : !csl.input_queue");
  std::string e = " extent " + std::to_string(extent);
  if (dice.chance(30))
    e = " extent " + integer(extent, "i16");
  return {let("csl.fabin_dsd queue " + q + e + simd), "!csl.dsd<fabin>"};
}

Named PeWriter::fabout(const Channel &channel, int extent,
                       const std::string &options) {
  std::string n = std::to_string(channel.number);
  std::string q = let("csl.constant " + n + " : !csl.output_queue");
  std::string color;
  if (wse2)
    color = " color " + let("csl.constant " + n + " : !csl.color");
  return {let("csl.fabout_dsd queue " + q + color + " extent " +
              std::to_string(extent) + options),
          "!csl.dsd<fabout>"};
}

std::string PeWriter::doneTask() {
  std::string name = "done" + std::to_string(taskCount++);
  tasks += "    csl.task local @" + name + "() {\n      func.call @join" +
           std::to_string(phase) + "() : () -> ()\n      csl.return\n    }\n";
  std::string id = "%id" + std::to_string(localId);
  comptime += "      " + id + " = csl.constant " + std::to_string(localId++) +
              " : !csl.local_task_id\n      csl.bind_local_task @" + name +
              " to " + id + "\n";
  ++waiting;
  return name;
}

std::string PeWriter::completion() {
  std::string name = doneTask();
  std::string id = let("csl.task_id @" + name + " : !csl.local_task_id");
  if (dice.chance(70))
    return " async activate(" + id + ")";
  // Active from the start, and blocked until then.
  std::string known = "%id" + std::to_string(localId - 1);
  comptime += "      csl.activate " + known + "\n      csl.block " + known +
              " : !csl.local_task_id\n";
  return " async unblock(" + id + " : !csl.local_task_id)";
}

/// A control wavelet for no task: its first command, the rest NOP.
static std::string controlWord(bool advance, bool ignored) {
  uint32_t command = (advance ? 1u : 0u) | (ignored ? 4u : 0u);
  return std::to_string((31u | command << 6) << 16);
}

void PeWriter::send(const Channel &channel) {
  unsigned bytes = channel.half || channel.indexed ? 2 : 4;
  for (auto [i, count] : llvm::enumerate(channel.parts)) {
    bool moves = static_cast<int>(i) == channel.advanceAfter;
    std::string options = simdOf(channel), index;
    if (channel.indexed) {
      options += " index_offset";
      index = " index(" + integer(static_cast<int>(i), "i16") + ")";
    } else if (dice.chance(10)) {
      options += dice.chance(50) ? " zero first_source" : " zero second_source";
    }
    if (moves && channel.byField)
      options += " advance_switch";
    std::string async =
        channel.asyncSend && i + 1 == channel.parts.size() && !channel.controls
            ? completion()
            : "";
    Named out = fabout(channel, count, options);
    bool isAsync = !async.empty();
    if (isAsync)
      async += index + microthread(channel.number);
    operation(out, {}, bytes, count, isAsync ? async : index, isAsync);
    if (moves && !channel.byField) {
      Named control = fabout(channel, 1, " control");
      std::string word =
          let("arith.constant " + controlWord(true, true) + " : i32");
      line("csl.mov32 " + control.name + " = " + word + " : " + control.type +
           " = i32");
    }
  }
  if (channel.controlTask) {
    // One command, NOP; the low half is the task's.
    Named control = fabout(channel, 1, " control");
    std::string word =
        let("arith.constant " +
            std::to_string((40 + channel.number) << 16 | dice.roll(65536)) +
            " : i32");
    line("csl.mov32 " + control.name + " = " + word + " : " + control.type +
         " = i32");
  }
  if (!channel.controls)
    return;
  Named control = fabout(channel, channel.controls, " control");
  std::string word =
      let("arith.constant " + controlWord(false, false) + " : i32");
  line("csl.mov32 " + control.name + " = " + word + " : " + control.type +
       " = i32");
}

void PeWriter::receive(const Channel &channel, int elements, int queue,
                       bool async, bool byTask) {
  if (channel.drop) {
    Named in = fabin(queue, channel.controls);
    line("csl.dfilt " + in.name + " : " + in.type + completion() +
         microthread(queue));
    return;
  }
  if (channel.controls) {
    // More than comes; the control wavelet ends it.
    std::string name = doneTask();
    std::string id = let("csl.task_id @" + name + " : !csl.local_task_id");
    Named in = fabin(queue, elements + dice.between(1, 5));
    Array &to = pick(4);
    busy.insert(to.name);
    std::string base = get(to);
    std::string d = let("csl.mem1d_dsd " + base + " : " + memrefOf(to) +
                        " extent " + std::to_string(elements + 6));
    line("csl.mov32 " + d + " = " + in.name +
         " : !csl.dsd<mem1d> = " + in.type + " async on_control activate(" +
         id + " : !csl.local_task_id)" + microthread(queue));
    return;
  }
  if (channel.controlTask) {
    std::string n = std::to_string(queue), name = "control" + n;
    std::string id = "%cid" + n, source = wse2 ? "%ic" + n : "%iq" + n;
    std::string channelType = wse2 ? "!csl.color" : "!csl.input_queue";
    Array &to = pick(2, "i16");
    busy.insert(to.name);
    std::string constants, place;
    tasks += "    csl.task control @" + name + "(%d: i16) {\n";
    tasks += "      %A = csl.get_var @" + to.name + " : " + memrefOf(to) + "\n";
    for (size_t i = 0; i < to.shape.size(); ++i) {
      std::string v = "%i" + std::to_string(i);
      tasks += "      " + v + " = arith.constant " +
               std::to_string(dice.roll(to.shape[i])) + " : index\n";
      place += (i ? ", " : "") + v;
    }
    tasks += "      memref.store %d, %A[" + place + "] : " + memrefOf(to) +
             "\n      func.call @join" + std::to_string(phase) +
             "() : () -> ()\n      csl.return\n    }\n";
    comptime += "      " + id + " = csl.constant " +
                std::to_string(40 + channel.number) +
                " : !csl.control_task_id\n      csl.bind_control_task @" +
                name + " to " + id + "\n";
    ++waiting;
    // Without a data task the channel is blocked until now.
    std::string opened =
        let("csl.constant " + std::to_string(wse2 ? channel.number : queue) +
            " : " + channelType);
    line("csl.unblock " + opened + " : " + channelType);
  }
  if (!elements)
    return;
  unsigned bytes = channel.half ? 2 : 4;
  if (byTask) {
    // One wavelet per run, into an array of its own.
    Array &to = pick(bytes, channel.half ? "i16" : "i32");
    busy.insert(to.name);
    std::string n = std::to_string(queue), name = "take" + n;
    int wavelets = channel.half ? elements / 2 : elements;
    variables += "    csl.var @at" + n + " : memref<i16>\n";
    std::string type = memrefOf(to);
    std::string flat =
        "memref<" + std::to_string(kElements) + "x" + to.element + ">";
    std::string pointerType = "!csl.ptr<many " + to.element + ">";
    std::string text = channel.half ? "(%a: i16, %b: i16)" : "(%a: i32)";
    tasks += "    csl.task data @" + name + text + " {\n";
    auto add = [&](const std::string &code) {
      tasks += "      " + code + "\n";
    };
    add("%p = csl.get_var @at" + n + " : memref<i16>");
    add("%i = memref.load %p[] : memref<i16>");
    add("%one = arith.constant 1 : i16");
    add("%n = arith.addi %i, %one : i16");
    add("memref.store %n, %p[] : memref<i16>");
    add("%A = csl.get_var @" + to.name + " : " + type);
    add("%q = csl.address_of %A : " + type + " -> " + pointerType);
    add("%x = arith.index_cast %i : i16 to index");
    if (channel.half) {
      add("%c2 = arith.constant 2 : index");
      add("%c1 = arith.constant 1 : index");
      add("%y = arith.muli %x, %c2 : index");
      add("%z = arith.addi %y, %c1 : index");
      add("%r = csl.element_ptr %q[%y] : " + pointerType + " -> !csl.ptr<i16>");
      add("%s = csl.element_ptr %q[%z] : " + pointerType + " -> !csl.ptr<i16>");
      add("csl.store %a, %r : i16, !csl.ptr<i16>");
      add("csl.store %b, %s : i16, !csl.ptr<i16>");
    } else {
      add("%r = csl.element_ptr %q[%x] : " + pointerType + " -> !csl.ptr<i32>");
      add("csl.store %a, %r : i32, !csl.ptr<i32>");
    }
    add("%end = arith.constant " + std::to_string(wavelets) + " : i16");
    add("%is = arith.cmpi eq, %n, %end : i16");
    add("scf.if %is {");
    add("  func.call @join" + std::to_string(phase) + "() : () -> ()");
    add("}");
    add("csl.return");
    tasks += "    }\n";
    comptime += "      %did" + n + " = csl.get_data_task_id " +
                (wse2 ? "%ic" + n + " : !csl.color"
                      : "%iq" + n + " : !csl.input_queue") +
                "\n      csl.bind_data_task @" + name + " to %did" + n +
                "\n      csl.block %did" + n + " : !csl.data_task_id\n";
    // What comes before this phase waits.
    std::string channelType = wse2 ? "!csl.color" : "!csl.input_queue";
    std::string source =
        let("csl.constant " + std::to_string(wse2 ? channel.number : queue) +
            " : " + channelType);
    std::string id =
        let("csl.get_data_task_id " + source + " : " + channelType);
    line("csl.unblock " + id + " : !csl.data_task_id");
    ++waiting;
    return;
  }
  // Elements of a wavelet each may be cut in other places than the sender did.
  std::vector<int> parts = {elements};
  bool shares = channel.half && (channel.packed || channel.dense);
  if (shares && !async)
    parts = channel.parts;
  else if (!shares && !async && elements > 1 && dice.chance(40)) {
    int first = dice.between(1, elements - 1);
    parts = {first, elements - first};
  }
  for (int count : parts) {
    std::string settings = async ? completion() : "";
    Named in = fabin(queue, count, simdOf(channel));
    if (async)
      settings += microthread(queue);
    operation({}, in, bytes, count, settings, async);
  }
}

/// Receives into a FIFO and sends from it, both asynchronously.
void PeWriter::relay(const Channel &from, const Channel &to) {
  std::string element = from.half ? "i16" : "i32";
  std::string n = std::to_string(fifos++);
  variables += "    csl.var @rbuffer" + n + " : memref<" +
               std::to_string(dice.between(2, 12)) + "x" + element + ">\n";
  variables += "    csl.fifo @r" + n + " over @rbuffer" + n + "\n";
  std::string type = "!csl.fifo<" + element + ">";
  std::string f = let("csl.get_fifo @r" + n + " : " + type);
  int count = from.parts.front();
  std::string move = from.half ? "csl.mov16 " : "csl.mov32 ";
  std::string first = completion();
  Named in = fabin(from.number, count, simdOf(from));
  line(move + f + " = " + in.name + " : " + type + " = " + in.type + first +
       microthread(from.number));
  std::string second = completion();
  Named out = fabout(to, count, simdOf(to));
  line(move + out.name + " = " + f + " : " + out.type + " = " + type + second +
       microthread(to.number));
}

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

void PeWriter::beginPhase() {
  ++phase;
  body.clear();
  busy.clear();
  waiting = 0;
}

void PeWriter::endPhase(bool last) {
  std::string p = std::to_string(phase), q = std::to_string(phase + 1);
  std::string end = last ? "      csl.unblock_cmd_stream\n"
                         : "      func.call @phase" + q + "() : () -> ()\n";
  if (!last && localId < 27 && dice.chance(30)) {
    // By way of a task.
    std::string name = "begin" + q, id = "%id" + std::to_string(localId);
    tasks += "    csl.task local @" + name + "() {\n      func.call @phase" +
             q + "() : () -> ()\n      csl.return\n    }\n";
    comptime += "      " + id + " = csl.constant " + std::to_string(localId++) +
                " : !csl.local_task_id\n      csl.bind_local_task @" + name +
                " to " + id + "\n";
    end = "      %next = csl.task_id @" + name +
          " : !csl.local_task_id\n      csl.activate %next\n";
  }
  functions += "    func.func @phase" + p +
               "() {\n      %pending = csl.get_var "
               "@pending : memref<i16>\n      %count = arith.constant " +
               std::to_string(waiting) +
               " : i16\n      memref.store %count, %pending[] : memref<i16>\n" +
               body + (waiting ? "" : end) + "      return\n    }\n";
  functions +=
      "    func.func @join" + p +
      "() {\n      %p = csl.get_var "
      "@pending : memref<i16>\n      %n = memref.load %p[] : "
      "memref<i16>\n      %one = arith.constant 1 : i16\n      %zero = "
      "arith.constant 0 : i16\n      %m = arith.subi %n, %one : i16\n"
      "      memref.store %m, %p[] : memref<i16>\n      %is = "
      "arith.cmpi eq, %m, %zero : i16\n      scf.if %is {\n" +
      end + "      }\n      return\n    }\n";
}

std::string PeWriter::finish(const std::string &name) {
  functions += "    func.func @main() {\n      func.call @phase0() : () -> ()\n"
               "      return\n    }\n";
  return "  csl.program @" + name + " {\n" + variables + functions + tasks +
         "    csl.comptime {\n      csl.export_symbol @main\n" + comptime +
         "    }\n  }\n";
}
