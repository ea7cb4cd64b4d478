// mxgold dequantize: codes and scales back to tensors, by the metadata of the file.
#include <array>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "backend/tensor/tensor_dequantizer.hpp"
#include "cli/base/chunks.hpp"
#include "cli/base/command.hpp"
#include "cli/base/made.hpp"
#include "cli/base/progress.hpp"
#include "cli/dequantize/checkpoint_values.hpp"
#include "cli/dequantize/stored_values.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/tensor_file.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/options/common.hpp"
#include "cli/tensors/backend.hpp"
#include "cli/tensors/dequantize_jobs.hpp"
#include "cli/tensors/hadamard.hpp"
#include "cli/tensors/level.hpp"
#include "cli/tensors/origin.hpp"
#include "cli/tensors/packing.hpp"
#include "cli/tensors/plan.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"
#include "reference/block/back.hpp"
#include "reference/catalog/aliases.hpp"
#include "reference/format/rows.hpp"
#include "reference/format/way_back.hpp"
#include "reference/number/word_bytes.hpp"

namespace mx::cli {
namespace {

constexpr const char* kDequantizeExamples = R"(
The metadata of IN says how it was made, so no option is needed. Values are scale * element exactly,
rounded once, ties_to_even, to the output type; nvfp4_torchao, nvfp4_modelopt and nvfp4_ct round
scales and products to binary32 on the way, and nvfp4_ct divides by T.tensor_scale. What the profile of IN does not specify is said on stderr and
goes on to the metadata of OUT (open_elements, open_scales, open_masks: counts of all of IN), with all
that IN says of how it was made: profile, rule, ... A --profile to decode by is dequant_profile there,
and its rule dequant_rule. What a cast of a system wrote (T.values) is values already.

Values of a file made with --hadamard are transformed ones, which is said on stderr and in the metadata
of OUT; --undo-hadamard rounds them to binary32, transforms them back in binary32 (spec F25) and rounds
the result to the output type.

Of checkpoints that other libraries wrote (gpt-oss, compressed-tensors, ModelOpt, DeepSeek, torchao, MLX)
it writes the weights as values and copies the other tensors: docs/howto/shipped-checkpoints.md.
Of GGUF and ONNX files it writes what the types of their tensors say, as the packages gguf and onnx
do: blocks of ggml, codes of floats and integers. Types without values of binary32 are left out.

Examples:
  mxgold dequantize x.mx.safetensors -o back.safetensors
  mxgold dequantize x.mx.safetensors -o back.safetensors --to bf16 --tensor encoder.weight
  mxgold dequantize model.safetensors.index.json -o values.safetensors --to bf16
  mxgold dequantize model.gguf -o values.safetensors --tensor blk.0.ffn_up.weight)";

struct DequantizeOptions {
  std::string input;
  std::string output;
  std::string to = "f32";
  std::string tensor = "all";
  std::string dequant_overflow;
  std::string profile;
  int threads = 0;
  bool is_json = false;
  bool undoes_hadamard = false;
  BackendOptions backend;
};

const ElementFormat& output_format(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{"f32", "fp32"}, {"bf16", "bf16"}, {"f16", "fp16"}, {"f64", "fp64"}}};
  std::vector<std::string_view> known;
  for (const auto& [text, token] : kNames) {
    if (name == text || name == token || name_here(name) == token) return *find_format(token);
    known.push_back(text);
  }
  throw Error(Exit::kUsage, unknown_name("value of --to", name, known));
}

/// A code with bits above the format's width is damage, not a value.
void check_codes(const TensorFile& file, const ElementFormat& format, const DequantizeJob& job,
                 std::span<const std::byte> codes, std::uint64_t first, std::uint64_t last) {
  const std::size_t size = storage_bytes(format);
  for (std::uint64_t i = first; i < last; ++i) {
    const std::uint64_t code = load_word(codes.data() + i * size, size);
    if (code > format.code_mask()) {
      fail(Exit::kBadInput, "{}: tensor {}, element {}: code {:X} has bits above the {} of {}",
           file.path().string(), printable(job.codes->name), i, code, format.bits, format.name);
    }
  }
}

/// What the three passes over a tensor share.
struct Context {
  const DequantizeOptions& options;
  const TensorFile& file;
  const Recipe& recipe;
  const Origin& origin;         ///< what the file says; the recipe may decode by another profile
  const ElementFormat& output;  ///< of the file
  /// Of the blocks: binary32 where a transform is undone.
  [[nodiscard]] const ElementFormat& of_blocks() const {
    return options.undoes_hadamard ? formats::fp32 : output;
  }
};

