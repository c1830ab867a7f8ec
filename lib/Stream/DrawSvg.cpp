//===- DrawSvg.cpp - A mapping as a picture -------------------------------===//
//
// Part of the Sequin project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sequin/Stream/DrawSvg.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/CheckedArithmetic.h"
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

  static int64_t coordinateOf(const TensorIndex &index, llvm::StringRef axis) {
    for (const auto &[name, value] : index)
      if (name == axis)
        return value;
    return 0;
  }

  void title(int64_t y, const Twine &text) {
    os << "<text x=\"" << margin << "\" y=\"" << y + 14
       << "\" font-size=\"12\">" << text << "</text>\n";
  }

  void drawTensor(int64_t tensorCells) {
    // The first position of each element; a position may hold several.
    std::vector<int64_t> positionOf(tensorCells, -1);
    std::vector<int64_t> count(tensorCells, 0);
    for (int64_t p = 0; p < mapping.size(); ++p)
      for (const TensorIndex &index : mapping.allAt(p)) {
        int64_t linear = 0;
        for (const auto &[name, size] : mapping.axes().axes())
          linear = linear * size + coordinateOf(index, name);
        if (count[linear]++ == 0)
          positionOf[linear] = p;
      }
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
          int64_t element = (plane * rows + r) * columns + c;
          int64_t position = positionOf[element];
          int64_t x = margin + c * cellWidth;
          if (position < 0)
            cell(x, y + r * cellHeight, "", "not held", std::nullopt);
          else
            cell(x, y + r * cellHeight,
                 Twine(position) + (count[element] > 1 ? " .." : ""),
                 "position " + Twine(position) +
                     (count[element] > 1
                          ? " and " + std::to_string(count[element] - 1) +
                                " more"
                          : std::string()),
                 position);
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
      std::vector<TensorIndex> indices = mapping.allAt(p);
      if (indices.empty()) {
        cell(x, y, "", "position " + Twine(p) + ": padding", p, true);
        continue;
      }
      std::string hint, label;
      for (const TensorIndex &index : indices) {
        bool first = hint.empty();
        hint += first ? "" : " or";
        for (const auto &[name, size] : mapping.axes().axes()) {
          if (size == 1)
            continue;
          std::string value = std::to_string(coordinateOf(index, name));
          hint += ' ' + name + '=' + value;
          if (first)
            label += (label.empty() ? "" : ",") + value;
        }
      }
      if (indices.size() > 1)
        label += " ..";
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
  auto indices = llvm::checkedMul(mapping.size(), mapping.maxIndices());
  if (!indices || *indices / 16 > maxDrawnCells)
    return llvm::createStringError(
        "the positions of '" + mapping.str() + "' hold up to " +
        Twine(mapping.maxIndices()) + " indices each, too many to draw");
  Drawing(os, mapping).run(*tensorCells);
  return llvm::Error::success();
}
