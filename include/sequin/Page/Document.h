//===- Document.h - A page as one file --------------------------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page is one HTML file that opens from disk without a network: style and
// scripts of lib/Page/assets, and the data of a run, which is JSON, compressed
// by zlib and in base64. The scripts unpack it; nothing of the data is ever
// markup, so that a program cannot make the page do anything.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_PAGE_DOCUMENT_H
#define SEQUIN_PAGE_DOCUMENT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace sequin::page {

/// A text of the program, as locations name it.
struct Source {
  std::string name, text;
};

/// Reads the files that locations ("file:line:col", several with " at " between
/// them) begin with and that are not among `sources` yet. Locations are up to
/// who wrote the program, so nothing but source is read: .mlir, .csl and .rs.
/// What cannot be read, is no text, or has more than kMostSourceBytes is left
/// out.
void readSources(llvm::ArrayRef<llvm::StringRef> locations,
                 std::vector<Source> &sources);
inline constexpr size_t kMostSourceBytes = size_t(1) << 20;

/// What a run is called, and how it can be had again.
struct Heading {
  std::string title;   ///< the program's name
  std::string command; ///< a command line; may be empty
};

/// Texts by number, each once.
class Strings {
public:
  int64_t operator[](llvm::StringRef text);
  void write(llvm::json::OStream &out) const;
  llvm::ArrayRef<std::string> list() const { return texts; }

private:
  std::vector<std::string> texts;
  llvm::StringMap<int64_t> numbers;
};

/// An attribute that is a list of numbers, one for each of `items`.
template <typename Range, typename Get>
void writeColumn(llvm::json::OStream &out, llvm::StringRef name,
                 const Range &items, Get get) {
  out.attributeArray(name, [&] {
    for (const auto &item : items)
      out.value(static_cast<int64_t>(get(item)));
  });
}

void writeSources(llvm::json::OStream &out, llvm::ArrayRef<Source> sources);

/// The whole page. `title` is any text, `data` JSON as lib/Page/assets reads
/// it.
void writeDocument(llvm::raw_ostream &os, llvm::StringRef title,
                   llvm::StringRef data);

} // namespace sequin::page

#endif // SEQUIN_PAGE_DOCUMENT_H
