//===- Observations.h - Types and values of expressions ---------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What evaluation found at places of source files, for editors: an expression
// or a declaration's name has a type and, if it is known while compiling, a
// value. Code that is evaluated several times (by several programs, calls,
// iterations) has an observation for each that differs, up to a limit.
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_CSLSOURCE_OBSERVATIONS_H
#define SEQUIN_CSLSOURCE_OBSERVATIONS_H

#include "sequin/CslSource/SourceManager.h"
#include "llvm/ADT/DenseSet.h"

namespace sequin::csl_source {

struct Observation {
  /// As diagnostics name it.
  std::string type;
  /// Empty if running code computes it.
  std::string value;
  /// Which evaluation this is of, e.g. "PE (0, 0)".
  std::string where;
};

class Observations {
public:
  /// Different observations that are kept of one place.
  static constexpr unsigned kMaxPerPlace = 6;

  struct Entry {
    llvm::SmallVector<Observation, 1> found;
    /// Whether there were more than are kept.
    bool more = false;

    bool has(llvm::StringRef type, llvm::StringRef value) const {
      for (const Observation &known : found)
        if (known.type == type && known.value == value)
          return true;
      return false;
    }
  };

  /// The entry of a span, to which observations may be added; null if no
  /// further one is kept.
  Entry *open(Span span) {
    Entry &entry = entries[{span.Start.getPointer(), span.End.getPointer()}];
    return entry.more ? nullptr : &entry;
  }
  /// What was found about a span, given as the text it covers; null if it was
  /// not evaluated.
  const Entry *find(llvm::StringRef text) const {
    auto found = entries.find({text.begin(), text.end()});
    return found == entries.end() || found->second.found.empty()
               ? nullptr
               : &found->second;
  }

  /// A file that belongs to the program.
  void addParsed(FileId file) { parsed.insert(file); }
  bool isParsed(FileId file) const { return parsed.contains(file); }
  /// A parameter that nothing gives a value.
  void addUnbound(Span span) { unbound.insert(span.Start.getPointer()); }
  bool isUnbound(Loc loc) const { return unbound.contains(loc.getPointer()); }
  /// Where evaluation ended because it took too many steps.
  Loc stopped;

private:
  llvm::DenseMap<std::pair<const char *, const char *>, Entry> entries;
  llvm::DenseSet<const char *> unbound;
  llvm::DenseSet<FileId> parsed;
};

} // namespace sequin::csl_source

#endif // SEQUIN_CSLSOURCE_OBSERVATIONS_H
