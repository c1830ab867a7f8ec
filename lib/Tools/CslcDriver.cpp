//===- CslcDriver.cpp - What cslc does ------------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/CslcDriver.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "sequin/Conversion/CslToWafer/DeriveProgram.h"
#include "sequin/Machine/MemcpyBuffers.h"
#include "sequin/Target/CslImport/SourceNames.h"
#include "sequin/Tools/ExitCode.h"
#include "sequin/Wafer/CslOutput.h"
#include "llvm/Support/SourceMgr.h"

using namespace sequin;
using namespace sequin::tools;

/// PEs that memcpy needs beside the program (host runtime, Supported fabric
/// dimensions): to the west, to the east and around.
static constexpr int64_t kMemcpyWest = 4, kMemcpyEast = 3, kMemcpyNorth = 1,
                         kMemcpySouth = 1;
static constexpr int64_t kMaxChannels = 16;

/// Whether the fabric has room for the program and memcpy; reasons on `err`.
static bool checkFabric(const CslcOptions &options, csl::LayoutOp layout,
                        llvm::raw_ostream &err) {
  auto refuse = [&](const llvm::Twine &text) {
    err << "error: " << text << '\n';
    return false;
  };
  const csl_import::ImportOptions &import = options.import;
  const CslMachine &machine = *lookupCslMachine(import.arch);
  for (auto [side, columns] :
       {std::pair("west", options.westBuffers), {"east", options.eastBuffers}})
    if (columns > machine.fabricWidth)
      return refuse(llvm::Twine("--width-") + side + "-buf: found " +
                    llvm::Twine(columns) + ", the fabric of " + machine.name +
                    " has " + llvm::Twine(machine.fabricWidth) + " columns");
  if (!import.fabric)
    return true;
  auto [fabricWidth, fabricHeight] = *import.fabric;
  if (fabricWidth > machine.fabricWidth || fabricHeight > machine.fabricHeight)
    err << "warning: --fabric-dims: found " << fabricWidth << ','
        << fabricHeight << ", the fabric of " << machine.name << " has "
        << machine.fabricWidth << " x " << machine.fabricHeight << " PEs\n";
  if (!import.memcpy)
    return true;
  auto [x, y] = import.offsets.value_or(std::pair<int64_t, int64_t>());
  int64_t width = layout.getWidth(), height = layout.getHeight();
  int64_t leastX = kMemcpyWest + options.westBuffers;
  if (x < leastX || y < kMemcpyNorth)
    return refuse("--fabric-offsets: found " + llvm::Twine(x) + "," +
                  llvm::Twine(y) + ", with memcpy at least " +
                  llvm::Twine(leastX) + "," + llvm::Twine(kMemcpyNorth));
  int64_t leastWidth = x + width + kMemcpyEast + options.eastBuffers;
  int64_t leastHeight = y + height + kMemcpySouth;
  if (fabricWidth < leastWidth || fabricHeight < leastHeight)
    return refuse("--fabric-dims: Fabric dimension must be at least " +
                  llvm::Twine(leastWidth) + "-by-" + llvm::Twine(leastHeight) +
                  ", found " + llvm::Twine(fabricWidth) + "-by-" +
                  llvm::Twine(fabricHeight));
  if (x != leastX || y != kMemcpyNorth)
    err << "warning: --fabric-offsets: found " << x << ',' << y
        << ", the vendor's runtime wants " << leastX << ',' << kMemcpyNorth
        << '\n';
  return true;
}

/// The innermost place of a location, and the innermost that is not in the
/// library; null if there is none.
static std::pair<mlir::FileLineColLoc, mlir::FileLineColLoc>
findPlaces(mlir::Location location, llvm::StringRef library) {
  std::pair<mlir::FileLineColLoc, mlir::FileLineColLoc> found;
  location->walk([&](mlir::Location part) {
    auto place = llvm::dyn_cast<mlir::FileLineColLoc>(part);
    if (!place)
      return mlir::WalkResult::advance();
    if (!found.first)
      found.first = place;
    if (place.getFilename().getValue().starts_with(library))
      return mlir::WalkResult::advance();
    found.second = place;
    return mlir::WalkResult::interrupt();
  });
  return found;
}

