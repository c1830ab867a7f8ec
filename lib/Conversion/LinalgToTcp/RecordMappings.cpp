//===- RecordMappings.cpp - What was chosen, for people -------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute kMappingsAttrName: a dictionary for each group, in the order
// they run. `mapping` and `runner_up.mapping` are words; `cycles` are those of
// the cost model, which sees a group alone.
//
//===----------------------------------------------------------------------===//

#include "Chips.h"
#include "mlir/IR/Builders.h"
#include "sequin/Dialect/Tcp/IR/Locations.h"

using namespace mlir;
using namespace sequin;
using namespace sequin::linalg_to_tcp;

/// "M: 2048 in tiles of 512 on 32 slices; K: 77".
static std::string describeTiles(const Group &group) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator separator("; ");
  for (const Loop &loop : group.loops) {
    os << separator << loop.name << ": " << loop.extent;
    if (loop.tile != loop.extent)
      os << " in tiles of " << loop.tile;
    if (loop.parts != 1)
      os << " on " << loop.parts << " slices";
  }
  return text.empty() ? "one element" : text;
}

ArrayAttr linalg_to_tcp::recordMappings(const Program &program) {
  Builder builder(program.getContext());
  SmallVector<Attribute> records;
  auto addText = [&](NamedAttrList &list, StringRef name,
                     const std::string &text) {
    if (!text.empty())
      list.append(name, builder.getStringAttr(text));
  };
  auto addNumber = [&](NamedAttrList &list, StringRef name, int64_t number) {
    list.append(name, builder.getI64IntegerAttr(number));
  };
  auto add = [&](StringRef operation, LocationAttr loc, StringRef group,
                 const MappingRecord &record) {
    NamedAttrList fields;
    addText(fields, "operation", operation.str());
    addText(fields, "location", describeLocation(loc));
    addText(fields, "group", group.str());
    addText(fields, "kind", record.kind);
    addText(fields, "mapping", record.mapping);
    addNumber(fields, "cycles", record.cycles);
    addText(fields, "bound_by", record.boundBy);
    addNumber(fields, "evaluated", record.evaluated);
    addNumber(fields, "feasible", record.feasible);
    fields.append("complete", builder.getBoolAttr(record.complete));
    if (!record.runnerUp.empty()) {
      NamedAttrList next;
      addText(next, "mapping", record.runnerUp);
      addNumber(next, "cycles", record.runnerUpCycles);
      addText(next, "lost_because", record.reason);
      fields.append("runner_up", builder.getDictionaryAttr(next));
    }
    records.push_back(builder.getDictionaryAttr(fields));
  };
  if (program.chipsRecord)
    add(func::FuncOp::getOperationName(), program.loc, "chips",
        *program.chipsRecord);
  for (const auto &group : program.groups) {
    MappingRecord record = group->record.value_or(MappingRecord());
    if (!group->ring && !group->weightStream) {
      record.kind = group->movesRows() ? "rows" : "tiles";
      record.mapping = describeTiles(*group);
    }
    if (group->kind == Group::Kind::Collective) {
      record.kind = "collective";
      record.mapping = group->collective->name;
      record.cycles = getCollectiveCycles(*group, *program.machine);
    } else if (!group->division.empty()) {
      record.mapping = group->division + "; " + record.mapping;
    }
    if (group->note)
      record.mapping += "; " + group->note.str();
    add(group->origin ? group->origin.getValue() : "", group->loc,
        stringifyGroupKind(group->kind), record);
  }
  return builder.getArrayAttr(records);
}
