//===- LayoutEmitter.h - layout.csl and the host's files --------*- C++ -*-===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SEQUIN_LIB_TARGET_CSLSOURCE_LAYOUTEMITTER_H
#define SEQUIN_LIB_TARGET_CSLSOURCE_LAYOUTEMITTER_H

#include "ProgramEmitter.h"
#include "llvm/ADT/MapVector.h"

namespace sequin::csl_to_source {

/// A program and the file it is in.
struct ProgramFile {
  std::unique_ptr<ProgramEmitter> emitter;
  std::string name;
};
using ProgramFiles = llvm::MapVector<mlir::Operation *, ProgramFile>;

/// Writes the layout block. A region is a loop over its coordinates; whatever
/// concerns one region is in one loop. A parameter that is different at every
/// PE is an expression of the coordinates or a table.
class LayoutEmitter {
public:
  LayoutEmitter(const ModuleInfo &info, const ProgramFiles &programs)
      : info(info), layout(info.layout), programs(programs) {}

  /// The file's text; failure after errors.
  mlir::FailureOr<std::string> run();
  bool usesMemcpy() const { return memcpy; }

private:
  /// The coordinates of a region: names of loop variables, or numbers.
  struct Coordinates {
    std::string x, y;
    csl::RegionAttr region;
  };
  std::string colorOf(int64_t color);
  void emitRegion(csl::RegionAttr region,
                  llvm::ArrayRef<mlir::Operation *> ops);
  void emitTile(csl::TileCodeOp tile, const Coordinates &at);
  std::string parameter(csl::TileCodeOp tile, csl::ParamOp param,
                        mlir::Attribute value, const Coordinates &at);
  std::string table(csl::TileCodeOp tile, csl::ParamOp param,
                    llvm::ArrayRef<mlir::Attribute> values,
                    const Coordinates &at);
  std::string extent(int64_t size, llvm::StringRef name, int64_t whole);
  void collectColorNames();
  void emitExports();
  void emitStreams(std::vector<Doc> &fields);
  /// The type of loop variables of a region: what all maps over it fit in.
  std::string coordinateType(llvm::ArrayRef<mlir::Operation *> ops);

  const ModuleInfo &info;
  csl::LayoutOp layout;
  const ProgramFiles &programs;
  Names names;
  bool failed = false;
  bool memcpy = false;
  std::map<int64_t, std::string> colorWishes, colorNames;
  std::string getParams, widthName, heightName, xName, yName;
  Text head, tables, colors, body;
};

/// run.py and the command lines.
std::vector<SourceFile> emitHostFiles(const ModuleInfo &info,
                                      const ProgramFiles &programs,
                                      bool usesMemcpy);

} // namespace sequin::csl_to_source

#endif // SEQUIN_LIB_TARGET_CSLSOURCE_LAYOUTEMITTER_H
