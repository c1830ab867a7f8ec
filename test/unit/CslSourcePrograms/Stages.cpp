//===- Stages.cpp - How PEs of a program talk to each other ---------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

using namespace sequin::testing;
using namespace sequin::testing::model;

namespace {

constexpr int64_t kWords = 8;

using Words = std::vector<int64_t>;

class StageMaker {
public:
  StageMaker(std::mt19937_64 &random, int number,
             const std::function<std::string(Ty)> &vectorOf,
             const std::function<std::string(Ty)> &numberOf)
      : random(random), number(number), vectorOf(vectorOf), numberOf(numberOf) {
  }

  Stage run() {
    stage.received = "received" + std::to_string(number);
    // Numbers of microthreads, of which each stage has two at work: those
    // given, or those of the queues.
    int64_t sends = roll(0, 7), receives = roll(0, 7);
    while (sends == 5 + number)
      sends = roll(0, 7);
    while (receives == 2 + number || receives == sends)
      receives = roll(0, 7);
    set("send_thread", sends);
    set("receive_thread", receives);
    set("first", 9 + 5 * number);
    for (int id = 1; id < 5; ++id)
      set("id" + std::to_string(id), 9 + 5 * number + id);
    set("color", 2 * number);
    set("pair", 2 * number + 1);
    set("queue", 2 + number);
    // On the older machine a microthread has the number of its queue.
    set("in_queue", 5 + number);
    static const char *const levels[] = {"high", "medium", "low"};
    set("level", levels[random() % 3]);
    set("level2", levels[random() % 3]);
    switch (random() % 9) {
    case 8:
      deal();
      break;
    case 0:
      gather();
      break;
    case 1:
      scatter();
      break;
    case 2:
      reduce();
      break;
    case 3:
      local();
      break;
    case 4:
      indexed();
      break;
    default:
      shift();
    }
    add("const after$K_id = @get_local_task_id($first);\n"
        "comptime {\n  @bind_local_task(after$K, after$K_id);\n}\n");
    stage.layout = filled(stage.layout);
    return std::move(stage);
  }

private:
  int64_t roll(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(random() %
                                      static_cast<uint64_t>(high - low + 1));
  }
  bool chance(int64_t percent) { return roll(1, 100) <= percent; }
  void set(const std::string &name, const std::string &value) {
    names["$" + name] = value;
  }
  void set(const std::string &name, int64_t value) {
    set(name, std::to_string(value));
  }
  /// Longer names come first, as others begin like them.
  std::string filled(std::string text) {
    names["$K"] = std::to_string(number);
    for (auto entry = names.rbegin(); entry != names.rend(); ++entry)
      for (size_t at = 0;
           (at = text.find(entry->first, at)) != std::string::npos;)
        text.replace(at, entry->first.size(), entry->second);
    return text;
  }
  void add(const std::string &text) { stage.code += filled(text); }
  /// What every PE's `name` holds before anything changes.
  static std::vector<Words> vectors(const std::vector<Globals> &pes,
                                    const std::string &name) {
    std::vector<Words> result;
    for (const Globals &pe : pes)
      result.push_back(pe.arrays.at(name));
    return result;
  }
  /// A descriptor of the array that is received into, or of `array`.
  static std::string whole(const std::string &array) {
    return "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> " + array +
           "[i] })";
  }

  void shift();
  void gather();
  void deal();
  void scatter();
  void reduce();
  void local();
  void indexed();
  void outputs();

  std::mt19937_64 &random;
  int number;
  const std::function<std::string(Ty)> &vectorOf, &numberOf;
  std::map<std::string, std::string> names;
  Stage stage;
};

} // namespace

/// Descriptors of what is sent on $out, a color, in the queue of the stage.
void StageMaker::outputs() {
  add("const out_queue$K = @get_output_queue($queue);\n"
      "fn out$K(comptime extent: u16, comptime is_control: bool) fabout_dsd {\n"
      "  return @get_dsd(fabout_dsd, if (@is_arch(\"wse3\"))\n"
      "    .{ .extent = extent, .output_queue = out_queue$K, .control = "
      "is_control, .priority = .{ .$level = true } }\n"
      "  else\n"
      "    .{ .extent = extent, .output_queue = out_queue$K, .control = "
      "is_control, .fabric_color = $out });\n"
      "}\n");
}

//===----------------------------------------------------------------------===//
// A vector to the neighbor in the east
//===----------------------------------------------------------------------===//

