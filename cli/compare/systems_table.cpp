// A few inputs under the rules of several systems: the bits that each of them gives.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include "cli/compare/page.hpp"
#include "golden/questions/surface_text.hpp"
#include "golden/text/table.hpp"

namespace mx::cli {
namespace {

using golden::Surface;

struct Column {
  std::string_view title;
  std::string_view profile;
};

constexpr std::array<Column, 9> kSystems = {{{"OCP MX 1.0", "ocp-mx-1.0"},
                                             {"NVIDIA TransformerEngine", "te"},
                                             {"PyTorch torchao 0.18", "torchao-0.18"},
                                             {"ONNX reference", "onnx-ref"},
                                             {"AMD gfx950 host", "amd-gfx950-host"},
                                             {"Intel FP8 toolkit", "intel-fp8et"},
                                             {"JAX ml_dtypes 0.6", "ml_dtypes-0.6"},
                                             {"PyTorch 2.11 on a GPU", "torch-2.11/cuda"},
                                             {"the same, compiled", "torch-2.11/compiled"}}};

struct Row {
  std::string_view title;
  std::string_view target;
  std::vector<std::uint64_t> lanes;  ///< fp32 patterns
};

std::vector<Row> rows() {
  return {{"465", "e4m3fn", {0x43E88000}},
          {"+Inf", "e5m2", {0x7F800000}},
          {"-NaN", "e4m3fn", {0xFFC00000}},
          {"NaN", "e2m1fn", {0x7FC00000}},
          {"480, 1", "mxfp8_e4m3", {0x43F00000, 0x3F800000}},
          {"2^-127, 0", "mxfp8_e4m3", {0x00400000, 0}},
          {"Inf, 1", "mxfp8_e4m3", {0x7F800000, 0x3F800000}},
          {"NaN, 1", "mxfp8_e4m3", {0x7FC00000, 0x3F800000}}};
}

/// "7E", or for blocks "7F: 7E 38"; what the system leaves open is "open".
std::string cell(const Surface& surface, const golden::Subject& subject,
                 const golden::BlockInput& input) {
  const golden::OpenParts open = golden::open_parts(surface, subject, input);
  const golden::BlockAnswer answer = golden::answer_of(surface, subject, input);
  const int bits = surface.is_block ? surface.block.element.bits : surface.destination.bits;
  std::vector<std::string> codes;
  bool all_open = surface.is_block ? open.scale : true;
  for (std::size_t i = 0; i < answer.codes.size(); ++i) {
    const bool is_open = i < open.elements.size() && open.elements[i];
    all_open = all_open && is_open;
    codes.push_back(is_open ? std::string(static_cast<std::size_t>((bits + 3) / 4), '-')
                            : fmt::format("{:0{}X}", answer.codes[i], (bits + 3) / 4));
  }
  if (all_open) return "open";
  const std::string text = fmt::format("{}", fmt::join(codes, " "));
  if (!surface.is_block) return text;
  return fmt::format("{}: {}", open.scale ? "--" : fmt::format("{:02X}", answer.scale), text);
}

/// Bold where a cell is not what most of its row is; where two are as frequent, none is.
void mark(std::vector<std::string>& row) {
  std::map<std::string, std::size_t> counts;
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i] != "open" && !row[i].empty()) ++counts[row[i]];
  }
  std::string most;
  std::size_t best = 0;
  for (const auto& [text, count] : counts) {
    if (count >= best) most = count > best ? text : "";
    best = std::max(best, count);
  }
  for (std::size_t i = 1; i < row.size(); ++i) {
    if (row[i].empty() || row[i] == "open") continue;
    const bool is_usual = most.empty() || row[i] == most;
    row[i] = is_usual ? fmt::format("`{}`", row[i]) : fmt::format("**`{}`**", row[i]);
  }
}

}  // namespace

std::string systems_table(FormatCatalog& catalog) {
  golden::ListTable table{"", {"fp32 input, to"}, {}};
  for (const Column& column : kSystems) table.head.emplace_back(column.title);
  for (const Row& row : rows()) {
    const Surface surface = golden::choose_surface("fp32", row.target, catalog);
    std::vector<std::string> cells = {fmt::format("{}, {}", row.title, row.target)};
    for (const Column& column : kSystems) {
      const auto subject = golden::subject_of(
          golden::choose_candidate(column.profile, golden::Spelling::kOptions), surface);
      cells.push_back(subject ? cell(surface, *subject, {row.lanes}) : "");
    }
    mark(cells);
    table.rows.push_back(std::move(cells));
  }
  return markdown_of(table);
}

}  // namespace mx::cli
