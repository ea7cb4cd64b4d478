// SPDX-License-Identifier: Apache-2.0
#include "cli/dequantize/stored_values.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/base/error.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/mapped_file.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/stored_type.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/options/common.hpp"
#include "cli/tensors/hadamard.hpp"
#include "cli/tensors/plan.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"
#include "reference/format/rows.hpp"

namespace mx::cli {
namespace {

constexpr std::uint64_t kMostElements = 256;  // of a block
constexpr std::uint64_t kMostBytes = 512;

/// How the bytes of a tensor are values: as its kind of file says, or its type of codes or floats.
/// Bytes and whole numbers of the other kinds may be anything.
const StoredType* type_of(const Tensor& tensor) {
  if (tensor.stored != nullptr) return tensor.stored;
  const DType* const type = find_dtype(tensor.dtype);
  return type == nullptr || type->codes == nullptr ? nullptr : find_stored_type(tensor.dtype);
}

std::vector<const Tensor*> stored_tensors(const TensorFile& file, const std::string& selector) {
  const std::string path = file.path().string();
  std::vector<const Tensor*> chosen;
  std::vector<std::string_view> names;
  for (const Tensor& tensor : file.tensors()) {
    names.push_back(tensor.name);
    if (selector != "all" && tensor.name != selector) continue;
    if (type_of(tensor) != nullptr) {
      chosen.push_back(&tensor);
    } else if (selector == "all") {
      fmt::print(stderr, "{}: skipped tensor {}: type {} has no values of binary32\n", path,
                 printable(tensor.name), tensor.dtype);
    } else {
      fail(Exit::kBadInput, "{}: tensor {}: type {} has no values of binary32; use it as it is",
           path, printable(tensor.name), tensor.dtype);
    }
  }
  if (chosen.empty()) fail(Exit::kUsage, "{}: {}", path, unknown_name("tensor", selector, names));
  return chosen;
}

/// The values of block `index`; the last block of a tensor may be short of bytes.
void values_of_block(const Tensor& tensor, std::uint64_t index, std::span<std::byte> fp32) {
  const StoredType& type = *type_of(tensor);
  const std::uint64_t first = index * type.elements;
  const std::uint64_t count = std::min(type.elements, tensor.elements - first);
  std::array<std::byte, kMostBytes> whole = {};
  const std::byte* block = tensor.data.data() + index * type.bytes;
  if (const std::uint64_t left = tensor.data.size() - index * type.bytes; left < type.bytes) {
    std::copy_n(block, left, whole.begin());
    block = whole.data();
  }
  std::array<std::uint32_t, kMostElements> values;
  type.values(type.row, block, std::span(values).first(count));
  std::memcpy(fp32.data() + first * 4, values.data(), count * 4);
}

void fill_fp32(const TensorFile& file, const Tensor& tensor, std::span<std::byte> fp32, int threads,
               Progress& progress) {
  const StoredType& type = *type_of(tensor);
  const std::uint64_t blocks = (tensor.elements + type.elements - 1) / type.elements;
  std::mutex mutex;
  for_each_chunk(
      blocks, (1U << 16) / type.elements, threads, [&](std::uint64_t first, std::uint64_t last) {
        for (std::uint64_t i = first; i < last; ++i) values_of_block(tensor, i, fp32);
        const std::lock_guard lock(mutex);
        progress.add(std::min(last * type.elements, tensor.elements) - first * type.elements);
      });
  file.release(tensor.data);
}

void fill_one(const TensorFile& file, const Tensor& tensor, const StoredRequest& request,
              std::span<std::byte> values, Progress& progress) {
  if (request.to == formats::fp32) {
    return fill_fp32(file, tensor, values, request.threads, progress);
  }
  OutputFile wide(scratch_beside(request.output), tensor.elements * 4);  // never committed
  fill_fp32(file, tensor, wide.bytes(), request.threads, progress);
  Recipe recipe;
  recipe.policies.block.dequant_overflow = request.overflow;
  round_values(recipe, wide.bytes(), request.to, values, request.threads);
}

/// A model of ONNX may multiply a tensor by a scale, which is no part of its type.
void tell_scales(const TensorFile& file, const std::vector<const Tensor*>& tensors) {
  for (const Tensor* tensor : tensors) {
    const auto scale = file.metadata().find("onnx.scale." + tensor->name);
    if (scale == file.metadata().end()) continue;
    fmt::print(
        stderr,
        "{}: tensor {}: a DequantizeLinear of the model multiplies it by {}; these values are "
        "without that scale and its zero point\n",
        file.path().string(), printable(tensor->name), printable(scale->second));
  }
}

void report_stored(const StoredRequest& request, const std::vector<const Tensor*>& tensors,
                   const std::set<std::string>& types) {
  std::uint64_t elements = 0;
  auto list = nlohmann::ordered_json::array();
  for (const Tensor* tensor : tensors) {
    elements += tensor->elements;
    list.push_back({{"name", tensor->name},
                    {"type", tensor->dtype},
                    {"shape", tensor->shape},
                    {"elements", tensor->elements}});
  }
  if (request.is_json) {
    const nlohmann::ordered_json result = {{"output", request.output},
                                           {"types", types},
                                           {"to", request.to.name},
                                           {"elements", elements},
                                           {"tensors", list}};
    fmt::print("{}\n", golden::dumped(result, 2));
    return;
  }
  fmt::print(report_stream(request.output), "dequantized {} tensors, {} values of {} to {}: {}\n",
             tensors.size(), elements, fmt::join(types, ", "), request.to.name, request.output);
}

}  // namespace

bool holds_stored_values(const TensorFile& file) {
  return std::ranges::any_of(file.tensors(),
                             [](const Tensor& tensor) { return tensor.stored != nullptr; });
}

bool holds_code_types(const TensorFile& file) {
  return std::ranges::any_of(file.tensors(), [](const Tensor& tensor) {
    return tensor.format == nullptr && type_of(tensor) != nullptr;
  });
}

void dequantize_stored(const TensorFile& file, const StoredRequest& request) {
  const std::vector<const Tensor*> tensors = stored_tensors(file, request.tensor);
  std::map<std::string, std::string> metadata = file.metadata();
  std::vector<OutputTensor> outputs;
  std::set<std::string> types;
  std::uint64_t total = 0;
  for (const Tensor* tensor : tensors) {
    outputs.push_back({tensor->name, std::string(float_dtype(request.to)), tensor->shape});
    metadata["stored_dtype." + tensor->name] = tensor->dtype;
    types.insert(tensor->dtype);
    total += tensor->elements;
  }
  metadata["mxgold_version"] = std::string(version());
  metadata["dequantized_from"] = fmt::format("{}", fmt::join(types, ", "));
  SafetensorsWriter writer(request.output, outputs, metadata);
  Progress progress("dequantize", total);
  for (const Tensor* tensor : tensors) {
    const std::span<std::byte> values = writer.data(tensor->name);
    fill_one(file, *tensor, request, values, progress);
    writer.release(values);
  }
  writer.commit();
  tell_scales(file, tensors);
  report_stored(request, tensors, types);
}

}  // namespace mx::cli