void StageMaker::shift() {
  std::string from = vectorOf(Ty::U32), count = numberOf(Ty::U16);
  set("from", whole(from));
  set("source", from);
  set("count", count);
  set("out", "to_east$K");

  enum { Now, Thread, Loop, Register, Unblock, Parts, Floats, Zero, SendKinds };
  enum {
    Operation,
    Tasks,
    BlockedTasks,
    Wait,
    Map,
    Fifo,
    InRegister,
    Unblocks,
    Backwards,
    UntilControl,
    ControlTask,
    Filtered,
    ReceiveKinds
  };
  int64_t sender = roll(0, SendKinds - 1), receiver = roll(0, ReceiveKinds - 1);
  bool isCounted = receiver == UntilControl && chance(60);
  if (isCounted)
    sender = Now;
  bool hasTail = receiver == UntilControl || receiver == ControlTask;
  bool swaps = chance(30);
  // What a control wavelet ends has no length of its own.
  set("extent", hasTail ? 0x7fff : kWords);

  add("var received$K = @zeros([8]u32);\n"
      "var joined$K: u16 = 0;\n");
  // Routers of the older machine can swap the two colors of a pair: then all
  // send on one and receive on the other.
  add(std::string("const to_east$K: color = @get_color($color + ") +
      (swaps ? "if (@is_arch(\"wse2\")) 0 else position % 2" : "position % 2") +
      ");\nconst from_west$K: color = @get_color($color + " +
      (swaps ? "if (@is_arch(\"wse2\")) 1 else (position + 1) % 2"
             : "(position + 1) % 2") +
      ");\n");
  outputs();
  add("const in_queue$K = @get_input_queue($in_queue);\n"
      "const in$K = @get_dsd(fabin_dsd, if (@is_arch(\"wse3\"))\n"
      "  .{ .extent = $extent, .input_queue = in_queue$K, .priority = .{ "
      ".$level2 = true } }\n"
      "else\n"
      "  .{ .extent = $extent, .input_queue = in_queue$K });\n");
  // Both sides have to have ended.
  add("fn join$K() void {\n  joined$K += 1;\n  if (joined$K == 2) "
      "@activate(after$K_id);\n}\n");
  std::string asThread = "if (@is_arch(\"wse3\"))\n    .{ .async = true, $do, "
                         ".ut_id = @get_ut_id($thread) }\n  else\n    .{ "
                         ".async = true, $do, .priority = .{ .$level = true } "
                         "}";
  auto thread = [&](const std::string &what, const std::string &id) {
    std::string text = asThread;
    for (auto [name, value] :
         {std::pair<std::string, std::string>("$do", what), {"$thread", id}})
      for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;)
        text.replace(at, name.size(), value);
    return chance(50) ? text : ".{ .async = true, " + what + " }";
  };

  std::string comptime, send, receive;
  // The sender.
  if (hasTail) {
    add("const control$K = @import_module(\"<control>\");\n");
    if (receiver == ControlTask)
      add("const entry$K = @get_control_task_id(40 + $K);\n");
    add(std::string("fn sent$K() void {\n  @mov32(out$K(1, true), ") +
        (receiver == ControlTask
             ? "control$K.encode_single_payload(control$K.opcode.NOP, false, "
               "entry$K, $count & 255)"
             : "control$K.encode_single_payload(control$K.opcode.NOP, false, "
               "{}, 0)") +
        ");\n  join$K();\n}\n");
  } else {
    add("fn sent$K() void { join$K(); }\n");
  }
  bool hasSentTask =
      sender == Thread || sender == Register || sender == Unblock;
  if (hasSentTask) {
    add("const sent_id$K = @get_local_task_id($id1);\n"
        "task sent_task$K() void { sent$K(); }\n");
    comptime += "  @bind_local_task(sent_task$K, sent_id$K);\n";
  }
  switch (sender) {
  case Now:
    send = isCounted ? "@mov32(out$K(8, false), @set_dsd_length($from, ($count "
                       "& 7) + 1));\n    sent$K();"
                     : "@mov32(out$K(8, false), $from);\n    sent$K();";
    break;
  case Thread:
    send = "@mov32(out$K(8, false), $from, " +
           thread(".activate = sent_id$K", "$send_thread") + ");";
    break;
  case Loop:
    send = "for (@range(i16, 8)) |i| {\n      @mov32(out$K(1, false), "
           "$source[i]);\n    }\n    sent$K();";
    break;
  case Register:
    add("const sends$K = @get_dsr(dsr_dest, 8 + $K);\n");
    send = "@load_to_dsr(sends$K, out$K(8, false), .{ .async = true, .activate "
           "= sent_task$K });\n    @mov32(sends$K, $from, .{ .async = true });";
    break;
  case Unblock:
    comptime += "  @block(sent_id$K);\n";
    send = "@activate(sent_id$K);\n    @mov32(out$K(8, false), $from, " +
           thread(".unblock = sent_id$K", "$send_thread") + ");";
    break;
  case Parts:
    send =
        "var part = @set_dsd_length($from, 2);\n    for (@range(u16, 4)) |_| "
        "{\n      @mov32(out$K(2, false), part);\n      part = "
        "@increment_dsd_offset(part, 2, u32);\n    }\n    sent$K();";
    break;
  case Zero:
    // The source is nothing but zeros then.
    add("const zero$K = @get_dsd(fabout_dsd, if (@is_arch(\"wse3\"))\n  .{ "
        ".extent = 8, .output_queue = out_queue$K, .zero = .{ .second_source = "
        "true } }\nelse\n  .{ .extent = 8, .output_queue = out_queue$K, "
        ".fabric_color = to_east$K, .zero = .{ .second_source = true } });\n");
    send = "@mov32(zero$K, $from);\n    sent$K();";
    break;
  case Floats:
    send = "@fmovs(out$K(8, false), $from);\n    sent$K();";
    break;
  default:
    break;
  }
  // The receiver.
  add("const received_dsd$K = " + whole("received$K") + ";\n");
  std::string end = "join$K();";
  bool hasTask =
      receiver == Tasks || receiver == BlockedTasks || receiver == ControlTask;
  if (hasTask) {
    add("const take_id$K = if (@is_arch(\"wse3\")) "
        "@get_data_task_id(in_queue$K) "
        "else @get_data_task_id(from_west$K);\nvar arrived$K: u16 = 0;\n");
    add(std::string("task take$K(word: u32) void {\n  received$K[arrived$K] = "
                    "word;\n  arrived$K += 1;\n") +
        (receiver == ControlTask ? "" : "  if (arrived$K == 8) join$K();\n") +
        "}\n");
    comptime += "  if (has_west) @bind_data_task(take$K, take_id$K);\n";
    if (receiver == BlockedTasks)
      comptime += "  if (has_west) @block(take_id$K);\n";
  }
  bool hasEndTask = receiver == Operation || receiver == Fifo ||
                    receiver == Filtered || receiver == InRegister ||
                    receiver == Unblocks || receiver == Backwards ||
                    receiver == UntilControl;
  if (hasEndTask) {
    add("const got_id$K = @get_local_task_id($id2);\n");
    add(std::string("task got$K() void {\n") +
        (receiver == Fifo ? "  @mov32(received_dsd$K, words$K);\n" : "") +
        "  join$K();\n}\n");
    comptime += "  @bind_local_task(got$K, got_id$K);\n";
  }
  std::string got = thread(".activate = got_id$K", "$receive_thread");
  switch (receiver) {
  case Operation:
    receive = "@mov32(received_dsd$K, in$K, " + got + ");";
    break;
  case Backwards:
    receive = "@mov32(@get_dsd(mem1d_dsd, .{ .base_address = &received$K, "
              ".offset = 7, .stride = -1, .extent = 8 }), in$K, " +
              got + ");";
    break;
  case BlockedTasks:
    receive = "@unblock(take_id$K);";
    break;
  case Wait:
    receive = "@mov32(received_dsd$K, in$K);\n    join$K();";
    break;
  case Map:
    add("fn changed$K(x: u32) u32 { return x * 3 + 1; }\n");
    receive = "@map(changed$K, in$K, received_dsd$K);\n    join$K();";
    break;
  case Fifo:
    add("var buffer$K = @zeros([16]u32);\nconst words$K = "
        "@allocate_fifo(buffer$K);\n");
    receive = "@mov32(words$K, in$K, " + got + ");";
    break;
  case InRegister:
    add("const receives$K = @get_dsr(dsr_src1, 8 + $K);\n");
    receive = "@load_to_dsr(receives$K, in$K, .{ .async = true, .activate = "
              "got$K });\n    @mov32(received_dsd$K, receives$K, .{ .async = "
              "true });";
    break;
  case Unblocks:
    receive = "@block(got_id$K);\n    @activate(got_id$K);\n    "
              "@mov32(received_dsd$K, in$K, " +
              thread(".unblock = got_id$K", "$receive_thread") + ");";
    break;
  case UntilControl:
    receive = "@mov32(received_dsd$K, in$K, .{ .async = true, .on_control = .{ "
              ".activate = got_id$K } });";
    break;
  case ControlTask:
    add("task ended$K(data: u16) void {\n  received$K[7] += data;\n  "
        "join$K();\n}\n");
    comptime += "  @bind_control_task(ended$K, entry$K);\n";
    break;
  default:
    break;
  }
  if (receiver == Filtered) {
    // Words before a control wavelet are thrown away.
    add("const junk$K = @import_module(\"<control>\");\nconst next_id$K = "
        "@get_local_task_id($id3);\ntask next$K() void {\n  "
        "@mov32(received_dsd$K, in$K, " +
        got + ");\n}\n");
    comptime += "  @bind_local_task(next$K, next_id$K);\n";
    send = "@mov32(out$K(1, false), 77);\n    @mov32(out$K(1, true), "
           "junk$K.encode_single_payload(junk$K.opcode.NOP, false, {}, 0));\n  "
           "  " +
           send;
    receive = "@dfilt(@get_dsd(fabin_dsd, .{ .extent = 1, .input_queue = "
              "in_queue$K }), .{ .async = true, .activate = next_id$K });";
  }
  bool hasPriority = chance(25);
  if (hasPriority) {
    add("const tile$K = @import_module(\"<tile_config>\");\n");
    for (auto [has, id] : {std::pair(hasSentTask, "sent_id$K"),
                           std::pair(hasEndTask, "got_id$K")})
      if (has && chance(60))
        comptime +=
            std::string("  tile$K.task_priority.update_task_priority(") + id +
            ", tile$K.task_priority.level.HIGH);\n";
    send =
        "tile$K.main_thread_priority.update_main_thread_priority(tile$K.main_"
        "thread_priority.level.MEDIUM_HIGH);\n    " +
        send;
  }
  add("fn start$K() void {\n  if (has_east) {\n    " + send +
      "\n  } else {\n    join$K();\n  }\n  if (has_west) {\n    " + receive +
      "\n  } else {\n    join$K();\n  }\n}\n");
  std::string swap = swaps ? ", .color_swap_x = @is_arch(\"wse2\")" : "";
  std::string always = swaps ? "@is_arch(\"wse2\") or " : "";
  // In words or in bits.
  bool inBits = !swaps && chance(30);
  std::string east = inBits
                         ? "0x050"
                         : ".{ .rx = .{ RAMP }, .tx = .{ EAST }" + swap + " }",
              west = inBits
                         ? "0x201"
                         : ".{ .rx = .{ WEST }, .tx = .{ RAMP }" + swap + " }";
  add("comptime {\n" + comptime + "  if (" + always +
      "has_east) @set_local_color_config(to_east$K, .{ .routes = " + east +
      " });\n  if (" + always +
      "has_west) @set_local_color_config(from_west$K, .{ .routes = " + west +
      " });\n  if (has_east and @is_arch(\"wse3\")) "
      "@initialize_queue(out_queue$K, .{ .color = to_east$K });\n  if "
      "(has_west) @initialize_queue(in_queue$K, .{ .color = from_west$K });\n"
      "}\n");

  stage.run = [=, name = stage.received](std::vector<Globals> &pes) {
    std::vector<Words> messages = vectors(pes, from);
    std::vector<int64_t> counts;
    for (const Globals &pe : pes)
      counts.push_back(pe.scalars.at(count));
    for (size_t x = 1; x < pes.size(); ++x) {
      Words &to = pes[x].arrays.at(name);
      int64_t sent = isCounted ? (counts[x - 1] & 7) + 1 : kWords;
      for (int64_t i = 0; i < sent; ++i)
        to[receiver == Backwards ? 7 - i : i] =
            wrap(Ty::U32, receiver == Map ? messages[x - 1][i] * 3 + 1
                                          : messages[x - 1][i]);
      if (sender == Zero)
        pes[x - 1].arrays.at(from).assign(kWords, 0);
      if (receiver == ControlTask)
        to[7] = wrap(Ty::U32, to[7] + (counts[x - 1] & 255));
    }
  };
}

