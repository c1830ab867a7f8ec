//===- DescriptorTest.cpp - Packed descriptors and control words ----------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Row.h"
#include "sequin/Wafer/ControlWord.h"
#include <random>

using namespace sequin;
using namespace sequin::wafer;

namespace {

TEST(Descriptor, PackedAndBack) {
  Descriptor memory{.kind = DescriptorKind::Mem1d,
                    .base = 0xbffe,
                    .stride = -128,
                    .extent = 65535,
                    .indexOffset = true};
  EXPECT_EQ(Descriptor::unpack(memory.pack()), memory);
  Descriptor box{.kind = DescriptorKind::Mem4d, .base = 2, .shape = 65535};
  EXPECT_EQ(Descriptor::unpack(box.pack()), box);
  Descriptor ring{.kind = DescriptorKind::Circular,
                  .base = 4,
                  .wraparound = 10,
                  .extent = 20};
  EXPECT_EQ(Descriptor::unpack(ring.pack()), ring);
  Descriptor out{.kind = DescriptorKind::FabricOut,
                 .extent = kUnboundedExtent,
                 .indexOffset = true,
                 .queue = 7,
                 .color = 23,
                 .priority = Priority::High,
                 .simd = SimdMode::Max,
                 .control = true,
                 .advanceSwitch = true,
                 .controlTransform = true,
                 .zero = ZeroSource::Second};
  EXPECT_EQ(Descriptor::unpack(out.pack()), out);
  Descriptor in{.kind = DescriptorKind::FabricIn, .extent = 1, .color = 0};
  EXPECT_EQ(Descriptor::unpack(in.pack()), in);
  Descriptor fifo{.kind = DescriptorKind::Fifo, .fifo = 3};
  EXPECT_EQ(Descriptor::unpack(fifo.pack()), fifo);
  EXPECT_EQ(Descriptor().pack(), 0u);
}

// A DSD read from memory that nothing wrote is some descriptor, and packing it
// changes nothing more.
TEST(Descriptor, AnyBits) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10000; ++i) {
    Descriptor some = Descriptor::unpack(random());
    EXPECT_EQ(Descriptor::unpack(some.pack()), some);
  }
}

TEST(ControlWord, Fields) {
  // encode_single_payload(SWITCH_ADV, true, {}, 0)
  ControlWord advance{0x015f0000};
  EXPECT_EQ(advance.entry(), 31u);
  EXPECT_EQ(advance.command(), SwitchCommand::Advance);
  EXPECT_TRUE(advance.ignoredByCe());
  SEQUIN_ROW("FAB-043");
  SEQUIN_ROW("FAB-045");
  // encode_single_payload(SWITCH_ADV, false, id 40, 2)
  ControlWord task{0x00680002};
  EXPECT_EQ(task.entry(), 40u);
  EXPECT_EQ(task.command(), SwitchCommand::Advance);
  EXPECT_FALSE(task.ignoredByCe());
  SEQUIN_ROW("FAB-048");
  // encode_control_task_payload(43)
  ControlWord plain{0x002b0000};
  EXPECT_EQ(plain.entry(), 43u);
  EXPECT_EQ(plain.commands(), 0u);
}

TEST(ControlWord, Commands) {
  // NOP, ADV, both ignored, the rest ignored, entry 0.
  ControlWord word{0x0b009249};
  EXPECT_EQ(word.entry(), 0u);
  EXPECT_EQ(word.command(), SwitchCommand::Nop);
  EXPECT_EQ(word.popped().command(), SwitchCommand::Advance);
  EXPECT_TRUE(word.popped().ignoredByCe());
  // All eight slots, also those on both sides of the halves.
  uint32_t commands = word.commands();
  unsigned expected[] = {4, 5, 4, 4, 4, 4, 4, 4};
  for (unsigned i = 0; i < 8; ++i)
    EXPECT_EQ(commands >> (3 * i) & 7, expected[i]) << i;
  SEQUIN_ROW("FAB-044");
}

TEST(ControlWord, Pop) {
  ControlWord teardown{0x09df9249};
  EXPECT_EQ(teardown.command(), SwitchCommand::Teardown);
  EXPECT_EQ(teardown.popped().payload, 0x091f9249u);
  EXPECT_EQ(teardown.popped().command(), SwitchCommand::Nop);
  SEQUIN_ROW("FAB-047");
  SEQUIN_ROW("AMB-019");
  // Two advances: the second is what the next router sees, then none.
  ControlWord two{0x0b5f9249};
  EXPECT_EQ(two.popped().command(), SwitchCommand::Advance);
  EXPECT_EQ(two.popped().popped().command(), SwitchCommand::Nop);
  SEQUIN_ROW("FAB-049");
}

} // namespace
