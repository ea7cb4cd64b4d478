// SPDX-License-Identifier: Apache-2.0
#include "cli/dequantize/checkpoint_values.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/base/error.hpp"
#include "cli/base/progress.hpp"
#include "cli/checkpoints/weight_values.hpp"
#include "cli/files/mapped_file.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/options/common.hpp"
#include "cli/tensors/hadamard.hpp"
#include "cli/tensors/plan.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"

namespace mx::cli {
namespace {

/// What goes into the output: weights as values, other tensors as they are.
struct Chosen {
  std::vector<const StoredWeight*> weights;
  std::vector<const Tensor*> others;
};

Chosen chosen_of(const TensorFiles& files, const StoredWeights& stored,
                 const StoredRequest& request) {
  Chosen chosen;
  std::set<const Tensor*> parts;
  std::vector<std::string_view> names;
  for (const StoredWeight& weight : stored.weights) {
    parts.insert({weight.codes, weight.scales, weight.level});
    names.push_back(weight.name);
    if (request.tensor == "all" || request.tensor == weight.name) chosen.weights.push_back(&weight);
  }
  if (request.tensor != "all") {
    if (chosen.weights.empty()) {
      fail(Exit::kUsage, "{}: {}", files.path().string(),
           unknown_name("weight", request.tensor, names));
    }
    return chosen;
  }
  for (const auto& [name, tensor] : files.tensors()) {
    if (parts.contains(tensor)) continue;
    if (find_dtype(tensor->dtype) != nullptr) {
      chosen.others.push_back(tensor);
    } else {
      fmt::print(stderr, "{}: skipped tensor {}: type {} is none of safetensors\n",
                 files.path().string(), printable(name), printable(tensor->dtype));
    }
  }
  return chosen;
}

/// Two weights of one name have no place in one file.
void refuse_doubles(const TensorFiles& files, const std::vector<OutputTensor>& outputs) {
  std::set<std::string_view> names;
  for (const OutputTensor& output : outputs) {
    if (names.insert(output.name).second) continue;
    fail(Exit::kBadInput, "{}: two tensors would be called {}; name other weights with --tensor",
         files.path().string(), printable(output.name));
  }
}

void fill_fp32(const StoredWeight& weight, std::span<std::byte> fp32, int threads,
               Progress& progress) {
  const WeightValues values(weight);
  const std::uint64_t length = weight.row_length();
  if (length == 0) return;
  std::mutex mutex;
  const std::uint64_t rows = std::max<std::uint64_t>((1U << 16) / length, 1);
  for_each_chunk(
      weight.elements() / length, rows, threads, [&](std::uint64_t first, std::uint64_t last) {
        std::vector<std::uint32_t> words((last - first) * length);
        values.rows(first, last, words);
        std::ranges::copy(std::as_bytes(std::span(words)),
                          fp32.begin() + static_cast<std::ptrdiff_t>(first * length * 4));
        const std::lock_guard lock(mutex);
        progress.add(words.size());
      });
}

void fill(const StoredWeight& weight, const StoredRequest& request, std::span<std::byte> values,
          Progress& progress) {
  if (request.to == formats::fp32) return fill_fp32(weight, values, request.threads, progress);
  OutputFile wide(scratch_beside(request.output), weight.elements() * 4);  // never committed
  fill_fp32(weight, wide.bytes(), request.threads, progress);
  Recipe recipe;
  recipe.policies.block.dequant_overflow = request.overflow;
  round_values(recipe, wide.bytes(), request.to, values, request.threads);
}

void report(const TensorFiles& files, const CheckpointMaker& maker, const Chosen& chosen,
            const StoredRequest& request) {
  std::uint64_t elements = 0;
  std::set<std::string> formats;
  auto list = nlohmann::ordered_json::array();
  for (const StoredWeight* weight : chosen.weights) {
    elements += weight->elements();
    formats.insert(weight->format_name());
    list.push_back({{"name", weight->name},
                    {"format", weight->format_name()},
                    {"shape", weight->shape},
                    {"elements", weight->elements()}});
  }
  const std::string made_by = writer_of(maker, *chosen.weights.front());
  if (request.is_json) {
    const nlohmann::ordered_json result = {{"output", request.output},
                                           {"made_by", made_by},
                                           {"formats", formats},
                                           {"to", request.to.name},
                                           {"elements", elements},
                                           {"tensors", list},
                                           {"as_they_are", chosen.others.size()}};
    fmt::print("{}\n", golden::dumped(result, 2));
    return;
  }
  fmt::print(
      report_stream(request.output),
      "dequantized {} weights of {} ({}), {} values to {}; {} other tensors are as in {}: {}\n",
      chosen.weights.size(), printable(made_by), fmt::join(formats, ", "), elements,
      request.to.name, chosen.others.size(), files.path().string(), request.output);
}

}  // namespace

void dequantize_checkpoint(const TensorFiles& files, const CheckpointMaker& maker,
                           const StoredWeights& stored, const StoredRequest& request) {
  if (request.tensor == "all" && !stored.misfits.empty()) {
    fail(Exit::kBadInput, "{}: {}; name one of the other weights with --tensor",
         files.path().string(), stored.misfits.front());
  }
  const Chosen chosen = chosen_of(files, stored, request);
  std::vector<OutputTensor> outputs;
  std::uint64_t total = 0;
  for (const StoredWeight* weight : chosen.weights) {
    outputs.push_back({weight->name, std::string(float_dtype(request.to)), weight->shape});
    total += weight->elements();
  }
  for (const Tensor* tensor : chosen.others) {
    outputs.push_back({tensor->name, tensor->dtype, tensor->shape});
  }
  refuse_doubles(files, outputs);
  const std::map<std::string, std::string> metadata = {
      {"mxgold_version", std::string(version())},
      {"dequantized_from", chosen.weights.front()->format_name()},
      {"made_by", writer_of(maker, *chosen.weights.front())}};
  SafetensorsWriter writer(request.output, outputs, metadata);
  Progress progress("dequantize", total);
  for (const StoredWeight* weight : chosen.weights) {
    const std::span<std::byte> values = writer.data(weight->name);
    fill(*weight, request, values, progress);
    writer.release(values);
    for (const TensorFile& file : files.files()) file.release(weight->codes->data);
  }
  for (const Tensor* tensor : chosen.others) {
    std::ranges::copy(tensor->data, writer.data(tensor->name).begin());
  }
  writer.commit();
  report(files, maker, chosen, request);
}

}  // namespace mx::cli