//===----------------------------------------------------------------------===//
// All to one, one to all
//===----------------------------------------------------------------------===//

/// Each PE sends two words and then advances the switches on the way, so that
/// the one behind it is next; the first has all words.
void StageMaker::gather() {
  std::string from = vectorOf(Ty::U32);
  set("source", from);
  set("out", "to_west$K");
  const std::string modes[] = {"", "no_pop", "always_pop", "pop_on_advance"};
  const std::string &mode = modes[random() % std::size(modes)];
  set("mode", mode.empty() ? "" : ", .pop_mode = .{ ." + mode + " = true }");
  // A command that was taken off leaves the one behind it.
  set("command",
      mode.empty() || mode == "no_pop"
          ? "control$K.encode_single_payload(control$K.opcode.SWITCH_ADV, "
            "true, {}, 0)"
          : "comptime control$K.encode_payload(1, [1]control$K.opcode { "
            "control$K.opcode.SWITCH_ADV }, [1]bool { true }, true, {})");
  bool inLayout = chance(50);
  add("const control$K = @import_module(\"<control>\");\n"
      "const to_west$K: color = @get_color($color);\n"
      "var received$K = @zeros([8]u32);\n");
  outputs();
  add("const in_queue$K = @get_input_queue($in_queue);\n"
      "fn start$K() void {\n"
      "  if (position > 0) {\n"
      "    @mov32(out$K(2, false), @get_dsd(mem1d_dsd, .{ .tensor_access = "
      "|i|{2} -> $source[3 * i + 1] }));\n"
      "    @mov32(out$K(1, true), "
      ""
      "$command);\n"
      "    @activate(after$K_id);\n"
      "  } else if (width > 1) {\n"
      "    @mov32(" +
      whole("received$K") +
      ", @get_dsd(fabin_dsd, .{ .extent = 2 * (width - 1), .input_queue = "
      "in_queue$K }), .{ .async = true, .activate = after$K_id });\n"
      "  } else {\n    @activate(after$K_id);\n  }\n}\n"
      "comptime {\n"
      "  if (position > 0 and @is_arch(\"wse3\")) "
      "@initialize_queue(out_queue$K, .{ .color = to_west$K });\n"
      "  if (position == 0) @initialize_queue(in_queue$K, .{ .color = "
      "to_west$K });\n}\n");
  std::string first = "{ .routes = .{ .rx = .{ EAST }, .tx = .{ RAMP } } }",
              others = "{ .routes = .{ .rx = .{ RAMP }, .tx = .{ WEST } }, "
                       ".switches = .{ .pos1 = .{ .rx = EAST }$mode } }";
  if (inLayout)
    stage.layout = "  for (@range(u16, width)) |x| {\n    "
                   "@set_color_config(x, 0, @get_color($color), if (x == 0) ." +
                   first + " else ." + others + ");\n  }\n";
  else
    add("comptime {\n  @set_local_color_config(to_west$K, if (position == 0) "
        "." +
        first + " else ." + others + ");\n}\n");
  stage.run = [=, name = stage.received](std::vector<Globals> &pes) {
    std::vector<Words> messages = vectors(pes, from);
    for (size_t x = 1; x < pes.size(); ++x)
      for (size_t i = 0; i < 2; ++i)
        pes[0].arrays.at(name)[2 * (x - 1) + i] = messages[x][3 * i + 1];
  };
}

