//===- HostEmitter.cpp - run.py and the command lines ---------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's part of a program is not in the module, so run.py takes from its
// command line what to copy and to launch, with the flags of sequin-run. What
// it knows are the names that the program exports, their types and places.
//
//===----------------------------------------------------------------------===//

#include "LayoutEmitter.h"
#include "sequin/Dialect/Csl/IR/ExportSigns.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::csl_to_source;

/// NumPy's type of an element; 16-bit floats that it does not have travel as
/// their bits.
static std::string numpyType(Type type, bool isUnsigned) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    unsigned bytes =
        llvm::PowerOf2Ceil(llvm::divideCeil(integer.getWidth(), 8));
    return integer.getWidth() == 1
               ? "np.uint16"
               : "np." + std::string(isUnsigned ? "uint" : "int") +
                     std::to_string(8 * bytes);
  }
  if (auto number = dyn_cast<csl::EnumType>(type))
    return numpyType(number.getBaseType(), isUnsigned);
  if (isa<csl::DsdType>(type))
    return "np.uint64";
  if (type.isF32())
    return "np.float32";
  if (type.isF16())
    return "np.float16";
  return "np.uint16";
}

namespace {
/// Where a symbol is and how many elements it has there; 0 if a pointer says so
/// at run time.
struct SymbolArea {
  int64_t x, y, width, height, elements;
};
} // namespace

static std::vector<SymbolArea> findPlaces(csl::LayoutOp layout,
                                          StringRef name) {
  std::vector<SymbolArea> places;
  auto module = layout->getParentOfType<ModuleOp>();
  for (auto tile : layout.getOps<csl::TileCodeOp>()) {
    auto program =
        cast<csl::ProgramOp>(module.lookupSymbol(tile.getProgramAttr()));
    std::optional<int64_t> elements;
    program.walk([&](csl::ExportSymbolOp op) {
      auto var = dyn_cast_or_null<csl::VarOp>(
          SymbolTable::lookupSymbolIn(program, op.getSymbolAttr()));
      if (var && op.getAdvertisedName() == name)
        elements = var.getMemRefType().getRank()
                       ? var.getMemRefType().getNumElements()
                       : 0;
    });
    if (!elements)
      continue;
    csl::RegionAttr region = tile.getRegion();
    if (region.getXStep() == 1 && region.getYStep() == 1)
      places.push_back({region.getXBegin(), region.getYBegin(),
                        region.getWidth(), region.getHeight(), *elements});
    else
      region.forEach([&](int64_t x, int64_t y) {
        places.push_back({x, y, 1, 1, *elements});
      });
  }
  // One rectangle if the pieces fill it with arrays of one size.
  if (places.empty())
    return places;
  SymbolArea all = places.front();
  int64_t right = 0, bottom = 0, area = 0;
  for (const SymbolArea &place : places) {
    if (place.elements != all.elements)
      return places;
    all.x = std::min(all.x, place.x);
    all.y = std::min(all.y, place.y);
    right = std::max(right, place.x + place.width);
    bottom = std::max(bottom, place.y + place.height);
    area += place.width * place.height;
  }
  all.width = right - all.x;
  all.height = bottom - all.y;
  if (area == all.width * all.height)
    return {all};
  return places;
}

