//===- MemoryImage.cpp - Memory of PEs for debug tools --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/MemoryImage.h"
#include "sequin/Support/OutputFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Casting.h"

using namespace sequin;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// What becomes a hole or does not: no file system keeps smaller ones.
static constexpr size_t kPage = 4096;

/// Zeros as a hole, where there can be one.
static void writeZeros(llvm::raw_ostream &os, uint64_t count) {
  if (count == 0)
    return;
  if (auto *file = llvm::dyn_cast<llvm::raw_fd_stream>(&os)) {
    file->seek(file->tell() + count);
    return;
  }
  for (; count > 0; count -= std::min<uint64_t>(count, kPage))
    os.write_zeros(static_cast<unsigned>(std::min<uint64_t>(count, kPage)));
}

static void writePages(llvm::raw_ostream &os, const Session &session) {
  const Program &program = session.program();
  uint64_t zeros = 0;
  for (int64_t y = 0; y < program.height; ++y)
    for (int64_t x = 0; x < program.width; ++x) {
      llvm::ArrayRef<uint8_t> memory = session.simulator().memory(x, y);
      uint64_t rest = session.machine().memoryBytesPerPe - memory.size();
      for (size_t page = 0; page < memory.size(); page += kPage) {
        llvm::ArrayRef<uint8_t> part =
            memory.slice(page, std::min(kPage, memory.size() - page));
        if (llvm::all_of(part, [](uint8_t byte) { return byte == 0; })) {
          zeros += part.size();
          continue;
        }
        writeZeros(os, std::exchange(zeros, 0));
        os.write(reinterpret_cast<const char *>(part.data()), part.size());
      }
      zeros += rest;
    }
  // The file is whole although its last page is a hole.
  if (zeros > 0) {
    writeZeros(os, zeros - 1);
    os << '\0';
  }
}

llvm::Error wafer::writeMemoryImage(StringRef path, const Session &session) {
  return writeOutput(path, [&](llvm::raw_ostream &os) -> llvm::Error {
    writePages(os, session);
    return llvm::Error::success();
  });
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

static VariablePlace placeOf(const Variable &variable) {
  return {variable.address, static_cast<uint64_t>(variable.bytes()),
          variable.kind, variable.elementBytes};
}

static llvm::Expected<VariablePlace>
exported(const Program &program, const Code &code, const Symbol &symbol,
         const Variable &variable, llvm::ArrayRef<uint8_t> memory) {
  VariablePlace place = placeOf(variable);
  if (symbol.kind != Symbol::Kind::Pointer)
    return place;
  if (place.address + 2 > memory.size())
    return llvm::createStringError("no memory to read pointer '" + symbol.name +
                                   "' from");
  uint64_t address = memory[place.address] | memory[place.address + 1] << 8;
  for (const Variable &behind : code.variables)
    if (address >= behind.address &&
        address - behind.address < static_cast<uint64_t>(behind.bytes()))
      return VariablePlace{address, behind.address + behind.bytes() - address,
                           symbol.element, symbol.elementBytes};
  return llvm::createStringError("pointer '" + symbol.name +
                                 "' holds address " + Twine(address) +
                                 ", which is in no variable");
}

llvm::Expected<VariablePlace>
wafer::findVariable(const Program &program, int64_t x, int64_t y,
                    StringRef name, llvm::ArrayRef<uint8_t> memory) {
  uint32_t number = program.setups[program.at(x, y).setup].code;
  const Code &code = program.codes[number];
  const Variable *inner = nullptr;
  bool ambiguous = false;
  std::vector<StringRef> known;
  for (const Variable &variable : code.variables) {
    if (variable.name == name)
      return placeOf(variable);
    StringRef full = variable.name;
    known.push_back(full);
    if (full.consume_back(name) && full.ends_with(".")) {
      ambiguous |= inner != nullptr;
      inner = &variable;
    }
  }
  for (const Symbol &symbol : program.symbols) {
    if (symbol.name != name || symbol.kind == Symbol::Kind::Function)
      continue;
    for (const Symbol::Definition &place : symbol.places)
      if (place.code == number)
        return exported(program, code, symbol, code.variables[place.index],
                        memory);
  }
  if (inner && !ambiguous)
    return placeOf(*inner);
  return llvm::createStringError(
      "PE (" + Twine(x) + ", " + Twine(y) + ") has no variable " +
      suggest(name, known) +
      (ambiguous ? "; several modules have one of that name" : ""));
}