/// One in the middle sends its words to both sides in turn, by a switch that
/// goes round.
void StageMaker::deal() {
  std::string from = vectorOf(Ty::U32);
  set("source", from);
  set("out", "to_both$K");
  bool inOperation = chance(50);
  add("const control$K = @import_module(\"<control>\");\n"
      "const to_both$K: color = @get_color($color);\n"
      "const middle$K = width / 2;\n"
      "const deals$K = width > 2 and position == middle$K;\n"
      "const takes$K = width > 2 and (position + 1 == middle$K or position == "
      "middle$K + 1);\n"
      "var received$K = @zeros([8]u32);\n");
  outputs();
  add(std::string(
          "const in_queue$K = @get_input_queue($in_queue);\n"
          "fn start$K() void {\n  if (deals$K) {\n    for ($source) |x| "
          "{\n") +
      (inOperation
           ? "      if (@is_arch(\"wse3\")) {\n        "
             "@mov32(@get_dsd(fabout_dsd, .{ .extent = 1, .output_queue = "
             "out_queue$K, .advance_switch = true }), x);\n        continue;\n "
             "     }\n"
           : "") +
      "      @mov32(out$K(1, false), x);\n      @mov32(out$K(1, true), "
      "control$K.encode_single_payload(control$K.opcode.SWITCH_ADV, true, {}, "
      "0));\n    }\n  }\n  if (takes$K) {\n    @mov32(" +
      whole("received$K") +
      ", @get_dsd(fabin_dsd, .{ .extent = 4, .input_queue = in_queue$K }), .{ "
      ".async = true, .activate = after$K_id });\n  } else {\n    "
      "@activate(after$K_id);\n  }\n}\n"
      "comptime {\n  if (deals$K) {\n    @set_local_color_config(to_both$K, "
      ".{\n "
      "     .routes = .{ .rx = .{ RAMP }, .tx = .{ WEST } },\n      .switches "
      "= .{ .pos1 = .{ .tx = EAST }, .ring_mode = true },\n    });\n    if "
      "(@is_arch(\"wse3\")) @initialize_queue(out_queue$K, .{ .color = "
      "to_both$K });\n  }\n  if (takes$K) {\n    "
      "@set_local_color_config(to_both$K, .{ .routes = .{ .rx = if (position < "
      "middle$K) .{ EAST } else .{ WEST }, .tx = .{ RAMP } } });\n    "
      "@initialize_queue(in_queue$K, .{ .color = to_both$K });\n  }\n}\n");
  stage.run = [=, name = stage.received](std::vector<Globals> &pes) {
    size_t middle = pes.size() / 2;
    if (pes.size() < 3)
      return;
    Words words = pes[middle].arrays.at(from);
    for (size_t i = 0; i < 8; ++i)
      pes[i % 2 ? middle + 1 : middle - 1].arrays.at(name)[i / 2] = words[i];
  };
}

