// SPDX-License-Identifier: Apache-2.0
// A picture as SVG text: lines, boxes and texts, in colors for light and dark screens. No scripts,
// no fonts by name, nothing from elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace mx::cli {

struct Point {
  double x = 0;
  double y = 0;
};

enum class Anchor : std::uint8_t { kStart, kMiddle, kEnd };

/// How a text looks. `look`: classes of the style: "dim", "mono", "bold", "fa" to "ff" for colors.
struct TextStyle {
  int size = 13;
  Anchor anchor = Anchor::kStart;
  std::string_view look = "ink";
};

/// The letters of the colors, for the i-th curve of a plot: fill "fa", line "la".
[[nodiscard]] std::string fill_look(std::size_t i);
[[nodiscard]] std::string line_look(std::size_t i);

/// Width of a text in pixels, estimated from above for common fonts.
[[nodiscard]] double text_width(std::string_view text, const TextStyle& style);

/// A picture of `kWidth` pixels or another width, as high as what is drawn on it. y grows downward.
class Svg {
 public:
  static constexpr double kWidth = 680;
  static constexpr double kMargin = 24;

  /// Draws the title, and under it the description, in lines that fit.
  Svg(std::string_view title, std::string_view description, double width = kWidth);

  /// y below everything that was drawn so far.
  [[nodiscard]] double bottom() const { return bottom_; }

  void line(Point from, Point to, std::string_view look);
  /// `hover`: what a pointer on the box shows, "" for nothing.
  void box(Point corner, double width, double height, std::string_view look,
           std::string_view hover = "");
  void dot(Point at, double radius, std::string_view look);
  void curve(std::span<const Point> points, std::string_view look);
  void area(std::span<const Point> corners, std::string_view look);
  void arrow(Point from, Point to, std::string_view color);
  /// "2^-3" gets its exponent raised.
  void text(Point at, std::string_view text, const TextStyle& style = {});
  /// Lines of at most `width` pixels; y of the line after them.
  double paragraph(Point at, double width, std::string_view text, const TextStyle& style = {});

  /// The whole picture.
  [[nodiscard]] std::string str() const;

 private:
  void reach(double y);

  std::string title_;
  std::string description_;
  std::string body_;
  double width_;
  double bottom_ = 0;
};

/// Numbers of an interval as pixels.
struct Axis {
  double low = 0;
  double high = 1;
  double from = 0;
  double to = 1;
  [[nodiscard]] double at(double value) const {
    return from + (value - low) / (high - low) * (to - from);
  }
};

/// Labels of a horizontal axis, kept apart: what would touch the last one is left out.
class Labels {
 public:
  Labels(Svg& svg, double y, const TextStyle& style) : svg_(svg), y_(y), style_(style) {}
  /// From left to right. Was there room?
  bool add(double x, std::string_view text);

 private:
  Svg& svg_;
  double y_;
  TextStyle style_;
  double end_ = -1e9;
};

/// The plane of a plot whose axes are powers of two: grid, labels, names of the axes.
struct PowerPlane {
  Axis x;  ///< log2 of the values
  Axis y;
};
[[nodiscard]] PowerPlane power_plane(Svg& svg, double height, Axis x, Axis y,
                                     std::string_view x_name, std::string_view y_name);

/// A legend: colored samples with names, in as many lines as they take. Draws below everything.
void legend(Svg& svg, std::span<const std::string> names);

}  // namespace mx::cli
