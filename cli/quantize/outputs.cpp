#include "cli/quantize/outputs.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <mutex>
#include <span>

#include "backend/tensor/converter.hpp"
#include "backend/tensor/tensor_quantizer.hpp"
#include "cli/base/chunks.hpp"
#include "cli/base/error.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/tensors/packing.hpp"
#include "reference/tensor/scale_layout.hpp"

namespace mx::cli {
namespace {

/// Only the report as JSON tells flags.
backend::Wanted wanted(const QuantizeOptions& options) {
  return options.is_json ? backend::Wanted::kFlags : backend::Wanted::kCounts;
}

/// Bytes of T.scales as they lie in the file.
std::vector<std::uint64_t> stored_scale_shape(const Recipe& recipe, const QuantizeJob& job) {
  if (recipe.scale_layout.empty()) return scale_shape(recipe, job.tensor->shape);
  return {Swizzle128x4{job.shape.outer, job.shape.blocks}.bytes()};
}

std::vector<OutputTensor> announced(const Recipe& recipe, const std::vector<QuantizeJob>& jobs) {
  std::vector<OutputTensor> outputs;
  for (const QuantizeJob& job : jobs) {
    const Tensor& tensor = *job.tensor;
    if (recipe.packing.empty()) {
      outputs.push_back(
          {tensor.name + ".codes", std::string(code_dtype(*recipe.format.element)), tensor.shape});
    } else {
      outputs.push_back(
          {tensor.name + ".codes", "U8", {packed_bytes(recipe.packing, tensor.elements)}});
    }
    if (recipe.format.block != nullptr) {
      outputs.push_back({tensor.name + ".scales", std::string(scale_dtype(*recipe.format.block)),
                         stored_scale_shape(recipe, job)});
    }
    if (recipe.has_tensor_scale()) outputs.push_back({tensor.name + ".tensor_scale", "F32", {1}});
  }
  return outputs;
}

/// Work on portions [first, last) of a tensor, and what comes of it.
using Work = std::function<TensorSummary(std::uint64_t first, std::uint64_t last)>;

/// Does the work from several threads, and keeps the resident set small.
void share_portions(std::uint64_t portions, std::uint64_t at_a_time, int threads, const Work& work,
                    const TensorFile& file, QuantizeJob& job, const std::function<void()>& release,
                    Progress& progress) {
  std::mutex mutex;
  std::uint64_t unreleased = 0;
  for_each_chunk(portions, at_a_time, threads, [&](std::uint64_t first, std::uint64_t last) {
    const TensorSummary part = work(first, last);
    const std::lock_guard lock(mutex);
    job.summary += part;
    progress.add(part.elements);
    constexpr std::uint64_t kReleaseAfter = 1 << 22;  // elements
    unreleased += part.elements;
    if (unreleased >= kReleaseAfter) {
      unreleased = 0;
      file.release(job.tensor->data);
      release();
    }
  });
  file.release(job.tensor->data);
  release();
}

/// Element formats: every value on its own.
void convert_one(const QuantizeOptions& options, const Recipe& recipe, const TensorFile& file,
                 QuantizeJob& job, std::span<std::byte> codes, const std::function<void()>& release,
                 Progress& progress) {
  const Tensor& tensor = *job.tensor;
  const auto converter = options.backend.ready(
      backend::TensorConverter::make({*tensor.format, recipe.element(), recipe.policies.element},
                                     options.backend.choice(), wanted(options)),
      tensor.name, fmt::format("elements of {}", tensor.format->name));
  share_portions(
      tensor.elements, chunk_blocks(1), options.threads,
      [&](std::uint64_t first, std::uint64_t last) {
        return converter.convert(tensor.data, {recipe.seed, tensor.index}, codes, first, last);
      },
      file, job, release, progress);
}

/// Fills codes and scales of one tensor.
void quantize_one(const QuantizeOptions& options, const Recipe& recipe, const TensorFile& file,
                  QuantizeJob& job, std::span<std::byte> codes, std::span<std::byte> scales,
                  const std::function<void()>& release, Progress& progress) {
  if (recipe.format.block == nullptr) {
    return convert_one(options, recipe, file, job, codes, release, progress);
  }
  const Tensor& tensor = *job.tensor;
  const auto quantizer = options.backend.ready(
      backend::TensorQuantizer::make(recipe.config(*tensor.format, job.level),
                                     options.backend.choice()),
      tensor.name,
      fmt::format("blocks of {}, {:x} {:x}", tensor.format->name, job.level.amax, job.level.scale));
  const auto portions = quantizer.portions(job.shape);
  const ThreadShare share = share_threads(portions.elements, options.threads);
  backend::Flags flags = 0;
  const auto work = [&](std::uint64_t first, std::uint64_t last) {
    Checked<TensorSummary> part = quantizer.quantize(
        job.shape, tensor.data, {recipe.seed, tensor.index}, codes, scales,
        wanted(options) == backend::Wanted::kFlags ? &flags : nullptr, first, last, share.each);
    if (!part) {
      fail(Exit::kBadInput, "{}: tensor {}: {}", options.input, printable(tensor.name),
           part.problem());
    }
    return std::move(part).value();
  };
  share_portions(portions.count, chunk_blocks(portions.elements), share.chunks, work, file, job,
                 release, progress);
  job.summary.flags |= flags;
}

bool has_masks(const Recipe& recipe, const std::vector<QuantizeJob>& jobs) {
  return std::ranges::any_of(
      jobs, [&](const QuantizeJob& job) { return masks_of(recipe, *job.tensor->format) != 0; });
}

}  // namespace

OpenCount open_of(const std::vector<QuantizeJob>& jobs) {
  OpenCount total;
  for (const QuantizeJob& job : jobs) total += job.open;
  return total;
}

std::map<std::string, std::string> file_metadata(const Recipe& recipe, const Origin& values,
                                                 const std::vector<QuantizeJob>& jobs) {
  std::map<std::string, std::string> metadata = metadata_of(recipe);
  if (has_masks(recipe, jobs)) add_open(open_of(jobs), metadata);
  add_open_input(values, metadata);
  return metadata;
}

void write_all(const QuantizeOptions& options, const Recipe& recipe, const Origin& values,
               const TensorFile& file, std::vector<QuantizeJob>& jobs) {
  std::map<std::string, std::string> metadata = file_metadata(recipe, values, jobs);
  std::uint64_t total = 0;
  for (const QuantizeJob& job : jobs) {
    metadata["source_dtype." + job.tensor->name] = job.tensor->dtype;
    if (!recipe.packing.empty()) {
      metadata["shape." + job.tensor->name] = fmt::format("{}", fmt::join(job.tensor->shape, ","));
    }
    total += job.tensor->elements;
  }
  SafetensorsWriter writer(options.output, announced(recipe, jobs), metadata);
  Progress progress("quantize", total);
  for (QuantizeJob& job : jobs) {
    const std::span<std::byte> codes = writer.data(job.tensor->name + ".codes");
    const std::span<std::byte> stored_scales = writer.data(job.tensor->name + ".scales");
    std::vector<std::byte> plane(recipe.scale_layout.empty() ? 0 : job.shape.scales);
    const std::span<std::byte> scales = recipe.scale_layout.empty() ? stored_scales : plane;
    if (recipe.packing.empty()) {
      quantize_one(
          options, recipe, file, job, codes, scales,
          [&] {
            writer.release(codes);
            writer.release(scales);
          },
          progress);
    } else {
      OutputFile loose(scratch_beside(options.output), job.tensor->elements);  // never committed
      quantize_one(
          options, recipe, file, job, loose.bytes(), scales, [&] { loose.release(loose.bytes()); },
          progress);
      pack(recipe.packing, loose.bytes(), codes, static_cast<std::uint64_t>(recipe.block_size));
      writer.release(codes);
    }
    if (!recipe.scale_layout.empty()) swizzle_scales(job.shape, plane, stored_scales);
    if (recipe.has_tensor_scale()) {
      std::memcpy(writer.data(job.tensor->name + ".tensor_scale").data(), &job.level.scale,
                  sizeof job.level.scale);
    }
  }
  writer.commit();
}

}  // namespace mx::cli
