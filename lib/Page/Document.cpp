//===- Document.cpp - A page as one file ----------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Page/Document.h"
#include "PageAssets.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace sequin;
using namespace sequin::page;
using llvm::StringRef;

int64_t Strings::operator[](StringRef text) {
  auto [place, isNew] =
      numbers.try_emplace(text, static_cast<int64_t>(texts.size()));
  if (isNew)
    texts.push_back(llvm::json::fixUTF8(text));
  return place->second;
}

void Strings::write(llvm::json::OStream &out) const {
  out.attributeArray("strings", [&] {
    for (const std::string &text : texts)
      out.value(text);
  });
}

/// "file" of "file:line:col"; empty for what is no such text.
static StringRef fileOf(StringRef location) {
  auto [rest, column] = location.rsplit(':');
  auto [file, line] = rest.rsplit(':');
  unsigned number;
  if (column.getAsInteger(10, number) || line.getAsInteger(10, number))
    return "";
  return file;
}

void page::readSources(llvm::ArrayRef<StringRef> locations,
                       std::vector<Source> &sources) {
  llvm::StringSet<> seen;
  for (const Source &source : sources)
    seen.insert(source.name);
  for (StringRef location : locations) {
    llvm::SmallVector<StringRef, 4> chain;
    location.split(chain, " at ");
    for (StringRef place : chain) {
      StringRef file = fileOf(place);
      llvm::sys::fs::file_status status;
      StringRef kind = llvm::sys::path::extension(file);
      if ((kind != ".mlir" && kind != ".csl" && kind != ".rs") ||
          !seen.insert(file).second || llvm::sys::fs::status(file, status) ||
          status.type() != llvm::sys::fs::file_type::regular_file ||
          status.getSize() > kMostSourceBytes)
        continue;
      auto buffer = llvm::MemoryBuffer::getFile(file);
      if (buffer && !(*buffer)->getBuffer().contains('\0'))
        sources.push_back({file.str(), (*buffer)->getBuffer().str()});
    }
  }
}

void page::writeSources(llvm::json::OStream &out,
                        llvm::ArrayRef<Source> sources) {
  out.attributeArray("files", [&] {
    for (const Source &source : sources)
      out.object([&] {
        out.attribute("name", llvm::json::fixUTF8(source.name));
        out.attribute("text", llvm::json::fixUTF8(source.text));
      });
  });
}

static void writeEscaped(llvm::raw_ostream &os, StringRef text) {
  for (char c : llvm::json::fixUTF8(text))
    switch (c) {
    case '&':
      os << "&amp;";
      break;
    case '<':
      os << "&lt;";
      break;
    case '>':
      os << "&gt;";
      break;
    default:
      os << c;
    }
}

void page::writeDocument(llvm::raw_ostream &os, StringRef title,
                         StringRef data) {
  llvm::SmallVector<uint8_t, 0> packed;
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef<uint8_t>(data),
                                    packed);
  // page.html names what goes where: <!--title-->, <!--style-->, ...
  StringRef rest = assets::html;
  while (!rest.empty()) {
    auto [before, after] = rest.split("<!--");
    os << before;
    auto [what, next] = after.split("-->");
    rest = next;
    if (what == "title")
      writeEscaped(os, title);
    else if (what == "style")
      os << "<style>\n" << assets::style << "</style>";
    else if (what == "scripts")
      os << "<script>\n" << assets::scripts << "</script>";
    else if (what == "data")
      os << "<script type=\"application/octet-stream\" id=\"data\">"
         << llvm::encodeBase64(packed) << "</script>";
  }
}