static SourceFile emitRun(const ModuleInfo &info) {
  csl::LayoutOp layout = info.layout;
  Text symbols(4), functions(4), streams(4);
  for (auto name : layout.getOps<csl::ExportNameOp>()) {
    if (auto function = dyn_cast<FunctionType>(name.getType())) {
      std::string types;
      for (auto [index, type] : llvm::enumerate(function.getInputs()))
        types += (type.isInteger(1)
                      ? "np.bool_"
                      : numpyType(type, csl::isUnsigned(name, index))) +
                 ", ";
      if (types.size() > 2)
        types.resize(types.size() - (function.getNumInputs() > 1 ? 2 : 1));
      functions.line("    " + quote(name.getName()) + ": (" + types + "),");
      continue;
    }
    auto pointer = dyn_cast<csl::PtrType>(name.getType());
    if (!pointer)
      continue;
    Type element = csl::getBaseInfo(pointer).elementType;
    // NumPy has no type for these.
    if (isa<csl::StructType, NoneType, FunctionType>(element))
      continue;
    std::vector<SymbolArea> places = findPlaces(layout, name.getName());
    if (places.empty())
      continue;
    std::string type = numpyType(element, name.getIsUnsigned());
    symbols.line("    " + quote(name.getName()) + ": (" + type + ", [");
    for (const SymbolArea &place : places)
      symbols.line("        (" + std::to_string(place.x) + ", " +
                   std::to_string(place.y) + ", " +
                   std::to_string(place.width) + ", " +
                   std::to_string(place.height) + ", " +
                   std::to_string(place.elements) + "),");
    symbols.line("    ]),");
  }
  for (auto stream : layout.getOps<csl::StreamOp>())
    streams.line("    " + quote(stream.getName()) + ": " +
                 std::to_string(stream.getColor()) + ",");

  std::string text = R"(#!/usr/bin/env cs_python
"""Runs the compiled program: copies arrays in, launches functions, copies arrays out.

    cs_python run.py --name out --input A=a.npy --launch compute --output y=y.npy

Arrays are [height, width, elements per PE]. A stream, or a symbol whose size the
program decides, has its number of elements in the flag: --output y:16=y.npy.
"""

import argparse

import numpy as np

from cerebras.sdk.runtime.sdkruntimepybind import (  # pylint: disable=no-name-in-module
    MemcpyDataType,
    MemcpyOrder,
    SdkRuntime,
)

)";
  text += "WIDTH, HEIGHT = " + std::to_string(layout.getWidth()) + ", " +
          std::to_string(layout.getHeight()) + "\n\n";
  text +=
      "# Element type, and the rectangles that have the symbol: x, y, width, "
      "height,\n# elements per PE (0: the flag says it).\nSYMBOLS = {\n" +
      symbols.str() + "}\n\n";
  text +=
      "# Types of the arguments.\nFUNCTIONS = {\n" + functions.str() + "}\n\n";
  text += "# Colors.\nSTREAMS = {\n" + streams.str() + "}\n";
  text += R"(

def to_words(values, dtype):
    """Elements as the 32-bit words that memcpy takes, 16-bit ones in the low half."""
    values = np.ascontiguousarray(values)
    if np.dtype(dtype).itemsize == 2:
        if values.dtype != np.uint16 or np.dtype(dtype) != np.uint16:
            values = values.astype(dtype).view(np.uint16)
        return values.astype(np.uint32).ravel()
    return values.astype(dtype).view(np.uint32).ravel()


def from_words(words, dtype):
    """The reverse."""
    if np.dtype(dtype).itemsize == 2:
        return words.astype(np.uint16).view(dtype)
    return words.view(dtype)


def word_count(count, dtype):
    """How many words `count` elements are."""
    size = np.dtype(dtype).itemsize
    if size == 2:
        return count
    if count * size % 4:
        raise SystemExit(f"error: {count} elements of {size} bytes are no whole words of 4 bytes")
    return count * size // 4


def split_flag(flag):
    """NAME[:COUNT]=FILE."""
    target, _, file = flag.partition("=")
    name, _, count = target.partition(":")
    if not file or (name not in SYMBOLS and name not in STREAMS):
        known = ", ".join([*SYMBOLS, *STREAMS])
        raise SystemExit(f"error: '{flag}': expected NAME=FILE, names are {known}")
    return name, int(count) if count else 0, file


def settings(dtype, streaming):
    """Keyword arguments of a copy."""
    small = np.dtype(dtype).itemsize == 2
    return {
        "streaming": streaming,
        "data_type": MemcpyDataType.MEMCPY_16BIT if small else MemcpyDataType.MEMCPY_32BIT,
        "order": MemcpyOrder.ROW_MAJOR,
        "nonblock": False,
    }


def copy_in(runner, flag):
    """Copies a file to the device."""
    name, _, file = split_flag(flag)
    data = np.load(file)
    if name in STREAMS:
        count = data.size // (WIDTH * HEIGHT)
        runner.memcpy_h2d(STREAMS[name], to_words(data, data.dtype), 0, 0, WIDTH, HEIGHT, count,
                          **settings(data.dtype, True))
        return
    dtype, places = SYMBOLS[name]
    if len(places) == 1:
        x, y, width, height, _ = places[0]
        data = data.reshape(height, width, -1)
        runner.memcpy_h2d(runner.get_id(name), to_words(data, dtype), x, y, width, height,
                          word_count(data.shape[2], dtype), **settings(dtype, False))
        return
    data = data.reshape(HEIGHT, WIDTH, -1)
    for x, y, width, height, count in places:
        count = count or data.shape[2]
        part = data[y:y + height, x:x + width, :count]
        runner.memcpy_h2d(runner.get_id(name), to_words(part, dtype), x, y, width, height,
                          word_count(count, dtype), **settings(dtype, False))