/// The first PE sends everything to all; a filter leaves each its two words.
void StageMaker::scatter() {
  std::string from = vectorOf(Ty::U32);
  set("from", from);
  set("out", "to_all$K");
  bool byIndex = chance(40), hasTask = chance(50);
  add("const to_all$K: color = @get_color($color);\n"
      "var received$K = @zeros([8]u32);\n"
      "var arrived$K: u16 = 0;\n");
  outputs();
  // With an index, the upper half of a word says whose it is.
  add(std::string(
          "const in_queue$K = @get_input_queue($in_queue);\n"
          "fn start$K() void {\n"
          "  if (position == 0) {\n"
          "    for (@range(u16, if (width > 1) 2 * (width - 1) else 0)) "
          "|i| {\n"
          "      @mov32(out$K(1, false), ") +
      (byIndex ? "@as(u32, i) << 16 | ($from[i] & 0xffff)" : "$from[i]") +
      ");\n    }\n    @activate(after$K_id);\n  } else {\n    " +
      (hasTask
           ? "@unblock(take_id$K);"
           : "@mov32(" + whole("received$K") +
                 ", @get_dsd(fabin_dsd, .{ .extent = 2, .input_queue = "
                 "in_queue$K }), .{ .async = true, .activate = after$K });") +
      "\n  }\n}\n");
  std::string comptime;
  if (hasTask) {
    add("const take_id$K = if (@is_arch(\"wse3\")) "
        "@get_data_task_id(in_queue$K) "
        "else @get_data_task_id(to_all$K);\n");
    add(byIndex ? "task take$K(low: u16, index: u16) void {\n  "
                  "received$K[arrived$K] = @as(u32, index) << 16 | low;\n"
                : "task take$K(word: u32) void {\n  received$K[arrived$K] = "
                  "word;\n");
    add("  arrived$K += 1;\n  if (arrived$K == 2) @activate(after$K_id);\n}\n");
    comptime = "  if (position > 0) {\n    @bind_data_task(take$K, "
               "take_id$K);\n    @block(take_id$K);\n  }\n";
  }
  add("comptime {\n" + comptime +
      "  if (position == 0) {\n    @set_local_color_config(to_all$K, .{ "
      ".routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } });\n    if "
      "(@is_arch(\"wse3\")) @initialize_queue(out_queue$K, .{ .color = "
      "to_all$K });\n  } else {\n    @initialize_queue(in_queue$K, .{ .color = "
      "to_all$K });\n  }\n}\n");
  stage.layout =
      "  for (@range(u16, 1, width, 1)) |x| {\n    const total = 2 * (width - "
      "1);\n    const k = x - 1;\n    @set_color_config(x, 0, "
      "@get_color($color), .{\n      .routes = .{ .rx = .{ WEST }, .tx = if (x "
      "+ 1 == width) .{ RAMP } else .{ RAMP, EAST } },\n      .filter = " +
      std::string(byIndex ? ".{ .kind = .{ .range = true }, .min_idx = 2 * k, "
                            ".max_idx = 2 * k + 1 }"
                          : ".{ .kind = .{ .counter = true }, .count_data = "
                            "true, .limit1 = total - 1, .max_counter = 1, "
                            ".init_counter = (total - 2 * k) % total }") +
      ",\n    });\n  }\n";
  stage.run = [=, name = stage.received](std::vector<Globals> &pes) {
    Words message = pes[0].arrays.at(from);
    for (size_t x = 1; x < pes.size(); ++x)
      for (size_t i = 0; i < 2; ++i) {
        auto which = static_cast<int64_t>(2 * (x - 1) + i);
        pes[x].arrays.at(name)[i] =
            byIndex ? which << 16 | (message[which] & 0xffff) : message[which];
      }
  };
}

