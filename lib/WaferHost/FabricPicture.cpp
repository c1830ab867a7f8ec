//===- FabricPicture.cpp - The fabric as SVG ------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A square per PE, filled by how busy it was, and in it the routes of every
// color, from the links they come from to the links they go to. A color has a
// lane of its own, so that routes of several colors on one link lie side by
// side; lines are as wide as the wavelets were many.
//
//===----------------------------------------------------------------------===//

#include "sequin/WaferHost/Recorder.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <set>

using namespace sequin;
using namespace sequin::wafer;

namespace {
constexpr double kCell = 96, kMargin = 24, kLegendRow = 18;
/// Above this many PEs routes would be specks: the heat alone is drawn.
constexpr int64_t kMostWithRoutes = 64 * 64;

struct Point {
  double x, y;
};
} // namespace

/// 24 hues, neighbours in number far apart.
static std::string hueOf(unsigned color) {
  return llvm::formatv("hsl({0},70%,40%)", color * 137 % 360).str();
}

/// White to orange.
static std::string heat(double share) {
  share = std::min(1.0, std::max(0.0, share));
  return llvm::formatv("rgb(255,{0},{1})", static_cast<int>(255 - 115 * share),
                       static_cast<int>(255 - 215 * share))
      .str();
}

/// Where a lane meets a side of a cell whose corner is (0, 0); the RAMP is in
/// the middle. Lanes are shifted along a side, the same way on both cells that
/// share it.
static Point anchor(unsigned direction, double lane) {
  double half = kCell / 2;
  switch (static_cast<Direction>(direction)) {
  case Direction::West:
    return {0, half + lane};
  case Direction::East:
    return {kCell, half + lane};
  case Direction::South:
    return {half + lane, kCell};
  case Direction::North:
    return {half + lane, 0};
  case Direction::Ramp:
    break;
  }
  return {half + lane, half + lane};
}

static std::string listDirections(Directions directions) {
  std::string text;
  for (unsigned d = 0; d < kDirections; ++d)
    if (directions >> d & 1)
      text +=
          (text.empty() ? "" : ", ") + getName(static_cast<Direction>(d)).str();
  return "[" + text + "]";
}

