// mxgold quantize: tensors to codes and scales.
#include <array>
#include <deque>
#include <memory>

#include "cli/base/command.hpp"
#include "cli/options/unread.hpp"
#include "cli/quantize/input.hpp"
#include "cli/quantize/outputs.hpp"
#include "cli/quantize/report.hpp"
#include "cli/tensors/packing.hpp"

namespace mx::cli {
namespace {

constexpr const char* kQuantizeExamples = R"(
Writes T.codes and, for block formats, T.scales for every tensor T, with metadata that lets
`mxgold dequantize` go back without options. What --profile does not specify is counted: on stderr, in
the report and in the metadata (open_elements, open_scales, open_masks). A .npy file has one tensor, called data. An element
format (e4m3fn, ...) converts value by value: no scales, and no --rule, --axis or --block-size.
A format with two levels (nvfp4) also writes T.tensor_scale, the factor to multiply by (rule
nvfp4_ct: the number to divide by). `mxgold list`
names the formats; --define and --format-file add your own, and OUT carries their definitions.
--hadamard transforms groups of 16 values along the axis before they are quantized, in binary32 and
in one defined order; OUT says so, and `mxgold dequantize --undo-hadamard` goes back. Values that
dequantize left under a transform stay under it, and what it said is open of them is in OUT
(open_elements.input, ...).
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

Recipe recipe_from(const Command& command, const QuantizeOptions& options) {
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
    if (recipe.format.block != nullptr || command.count(name) == 0) continue;
    fail(Exit::kUsage, "{}: {} has no blocks; leave it out", name, recipe.format.name);
  }
  recipe.scale_layout = require_scale_layout(options.scale_layout, recipe.format);
  recipe.hadamard = options.hadamard.of(recipe);
  return recipe;
}

/// The blocks of a tensor. Conversion alone takes every tensor as one long row.
BlockedShape shape_of(const QuantizeOptions& options, const Recipe& recipe, const Tensor& tensor) {
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

/// The policies for a tensor's type. A file has one set of them, so all tensors must agree.
void set_policies(const QuantizeOptions& options, const Tensor& tensor, bool is_first,
                  Recipe& recipe) {
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

/// Policies and a seed that were given and that the configuration of the tensors does not read.
void refuse_unread(const Command& command, const QuantizeOptions& options, const Recipe& recipe) {
  std::vector<std::string> given = options.policies.given();
  PolicyReader reader{recipe.element(), recipe.policies.element, {}};
  const bool has_blocks = recipe.format.block != nullptr;
  if (has_blocks) reader.block = recipe.policies.block;
  const bool takes_seed = draws(reader) || options.hadamard.is_drawn();
  if (!takes_seed && command.count("--seed") != 0) {
    fail(Exit::kUsage, "--seed: nothing here draws; leave it out");
  }
  refuse_unread_policies(given, {&reader, 1});
  if (has_blocks) return;
  // How values return to a type is a matter of element formats too.
  std::erase(given, "dequant_overflow");
  refuse_block_policies(given, recipe.format.name);
}

void quantize(const Command& command, const QuantizeOptions& options) {
  Recipe recipe = recipe_from(command, options);
  static_cast<void>(options.backend.choice());  // a wrong name is told before a file is read
  const TensorFile file = TensorFile::open(options.input);
  const Origin values = origin_of_input(options, file);
  std::vector<QuantizeJob> jobs;
  std::deque<TransformedTensor> transformed;
  for (const Tensor* tensor : select_tensors(file, options.tensor)) {
    if (recipe.hadamard) {
      tensor = &transformed
                    .emplace_back(recipe, file, *tensor, options.input, options.output,
                                  options.backend, options.threads)
                    .tensor();
    }
    set_policies(options, *tensor, jobs.empty(), recipe);
    if (jobs.empty()) refuse_unread(command, options, recipe);
    options.tensor_level.check(recipe);
    const std::string problem = Quantizer::refusal(recipe.config(*tensor->format));
    if (!problem.empty()) fail(Exit::kUsage, "{}", problem);
    jobs.push_back({tensor, shape_of(options, recipe, *tensor), {}, {}});
  }
  keep_transform(file, values, jobs, recipe);
  for (QuantizeJob& job : jobs) {
    job.level = options.tensor_level.level_of(recipe, file, *job.tensor, options.backend.choice(),
                                              options.threads);
    job.open = count_open(recipe, *job.tensor, job.shape, job.level, options.threads);
    file.release(job.tensor->data);
  }
  write_all(options, recipe, values, file, jobs);
  report_quantized(options, recipe, values, jobs);
}

/// Options that a cast reads; --format, the files and these are all.
constexpr std::string_view kCastOptions[] = {"--format", "--output",  "--mode", "--platform",
                                             "--axis",   "--operand", "--seed", "--json",
                                             "--tensor", "--threads", "--help"};

void quantize_by_system(const Command& command, const QuantizeOptions& options) {
  refuse_other_options(command, kCastOptions, options.format);
  refuse_idle_platform(command, options.system);
  CastJob job{options.input,   options.output,
              options.format,  options.system,
              options.tensor,  std::nullopt,
              options.seed,    options.operands,
              options.is_json, thread_count(options.threads)};
  if (command.count("--axis") != 0) job.axis = options.axis;
  quantize_by_cast(job);
}

/// Error kUsage for options of casts beside another format.
void refuse_cast_options(const Command& command, const QuantizeOptions& options) {
  for (const char* const name : {"--mode", "--platform", "--operand"}) {
    if (command.count(name) == 0) continue;
    fail(Exit::kUsage, "{}: goes with casts of systems ('dmx:...'), not {}", name,
         printable(options.format));
  }
}

}  // namespace

void add_quantize(const Command& root, Exit&) {
  const Command command = root.add_subcommand("quantize", "Turn tensors into codes and scales");
  const auto options = std::make_shared<QuantizeOptions>();
  as_input(command.add_option("IN", options->input,
                              fmt::format("Tensors: {}, - for standard input", tensor_suffixes())))
      .required();
  output_option(command, options->output, "codes and scales", kTensorOutput).required();
  format_option(command, options->format).required();
  tensor_option(command, options->tensor);
  axis_option(command, options->axis);
  block_size_option(command, options->block_size);
  seed_option(command, options->seed);
  command.add_option("--packed", options->packing, packing_help());
  command.add_option("--scale-layout", options->scale_layout,
                     "Where scales lie: plane (the default), or swizzle_128x4 as flat bytes: tiles "
                     "of 128 x 4 scales");
  options->tensor_level.add_to(command);
  options->hadamard.add_to(command);
  options->formats.add_to(command);
  threads_option(command, options->threads);
  options->backend.add_to(command, "quantize");
  json_option(command, options->is_json);
  options->policies.add_to(command);
  command.add_option("--mode", options->system.mode, "Casts of systems: strict | compat")
      .capture_default_str();
  platform_option(command, options->system.platform);
  as_list(command.add_option("--operand", options->operands,
                             "Casts of systems: NAME=TENSOR, a tensor of IN that the cast reads"))
      .type_name("NAME=TENSOR");
  command.footer(kQuantizeExamples);
  command.callback([options, command] {
    if (is_cast(options->format)) return quantize_by_system(command, *options);
    refuse_cast_options(command, *options);
    options->threads = thread_count(options->threads);
    quantize(command, *options);
  });
}

}  // namespace mx::cli