/// Sums of all PEs' vectors go west, two elements in a wavelet or one.
void StageMaker::reduce() {
  Ty type = chance(50) ? Ty::I16 : Ty::U16;
  std::string from = vectorOf(type);
  struct Op {
    const char *name;
    std::function<int64_t(int64_t, int64_t)> apply;
  };
  static const Op ops[] = {
      {"@add16", [](int64_t a, int64_t b) { return a + b; }},
      {"@xor16", [](int64_t a, int64_t b) { return a ^ b; }},
      {"@sub16", [](int64_t a, int64_t b) { return a - b; }}};
  const Op &op = ops[random() % std::size(ops)];
  set("from", whole(from));
  set("op", op.name);
  set("type", nameOf(type));
  stage.type = type;
  add("const to_west$K: color = @get_color($color + position % 2);\n"
      "const from_east$K: color = @get_color($color + (position + 1) % 2);\n"
      "var received$K = @zeros([8]$type);\n"
      "const out_queue$K = @get_output_queue($queue);\n"
      "const in_queue$K = @get_input_queue($in_queue);\n"
      "const in$K = @get_dsd(fabin_dsd, .{ .extent = 8, .input_queue = "
      "in_queue$K });\n"
      "const out$K = @get_dsd(fabout_dsd, if (@is_arch(\"wse3\"))\n  .{ "
      ".extent "
      "= 8, .output_queue = out_queue$K }\nelse\n  .{ .extent = 8, "
      ".output_queue = out_queue$K, .fabric_color = to_west$K });\n"
      "fn start$K() void {\n  if (!has_east and !has_west) {\n    @mov16(" +
      whole("received$K") +
      ", $from);\n    @activate(after$K_id);\n  } else if (!has_east) {\n    "
      "@mov16(out$K, $from, .{ .async = true, .activate = after$K_id });\n  } "
      "else if (!has_west) {\n    $op(" +
      whole("received$K") +
      ", in$K, $from, .{ .async = true, .activate = after$K_id });\n  } else "
      "{\n    $op(out$K, in$K, $from, .{ .async = true, .activate = "
      "after$K_id });\n  }\n}\n"
      "comptime {\n  if (has_west) {\n    @set_local_color_config(to_west$K, "
      ".{ "
      ".routes = .{ .rx = .{ RAMP }, .tx = .{ WEST } } });\n    if "
      "(@is_arch(\"wse3\")) @initialize_queue(out_queue$K, .{ .color = "
      "to_west$K });\n  }\n  if (has_east) {\n    "
      "@set_local_color_config(from_east$K, .{ .routes = .{ .rx = .{ EAST }, "
      ".tx = .{ RAMP } } });\n    @initialize_queue(in_queue$K, .{ .color = "
      "from_east$K });\n  }\n}\n");
  stage.run = [=, name = stage.received,
               apply = op.apply](std::vector<Globals> &pes) {
    std::vector<Words> messages = vectors(pes, from);
    Words sum = messages.back();
    for (size_t x = messages.size() - 1; x-- > 0;)
      for (int64_t i = 0; i < kWords; ++i)
        sum[i] = wrap(type, apply(sum[i], messages[x][i]));
    pes[0].arrays.at(name) = sum;
  };
}