std::string Recorder::picture(const Session &session) const {
  double cycles =
      std::max<double>(1, static_cast<double>(session.simulator().now()));
  bool withRoutes = static_cast<int64_t>(program.pes.size()) <= kMostWithRoutes;
  double cell = withRoutes ? kCell : 6;
  std::set<uint8_t> used;
  for (const Router &router : program.routers)
    for (const auto &[number, config] : router.colors)
      used.insert(number);
  uint64_t most = 1;
  for (const auto &colors : byColor)
    for (uint32_t count : colors)
      most = std::max<uint64_t>(most, count);

  double width = 2 * kMargin + cell * static_cast<double>(program.width) + 130;
  double height =
      2 * kMargin + std::max(cell * static_cast<double>(program.height),
                             kLegendRow * static_cast<double>(used.size() + 4));
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::formatv(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0:f0}\" height=\"{1:f0}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
      "<defs><marker id=\"arrow\" viewBox=\"0 0 6 6\" refX=\"5\" "
      "refY=\"3\" markerWidth=\"4\" markerHeight=\"4\" "
      "orient=\"auto\"><path d=\"M0,0 L6,3 L0,6 z\" "
      "fill=\"context-stroke\"/></marker></defs>\n",
      width, height);

  std::vector<uint8_t> lanes(used.begin(), used.end());
  auto laneOf = [&](uint8_t color) {
    double place = static_cast<double>(
        std::find(lanes.begin(), lanes.end(), color) - lanes.begin());
    double step = std::min(
        10.0,
        kCell * 0.8 / std::max<double>(1, static_cast<double>(lanes.size())));
    return (place - (static_cast<double>(lanes.size()) - 1) / 2) * step;
  };

  for (size_t pe = 0; pe < program.pes.size(); ++pe) {
    int64_t x = static_cast<int64_t>(pe) % program.width;
    int64_t y = static_cast<int64_t>(pe) / program.width;
    const PeStatistics &done = pes[pe];
    double busy =
        static_cast<double>(std::max(done.mainCycles, done.issueCycles)) /
        cycles;
    os << llvm::formatv(
        "<g transform=\"translate({0:f1},{1:f1})\"><rect width=\"{2:f0}\" "
        "height=\"{2:f0}\" fill=\"{3}\" stroke=\"#999\"/>",
        kMargin + cell * static_cast<double>(x),
        kMargin + cell * static_cast<double>(y), cell, heat(busy));
    os << llvm::formatv("<title>PE ({0}, {1}) {2}&#10;busy {3:f1} %, main "
                        "thread {4} cycles, queues {5} cycles&#10;sent {6}, "
                        "received {7}, router {8} cycles</title>",
                        x, y, program.codeOf(program.pes[pe]).name, 100 * busy,
                        done.mainCycles, done.issueCycles, done.sent,
                        done.received, done.routerCycles);
    if (withRoutes)
      for (const auto &[number, config] :
           program.routers[program.pes[pe].router].colors) {
        uint32_t count = byColor[pe][number % 32];
        double lane = laneOf(number);
        double line = 0.8 + 4 * std::sqrt(static_cast<double>(count) /
                                          static_cast<double>(most));
        for (unsigned position = 0; position < config.positions.size();
             ++position) {
          if (!config.positions[position])
            continue;
          Routes routes = config.routesAt(position);
          for (unsigned from = 0; from < kDirections; ++from)
            for (unsigned to = 0; to < kDirections; ++to) {
              if (!(routes.rx >> from & 1) || !(routes.tx >> to & 1))
                continue;
              Point a = anchor(from, lane), b = anchor(to, lane);
              Point middle =
                  anchor(static_cast<unsigned>(Direction::Ramp), lane);
              os << llvm::formatv(
                  "<path d=\"M{0:f1},{1:f1} Q{2:f1},{3:f1} {4:f1},{5:f1}\" "
                  "fill=\"none\" stroke=\"{6}\" stroke-width=\"{7:f1}\"{8}{9} "
                  "marker-end=\"url(#arrow)\"><title>color {10}{11}: {12} to "
                  "{13}, {14} wavelets</title></path>",
                  a.x, a.y, middle.x, middle.y, b.x, b.y, hueOf(number), line,
                  count ? "" : " opacity=\"0.35\"",
                  position ? " stroke-dasharray=\"4 3\"" : "",
                  static_cast<unsigned>(number),
                  position ? " switch position " + std::to_string(position)
                           : std::string(),
                  listDirections(routes.rx), listDirections(routes.tx), count);
            }
        }
      }
    os << "</g>\n";
  }

  double left = 2 * kMargin + cell * static_cast<double>(program.width);
  double top = kMargin + 10;
  auto entry = [&](const std::string &mark, const std::string &label) {
    os << llvm::formatv("<g transform=\"translate({0:f1},{1:f1})\">{2}<text "
                        "x=\"26\" y=\"4\">{3}</text></g>\n",
                        left, top, mark, label);
    top += kLegendRow;
  };
  for (uint8_t color : lanes)
    entry(llvm::formatv("<path d=\"M0,0 H20\" stroke=\"{0}\" "
                        "stroke-width=\"3\"/>",
                        hueOf(color))
              .str(),
          "color " + std::to_string(color));
  for (double share : {0.0, 0.5, 1.0})
    entry(llvm::formatv("<rect y=\"-6\" width=\"20\" height=\"12\" "
                        "fill=\"{0}\" stroke=\"#999\"/>",
                        heat(share))
              .str(),
          llvm::formatv("busy {0:f0} %", 100 * share).str());
  os << "</svg>\n";
  return text;
}
