//===- CslcFlags.cpp - The command line of cslc ---------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Flags are read by hand: those of libraries linked in are not flags of cslc,
// and the vendor's wrapper takes some forms that LLVM's parser does not.
//
//===----------------------------------------------------------------------===//

#include "sequin/Tools/CslcFlags.h"
#include "sequin/Support/Version.h"
#include "sequin/Tools/ExitCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <cstdlib>
#include <limits>

using namespace sequin;
using namespace sequin::tools;

namespace {
enum class Flag : uint8_t {
  Unknown,
  Output,
  Arch,
  Params,
  Colors,
  FabricDims,
  FabricOffsets,
  Memcpy,
  Channels,
  WestBuffers,
  EastBuffers,
  ImportPath,
  Fp16Format,
  MaxInlined,
  DepthLimit,
  WarningsAsErrors,
  NoWarnings,
  LinkSections,
  OutputJson, ///< its value, if any, comes after '='
  Verbose,
  Help,
  Version,
  IgnoredSwitch, ///< has no meaning here, takes no value
  IgnoredValue,  ///< has no meaning here, takes a value
};
} // namespace

static Flag lookupFlag(llvm::StringRef name) {
  return llvm::StringSwitch<Flag>(name)
      .Case("o", Flag::Output)
      .Case("arch", Flag::Arch)
      .Case("params", Flag::Params)
      .Case("colors", Flag::Colors)
      .Case("fabric-dims", Flag::FabricDims)
      .Case("fabric-offsets", Flag::FabricOffsets)
      .Case("memcpy", Flag::Memcpy)
      .Case("channels", Flag::Channels)
      .Case("width-west-buf", Flag::WestBuffers)
      .Case("width-east-buf", Flag::EastBuffers)
      .Case("import-path", Flag::ImportPath)
      .Case("fp16-format", Flag::Fp16Format)
      .Case("max-inlined-iterations", Flag::MaxInlined)
      .Case("comptime-func-depth-limit", Flag::DepthLimit)
      .Case("link-section-start-address-bytes", Flag::LinkSections)
      .Case("warnings-as-errors", Flag::WarningsAsErrors)
      .Case("no-warnings", Flag::NoWarnings)
      .Cases({"verbose", "v"}, Flag::Verbose)
      .Cases({"help", "h"}, Flag::Help)
      .Case("version", Flag::Version)
      .Cases({"g0", "g", "O0", "O1", "O2", "O3", "single-pe", "out-routes",
              "disable-auto-microthread-id", "dump-dsr-alloc-graph"},
             Flag::IgnoredSwitch)
      .Case("output-json", Flag::OutputJson)
      .Cases({"max-parallelism", "lomem-reservation-end", "driver",
              "verbose-level"},
             Flag::IgnoredValue)
      .Default(Flag::Unknown);
}

/// Takes a value after '=' only.
static bool isSwitch(Flag flag) {
  return flag == Flag::Memcpy || flag == Flag::WarningsAsErrors ||
         flag == Flag::NoWarnings || flag == Flag::Verbose ||
         flag == Flag::Help || flag == Flag::Version ||
         flag == Flag::IgnoredSwitch || flag == Flag::OutputJson;
}

static constexpr llvm::StringLiteral kUsageText =
    R"(usage: cslc layout.csl [flags]
  -o DIR                        output directory (default: out)
  --arch=wse2|wse3              machine (default: wse2)
  --params=NAME:VALUE,...       parameters of the layout; may be repeated
  --colors=NAME:VALUE,...       parameters of type color
  --fabric-dims=W,H             the fabric around the program
  --fabric-offsets=X,Y          where the program begins on it
  --memcpy[=true|false]         link host support in
  --channels=N                  host channels, 1 to 16
  --width-west-buf=N --width-east-buf=N   columns of host buffers
  --import-path=DIR             folder to search for <name>; may be repeated
  --fp16-format=f16|cb16|bf16   16-bit floats of running code
  --max-inlined-iterations=N    limit of one inlined loop
  --comptime-func-depth-limit=N limit of nested comptime calls
  --link-section-start-address-bytes=SECTION:ADDRESS,...
                                where variables of a linksection begin
  --output-json[=FILE]          out.json of the directory, also written to FILE
  --warnings-as-errors --no-warnings --verbose --help --version
without effect, for scripts that give them:
  -g0 -g -O0 -O1 -O2 -O3 --max-parallelism=N --out-routes --single-pe
  --disable-auto-microthread-id --dump-dsr-alloc-graph --driver=PATH
  --lomem-reservation-end=ADDRESS --verbose-level=N
)";

/// Most PEs or columns that a flag counts: more than any fabric has, and sums
/// of some do not overflow.
static constexpr int64_t kMostPes = 1 << 20;

static bool parsePair(llvm::StringRef text,
                      std::optional<std::pair<int64_t, int64_t>> &out) {
  auto [first, second] = text.split(',');
  int64_t a, b;
  if (first.trim().getAsInteger(10, a) || second.trim().getAsInteger(10, b) ||
      a < 0 || b < 0 || a > kMostPes || b > kMostPes)
    return false;
  out = {a, b};
  return true;
}

/// The value of a switch; none without one is true.
static bool parseSwitch(llvm::StringRef value, bool hasValue, bool &out) {
  std::optional<bool> known =
      llvm::StringSwitch<std::optional<bool>>(value.lower())
          .Cases({"true", "1", "yes", "on"}, true)
          .Cases({"false", "0", "no", "off"}, false)
          .Default(std::nullopt);
  out = known.value_or(true);
  return known || !hasValue;
}