//===----------------------------------------------------------------------===//
// Tasks of one PE, indices
//===----------------------------------------------------------------------===//

/// Local tasks that wait for each other.
void StageMaker::local() {
  std::string count = numberOf(Ty::U16);
  int64_t again = roll(1, 4);
  bool isBlocked = chance(50);
  set("count", count);
  set("again", again);
  add("var received$K = @zeros([8]u32);\n"
      "const first_id$K = @get_local_task_id($id1);\n"
      "const second_id$K = @get_local_task_id($id2);\n"
      "const third_id$K: local_task_id = @get_local_task_id($id3);\n"
      "const fourth_id$K = @get_local_task_id($id4);\n"
      "var chosen_id$K: local_task_id = third_id$K;\n"
      // Starts itself as often as it has to, and then lets the second go on.
      "task first$K() void {\n  received$K[0] = received$K[0] * 3 + 1;\n  "
      "received$K[1] += 1;\n  if (received$K[1] < $again) "
      "@activate(first_id$K) else @unblock(second_id$K);\n}\n"
      // Was activated while it was blocked, twice: it runs once.
      "task second$K() void {\n  received$K[0] = received$K[0] * 3 + 2;\n  "
      "received$K[2] += 1;\n  if ($count & 1 == 1) chosen_id$K = "
      "fourth_id$K;\n  @activate(chosen_id$K);\n  @activate(chosen_id$K);\n}\n"
      "task third$K() void {\n  received$K[3] += $count;\n  if "
      "(received$K[4] == 0) @activate(fourth_id$K) else "
      "@activate(after$K_id);\n}\n"
      "task fourth$K() void {\n  received$K[4] += 7;\n  if (received$K[3] == 0 "
      "and $count & 1 == 1) @activate(third_id$K) else "
      "@activate(after$K_id);\n}\n");
  add(std::string("fn start$K() void {\n") +
      (isBlocked ? "" : "  @block(second_id$K);\n") +
      "  @activate(second_id$K);\n  @activate(first_id$K);\n  "
      "@activate(second_id$K);\n}\ncomptime {\n" +
      (isBlocked ? "  @block(second_id$K);\n" : "") +
      "  @bind_local_task(first$K, first_id$K);\n  @bind_local_task(second$K, "
      "second_id$K);\n  @bind_local_task(third$K, third_id$K);\n  "
      "@bind_local_task(fourth$K, fourth_id$K);\n}\n");
  stage.run = [=, name = stage.received](std::vector<Globals> &pes) {
    for (Globals &pe : pes) {
      Words &to = pe.arrays.at(name);
      for (int64_t i = 0; i < again; ++i)
        to[0] = to[0] * 3 + 1;
      to[0] = to[0] * 3 + 2;
      to[1] = again;
      to[2] = 1;
      // An odd number is no zero, so both run once either way.
      to[3] = pe.scalars.at(count);
      to[4] = 7;
    }
  };
}

