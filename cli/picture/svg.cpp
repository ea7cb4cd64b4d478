// SPDX-License-Identifier: Apache-2.0
#include "cli/picture/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace mx::cli {
namespace {

constexpr std::size_t kColors = 6;

// Every rule is under .mxp: a page may hold several pictures.
constexpr std::string_view kSvgStyle = R"(<style>
.mxp{color:#1f2328;font-family:sans-serif}
.mxp .bg{fill:#fff}.mxp .ink{fill:currentColor}.mxp .dim{fill:#57606a}.mxp .mono{font-family:monospace}.mxp .bold{font-weight:600}
.mxp .grid{stroke:#dde3e9}.mxp .axis{stroke:#57606a}.mxp .dash{stroke:#57606a;stroke-dasharray:4 4}
.mxp .card{fill:#f3f6f9;stroke:#c8d1da}.mxp .soft{fill:#e6edf5}.mxp .warn{fill:#fdecea}.mxp .dim-line{fill:none}
.mxp .hc{fill:#bfe5c8}.mxp .ha{fill:#cfe3f8}.mxp .hd{fill:#f8cfc9}
.mxp .la,.mxp .lb,.mxp .lc,.mxp .ld,.mxp .le,.mxp .lf{fill:none;stroke-width:2;stroke-linejoin:round}
.mxp .fa{fill:#0b62b8}.mxp .fb{fill:#b04a00}.mxp .fc{fill:#1a7431}.mxp .fd{fill:#b3261e}.mxp .fe{fill:#7a3ea8}.mxp .ff{fill:#00707a}
.mxp .la{stroke:#0b62b8}.mxp .lb{stroke:#b04a00}.mxp .lc{stroke:#1a7431}.mxp .ld{stroke:#b3261e}.mxp .le{stroke:#7a3ea8}.mxp .lf{stroke:#00707a}
@media(prefers-color-scheme:dark){
.mxp{color:#e6edf3}.mxp .bg{fill:#0d1117}.mxp .dim{fill:#9aa4af}.mxp .grid{stroke:#2a313a}.mxp .axis,.mxp .dash{stroke:#9aa4af}
.mxp .card{fill:#161b22;stroke:#3d444d}.mxp .soft{fill:#1c2733}.mxp .warn{fill:#3a1d1b}
.mxp .hc{fill:#1f5130}.mxp .ha{fill:#1d3f66}.mxp .hd{fill:#6b2a25}
.mxp .fa{fill:#6cb6ff}.mxp .fb{fill:#f0a050}.mxp .fc{fill:#6fcf87}.mxp .fd{fill:#ff8a80}.mxp .fe{fill:#cfa6f5}.mxp .ff{fill:#5ec9cc}
.mxp .la{stroke:#6cb6ff}.mxp .lb{stroke:#f0a050}.mxp .lc{stroke:#6fcf87}.mxp .ld{stroke:#ff8a80}.mxp .le{stroke:#cfa6f5}.mxp .lf{stroke:#5ec9cc}
}
</style>
)";

std::string svg_text(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

/// At most two decimals, none that say nothing: "12", "12.5".
std::string px(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string points_text(std::span<const Point> points) {
  std::string text;
  for (const Point& p : points)
    text += fmt::format("{}{},{}", text.empty() ? "" : " ", px(p.x), px(p.y));
  return text;
}

bool is_exponent(char c) { return c == '-' || (c >= '0' && c <= '9'); }

/// "2^-3 = 0.125": what follows '^' is raised and smaller, what follows that is back on the line.
std::string with_exponents(std::string_view text, int size) {
  std::string out;
  const std::string lift = px(0.35 * size);
  while (true) {
    const std::size_t at = text.find('^');
    if (at == std::string_view::npos) return out + svg_text(text);
    std::size_t end = at + 1;
    while (end < text.size() && is_exponent(text[end])) ++end;
    out += svg_text(text.substr(0, at));
    out += fmt::format("<tspan dy=\"-{}\" font-size=\"{}\">{}</tspan>", lift, size * 3 / 4,
                       svg_text(text.substr(at + 1, end - at - 1)));
    text.remove_prefix(end);
    if (!text.empty()) {
      return out + fmt::format("<tspan dy=\"{}\">{}</tspan>", lift, with_exponents(text, size));
    }
  }
}

}  // namespace

std::string fill_look(std::size_t i) { return {'f', static_cast<char>('a' + i % kColors)}; }
std::string line_look(std::size_t i) { return {'l', static_cast<char>('a' + i % kColors)}; }

double text_width(std::string_view text, const TextStyle& style) {
  const bool is_wide = style.look.find("bold") != std::string_view::npos;
  return static_cast<double>(text.size()) * style.size * (is_wide ? 0.62 : 0.57);
}

Svg::Svg(std::string_view title, std::string_view description, double width)
    : title_(title), description_(description), width_(width) {
  const double room = width - 2 * kMargin;
  const int size = width < kWidth ? 14 : 18;
  const double y =
      paragraph({kMargin, 16.0 + size}, room, title, {size, Anchor::kStart, "ink bold"});
  bottom_ = paragraph({kMargin, y}, room, description, {13, Anchor::kStart, "dim"});
}

void Svg::reach(double y) { bottom_ = std::max(bottom_, y); }

void Svg::line(Point from, Point to, std::string_view look) {
  body_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", px(from.x),
                       px(from.y), px(to.x), px(to.y), look);
  reach(std::max(from.y, to.y));
}

void Svg::box(Point corner, double width, double height, std::string_view look,
              std::string_view hover) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" class=\"{}\"",
                       px(corner.x), px(corner.y), px(width), px(height), look);
  body_ += hover.empty() ? "/>\n" : fmt::format("><title>{}</title></rect>\n", svg_text(hover));
  reach(corner.y + height);
}

void Svg::dot(Point at, double radius, std::string_view look) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"/>\n", px(at.x), px(at.y),
                       px(radius), look);
  reach(at.y + radius);
}

void Svg::curve(std::span<const Point> points, std::string_view look) {
  body_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", points_text(points), look);
  for (const Point& p : points) reach(p.y);
}

void Svg::area(std::span<const Point> corners, std::string_view look) {
  body_ += fmt::format("<polygon points=\"{}\" class=\"{}\"/>\n", points_text(corners), look);
  for (const Point& p : corners) reach(p.y);
}

void Svg::arrow(Point from, Point to, std::string_view color) {
  const double length = std::hypot(to.x - from.x, to.y - from.y);
  const double dx = (to.x - from.x) / length;
  const double dy = (to.y - from.y) / length;
  const double head = std::min(7.0, length);
  const Point foot{to.x - head * dx, to.y - head * dy};
  line(from, foot, fmt::format("l{}", color));
  const std::array<Point, 3> tip = {to,
                                    {foot.x - head * dy / 2, foot.y + head * dx / 2},
                                    {foot.x + head * dy / 2, foot.y - head * dx / 2}};
  area(tip, fmt::format("f{}", color));
}

void Svg::text(Point at, std::string_view text, const TextStyle& style) {
  constexpr std::array<std::string_view, 3> kAnchors = {"", " text-anchor=\"middle\"",
                                                        " text-anchor=\"end\""};
  body_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{} class=\"{}\">{}</text>\n", px(at.x),
                  px(at.y), style.size, kAnchors[static_cast<std::size_t>(style.anchor)],
                  style.look, with_exponents(text, style.size));
  reach(at.y + 0.3 * style.size);
}

double Svg::paragraph(Point at, double width, std::string_view words, const TextStyle& style) {
  std::string row;
  const auto end_row = [&] {
    if (row.empty()) return;
    text(at, row, style);
    at.y += 1.4 * style.size;
    row.clear();
  };
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    const std::string longer = row.empty() ? std::string(word) : fmt::format("{} {}", row, word);
    if (text_width(longer, style) > width) {
      end_row();
      row = word;
    } else {
      row = longer;
    }
  }
  end_row();
  return at.y;
}

std::string Svg::str() const {
  const std::string height = px(std::ceil(bottom_ + 16));
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" class=\"mxp\" "
      "role=\"img\" "
      "aria-label=\"{2}\">\n<title>{2}</title>\n<desc>{3}</desc>\n{4}"
      "<rect width=\"{0}\" height=\"{1}\" rx=\"8\" class=\"bg\"/>\n{5}</svg>\n",
      px(width_), height, svg_text(title_), svg_text(description_), kSvgStyle, body_);
}

bool Labels::add(double x, std::string_view text) {
  const double half = text_width(text, style_) / 2;
  if (x - half < end_ + 4) return false;
  end_ = x + half;
  svg_.text({x, y_}, text, {style_.size, Anchor::kMiddle, style_.look});
  return true;
}

PowerPlane power_plane(Svg& svg, double height, Axis x, Axis y, std::string_view x_name,
                       std::string_view y_name) {
  const double top = svg.bottom() + 34;
  x.from = Svg::kMargin + 44;
  x.to = Svg::kWidth - Svg::kMargin;
  y.from = top + height;
  y.to = top;
  svg.text({Svg::kMargin, top - 14}, y_name, {12, Anchor::kStart, "dim"});
  const int y_step = y.high - y.low > 14 ? 2 : 1;
  for (int power = static_cast<int>(std::ceil(y.low)); power <= y.high; power += y_step) {
    svg.line({x.from, y.at(power)}, {x.to, y.at(power)}, "grid");
    svg.text({x.from - 8, y.at(power) + 4}, fmt::format("2^{}", power), {12, Anchor::kEnd, "dim"});
  }
  Labels labels(svg, y.from + 20, {12, Anchor::kMiddle, "dim"});
  const int x_step = std::max(1, static_cast<int>(std::ceil((x.high - x.low) / 13)));
  for (int power = static_cast<int>(std::ceil(x.low)); power <= x.high; power += x_step) {
    svg.text({x.at(power), y.from + 20}, fmt::format("2^{}", power), {12, Anchor::kMiddle, "dim"});
    svg.line({x.at(power), y.from}, {x.at(power), y.to}, "grid");
  }
  svg.line({x.from, y.from}, {x.to, y.from}, "axis");
  svg.line({x.from, y.from}, {x.from, y.to}, "axis");
  svg.text({(x.from + x.to) / 2, y.from + 42}, x_name, {12, Anchor::kMiddle, "dim"});
  return {x, y};
}

void legend(Svg& svg, std::span<const std::string> names) {
  const TextStyle style{13, Anchor::kStart, "ink"};
  double y = svg.bottom() + 24;
  double x = Svg::kMargin;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double width = 28 + text_width(names[i], style) + 20;
    if (x > Svg::kMargin && x + width > Svg::kWidth - Svg::kMargin) {
      x = Svg::kMargin;
      y += 22;
    }
    svg.line({x, y - 4}, {x + 20, y - 4}, line_look(i));
    svg.text({x + 28, y}, names[i], style);
    x += width;
  }
}

}  // namespace mx::cli