/// Are the values that come out under a transform?
bool is_transformed(const Context& context) {
  return context.recipe.hadamard && !context.options.undoes_hadamard;
}

void check_all_codes(const Context& context, const DequantizeJob& job,
                     std::span<const std::byte> codes) {
  const ElementFormat& format = *context.recipe.format.element;
  if (format.bits == format.storage_bits) return;
  for_each_chunk(job.elements, 1 << 20, context.options.threads,
                 [&](std::uint64_t first, std::uint64_t last) {
                   check_codes(context.file, format, job, codes, first, last);
                   context.file.release(codes.subspan(first, last - first));
                 });
}

/// Fills the values of one tensor from several threads, and keeps the resident set small.
void dequantize_one(const Context& context, const DequantizeJob& job,
                    std::span<const std::byte> codes, std::span<std::byte> values,
                    const SafetensorsWriter& writer, Progress& progress) {
  const Recipe& recipe = context.recipe;
  // Some rules take no wide source. What a file holds does not depend on what it was made from.
  const auto dequantizer = context.options.backend.ready(
      backend::TensorDequantizer::make(recipe.config(formats::fp32, job.level), context.of_blocks(),
                                       context.options.backend.choice()),
      job.name, fmt::format("values, {:x} {:x}", job.level.amax, job.level.scale));
  // An element format is a block format whose scale is 1.
  const std::vector<std::byte> ones(job.scales == nullptr ? job.blocks.scales : 0, std::byte{0x7F});
  std::vector<std::byte> plane(recipe.scale_layout.empty() ? 0 : job.blocks.scales);
  if (!recipe.scale_layout.empty()) unswizzle_scales(job.blocks, job.scales->data, plane);
  const std::span<const std::byte> scales = job.scales == nullptr         ? ones
                                            : recipe.scale_layout.empty() ? job.scales->data
                                                                          : plane;
  std::mutex mutex;
  std::uint64_t unreleased = 0;
  const backend::Portions portions = dequantizer.portions(job.blocks);
  const ThreadShare share = share_threads(portions.elements, context.options.threads);
  for_each_chunk(portions.count, chunk_blocks(portions.elements), share.chunks,
                 [&](std::uint64_t first, std::uint64_t last) {
                   const Checked<TensorSummary> done_here = dequantizer.dequantize(
                       job.blocks, codes, scales, values, first, last, share.each);
                   if (!done_here) {
                     fail(Exit::kBadInput, "{}: tensor {}: {}", context.file.path().string(),
                          printable(job.name), done_here.problem());
                   }
                   const std::lock_guard lock(mutex);
                   const std::uint64_t done = done_here->elements;
                   progress.add(done);
                   unreleased += done;
                   constexpr std::uint64_t kReleaseAfter = 1 << 22;  // elements
                   if (unreleased < kReleaseAfter) return;
                   unreleased = 0;
                   context.file.release(job.codes->data);
                   writer.release(values);
                 });
  context.file.release(job.codes->data);
  writer.release(values);
}

/// The values of one tensor in the output's words, and where asked for without the transform.
void fill(const Context& context, const DequantizeJob& job, std::span<const std::byte> codes,
          std::span<std::byte> values, const SafetensorsWriter& writer, Progress& progress) {
  if (!context.options.undoes_hadamard) {
    return dequantize_one(context, job, codes, values, writer, progress);
  }
  const DequantizeOptions& options = context.options;
  const auto fill_wide = [&](std::span<std::byte> wide) {
    dequantize_one(context, job, codes, wide, writer, progress);
    transform_back(context.recipe, job.shape, job.name, wide, options.backend, options.threads);
  };
  if (context.output == formats::fp32) return fill_wide(values);
  OutputFile wide(scratch_beside(options.output), job.elements * 4);  // never committed
  fill_wide(wide.bytes());
  round_values(context.recipe, wide.bytes(), context.output, values, options.threads);
}

/// What IN says of itself, and how it was decoded.
std::map<std::string, std::string> output_metadata(const Context& context) {
  std::map<std::string, std::string> metadata = context.origin.fields;
  metadata.erase("format");
  metadata["mxgold_version"] = std::string(version());
  metadata["dequantized_from"] = std::string(context.recipe.format.name);
  metadata["profile"] = context.origin.profile;
  const BlockPolicy& policy = context.recipe.policies.block;
  metadata["dequant_overflow"] = std::string(token_of(policy.dequant_overflow));
  if (!context.options.profile.empty()) {
    metadata["dequant_profile"] = context.recipe.profile;
    if (context.recipe.format.block != nullptr) {
      metadata["dequant_rule"] = std::string(token_of(policy.rule));
    }
  }
  if (context.recipe.hadamard && !is_transformed(context)) {
    metadata.erase("hadamard");
    metadata.erase("hadamard_signs");
    metadata["undone_hadamard"] = fmt::format("{:04x}", context.recipe.hadamard->mask);
    metadata["undone_hadamard_signs"] = std::string(token_of(context.recipe.hadamard->signs));
  }
  return metadata;
}

