// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cli/picture/svg.hpp"
#include "cli/plot/kinds.hpp"

namespace mx::cli {
namespace {

struct BenchBox {
  Point corner;
  double width;
  double height;
  std::string_view name;
  std::string_view what;
  std::string_view look = "card";
};

void draw_box(Svg& svg, const BenchBox& box) {
  svg.box(box.corner, box.width, box.height, box.look);
  const double middle = box.corner.x + box.width / 2;
  svg.text({middle, box.corner.y + 22}, box.name, {13, Anchor::kMiddle, "ink bold"});
  double y = box.corner.y + 40;
  std::string_view rest = box.what;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('|'), rest.size());
    svg.text({middle, y}, rest.substr(0, end), {12, Anchor::kMiddle, "dim"});
    rest.remove_prefix(std::min(end + 1, rest.size()));
    y += 16;
  }
}

}  // namespace

std::string plot_bench(const PlotRequest&) {
  Svg svg("Where mxgold sits in a bench",
          "The same inputs go to your device and to the reference. The scoreboard compares every "
          "bit and names the cause of a difference.");
  const double top = svg.bottom() + 24;
  const BenchBox stimulus{
      {24, top + 76}, 150, 90, "inputs", "suites, seeds,|vector files,|your tensors", "card"};
  const BenchBox device{
      {236, top}, 196, 90, "your device", "RTL, netlist, C model,|program, GPU, plugin", "soft"};
  const BenchBox reference{{236, top + 152},
                           196,
                           90,
                           "mxgold reference",
                           "formats, policies,|profiles: bit for bit",
                           "card"};
  const BenchBox judge{{494, top + 76}, 162, 90, "scoreboard", "every code, scale|and flag",
                       "card"};
  const BenchBox verdict{
      {494, top + 220}, 162, 90, "verdict", "PASS or FAIL, cause,|coverage, replay line", "soft"};
  for (const BenchBox& box : {stimulus, device, reference, judge, verdict}) draw_box(svg, box);
  svg.arrow({174, top + 106}, {232, top + 50}, "a");
  svg.arrow({174, top + 136}, {232, top + 192}, "a");
  svg.arrow({432, top + 50}, {490, top + 106}, "b");
  svg.arrow({432, top + 192}, {490, top + 136}, "c");
  svg.text({444, top + 42}, "answers", {12, Anchor::kStart, "fb"});
  svg.text({444, top + 216}, "expected", {12, Anchor::kStart, "fc"});
  svg.arrow({575, top + 166}, {575, top + 216}, "d");
  svg.text({24, top + 276}, "by: mxgold run, DPI-C, VPI, cocotb,", {12, Anchor::kStart, "dim"});
  svg.text({24, top + 294}, "SystemC, a pipe, files, C, C++, Python", {12, Anchor::kStart, "dim"});
  return svg.str();
}

}  // namespace mx::cli