def copy_out(runner, flag):
    """Copies a symbol of the device to a file."""
    name, given, file = split_flag(flag)
    if name in STREAMS:
        words = np.zeros(WIDTH * HEIGHT * given, np.uint32)
        runner.memcpy_d2h(words, STREAMS[name], 0, 0, WIDTH, HEIGHT, given,
                          **settings(np.float32, True))
        np.save(file, words.reshape(HEIGHT, WIDTH, given))
        return
    dtype, places = SYMBOLS[name]
    parts = []
    for x, y, width, height, count in places:
        count = count or given
        each = word_count(count, dtype)
        words = np.zeros(width * height * each, np.uint32)
        runner.memcpy_d2h(words, runner.get_id(name), x, y, width, height, each,
                          **settings(dtype, False))
        parts.append((x, y, from_words(words, dtype).reshape(height, width, count)))
    if len(parts) == 1:
        np.save(file, parts[0][2])
        return
    result = np.zeros((HEIGHT, WIDTH, max(part.shape[2] for _, _, part in parts)), dtype)
    for x, y, part in parts:
        result[y:y + part.shape[0], x:x + part.shape[1], :part.shape[2]] = part
    np.save(file, result)


def launch(runner, call):
    """Launches a function with arguments in the order of its parameters."""
    name, *values = call
    if name not in FUNCTIONS:
        raise SystemExit(f"error: unknown function '{name}', known are {', '.join(FUNCTIONS)}")
    types = FUNCTIONS[name]
    if len(values) != len(types):
        raise SystemExit(f"error: '{name}' takes {len(types)} arguments, {len(values)} given")
    arguments = [dtype(float(value) if np.issubdtype(dtype, np.floating) else int(value, 0))
                 for dtype, value in zip(types, values)]
    runner.launch(name, *arguments, nonblock=False)


def main():
    """Reads the command line and runs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--name", default="out", help="directory of the compiled program")
    parser.add_argument("--cmaddr", help="IP:port of the machine; the simulator without")
    parser.add_argument("--input", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--launch", action="append", default=[], nargs="+", metavar="FUNCTION")
    parser.add_argument("--output", action="append", default=[], metavar="NAME[:COUNT]=FILE")
    args = parser.parse_args()

    runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
    runner.load()
    runner.run()
    for flag in args.input:
        copy_in(runner, flag)
    for call in args.launch:
        launch(runner, call)
    for flag in args.output:
        copy_out(runner, flag)
    runner.stop()


if __name__ == "__main__":
    main()
)";
  return {"run.py", text, /*executable=*/true};
}

std::vector<SourceFile>
csl_to_source::emitHostFiles(const ModuleInfo &info,
                             const ProgramFiles &programs, bool usesMemcpy) {
  csl::LayoutOp layout = info.layout;
  std::string machine = info.target.getMachine().str();
  // Without a place: the rectangle and the margins of memcpy around it
  // (HST, LAY-024).
  constexpr int64_t kLeft = 4, kRight = 3, kTop = 1, kBottom = 1;
  int64_t width =
      layout.getFabricWidth().value_or(layout.getWidth() + kLeft + kRight);
  int64_t height =
      layout.getFabricHeight().value_or(layout.getHeight() + kTop + kBottom);
  int64_t x = layout.getOffsetX().value_or(kLeft);
  int64_t y = layout.getOffsetY().value_or(kTop);
  std::string text = "#!/usr/bin/env bash\n\nset -e\n\n";
  text += "cslc --arch=" + machine +
          " ./layout.csl --fabric-dims=" + std::to_string(width) + "," +
          std::to_string(height) + " --fabric-offsets=" + std::to_string(x) +
          "," + std::to_string(y) + " \\\n  -o out";
  if (info.target.getFp16() != csl::Fp16::F16)
    text += " --fp16-format=" + csl::stringifyFp16(info.target.getFp16()).str();
  if (usesMemcpy)
    text += " --memcpy --channels=1";
  text += "\ncs_python run.py --name out \"$@\"\n";
  return {emitRun(info),
          {"commands_" + machine + ".sh", text, /*executable=*/true}};
}
