#include "cli/tensors/dequantize_jobs.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <set>

#include "cli/base/error.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/tensors/level.hpp"
#include "cli/tensors/packing.hpp"
#include "cli/text/names.hpp"
#include "reference/tensor/scale_layout.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kCodes = ".codes";

/// The shape of a tensor whose codes are packed flat: metadata "shape.T".
std::vector<std::uint64_t> packed_shape(const TensorFile& file, const std::string& name) {
  const std::string key = "shape." + name;
  const auto entry = file.metadata().find(key);
  const auto refuse = [&](std::string_view problem) {
    fail(Exit::kBadInput, "{}: header: '__metadata__', field {}: {}", file.path().string(),
         printable(key), problem);
  };
  if (entry == file.metadata().end()) refuse("missing");
  std::vector<std::uint64_t> shape;
  const std::string& text = entry->second;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::uint64_t length = 0;
    const auto [stop, error] = std::from_chars(at, end, length);
    if (error != std::errc{} || (stop != end && *stop != ',')) refuse("not a list of lengths");
    shape.push_back(length);
    at = stop == end ? end : stop + 1;
  }
  if (!element_count(shape, 64)) refuse("the size in bits does not fit 63 bits");
  return shape;
}

/// T.tensor_scale, checked.
TensorLevel level_of(const TensorFile& file, const Recipe& recipe, const std::string& name) {
  const Tensor* const tensor = file.find(name + ".tensor_scale");
  const auto refuse = [&](std::string_view problem) {
    fail(Exit::kBadInput, "{}: tensor {}: {}", file.path().string(),
         printable(name + ".tensor_scale"), problem);
  };
  if (tensor == nullptr) refuse("missing; the format has a scale for the whole tensor");
  if (tensor->dtype != "F32" || tensor->shape != std::vector<std::uint64_t>{1}) {
    refuse("a tensor scale is F32 [1]");
  }
  TensorLevel level;
  std::memcpy(&level.scale, tensor->data.data(), sizeof level.scale);
  const std::string_view problem = Quantizer::problem(recipe.config(formats::fp32, level));
  if (!problem.empty()) refuse(problem);
  return level;
}

/// The job of T, every part checked against the others.
DequantizeJob job_of(const TensorFile& file, const Recipe& recipe, const std::string& name) {
  const std::string path = file.path().string();
  DequantizeJob job;
  job.name = name;
  job.codes = file.find(name + ".codes");
  const bool is_packed = !recipe.packing.empty();
  job.packing = is_packed ? recipe.packing : packing_of_type(job.codes->dtype);
  job.shape = is_packed ? packed_shape(file, name) : job.codes->shape;
  job.elements = *element_count(job.shape, 64);
  const std::string_view type = code_dtype(*recipe.format.element);
  const std::string_view own = is_packed ? "" : own_dtype(*recipe.format.element);
  if (job.codes->dtype != type && job.codes->dtype != own) {
    fail(Exit::kBadInput, "{}: tensor {}: type {}; codes of {} are {}{}{}", path,
         printable(job.codes->name), job.codes->dtype, recipe.format.element->name, type,
         own.empty() ? "" : " or ", own);
  }
  if (is_packed && job.codes->data.size() != packed_bytes(recipe.packing, job.elements)) {
    fail(Exit::kBadInput, "{}: tensor {}: {} bytes; {} codes packed {} need {}", path,
         printable(job.codes->name), job.codes->data.size(), job.elements, recipe.packing,
         packed_bytes(recipe.packing, job.elements));
  }
  const std::array<std::uint64_t, 1> row = {job.elements};
  const bool has_scales = recipe.format.block != nullptr;
  const auto blocks =
      has_scales ? blocked_shape(recipe, job.shape) : BlockedShape::make(row, 0, recipe.block_size);
  if (!blocks) {
    fail(Exit::kBadInput, "{}: tensor {}: axis {} of the metadata does not fit its shape [{}]",
         path, printable(job.codes->name), recipe.axis, fmt::join(job.shape, ", "));
  }
  job.blocks = *blocks;
  Tensor shaped = *job.codes;
  shaped.shape = job.shape;
  try {
    require_last_axis(recipe, path, shaped);
  } catch (const Error& error) {
    throw Error(Exit::kBadInput, error.what());
  }
  if (!has_scales) return job;
  job.scales = file.find(name + ".scales");
  if (job.scales == nullptr) {
    fail(Exit::kBadInput, "{}: tensor {} is missing beside {}", path, printable(name + ".scales"),
         printable(job.codes->name));
  }
  const std::vector<std::uint64_t> expected =
      recipe.scale_layout.empty()
          ? scale_shape(recipe, job.shape)
          : std::vector<std::uint64_t>{Swizzle128x4{job.blocks.outer, job.blocks.blocks}.bytes()};
  const std::string_view scale_type = scale_dtype(*recipe.format.block);
  const bool is_typed =
      job.scales->dtype == scale_type || job.scales->dtype == own_dtype(recipe.format.block->scale);
  if (job.scales->shape != expected || !is_typed) {
    fail(Exit::kBadInput, "{}: tensor {}: {} [{}]; the codes need {} [{}]", path,
         printable(job.scales->name), job.scales->dtype, fmt::join(job.scales->shape, ", "),
         scale_type, fmt::join(expected, ", "));
  }
  if (recipe.has_tensor_scale()) job.level = level_of(file, recipe, name);
  return job;
}

}  // namespace

std::vector<DequantizeJob> dequantize_jobs(const TensorFile& file, const Recipe& recipe,
                                           const std::string& selector) {
  std::vector<DequantizeJob> jobs;
  std::vector<std::string_view> names;
  std::set<std::string> used;
  for (const Tensor& tensor : file.tensors()) {
    if (!tensor.name.ends_with(kCodes)) continue;
    const std::string_view name =
        std::string_view(tensor.name).substr(0, tensor.name.size() - kCodes.size());
    names.push_back(name);
    used.insert({tensor.name, std::string(name) + ".scales"});
    if (recipe.has_tensor_scale()) used.insert(std::string(name) + ".tensor_scale");
    if (selector == "all" || selector == name) {
      jobs.push_back(job_of(file, recipe, std::string(name)));
    }
  }
  const std::string path = file.path().string();
  if (names.empty()) {
    fail(Exit::kBadInput,
         "{}: no tensor is called '*.codes'; the file must come from mxgold "
         "quantize",
         path);
  }
  if (jobs.empty()) fail(Exit::kUsage, "{}: {}", path, unknown_name("tensor", selector, names));
  for (const Tensor& tensor : file.tensors()) {
    if (selector == "all" && !used.contains(tensor.name)) {
      fmt::print(stderr, "{}: skipped tensor {}: it is neither codes nor scales\n", path,
                 printable(tensor.name));
    }
  }
  return jobs;
}

}  // namespace mx::cli
