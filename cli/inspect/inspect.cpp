// SPDX-License-Identifier: Apache-2.0
// mxgold inspect: what a file of tensors holds.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/base/command.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/inspect/contents.hpp"
#include "cli/inspect/statistics.hpp"
#include "cli/options/common.hpp"
#include "cli/tensors/packing.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"

namespace mx::cli {
namespace {

constexpr const char* kInspectExamples = R"(
For each tensor: type, shape, what it is for, and of codes and floats how many are zero, subnormal, of
the greatest magnitude, infinite and NaN, and how many different codes are used. Of weights that
mxgold or another library wrote: format, blocks, scales, how they lie, and who wrote them. Two codes
a byte are taken apart; scales in tiles are counted with the padding of the tiles.

The kind of file is told by its bytes, not by its name. Nothing of a PyTorch file is run.

Examples:
  mxgold inspect model.safetensors
  mxgold inspect checkpoint.pt --headers
  mxgold inspect arrays.npz --tensor w --json)";

struct InspectOptions {
  std::string input;
  std::string tensor = "all";
  bool reads_headers_only = false;
  bool is_json = false;
};

/// A tensor with what is known of it.
struct InspectedTensor {
  const Tensor* tensor;
  TensorUse use;
  std::optional<CodeStatistics> statistics;
};

InspectedTensor inspected(const InspectOptions& options, const Contents& contents,
                          const Tensor& tensor) {
  InspectedTensor row{&tensor, {}, std::nullopt};
  const auto found = contents.uses.find(tensor.name);
  const DType* const type = find_dtype(tensor.dtype);
  if (found != contents.uses.end()) {
    row.use = found->second;
  } else if (type != nullptr && type->codes != nullptr) {
    row.use.format = type->codes;
    row.use.packing = packing_of_type(tensor.dtype);
    row.use.elements = tensor.elements;
  }
  if (!options.reads_headers_only && row.use.format != nullptr) {
    row.statistics = statistics_of(tensor, row.use);
  }
  return row;
}

std::vector<InspectedTensor> all_inspected(const InspectOptions& options, const TensorFiles& files,
                                           const Contents& contents) {
  std::vector<InspectedTensor> rows;
  std::vector<std::string_view> names;
  for (const auto& [name, tensor] : files.tensors()) {
    names.push_back(name);
    if (options.tensor != "all" && options.tensor != name) continue;
    rows.push_back(inspected(options, contents, *tensor));
    for (const TensorFile& file : files.files()) file.release(tensor->data);
  }
  if (rows.empty() && options.tensor != "all") {
    fail(Exit::kUsage, "{}: {}", options.input, unknown_name("tensor", options.tensor, names));
  }
  return rows;
}

std::uint64_t bytes_of_data(const TensorFiles& files) {
  std::uint64_t bytes = 0;
  for (const auto& [name, tensor] : files.tensors()) bytes += tensor->data.size();
  return bytes;
}

/// Which elements share a scale.
std::string text_of_blocks(const BlockedWeight& weight) {
  const std::vector<std::uint64_t>& tile = weight.tile;
  const bool is_flat = std::ranges::count(tile, 1) >= std::ssize(tile) - 1;
  if (!tile.empty() && tile == weight.shape) return ", one scale";
  if (!tile.empty() && !is_flat) return fmt::format(", tiles of {}", fmt::join(tile, " x "));
  if (weight.block_size == 0) return "";
  return fmt::format(", blocks of {} along axis {}", weight.block_size, weight.axis);
}

std::string text_of_weight(const BlockedWeight& weight) {
  std::string text = fmt::format("{}: {} [{}]", printable(weight.name), weight.format,
                                 fmt::join(weight.shape, ", "));
  text += text_of_blocks(weight);
  text += fmt::format("; codes {}{}{}", weight.element, weight.packing.empty() ? "" : ", ",
                      weight.packing);
  if (!weight.scale.empty()) {
    text += fmt::format("; scales {}{}{}", weight.scale, weight.scale_layout.empty() ? "" : ", ",
                        weight.scale_layout);
  }
  if (weight.has_tensor_scale) text += "; a scale of the whole tensor";
  return text;
}

std::string text_of_counts(const CodeStatistics& counts, const ElementFormat& format) {
  std::string text = fmt::format(
      "{} of {}: {} zero, {} subnormal, {} greatest, {} infinite, {} NaN", counts.codes,
      format.name, counts.zero, counts.subnormal, counts.greatest, counts.infinite, counts.nan);
  if (counts.stray != 0) text += fmt::format(", {} with bits above the format's", counts.stray);
  if (counts.distinct != 0) text += fmt::format("; {} different", counts.distinct);
  return text;
}

void print_inspected(const InspectOptions& options, const TensorFiles& files,
                     const Contents& contents, const std::vector<InspectedTensor>& rows) {
  fmt::print("{}: {}, {} tensors, {} bytes of data\n", options.input, files.files().front().kind(),
             files.tensors().size(), bytes_of_data(files));
  if (!contents.made_by.empty()) fmt::print("made by {}\n", printable(contents.made_by));
  for (const BlockedWeight& weight : contents.weights) {
    if (options.tensor == "all") fmt::print("{}\n", text_of_weight(weight));
  }
  for (const std::string& note : contents.notes) fmt::print("{}\n", note);
  for (const InspectedTensor& row : rows) {
    const std::string& dtype = row.tensor->dtype;  // a stranger's text where it is not known
    fmt::print("{}  {} [{}]{}{}\n", printable(row.tensor->name),
               find_dtype(dtype) == nullptr ? printable(dtype) : dtype,
               fmt::join(row.tensor->shape, ", "), row.use.role.empty() ? "" : "  ", row.use.role);
    if (row.statistics) fmt::print("  {}\n", text_of_counts(*row.statistics, *row.use.format));
  }
}

nlohmann::ordered_json json_of_inspected(const InspectedTensor& row) {
  nlohmann::ordered_json json = {{"name", row.tensor->name},
                                 {"dtype", row.tensor->dtype},
                                 {"shape", row.tensor->shape},
                                 {"elements", row.tensor->elements},
                                 {"bytes", row.tensor->data.size()}};
  if (!row.use.role.empty()) {
    json["role"] = row.use.role;
    json["of"] = row.use.of;
  }
  if (row.use.format != nullptr) json["format"] = row.use.format->name;
  if (!row.use.packing.empty()) json["packing"] = row.use.packing;
  if (row.statistics) {
    const CodeStatistics& counts = *row.statistics;
    json["statistics"] = {{"codes", counts.codes},         {"zero", counts.zero},
                          {"subnormal", counts.subnormal}, {"greatest", counts.greatest},
                          {"infinite", counts.infinite},   {"nan", counts.nan},
                          {"stray", counts.stray},         {"distinct", counts.distinct}};
  }
  return json;
}

nlohmann::ordered_json json_of_inspected(const BlockedWeight& weight) {
  nlohmann::ordered_json json = {{"name", weight.name},
                                 {"shape", weight.shape},
                                 {"format", weight.format},
                                 {"element", weight.element},
                                 {"scale", weight.scale},
                                 {"block_size", weight.block_size},
                                 {"axis", weight.axis},
                                 {"packing", weight.packing},
                                 {"scale_layout", weight.scale_layout},
                                 {"tensor_scale", weight.has_tensor_scale}};
  if (!weight.tile.empty()) json["tile"] = weight.tile;
  return json;
}

void print_inspected_json(const InspectOptions& options, const TensorFiles& files,
                          const Contents& contents, const std::vector<InspectedTensor>& rows) {
  auto tensors = nlohmann::ordered_json::array();
  for (const InspectedTensor& row : rows) tensors.push_back(json_of_inspected(row));
  auto weights = nlohmann::ordered_json::array();
  for (const BlockedWeight& weight : contents.weights) weights.push_back(json_of_inspected(weight));
  const nlohmann::ordered_json result = {{"file", options.input},
                                         {"kind", files.files().front().kind()},
                                         {"bytes", bytes_of_data(files)},
                                         {"made_by", contents.made_by},
                                         {"metadata", files.files().front().metadata()},
                                         {"weights", weights},
                                         {"notes", contents.notes},
                                         {"tensors", tensors}};
  fmt::print("{}\n", golden::dumped(result, 2));
}

void inspect(const InspectOptions& options) {
  const TensorFiles files = TensorFiles::open(options.input);
  const Contents contents = contents_of(files);
  const std::vector<InspectedTensor> rows = all_inspected(options, files, contents);
  (options.is_json ? print_inspected_json : print_inspected)(options, files, contents, rows);
}

}  // namespace

void add_inspect(const Command& root, Exit&) {
  const Command command =
      root.add_subcommand("inspect", "Say what a file of tensors holds, and count its codes");
  const auto options = std::make_shared<InspectOptions>();
  as_input(command.add_option("FILE", options->input,
                              fmt::format("Tensors: {}, - for standard input; or a "
                                          ".safetensors.index.json, or the folder of a model",
                                          tensor_suffixes())))
      .required();
  tensor_option(command, options->tensor);
  command.add_flag("--headers", options->reads_headers_only, "Names, types and shapes alone");
  json_option(command, options->is_json);
  command.footer(kInspectExamples);
  command.callback([options] { inspect(*options); });
}

}  // namespace mx::cli