std::optional<int> tools::parseCslcFlags(llvm::ArrayRef<char *> arguments,
                                         CslcOptions &options,
                                         llvm::raw_ostream &err) {
  auto wrong = [&](const llvm::Twine &text) {
    err << "error: " << text << "; see cslc --help\n";
    return kUsage;
  };
  csl_import::ImportOptions &import = options.import;
  if (const char *paths = std::getenv("CSL_IMPORT_PATH")) {
    llvm::SmallVector<llvm::StringRef> folders;
    llvm::StringRef(paths).split(folders, ':', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef folder : folders)
      import.importPaths.push_back(folder.str());
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef argument = arguments[i];
    if (!argument.starts_with("-") || argument == "-") {
      if (!options.layout.empty())
        return wrong("two input files, '" + options.layout + "' and '" +
                     argument + "'");
      options.layout = argument.str();
      continue;
    }
    llvm::StringRef body = argument.ltrim('-');
    auto [name, value] = body.split('=');
    bool hasValue = body.contains('=');
    Flag flag = lookupFlag(name);
    if (flag == Flag::Unknown)
      return wrong("unknown flag '" + argument + "'");
    if (!isSwitch(flag) && !hasValue) {
      if (i + 1 == arguments.size())
        return wrong("flag '" + argument + "' has no value");
      value = arguments[++i];
    }
    auto number = [&](int64_t &out, int64_t most) {
      return !value.getAsInteger(10, out) && out >= 0 && out <= most;
    };
    auto expectNumber = [&](int64_t most) {
      return ("a number from 0 to " + llvm::Twine(most)).str();
    };
    auto refuse = [&](const llvm::Twine &expected) {
      err << "error: --" << name << ": found '" << value << "', expected "
          << expected << '\n';
      return kRefused;
    };
    std::string problem;
    switch (flag) {
    case Flag::Output:
      options.output = value.str();
      break;
    case Flag::Arch:
      import.arch = value.str();
      break;
    case Flag::Params:
    case Flag::Colors:
      if (!csl_import::parseBindings(
              value, flag == Flag::Params ? import.params : import.colors,
              problem)) {
        err << "error: --" << name << ": " << problem << '\n';
        return kRefused;
      }
      break;
    case Flag::FabricDims:
      if (!parsePair(value, import.fabric))
        return refuse("width,height, each from 0 to " + llvm::Twine(kMostPes));
      break;
    case Flag::FabricOffsets:
      if (!parsePair(value, import.offsets))
        return refuse("x,y, each from 0 to " + llvm::Twine(kMostPes));
      break;
    case Flag::Memcpy:
      if (!parseSwitch(value, hasValue, import.memcpy))
        return refuse("true or false");
      break;
    case Flag::Channels:
      if (!number(options.channels, kMostPes))
        return refuse(expectNumber(kMostPes));
      break;
    case Flag::WestBuffers:
    case Flag::EastBuffers:
      if (!number(flag == Flag::WestBuffers ? options.westBuffers
                                            : options.eastBuffers,
                  kMostPes))
        return refuse(expectNumber(kMostPes));
      break;
    case Flag::ImportPath:
      import.importPaths.push_back(value.str());
      break;
    case Flag::Fp16Format: {
      std::optional<csl::Fp16> format = csl::symbolizeFp16(value);
      if (!format)
        return refuse("f16, cb16 or bf16");
      import.fp16 = *format;
      break;
    }
    case Flag::MaxInlined: {
      constexpr int64_t most = std::numeric_limits<int64_t>::max();
      int64_t limit;
      if (!number(limit, most))
        return refuse(expectNumber(most));
      import.maxInlinedIterations = limit;
      break;
    }
    case Flag::DepthLimit: {
      constexpr int64_t most = 1 << 16;
      int64_t limit;
      if (!number(limit, most))
        return refuse(expectNumber(most));
      import.comptimeDepthLimit = limit;
      break;
    }
    case Flag::LinkSections: {
      std::vector<std::pair<std::string, std::string>> pairs;
      if (!csl_import::parseBindings(value.trim('"'), pairs, problem)) {
        err << "error: --" << name << ": " << problem << '\n';
        return kRefused;
      }
      for (auto &[section, digits] : pairs) {
        uint16_t address;
        if (llvm::StringRef(digits).getAsInteger(0, address))
          return refuse("the byte address of a PE's memory after '" + section +
                        "'");
        for (const auto &[other, at] : options.linkSections)
          if (other == section)
            return refuse("section '" + section + "' once");
        options.linkSections.emplace_back(section, address);
      }
      break;
    }
    case Flag::OutputJson:
      options.outputJson = value.str();
      break;
    case Flag::WarningsAsErrors:
    case Flag::NoWarnings:
    case Flag::Verbose:
      if (!parseSwitch(value, hasValue,
                       flag == Flag::WarningsAsErrors ? options.warningsAsErrors
                       : flag == Flag::NoWarnings     ? options.noWarnings
                                                      : options.verbose))
        return refuse("true or false");
      break;
    case Flag::Help:
      llvm::outs() << kUsageText;
      return kSuccess;
    case Flag::Version:
      llvm::outs() << versionText();
      return kSuccess;
    case Flag::IgnoredSwitch:
    case Flag::IgnoredValue:
    case Flag::Unknown:
      break;
    }
  }
  if (options.layout.empty())
    return wrong("no input file");
  if (import.offsets && !import.fabric)
    return wrong("--fabric-offsets is given without --fabric-dims");
  import.libraryPath = csl_import::findLibrary();
  return std::nullopt;
}
