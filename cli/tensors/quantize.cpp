// mxgold quantize: tensors to codes and scales.
#include <CLI/CLI.hpp>
#include <deque>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "backend/tensor/converter.hpp"
#include "backend/tensor/quantizer.hpp"
#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/base/made.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/tensor_file.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/options/common.hpp"
#include "cli/options/format_book.hpp"
#include "cli/options/policies.hpp"
#include "cli/options/unread.hpp"
#include "cli/systems/quantize_cast.hpp"
#include "cli/tensors/backend.hpp"
#include "cli/tensors/hadamard.hpp"
#include "cli/tensors/level.hpp"
#include "cli/tensors/open.hpp"
#include "cli/tensors/packing.hpp"
#include "cli/tensors/plan.hpp"
#include "cli/text/names.hpp"
#include "golden/text/exact.hpp"
#include "golden/text/flags.hpp"
#include "reference/tensor/packing.hpp"

namespace mx::cli {
namespace {

constexpr const char* kExamples = R"(
Writes T.codes and, for block formats, T.scales for every tensor T, with metadata that lets
`mxgold dequantize` go back without options. What --profile leaves open is counted: on stderr, in
the report and in the metadata (open_elements, open_scales, open_masks). A .npy file has one tensor, called data. An element
format (e4m3fn, ...) converts value by value: no scales, and no --rule, --axis or --block-size.
A format with two levels (nvfp4) also writes T.tensor_scale, the factor to multiply by. `mxgold list`
names the formats; --define and --format-file add your own, and OUT carries their definitions.
--hadamard transforms groups of 16 values along the axis before they are quantized, in binary32 and
in one defined order; OUT says so, and `mxgold dequantize --undo-hadamard` goes back.
--backend says who computes: the vectors of this processor where they are proven for the configuration,
the reference elsewhere; cuda copies blocks to a CUDA device and back, cuda-host computes them here by
the same arithmetic. The bits are the same, and --verbose says which it was. A cast of an emulated system (dmx, qtorch, torchmx, aimet, microxcaling) is a format too: 'dmx:BFP[8|8]{64}(SN)'. It
writes T.values, and T.scale and T.data where the system gives them; --mode strict is what the
system's documentation says, compat the bits of its named version; --axis is the system's default.

Examples:
  mxgold quantize model.safetensors -o model.mx.safetensors --format mxfp8_e4m3
  mxgold quantize x.npy -o x.mx.safetensors --format mxfp4 --rule rceil --axis 0 --block-size 16
  mxgold quantize x.npy -o x.mx.safetensors --format mxfp6_e2m3 --rounding stochastic_a --seed 7
  mxgold quantize x.npy -o x.codes.safetensors --format e5m2 --overflow none_inf_or_nan
  mxgold quantize x.npy -o x.mx.safetensors --format mxfp4 --packed nibble_low_first
  mxgold quantize x.npy -o x.nv.safetensors --format nvfp4 --scale-layout swizzle_128x4
  mxgold quantize x.npy -o x.nv.safetensors --format nvfp4 --rule nvfp4_te --tensor-amax 448
  mxgold quantize x.npy -o x.rht.safetensors --format nvfp4 --rule nvfp4_te --hadamard d7e8
  mxgold quantize x.npy -o x.dmx.safetensors --format 'dmx:MXFP8[E4M3]{32}' --mode compat
  mxgold quantize x.npy -o x.e3m4.safetensors --define 'name=mine, exp_bits=3, man_bits=4' \
    --format mine)";

struct Options {
  std::string input;
  std::string output;
  std::string format;
  std::string tensor = "all";
  std::int64_t axis = -1;
  int block_size = 0;
  std::uint64_t seed = kDefaultSeed;
  std::string packing;
  std::string scale_layout;
  int threads = 0;
  bool is_json = false;
  BackendOptions backend;
  TensorLevelOptions tensor_level;
  HadamardOptions hadamard;
  FormatOptions formats;
  PolicyOptions policies;
  SystemOptions system;
  Names operands;
};

/// One tensor on its way.
struct Job {
  const Tensor* tensor = nullptr;
  BlockedShape shape;
  TensorLevel level;
  TensorSummary summary;
  OpenCount open = {};
};

/// Only the report as JSON tells flags.
backend::Wanted wanted(const Options& options) {
  return options.is_json ? backend::Wanted::kFlags : backend::Wanted::kCounts;
}

Recipe recipe_from(const CLI::App& command, const Options& options) {
  Recipe recipe;
  recipe.book = options.formats.book();
  recipe.format = recipe.book->require(options.format);
  options.policies.check();
  recipe.profile = require_profile(options.policies.profile()).name();
  recipe.axis = options.axis;
  recipe.seed = options.seed;
  recipe.packing = require_packing(options.packing, *recipe.format.element);
  if (recipe.format.block != nullptr) {
    if (options.block_size != 0 && recipe.format.block->extent != BlockExtent::kElements) {
      fail(Exit::kUsage, "--block-size: a block of {} is the whole axis or tensor; leave it out",
           recipe.format.name);
    }
    recipe.block_size =
        options.block_size != 0 ? options.block_size : recipe.format.block->block_size;
  }
  for (const char* const name : {"--block-size", "--axis"}) {
    if (recipe.format.block != nullptr || command.get_option(name)->count() == 0) continue;
    fail(Exit::kUsage, "{}: {} has no blocks; leave it out", name, recipe.format.name);
  }
  recipe.scale_layout = require_scale_layout(options.scale_layout, recipe.format);
  recipe.hadamard = options.hadamard.of(recipe);
  return recipe;
}

/// The blocks of a tensor. Conversion alone takes every tensor as one long row.
BlockedShape shape_of(const Options& options, const Recipe& recipe, const Tensor& tensor) {
  const std::array<std::uint64_t, 1> row = {tensor.elements};
  const auto shape = recipe.format.block == nullptr ? BlockedShape::make(row, 0, recipe.block_size)
                                                    : blocked_shape(recipe, tensor.shape);
  if (!shape) {
    fail(Exit::kUsage, "{}: tensor {}: axis {} does not fit its shape [{}]; choose another --axis",
         options.input, printable(tensor.name), recipe.axis, fmt::join(tensor.shape, ", "));
  }
  require_last_axis(recipe, options.input, tensor);
  return *shape;
}

/// Bytes of T.scales as they lie in the file.
std::vector<std::uint64_t> stored_scale_shape(const Recipe& recipe, const Job& job) {
  if (recipe.scale_layout.empty()) return scale_shape(recipe, job.tensor->shape);
  return {Swizzle128x4{job.shape.outer, job.shape.blocks}.bytes()};
}

std::vector<OutputTensor> announced(const Recipe& recipe, const std::vector<Job>& jobs) {
  std::vector<OutputTensor> outputs;
  for (const Job& job : jobs) {
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
                    const TensorFile& file, Job& job, const std::function<void()>& release,
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
void convert_one(const Options& options, const Recipe& recipe, const TensorFile& file, Job& job,
                 std::span<std::byte> codes, const std::function<void()>& release,
                 Progress& progress) {
  const Tensor& tensor = *job.tensor;
  const auto converter = options.backend.ready(
      backend::TensorConverter::make({*tensor.format, recipe.element(), recipe.policies.element},
                                     options.backend.choice(), wanted(options)),
      tensor.name);
  share_portions(
      tensor.elements, chunk_blocks(1), options.threads,
      [&](std::uint64_t first, std::uint64_t last) {
        return converter.convert(tensor.data, {recipe.seed, tensor.index}, codes, first, last);
      },
      file, job, release, progress);
}

/// Fills codes and scales of one tensor.
void quantize_one(const Options& options, const Recipe& recipe, const TensorFile& file, Job& job,
                  std::span<std::byte> codes, std::span<std::byte> scales,
                  const std::function<void()>& release, Progress& progress) {
  if (recipe.format.block == nullptr) {
    return convert_one(options, recipe, file, job, codes, release, progress);
  }
  const Tensor& tensor = *job.tensor;
  const auto quantizer =
      options.backend.ready(backend::TensorQuantizer::make(recipe.config(*tensor.format, job.level),
                                                           options.backend.choice()),
                            tensor.name);
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

/// How much of all tensors the profile leaves open.
OpenCount open_of(const std::vector<Job>& jobs) {
  OpenCount total;
  for (const Job& job : jobs) total += job.open;
  return total;
}

bool has_masks(const Recipe& recipe, const std::vector<Job>& jobs) {
  return std::ranges::any_of(
      jobs, [&](const Job& job) { return masks_of(recipe, *job.tensor->format) != 0; });
}

/// The recipe's metadata, and what of the file is open.
std::map<std::string, std::string> file_metadata(const Recipe& recipe,
                                                 const std::vector<Job>& jobs) {
  std::map<std::string, std::string> metadata = metadata_of(recipe);
  if (has_masks(recipe, jobs)) add_open(open_of(jobs), metadata);
  return metadata;
}

void write_all(const Options& options, const Recipe& recipe, const TensorFile& file,
               std::vector<Job>& jobs) {
  std::map<std::string, std::string> metadata = file_metadata(recipe, jobs);
  std::uint64_t total = 0;
  for (const Job& job : jobs) {
    metadata["source_dtype." + job.tensor->name] = job.tensor->dtype;
    if (!recipe.packing.empty()) {
      metadata["shape." + job.tensor->name] = fmt::format("{}", fmt::join(job.tensor->shape, ","));
    }
    total += job.tensor->elements;
  }
  SafetensorsWriter writer(options.output, announced(recipe, jobs), metadata);
  Progress progress("quantize", total);
  for (Job& job : jobs) {
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

nlohmann::ordered_json json_of(const Recipe& recipe, const Job& job) {
  nlohmann::ordered_json json = {{"name", job.tensor->name},
                                 {"shape", job.tensor->shape},
                                 {"source", job.tensor->format->name},
                                 {"elements", job.summary.elements},
                                 {"blocks", job.summary.blocks},
                                 {"nan_scales", job.summary.nan_scales},
                                 {"flags", golden::flag_names(job.summary.flags)},
                                 {"open_elements", job.open.elements},
                                 {"open_scales", job.open.scales},
                                 {"open_masks", block_mask_tokens(job.open.masks)}};
  if (recipe.has_tensor_scale()) {
    json["tensor_amax"] = golden::hex_float(decode(formats::fp32, job.level.amax));
    json["tensor_scale"] = golden::hex_float(decode(formats::fp32, job.level.scale));
  }
  return json;
}

void report(const Options& options, const Recipe& recipe, const std::vector<Job>& jobs) {
  TensorSummary total;
  auto tensors = nlohmann::ordered_json::array();
  for (const Job& job : jobs) {
    total += job.summary;
    tensors.push_back(json_of(recipe, job));
  }
  const OpenCount open = open_of(jobs);
  if (open.masks != 0) {
    fmt::print(stderr,
               "mxgold quantize: profile {} leaves open {}; the codes written there are one choice "
               "of several\n",
               recipe.profile, open_text(open, total.elements, total.blocks));
  }
  if (options.is_json) {
    const nlohmann::ordered_json result = {{"output", options.output},
                                           {"metadata", file_metadata(recipe, jobs)},
                                           {"elements", total.elements},
                                           {"blocks", total.blocks},
                                           {"nan_scales", total.nan_scales},
                                           {"flags", golden::flag_names(total.flags)},
                                           {"open_elements", open.elements},
                                           {"open_scales", open.scales},
                                           {"open_masks", block_mask_tokens(open.masks)},
                                           {"tensors", tensors}};
    fmt::print("{}\n", result.dump(2));
    return;
  }
  const std::string blocks =
      recipe.format.block == nullptr
          ? ""
          : fmt::format(", {} blocks ({} with a NaN scale)", total.blocks, total.nan_scales);
  fmt::print(report_stream(options.output), "quantized {} tensors, {} values{} to {}: {}\n",
             jobs.size(), total.elements, blocks, recipe.format.name, options.output);
}

/// The policies for a tensor's type. A file has one set of them, so all tensors must agree.
void set_policies(const Options& options, const Tensor& tensor, bool is_first, Recipe& recipe) {
  const ProfiledFormat chosen =
      options.policies.resolve(recipe.format, *tensor.format, options.block_size);
  if (!is_first && (chosen.policies != recipe.policies || chosen.element != recipe.element())) {
    fail(Exit::kUsage,
         "{}: tensor {}: profile {} treats {} differently from the tensors before it; quantize "
         "tensors of one type at a time with --tensor",
         options.input, printable(tensor.name), recipe.profile, tensor.format->name);
  }
  recipe.policies = chosen.policies;
  if (chosen.element != *recipe.format.element) recipe.profiled_element = chosen.element;
}

/// Policies that were given and that the configuration of the tensors does not read.
void refuse_unread(const Options& options, const Recipe& recipe) {
  std::vector<std::string> given = options.policies.given();
  const BlockPolicy& block = recipe.policies.block;
  const bool draws = is_stochastic(recipe.policies.element.rounding) || facts_of(block.rule).draws;
  if (!draws && std::erase(given, "random_bits") != 0) {
    fail(Exit::kUsage, "--random-bits: rounding {} draws no random words; leave it out",
         token_of(recipe.policies.element.rounding));
  }
  if (recipe.format.block != nullptr) return refuse_unread_policies(given, {&block, 1});
  // How values return to a type is a matter of element formats too.
  std::erase(given, "dequant_overflow");
  refuse_block_policies(given, recipe.format.name);
}

void quantize(const CLI::App& command, const Options& options) {
  Recipe recipe = recipe_from(command, options);
  static_cast<void>(options.backend.choice());  // a wrong name is told before a file is read
  const TensorFile file = TensorFile::open(options.input);
  std::vector<Job> jobs;
  std::deque<TransformedTensor> transformed;
  for (const Tensor* tensor : select_tensors(file, options.tensor)) {
    if (recipe.hadamard) {
      tensor = &transformed
                    .emplace_back(recipe, file, *tensor, options.input, options.output,
                                  options.backend, options.threads)
                    .tensor();
    }
    set_policies(options, *tensor, jobs.empty(), recipe);
    if (jobs.empty()) refuse_unread(options, recipe);
    options.tensor_level.check(recipe);
    const std::string_view problem = Quantizer::problem(recipe.config(*tensor->format));
    if (!problem.empty()) fail(Exit::kUsage, "{}", problem);
    jobs.push_back({tensor, shape_of(options, recipe, *tensor), {}, {}});
  }
  for (Job& job : jobs) {
    job.level = options.tensor_level.level_of(recipe, file, *job.tensor, options.backend.choice(),
                                              options.threads);
    job.open = count_open(recipe, *job.tensor, job.shape, job.level, options.threads);
    file.release(job.tensor->data);
  }
  write_all(options, recipe, file, jobs);
  report(options, recipe, jobs);
}

/// Options that a cast reads; --format, the files and these are all.
constexpr std::string_view kCastOptions[] = {"--format", "--output",  "--mode", "--platform",
                                             "--axis",   "--operand", "--seed", "--json",
                                             "--tensor", "--threads", "--help"};

void quantize_by_system(const CLI::App& command, const Options& options) {
  refuse_other_options(command, kCastOptions, options.format);
  refuse_idle_platform(command, options.system);
  CastJob job{options.input,   options.output,
              options.format,  options.system,
              options.tensor,  std::nullopt,
              options.seed,    options.operands,
              options.is_json, thread_count(options.threads)};
  if (command.get_option("--axis")->count() != 0) job.axis = options.axis;
  quantize_by_cast(job);
}

/// Error kUsage for options of casts beside another format.
void refuse_cast_options(const CLI::App& command, const Options& options) {
  for (const char* const name : {"--mode", "--platform", "--operand"}) {
    if (command.get_option(name)->count() == 0) continue;
    fail(Exit::kUsage, "{}: goes with casts of systems ('dmx:...'), not {}", name,
         printable(options.format));
  }
}

}  // namespace

void add_quantize(CLI::App& root, Exit&) {
  CLI::App& command = *root.add_subcommand("quantize", "Tensors to codes and scales");
  const auto options = std::make_shared<Options>();
  as_input(command.add_option("IN", options->input,
                              fmt::format("Tensors: {}, - for standard input", tensor_suffixes())))
      ->required();
  output_option(command, options->output, "codes and scales", kTensorOutput)->required();
  format_option(command, options->format)->required();
  tensor_option(command, options->tensor);
  axis_option(command, options->axis);
  block_size_option(command, options->block_size);
  seed_option(command, options->seed);
  command.add_option("--packed", options->packing, packing_help());
  command.add_option(
      "--scale-layout", options->scale_layout,
      "plane (the default), or swizzle_128x4 as flat bytes: tiles of 128 x 4 scales");
  options->tensor_level.add_to(command);
  options->hadamard.add_to(command);
  options->formats.add_to(command);
  threads_option(command, options->threads);
  options->backend.add_to(command, "quantize");
  json_option(command, options->is_json);
  options->policies.add_to(command);
  command.add_option("--mode", options->system.mode, "Casts of systems: strict | compat")
      ->capture_default_str();
  platform_option(command, options->system.platform);
  as_list(command.add_option("--operand", options->operands,
                             "Casts of systems: NAME=TENSOR, a tensor of IN that the cast reads"))
      ->type_name("NAME=TENSOR");
  command.footer(kExamples);
  command.callback([options, &command] {
    if (is_cast(options->format)) return quantize_by_system(command, *options);
    refuse_cast_options(command, *options);
    options->threads = thread_count(options->threads);
    quantize(command, *options);
  });
}

}  // namespace mx::cli
