//===- MemoryImage.cpp - Memory of PEs for debug tools --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/MemoryImage.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"

using namespace sequin;
using namespace sequin::wafer;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

/// What becomes a hole or does not: no file system keeps smaller ones.
static constexpr size_t kPage = 4096;

static void writePages(llvm::raw_fd_ostream &os, const Session &session) {
  const Program &program = session.program();
  auto bytes = static_cast<uint64_t>(session.machine().memoryBytesPerPe);
  uint64_t offset = 0, end = 0;
  for (int64_t y = 0; y < program.height; ++y)
    for (int64_t x = 0; x < program.width; ++x, offset += bytes) {
      llvm::ArrayRef<uint8_t> memory = session.simulator().memory(x, y);
      for (size_t page = 0; page < memory.size(); page += kPage) {
        llvm::ArrayRef<uint8_t> part =
            memory.slice(page, std::min(kPage, memory.size() - page));
        if (llvm::all_of(part, [](uint8_t byte) { return byte == 0; }))
          continue;
        os.seek(offset + page);
        os.write(reinterpret_cast<const char *>(part.data()), part.size());
        end = offset + page + part.size();
      }
    }
  // The file is whole although its last page is a hole.
  if (end < offset) {
    os.seek(offset - 1);
    os << '\0';
  }
}

llvm::Error wafer::writeMemoryImage(StringRef path, const Session &session) {
  auto cannot = [&](std::error_code code) {
    return llvm::createStringError("cannot write '" + path +
                                   "': " + code.message());
  };
  llvm::SmallString<128> temporary;
  llvm::sys::fs::createUniquePath(path + ".tmp-%%%%%%%%", temporary,
                                  /*MakeAbsolute=*/false);
  std::error_code code;
  {
    llvm::raw_fd_ostream os(temporary, code);
    if (code)
      return cannot(code);
    writePages(os, session);
    os.close();
    code = os.error();
    os.clear_error();
  }
  if (!code)
    code = llvm::sys::fs::rename(temporary, path);
  if (!code)
    return llvm::Error::success();
  llvm::sys::fs::remove(temporary);
  return cannot(code);
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
    for (const Symbol::Place &place : symbol.places)
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
