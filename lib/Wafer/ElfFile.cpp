//===- ElfFile.cpp - The memory of a PE as an ELF file --------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Wafer/ElfFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/EndianStream.h"

using namespace sequin;
using namespace sequin::wafer;
namespace ELF = llvm::ELF;

std::optional<std::pair<int64_t, int64_t>>
wafer::representative(const Program &program, uint32_t code) {
  for (const auto &[number, pe] : llvm::enumerate(program.pes))
    if (program.setups[pe.setup].code == code)
      return std::pair<int64_t, int64_t>(int64_t(number) % program.width,
                                         int64_t(number) / program.width);
  return std::nullopt;
}

namespace {
/// A string table: empty at 0.
struct Strings {
  std::string bytes = std::string(1, '\0');
  uint32_t add(llvm::StringRef text) {
    uint32_t at = uint32_t(bytes.size());
    bytes += text;
    bytes += '\0';
    return at;
  }
};

struct Section {
  uint32_t name = 0, type = 0, flags = 0, address = 0, offset = 0, size = 0;
  uint32_t link = 0, info = 0, align = 1, entry = 0;
};
} // namespace

/// Sections, by index.
enum SectionIndex : uint16_t { kNull, kData, kText, kSymbols, kNames, kCount };

void wafer::writeElf(llvm::raw_ostream &os, const Code &code, const Pe &pe) {
  // The image from the first variable to the last byte that is not zero.
  uint32_t begin = 0, end = 0;
  for (const Variable &variable : code.variables) {
    begin = end == 0 ? variable.address
                     : std::min<uint32_t>(begin, variable.address);
    end = std::max<uint32_t>(end, variable.address + variable.bytes());
  }
  for (const Patch &patch : pe.patches)
    end = std::max<uint32_t>(end, patch.address + patch.data.size());
  std::string image(end - begin, '\0');
  for (const Variable &variable : code.variables)
    llvm::copy(variable.data, image.begin() + (variable.address - begin));
  for (const Patch &patch : pe.patches)
    llvm::copy(patch.data, image.begin() + (patch.address - begin));
  size_t used = llvm::StringRef(image).find_last_not_of('\0') + 1;
  image.resize(used);

  Strings names;
  struct Symbol {
    uint32_t name, value, size;
    uint8_t info;
    uint16_t section;
  };
  std::vector<Symbol> symbols;
  auto info = [](unsigned type) {
    return uint8_t((ELF::STB_GLOBAL << 4) | type);
  };
  for (const Variable &variable : code.variables)
    symbols.push_back({names.add(variable.name), variable.address,
                       uint32_t(variable.bytes()), info(ELF::STT_OBJECT),
                       kData});
  for (const Function &function : code.functions)
    symbols.push_back({names.add(function.name), code.textAddress, 0,
                       info(ELF::STT_FUNC), kText});

  Strings sectionNames;
  constexpr uint32_t kHeader = sizeof(ELF::Elf32_Ehdr);
  constexpr uint32_t kSegment = sizeof(ELF::Elf32_Phdr);
  constexpr uint32_t kSymbol = sizeof(ELF::Elf32_Sym);
  Section sections[kCount + 1];
  uint32_t at = kHeader + kSegment;
  auto place = [&](Section &section, llvm::StringRef name, uint32_t type,
                   uint32_t size) {
    section.name = sectionNames.add(name);
    section.type = type;
    section.offset = at;
    section.size = size;
    if (type != ELF::SHT_NOBITS)
      at += size;
  };
  // The part of the data that is zero is in the segment's memory size.
  place(sections[kData], ".data", ELF::SHT_PROGBITS, uint32_t(image.size()));
  sections[kData].address = begin;
  sections[kData].flags = ELF::SHF_ALLOC | ELF::SHF_WRITE;
  place(sections[kText], ".text", ELF::SHT_NOBITS, code.textBytes);
  sections[kText].address = code.textAddress;
  sections[kText].flags = ELF::SHF_ALLOC | ELF::SHF_EXECINSTR;
  at = llvm::alignTo(at, 4);
  place(sections[kSymbols], ".symtab", ELF::SHT_SYMTAB,
        uint32_t(kSymbol * (symbols.size() + 1)));
  sections[kSymbols].link = kNames;
  sections[kSymbols].info = 1; // the first that is global
  sections[kSymbols].align = 4;
  sections[kSymbols].entry = kSymbol;
  place(sections[kNames], ".strtab", ELF::SHT_STRTAB,
        uint32_t(names.bytes.size()));
  uint32_t shstrtab = sectionNames.add(".shstrtab");
  sections[kCount] = {
      shstrtab, ELF::SHT_STRTAB, 0, 0, at, uint32_t(sectionNames.bytes.size())};
  uint32_t tableAt = llvm::alignTo(at + sectionNames.bytes.size(), 4);

  std::string text;
  llvm::raw_string_ostream buffer(text);
  llvm::support::endian::Writer out(buffer, llvm::endianness::little);
  auto padTo = [&](uint32_t offset) {
    buffer.write_zeros(offset - text.size());
  };
  buffer << llvm::StringRef(ELF::ElfMagic, 4);
  for (uint8_t byte : {uint8_t(ELF::ELFCLASS32), uint8_t(ELF::ELFDATA2LSB),
                       uint8_t(ELF::EV_CURRENT)})
    out.write<uint8_t>(byte);
  padTo(ELF::EI_NIDENT);
  // No machine number is assigned to the wafer's PEs.
  for (uint16_t half : {uint16_t(ELF::ET_EXEC), uint16_t(ELF::EM_NONE)})
    out.write<uint16_t>(half);
  for (uint32_t word : {uint32_t(ELF::EV_CURRENT), 0u, kHeader, tableAt, 0u})
    out.write<uint32_t>(word);
  for (uint16_t half : {uint16_t(kHeader), uint16_t(kSegment), uint16_t(1),
                        uint16_t(sizeof(ELF::Elf32_Shdr)), uint16_t(kCount + 1),
                        uint16_t(kCount)})
    out.write<uint16_t>(half);
  for (uint32_t word : {uint32_t(ELF::PT_LOAD), sections[kData].offset, begin,
                        begin, uint32_t(image.size()), end - begin,
                        uint32_t(ELF::PF_R | ELF::PF_W), 1u})
    out.write<uint32_t>(word);
  buffer << image;
  padTo(sections[kSymbols].offset);
  buffer.write_zeros(kSymbol);
  for (const Symbol &symbol : symbols) {
    for (uint32_t word : {symbol.name, symbol.value, symbol.size})
      out.write<uint32_t>(word);
    out.write<uint8_t>(symbol.info);
    out.write<uint8_t>(ELF::STV_DEFAULT);
    out.write<uint16_t>(symbol.section);
  }
  buffer << names.bytes << sectionNames.bytes;
  padTo(tableAt);
  for (const Section &section : sections)
    for (uint32_t word :
         {section.name, section.type, section.flags, section.address,
          section.offset, section.size, section.link, section.info,
          section.align, section.entry})
      out.write<uint32_t>(word);
  os << text;
}
