//===- Builtins.cpp - How the builtins of CSL are called ------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/CslLsp/Workspace.h"
#include "llvm/ADT/STLExtras.h"

using namespace sequin;
using llvm::StringRef;

namespace {

struct Signature {
  StringRef name;
  StringRef text;
};

// Sorted by name. A comptime argument is one that the builtin needs to know at
// compile time.
constexpr Signature kSignatures[] = {
    {"activate", "(id: local_task_id) void"},
    {"add16", "(dest, source0, source1, .{ ... }) bool"},
    {"addc16", "(dest, source0, source1, .{ ... }) bool"},
    {"allocate_fifo", "(buffer: array, comptime config) fifo"},
    {"and16", "(dest, source0, source1, .{ ... }) bool"},
    {"as", "(comptime T: type, value) T"},
    {"assert", "(condition: bool) void"},
    {"bind_control_task", "(comptime task, comptime id: control_task_id) void"},
    {"bind_data_task", "(comptime task, comptime id: data_task_id) void"},
    {"bind_local_task", "(comptime task, comptime id: local_task_id) void"},
    {"bind_rotating_tasks", "(comptime main, comptime other, comptime id, "
                            "comptime config) void"},
    {"bitcast", "(comptime T: type, value) T"},
    {"block", "(id) void"},
    {"clz", "(dest, source, .{ ... }) bool"},
    {"comptime_assert", "(comptime condition: bool, comptime message) void"},
    {"comptime_print", "(comptime values...) void"},
    {"constants", "(comptime T: type, value) T"},
    {"ctz", "(dest, source, .{ ... }) bool"},
    {"dfilt", "(source: fabin_dsd, .{ ... }) bool"},
    {"dimensions", "(comptime T: type) [rank]u32"},
    {"element_count", "(comptime T: type) u32"},
    {"element_type", "(comptime T: type) type"},
    {"export_name", "(comptime name: comptime_string, comptime T: type, "
                    "comptime mutable: bool) void"},
    {"export_symbol", "(symbol, comptime name: comptime_string) void"},
    {"fabsh", "(dest, source, .{ ... }) bool"},
    {"fabss", "(dest, source, .{ ... }) bool"},
    {"faddh", "(dest, source0, source1, .{ ... }) bool"},
    {"faddhs", "(dest, source0, source1, .{ ... }) bool"},
    {"fadds", "(dest, source0, source1, .{ ... }) bool"},
    {"fh2s", "(dest, source, .{ ... }) bool"},
    {"fh2xp16", "(dest, source, .{ ... }) bool"},
    {"field", "(value, comptime name: comptime_string)"},
    {"fmach", "(dest, source0, source1, factor: fp16, .{ ... }) bool"},
    {"fmachs", "(dest, source0, source1, factor: fp16, .{ ... }) bool"},
    {"fmacs", "(dest, source0, source1, factor: f32, .{ ... }) bool"},
    {"fmaxh", "(dest, source0, source1, .{ ... }) bool"},
    {"fmaxs", "(dest, source0, source1, .{ ... }) bool"},
    {"fmovh", "(dest, source, .{ ... }) bool"},
    {"fmovs", "(dest, source, .{ ... }) bool"},
    {"fmulh", "(dest, source0, source1, .{ ... }) bool"},
    {"fmuls", "(dest, source0, source1, .{ ... }) bool"},
    {"fnegh", "(dest, source, .{ ... }) bool"},
    {"fnegs", "(dest, source, .{ ... }) bool"},
    {"fnormh", "(dest: *fp16, value: fp16) void"},
    {"fnorms", "(dest: *f32, value: f32) void"},
    {"fp16", "() type"},
    {"fs2h", "(dest, source, .{ ... }) bool"},
    {"fs2xp16", "(dest, source, .{ ... }) bool"},
    {"fscaleh", "(dest: *fp16, value: fp16, exponent: i16) void"},
    {"fscales", "(dest: *f32, value: f32, exponent: i16) void"},
    {"fsubh", "(dest, source0, source1, .{ ... }) bool"},
    {"fsubs", "(dest, source0, source1, .{ ... }) bool"},
    {"get_array", "(comptime text: comptime_string) [n]u8"},
    {"get_color", "(id) color"},
    {"get_config", "(address) u16"},
    {"get_control_task_id", "(id) control_task_id"},
    {"get_data_task_id", "(color or input_queue) data_task_id"},
    {"get_dsd", "(comptime kind: type, .{ ... }) kind"},
    {"get_dsr", "(comptime kind: type, comptime id) kind"},
    {"get_filter_id", "(comptime c: color) u16"},
    {"get_input_queue", "(comptime id) input_queue"},
    {"get_int", "(value) integer"},
    {"get_local_task_id", "(id) local_task_id"},
    {"get_output_queue", "(comptime id) output_queue"},
    {"get_rectangle", "() struct"},
    {"get_sr", "(comptime id) sr"},
    {"get_string_from_byte", "(comptime byte) comptime_string"},
    {"get_symbol_id", "(comptime symbol) u16"},
    {"get_symbol_value", "(comptime T: type, id: u16) T"},
    {"get_tensor_ptr", "(id: u16) [*]u16"},
    {"get_ut_id", "(id) ut_id"},
    {"get_xdsr", "(comptime id) xdsr"},
    {"has_exported_tensors", "() bool"},
    {"has_field", "(value or type, comptime name: comptime_string) bool"},
    {"import_module", "(comptime path: comptime_string, .{ ... }) "
                      "imported_module"},
    {"increment_dsd_offset", "(dsd, count: i16, comptime T: type) dsd"},
    {"initialize_queue", "(comptime queue, .{ ... }) void"},
    {"is_arch", "(comptime name: comptime_string) bool"},
    {"is_comptime", "() bool"},
    {"is_same_type", "(comptime T: type, comptime U: type) bool"},
    {"load_to_dsr", "(dsr, dsd, .{ ... }) void"},
    {"load_to_dsr_xdsr", "(dsr, xdsr, dsd: circbuf_dsd, .{ ... }) void"},
    {"load_to_dsr_xdsr_sr", "(dsr, xdsr, .{ srs }, dsd: mem4d_dsd, .{ ... }) "
                            "void"},
    {"map", "(function, sources..., dest) void"},
    {"mov16", "(dest, source, .{ ... }) bool"},
    {"mov32", "(dest, source, .{ ... }) bool"},
    {"or16", "(dest, source0, source1, .{ ... }) bool"},
    {"popcnt", "(dest, source, .{ ... }) bool"},
    {"ptrcast", "(comptime T: type, pointer) T"},
    {"queue_flush", "(queue) void"},
    {"random16", "() u16"},
    {"range", "(comptime T: type, [start,] stop [, step]) range"},
    {"range_start", "(r: range)"},
    {"range_step", "(r: range)"},
    {"range_stop", "(r: range)"},
    {"rank", "(comptime T: type) u16"},
    {"rpc", "(comptime id: data_task_id) void"},
    {"sar16", "(dest, source0, source1, .{ ... }) bool"},
    {"set_active_prng", "(id: u16) void"},
    {"set_color_config", "(comptime x, comptime y, comptime c: color, "
                         "comptime config) void"},
    {"set_config", "(address, value: u16) void"},
    {"set_control_task_table", "(comptime config) void"},
    {"set_dsd_base_addr", "(dsd, base) dsd"},
    {"set_dsd_length", "(dsd, length: u16) dsd"},
    {"set_dsd_stride", "(dsd: mem1d_dsd, stride: i8) mem1d_dsd"},
    {"set_empty_queue_handler", "(comptime handler, comptime queue) void"},
    {"set_fifo_read_length", "(fifo, length: u16) void"},
    {"set_fifo_write_length", "(fifo, length: u16) void"},
    {"set_local_color_config", "(comptime c: color, comptime config) void"},
    {"set_rectangle", "(comptime width, comptime height) void"},
    {"set_teardown_handler", "(comptime handler, comptime c: color) void"},
    {"set_tile_code", "(comptime x, comptime y, comptime path, .{ ... }) void"},
    {"sll16", "(dest, source0, source1, .{ ... }) bool"},
    {"slr16", "(dest, source0, source1, .{ ... }) bool"},
    {"strcat", "(comptime texts...) comptime_string"},
    {"strlen", "(comptime text: comptime_string) comptime_int"},
    {"sub16", "(dest, source0, source1, .{ ... }) bool"},
    {"type_of", "(value) type"},
    {"unblock", "(id) void"},
    {"xor16", "(dest, source0, source1, .{ ... }) bool"},
    {"xp162fh", "(dest, source, .{ ... }) bool"},
    {"xp162fs", "(dest, source, .{ ... }) bool"},
    {"zeros", "(comptime T: type) T"},
};

} // namespace

std::optional<StringRef> csl_lsp::builtinSignature(StringRef name) {
  const auto *found = llvm::lower_bound(
      kSignatures, name,
      [](const Signature &s, StringRef wanted) { return s.name < wanted; });
  if (found == std::end(kSignatures) || found->name != name)
    return std::nullopt;
  return found->text;
}

std::vector<StringRef> csl_lsp::builtinNames() {
  std::vector<StringRef> names;
  for (const Signature &s : kSignatures)
    names.push_back(s.name);
  return names;
}