/// Elements with their places, last first; a task puts each where it belongs.
void StageMaker::indexed() {
  Ty type = chance(50) ? Ty::I16 : Ty::U16;
  std::string from = vectorOf(type);
  set("source", from);
  set("type", nameOf(type));
  stage.type = type;
  bool isWhole = chance(50);
  add("const to_east$K: color = @get_color($color + position % 2);\n"
      "const from_west$K: color = @get_color($color + (position + 1) % 2);\n"
      "var received$K = @zeros([8]$type);\n"
      "var arrived$K: u16 = if (has_west) 0 else 8;\n"
      "const out_queue$K = @get_output_queue($queue);\n"
      "const in_queue$K = @get_input_queue($in_queue);\n"
      "const out$K = @get_dsd(fabout_dsd, if (@is_arch(\"wse3\"))\n  .{ "
      ".extent "
      "= 1, .output_queue = out_queue$K, .wavelet_index_offset = true "
      "}\nelse\n "
      " .{ .extent = 1, .output_queue = out_queue$K, .fabric_color = "
      "to_east$K, "
      ".wavelet_index_offset = true });\n"
      "const take_id$K = if (@is_arch(\"wse3\")) @get_data_task_id(in_queue$K) "
      "else @get_data_task_id(from_west$K);\n"
      "task take$K(data: $type, index: u16) void {\n  received$K[index] = "
      "data;\n  arrived$K += 1;\n  if (arrived$K == 8) @unblock(after$K_id);\n"
      "}\n");
  // The index also moves what memory is read at, where that says so.
  add(std::string(
          "fn start$K() void {\n  if (has_east) {\n    for (@range(i16, "
          "7, -1, -1)) |i| {\n      ") +
      (isWhole ? "@mov16(out$K, @get_dsd(mem1d_dsd, .{ .base_address = "
                 "&$source, .extent = 1, .wavelet_index_offset = true }), .{ "
                 ".index = @as(u16, i) });"
               : "@mov16(out$K, $source[i], .{ .index = @as(u16, i) });") +
      "\n    }\n  }\n  @activate(after$K_id);\n}\n"
      "comptime {\n  if (has_west) {\n    @block(after$K_id);\n    "
      "@bind_data_task(take$K, take_id$K);\n    "
      "@set_local_color_config(from_west$K, .{ .routes = .{ .rx = .{ WEST }, "
      ".tx = .{ RAMP } } });\n    @initialize_queue(in_queue$K, .{ .color = "
      "from_west$K });\n  }\n  if (has_east) {\n    "
      "@set_local_color_config(to_east$K, .{ .routes = .{ .rx = .{ RAMP }, .tx "
      "= .{ EAST } } });\n    if (@is_arch(\"wse3\")) "
      "@initialize_queue(out_queue$K, .{ .color = to_east$K });\n  }\n}\n");
  stage.run = [=, name = stage.received](std::vector<Globals> &pes) {
    std::vector<Words> messages = vectors(pes, from);
    for (size_t x = 1; x < pes.size(); ++x)
      pes[x].arrays.at(name) = messages[x - 1];
  };
}

Stage model::makeStage(std::mt19937_64 &random, int number,
                       const std::function<std::string(Ty)> &vectorOf,
                       const std::function<std::string(Ty)> &numberOf) {
  return StageMaker(random, number, vectorOf, numberOf).run();
}