void write_all(const Context& context, const std::vector<DequantizeJob>& jobs) {
  std::vector<OutputTensor> outputs;
  std::uint64_t total = 0;
  for (const DequantizeJob& job : jobs) {
    outputs.push_back({job.name, std::string(float_dtype(context.output)), job.shape});
    total += job.elements;
  }
  std::map<std::string, std::string> metadata = output_metadata(context);
  for (const DequantizeJob& job : jobs) {
    const std::string key = "source_dtype." + job.name;
    const auto source = context.file.metadata().find(key);
    if (source != context.file.metadata().end()) metadata.insert(*source);
  }
  SafetensorsWriter writer(context.options.output, outputs, metadata);
  Progress progress("dequantize", total);
  for (const DequantizeJob& job : jobs) {
    const std::span<std::byte> values = writer.data(job.name);
    if (job.packing.empty()) {
      check_all_codes(context, job, job.codes->data);
      fill(context, job, job.codes->data, values, writer, progress);
    } else {
      OutputFile loose(scratch_beside(context.options.output), job.elements);  // never committed
      unpack(job.packing, job.codes->data, loose.bytes(),
             static_cast<std::uint64_t>(context.recipe.block_size), context.options.threads);
      fill(context, job, loose.bytes(), values, writer, progress);
    }
  }
  writer.commit();
}

void report(const Context& context, const std::vector<DequantizeJob>& jobs) {
  std::uint64_t elements = 0;
  std::uint64_t blocks = 0;
  auto tensors = nlohmann::ordered_json::array();
  for (const DequantizeJob& job : jobs) {
    elements += job.elements;
    blocks += job.scales == nullptr ? 0 : job.blocks.scales;
    tensors.push_back({{"name", job.name}, {"shape", job.shape}, {"elements", job.elements}});
  }
  const std::string_view format = context.recipe.format.name;
  if (is_transformed(context)) {
    fmt::print(
        stderr,
        "mxgold dequantize: the values are under the Hadamard transform {:04x}, signs {}, of "
        "{}; --undo-hadamard goes back\n",
        context.recipe.hadamard->mask, token_of(context.recipe.hadamard->signs),
        context.options.input);
  }
  tell_open("dequantize", context.origin);
  if (context.options.is_json) {
    nlohmann::ordered_json result = {{"output", context.options.output},
                                     {"format", format},
                                     {"to", context.output.name},
                                     {"elements", elements},
                                     {"blocks", blocks},
                                     {"transformed", is_transformed(context)},
                                     {"profile", context.origin.profile},
                                     {"open_elements", open_count(context.origin, "open_elements")},
                                     {"open_scales", open_count(context.origin, "open_scales")},
                                     {"tensors", tensors}};
    if (!context.options.profile.empty()) result["dequant_profile"] = context.recipe.profile;
    fmt::print("{}\n", golden::dumped(result, 2));
    return;
  }
  fmt::print(report_stream(context.options.output),
             "dequantized {} tensors, {} values of {} to {}: {}\n", jobs.size(), elements, format,
             context.output.name, context.options.output);
}

/// The scale of a whole tensor is a factor, or, under nvfp4_ct, a divisor: what a file holds must
/// be read as the rule that wrote it has it.
void require_one_meaning(const std::string& path, ScaleRule made, const Recipe& recipe) {
  const ScaleRule read = recipe.policies.block.rule;
  const auto divides = [](ScaleRule rule) { return way_back_of(rule) == WayBack::kQuotient; };
  if (!recipe.has_tensor_scale() || divides(made) == divides(read)) return;
  fail(Exit::kUsage,
       "{}: its tensor scales were written by rule {}, which {} by them; rule {} of profile {} {}. "
       "Leave --profile out, or quantize again under that profile",
       path, token_of(made), divides(made) ? "divides" : "multiplies", token_of(read),
       recipe.profile, divides(read) ? "divides" : "multiplies");
}

