//===- StreamJson.cpp - Mappings and descriptors as JSON ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/StreamJson.h"

#include "llvm/Support/JSON.h"

using namespace sequin;

std::string sequin::formatIndex(const std::optional<TensorIndex> &index) {
  if (!index)
    return "padding";
  std::string text = "{";
  for (const auto &[axis, value] : *index)
    text += (text.size() > 1 ? ", " : "") + axis + ": " + std::to_string(value);
  return text + "}";
}

static void writeIndex(llvm::json::OStream &json,
                       const std::optional<TensorIndex> &index) {
  if (!index)
    return json.value(nullptr);
  json.object([&] {
    for (const auto &[axis, value] : *index)
      json.attribute(axis, value);
  });
}

/// The index of a position, or an array of several.
static void writeIndices(llvm::json::OStream &json,
                         llvm::ArrayRef<TensorIndex> indices) {
  if (indices.size() < 2)
    return writeIndex(json, indices.empty()
                                ? std::nullopt
                                : std::optional<TensorIndex>(indices.front()));
  json.array([&] {
    for (const TensorIndex &index : indices)
      writeIndex(json, index);
  });
}

void sequin::writeEvaluation(llvm::raw_ostream &os, const Mapping &mapping) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("size", mapping.size());
    json.attributeArray("index", [&] {
      bool several = mapping.maxIndices() > 1;
      for (int64_t position = 0; position < mapping.size(); ++position)
        if (several)
          writeIndices(json, mapping.allAt(position));
        else
          writeIndex(json, mapping.at(position));
    });
  });
  os << '\n';
}

void sequin::writeDerivation(llvm::raw_ostream &os,
                             const Derivation &derivation) {
  const Sequencer &sequencer = derivation.sequencer;
  llvm::json::OStream json(os);
  json.object([&] {
    json.attributeArray("entries", [&] {
      for (const SequencerEntry &entry : sequencer.entries)
        json.object([&] {
          json.attribute("size", entry.size);
          json.attribute("stride", entry.stride);
          json.attributeArray("terms", [&] {
            for (const LoopTerm &term : entry.terms)
              json.value(term.str());
          });
        });
    });
    json.attribute("packet_elements", sequencer.packetElements);
    json.attribute("contiguous_bytes", derivation.contiguousBytes);
    json.attribute("access_bytes", derivation.accessBytes);
    json.attribute("cycles", derivation.cycles);
    json.attribute("base", sequencer.base);
    json.attribute("merged", derivation.merged);
    json.attribute("access_supported", derivation.accessSupported);
    if (derivation.commitInBytes == 0) {
      json.attribute("fetches_per_packet", derivation.accessesPerPacket);
    } else {
      json.attribute("commit_in_size", derivation.commitInBytes);
      json.attribute("writes_per_packet", derivation.accessesPerPacket);
    }
    json.attribute("refactored", derivation.refactored);
    json.attribute("searched", derivation.searched);
    if (derivation.segments.size() > 1)
      json.attributeArray("segments", [&] {
        for (const Sequencer &segment : derivation.segments)
          json.value(segment.str());
      });
  });
  os << '\n';
}

void sequin::writeNormalForm(llvm::raw_ostream &os, const Mapping &mapping) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("mapping", mapping.str());
    json.attribute("normal", mapping.normalStr());
    json.attribute("size", mapping.size());
    json.attribute("valid_size", mapping.validSize());
  });
  os << '\n';
}

void sequin::writeComparison(llvm::raw_ostream &os, const Mapping &left,
                             const Mapping &right,
                             std::optional<int64_t> difference) {
  llvm::json::OStream json(os);
  json.object([&] {
    json.attribute("equivalent", !difference);
    if (!difference)
      return;
    json.attribute("position", *difference);
    auto side = [&](llvm::StringRef key, const Mapping &mapping) {
      if (*difference >= mapping.size())
        return;
      json.attributeBegin(key);
      writeIndices(json, mapping.allAt(*difference));
      json.attributeEnd();
    };
    side("left", left);
    side("right", right);
  });
  os << '\n';
}
