//===- DrawSvg.cpp - A mapping as a picture -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/DrawSvg.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"

using namespace sequin;
using llvm::Twine;

namespace {

constexpr int cellWidth = 44, cellHeight = 26, margin = 16, titleHeight = 22;
constexpr int64_t bufferColumns = 16;

class Drawing {
public:
  Drawing(llvm::raw_ostream &os, const Mapping &mapping)
      : os(os), mapping(mapping) {
    auto factors = mapping.factors();
    if (!factors.empty())
      groups = factors.front().extent;
  }

  void run(int64_t tensorCells) {
    layOut(tensorCells);
    os << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width
       << "\" height=\"" << height << "\" viewBox=\"0 0 " << width << ' '
       << height << "\" font-family=\"sans-serif\" font-size=\"10\">\n"
       << "<title>" << mapping.str() << "</title>\n"
       << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    drawTensor(tensorCells);
    drawBuffer();
    os << "</svg>\n";
  }

private:
  /// The last two axes of more than one position span a grid.
  void layOut(int64_t tensorCells) {
    for (const auto &[name, size] : mapping.axes().axes())
      if (size > 1) {
        rowAxis = columnAxis;
        rows = columns;
        columnAxis = name;
        columns = size;
      }
    planes = tensorCells / (rows * columns);
    tensorTop = margin;
    int64_t planeHeight = titleHeight + rows * cellHeight + margin;
    bufferTop = tensorTop + planes * planeHeight;
    int64_t across = std::max(columns, std::min(bufferColumns, mapping.size()));
    width = 2 * margin + std::max<int64_t>(across * cellWidth, 360);
    int64_t bufferRows = (mapping.size() + bufferColumns - 1) / bufferColumns;
    height = bufferTop + titleHeight + bufferRows * cellHeight + margin;
  }

  /// A colour per outermost group, spread over the hues.
  void fill(std::optional<int64_t> position) {
    if (!position) {
      os << "white";
      return;
    }
    int64_t group = *position / (mapping.size() / groups);
    // Steps of the golden angle keep neighbouring groups apart.
    double hue = static_cast<double>(group % 360) * 137.508;
    hue -= 360.0 * static_cast<int64_t>(hue / 360.0);
    os << llvm::format("hsl(%.0f,70%%,82%%)", hue);
  }

  void cell(int64_t x, int64_t y, const Twine &label, const Twine &hint,
            std::optional<int64_t> position, bool padding = false) {
    os << "<g><title>" << hint << "</title><rect x=\"" << x << "\" y=\"" << y
       << "\" width=\"" << cellWidth << "\" height=\"" << cellHeight
       << "\" stroke=\"#444\" stroke-width=\"0.5\" fill=\"";
    if (padding)
      os << "#ddd";
    else
      fill(position);
    os << "\"/><text x=\"" << x + cellWidth / 2 << "\" y=\""
       << y + cellHeight / 2 + 4 << "\" text-anchor=\"middle\">" << label
       << "</text></g>\n";
  }

  void title(int64_t y, const Twine &text) {
    os << "<text x=\"" << margin << "\" y=\"" << y + 14
       << "\" font-size=\"12\">" << text << "</text>\n";
  }

  void drawTensor(int64_t tensorCells) {
    std::vector<int64_t> positionOf(tensorCells, -1);
    mapping.forEach([&](int64_t position, int64_t linear) {
      if (linear >= 0 && positionOf[linear] < 0)
        positionOf[linear] = position;
    });
    int64_t y = tensorTop;
    for (int64_t plane = 0; plane < planes; ++plane) {
      std::string text = "tensor";
      if (!columnAxis.empty())
        text += ": columns " + columnAxis;
      if (!rowAxis.empty())
        text += ", rows " + rowAxis;
      title(y, text + planeName(plane) + "; numbers are buffer positions");
      y += titleHeight;
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < columns; ++c) {
          int64_t position = positionOf[(plane * rows + r) * columns + c];
          int64_t x = margin + c * cellWidth;
          if (position < 0)
            cell(x, y + r * cellHeight, "", "not held", std::nullopt);
          else
            cell(x, y + r * cellHeight, Twine(position),
                 "position " + Twine(position), position);
        }
      y += rows * cellHeight + margin;
    }
  }

  /// ", N = 1, C = 2": the other axes of one grid.
  std::string planeName(int64_t plane) {
    std::string text;
    auto axes = mapping.axes().axes();
    for (size_t i = axes.size(); i-- > 0;) {
      const auto &[name, size] = axes[i];
      if (size == 1 || name == rowAxis || name == columnAxis)
        continue;
      text = ", " + name + " = " + std::to_string(plane % size) + text;
      plane /= size;
    }
    return text;
  }

  void drawBuffer() {
    title(bufferTop, "buffer: " + mapping.str());
    for (int64_t p = 0; p < mapping.size(); ++p) {
      int64_t x = margin + p % bufferColumns * cellWidth;
      int64_t y = bufferTop + titleHeight + p / bufferColumns * cellHeight;
      auto index = mapping.at(p);
      if (!index) {
        cell(x, y, "", "position " + Twine(p) + ": padding", p, true);
        continue;
      }
      std::string hint, label;
      for (const auto &[name, size] : mapping.axes().axes()) {
        if (size == 1)
          continue;
        int64_t value = 0;
        for (const auto &[axis, coordinate] : *index)
          if (axis == name)
            value = coordinate;
        label += (label.empty() ? "" : ",") + std::to_string(value);
        hint += ' ' + name + '=' + std::to_string(value);
      }
      cell(x, y, label, "position " + Twine(p) + ":" + hint, p);
    }
  }

  llvm::raw_ostream &os;
  const Mapping &mapping;
  int64_t groups = 1;
  std::string rowAxis, columnAxis;
  int64_t rows = 1, columns = 1, planes = 1;
  int64_t tensorTop = 0, bufferTop = 0, width = 0, height = 0;
};

} // namespace

llvm::Error sequin::drawSvg(llvm::raw_ostream &os, const Mapping &mapping) {
  auto tensorCells = mapping.axes().linearSize();
  if (!tensorCells || *tensorCells > maxDrawnCells ||
      mapping.size() > maxDrawnCells)
    return llvm::createStringError(
        "a picture shows at most " + Twine(maxDrawnCells) +
        " cells; the mapping has " + Twine(mapping.size()) +
        " positions and the tensor " +
        (tensorCells ? std::to_string(*tensorCells) : "more than 2^63") +
        " elements");
  Drawing(os, mapping).run(*tensorCells);
  return llvm::Error::success();
}