/// A warning about code of the library is one about what asked for it, that is
/// a call or an import, or a place that a note names. True if the diagnostic
/// has been dealt with: what a user cannot change is not said.
static bool moveOutOfLibrary(mlir::Diagnostic &diagnostic,
                             llvm::StringRef library) {
  if (diagnostic.getSeverity() != mlir::DiagnosticSeverity::Warning)
    return false;
  auto [inner, outer] = findPlaces(diagnostic.getLocation(), library);
  if (!inner || inner == outer)
    return false;
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    if (!outer)
      outer = findPlaces(note.getLocation(), library).second;
  if (!outer)
    return true;
  mlir::InFlightDiagnostic moved = mlir::emitWarning(outer) << diagnostic.str();
  moved.attachNote(inner) << "in the library here";
  for (mlir::Diagnostic &note : diagnostic.getNotes())
    moved.attachNote(note.getLocation()) << note.str();
  return true;
}

int tools::compile(const CslcOptions &options, llvm::raw_ostream &err) {
  if (options.import.memcpy &&
      (options.channels < 1 || options.channels > kMaxChannels)) {
    err << "error: --channels: found " << options.channels
        << ", with --memcpy 1 to " << kMaxChannels << ", as in --channels=1\n";
    return kRefused;
  }
  mlir::MLIRContext context;
  context.printOpOnDiagnostic(false);
  csl_source::SourceManager sources;
  csl_source::Diagnostics diagnostics(sources);
  csl_import::ParamValues params;
  std::vector<csl_import::HostSymbol> hostSymbols;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      csl_import::importCsl(options.layout, options.import, context, sources,
                            diagnostics, &params, &hostSymbols);
  if (!module || !options.noWarnings)
    diagnostics.print(err);
  if (!module)
    return kRefused;
  bool hasWarnings = !options.noWarnings && !diagnostics.all().empty();
  csl::LayoutOp layout = *module->getOps<csl::LayoutOp>().begin();
  if (!checkFabric(options, layout, err))
    return kRefused;

  if (!options.linkSections.empty()) {
    mlir::Builder builder(&context);
    llvm::SmallVector<mlir::NamedAttribute> sections;
    for (const auto &[section, address] : options.linkSections)
      sections.push_back(
          builder.getNamedAttr(section, builder.getI64IntegerAttr(address)));
    module->getOperation()->setAttr(csl_to_wafer::kLinkSectionsAttr,
                                    builder.getDictionaryAttr(sections));
  }
  llvm::SourceMgr files;
  mlir::SourceMgrDiagnosticHandler handler(files, &context, err);
  // Sees what the other one prints before it does.
  mlir::ScopedDiagnosticHandler counter(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (options.noWarnings &&
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning)
          return mlir::success();
        csl_import::nameAsInSource(diagnostic);
        if (moveOutOfLibrary(diagnostic, options.import.libraryPath))
          return mlir::success();
        hasWarnings |=
            diagnostic.getSeverity() == mlir::DiagnosticSeverity::Warning;
        return mlir::failure();
      });
  mlir::FailureOr<wafer::Program> program =
      csl_to_wafer::deriveCheckedProgram(std::move(module));
  if (mlir::failed(program))
    return kRefused;
  if (hasWarnings && options.warningsAsErrors) {
    err << "error: there are warnings, and --warnings-as-errors is given\n";
    return kRefused;
  }
  wafer::CslOutput output;
  output.params = options.import.params;
  output.colors = options.import.colors;
  // Values as decimal digits, and defaults that the layout has (HST-022).
  for (auto &[name, value] : output.params)
    for (const auto &[known, digits] : params)
      if (known == name)
        value = digits;
  for (const auto &[name, digits] : params)
    if (llvm::none_of(output.params,
                      [&](const auto &entry) { return entry.first == name; }))
      output.params.emplace_back(name, digits);
  for (const csl_import::HostSymbol &symbol : hostSymbols)
    output.advertised.push_back({symbol.name, symbol.type, symbol.inputs});
  output.source = options.layout;
  output.channels = options.import.memcpy ? options.channels : 0;
  output.westBuffers = options.import.memcpy ? options.westBuffers : 0;
  output.eastBuffers = options.import.memcpy ? options.eastBuffers : 0;
  if (llvm::Error error = wafer::writeCslOutput(options.output, output,
                                                *program, options.outputJson)) {
    err << "error: " << llvm::toString(std::move(error)) << '\n';
    return kRefused;
  }
  if (options.verbose)
    for (auto [side, columns] :
         {std::pair("west", output.westBuffers), {"east", output.eastBuffers}})
      if (columns)
        err << "--width-" << side << "-buf=" << columns << " holds "
            << bufferedWaveletsPerPe(columns, program->width)
            << " wavelets for each PE of a row\n";
  if (options.verbose)
    err << options.output << ": " << program->width << " x " << program->height
        << " PEs, " << program->codes.size() << " codes\n";
  return kSuccess;
}