void require_back(const DequantizeOptions& options, DequantOverflow overflow,
                  const ElementFormat& output) {
  const std::string_view why = back_problem(overflow, output);
  if (!why.empty()) fail(Exit::kUsage, "--to {}: {}", options.to, why);
}

/// What is asked for of a file that mxgold did not write.
StoredRequest request_of(const DequantizeOptions& options, const ElementFormat& output) {
  for (const auto& [option, is_given] : {std::pair{"--profile", !options.profile.empty()},
                                         {"--undo-hadamard", options.undoes_hadamard}}) {
    if (!is_given) continue;
    fail(Exit::kUsage, "{}: {} says by its types and names what its values are; leave it out",
         option, options.input);
  }
  StoredRequest request{options.output,        options.tensor,  output,
                        DequantOverflow::kInf, options.threads, options.is_json};
  if (!options.dequant_overflow.empty()) {
    request.overflow =
        require_token<DequantOverflow>("value of --dequant-overflow", options.dequant_overflow);
  }
  require_back(options, request.overflow, output);
  return request;
}

/// Does what mxgold did not write; false for its own files.
bool dequantize_foreign(const DequantizeOptions& options, const TensorFiles& files,
                        const ElementFormat& output) {
  const TensorFile& file = files.files().front();
  if (holds_codes(file.metadata())) return false;
  if (!holds_stored_values(file)) {
    const CheckpointMaker maker = maker_of(files);
    const StoredWeights stored = stored_weights(files, maker);
    if (!stored.weights.empty() || !stored.misfits.empty()) {
      dequantize_checkpoint(files, maker, stored, request_of(options, output));
      return true;
    }
    // Of a PyTorch file even floats are news: there is no other way to them without PyTorch.
    if (!holds_code_types(file) && file.kind() != kTorchKind) return false;
  }
  dequantize_stored(file, request_of(options, output));
  return true;
}

void dequantize(const DequantizeOptions& options) {
  static_cast<void>(options.backend.choice());  // a wrong name is told before a file is read
  const ElementFormat& output = output_format(options.to);
  const TensorFiles files = TensorFiles::open(options.input);
  if (dequantize_foreign(options, files, output)) return;
  const TensorFile& file = files.files().front();
  const auto metadata = metadata_of_tensor(file, options.tensor, "--tensor");
  Recipe recipe = recipe_of(options.input, metadata);
  const Origin origin = origin_of_codes(options.input, recipe, metadata);
  if (!options.profile.empty()) {
    const ScaleRule made = recipe.policies.block.rule;
    dequantize_by_profile(recipe, options.profile);
    require_one_meaning(options.input, made, recipe);
  }
  if (!options.dequant_overflow.empty()) {
    recipe.policies.block.dequant_overflow =
        require_token<DequantOverflow>("value of --dequant-overflow", options.dequant_overflow);
  }
  require_back(options, recipe.policies.block.dequant_overflow, output);
  if (options.undoes_hadamard && !recipe.hadamard) {
    fail(Exit::kUsage, "--undo-hadamard: {} was not made with --hadamard; leave it out",
         options.input);
  }
  const std::vector<DequantizeJob> jobs = dequantize_jobs(file, recipe, options.tensor);
  const Context context{options, file, recipe, origin, output};
  write_all(context, jobs);
  report(context, jobs);
}

}  // namespace

void add_dequantize(const Command& root, Exit&) {
  const Command command =
      root.add_subcommand("dequantize", "Turn codes and scales back into tensors");
  const auto options = std::make_shared<DequantizeOptions>();
  as_input(
      command.add_option("IN", options->input,
                         "What mxgold quantize wrote: codes and scales; a checkpoint of another "
                         "library, its .index.json or its folder; or a GGUF or ONNX file"))
      .required();
  output_option(command, options->output, "values", kTensorOutput).required();
  command.add_option("--to", options->to, "Output type: f32 | bf16 | f16 | f64")
      .capture_default_str();
  tensor_option(command, options->tensor);
  command.add_option(
      "--dequant-overflow", options->dequant_overflow,
      "Values beyond the output's range: inf | saturate | nan | wrap (default: the file's)");
  profile_option(command, options->profile).default_str("the file's");
  command.add_flag("--undo-hadamard", options->undoes_hadamard,
                   "Values as they were before --hadamard of quantize");
  threads_option(command, options->threads);
  options->backend.add_to(command, "dequantize");
  json_option(command, options->is_json);
  command.footer(kDequantizeExamples);
  command.callback([options] {
    options->threads = thread_count(options->threads);
    dequantize(*options);
  });
}

}  // namespace mx::cli
