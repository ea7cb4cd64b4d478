#include "cli/vectors/gen_plan.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "cli/base/error.hpp"
#include "cli/options/unread.hpp"
#include "cli/text/names.hpp"
#include "golden/answers/answers.hpp"

namespace mx::cli {
namespace {

using golden::Configuration;
using golden::Lengths;
using golden::Operation;
using golden::RandomWords;
using golden::SuiteKind;

/// Configurations that the suite policy draws, unless fewer vectors are asked for.
constexpr std::size_t kDrawnConfigurations = 256;

SuiteKind require_suite(const std::string& name) {
  const auto kind = parse_token<SuiteKind>(name);
  if (kind) return *kind;
  std::vector<std::string_view> known;
  for (const auto& token : tokens<SuiteKind>()) known.push_back(token.text);
  fail(Exit::kUsage, "{}", unknown_name("suite", name, known));
}

/// Two groups of products, and two blocks where there are scales; many of the smallest groups, so
/// that every pair of operands has its lane.
int lanes_of_unit(const Configuration& configuration) {
  constexpr int kFewest = 32;
  const UnitConfig& on = std::get<golden::UnitCase>(configuration.what).on;
  const int block = on.a.scale ? on.a.scale->block_size : 1;
  const int group = on.unit.sum == UnitSum::kPairsThenC ? 2 * on.unit.group : on.unit.group;
  return std::max(kFewest, 2 * std::max(group, block));
}

/// Lanes of a record: a block, or what --lanes says where the configuration leaves it open.
int lanes_of(const GenOptions& options, const Configuration& configuration) {
  const int elements = golden::block_elements(configuration);
  const Operation op = configuration.operation();
  if (op == Operation::kCvt || op == Operation::kArith) return 1;
  if (op == Operation::kMma && options.lanes == 0) return lanes_of_unit(configuration);
  const bool is_free =
      op == Operation::kDot || op == Operation::kCast || op == Operation::kMma || elements == 0;
  if (options.lanes != 0 && !is_free && options.lanes != elements) {
    fail(Exit::kUsage,
         "--lanes {}: a record of --op {} is one block, here {} elements; give "
         "--block-size",
         options.lanes, token_of(op), elements);
  }
  if (!is_free) return elements;
  if (options.lanes != 0) return options.lanes;
  return elements == 0 ? kDefaultLanes : std::max(2 * elements, 1);
}

void set_shape(const GenOptions& options, golden::VectorHeader& header) {
  header.lanes = lanes_of(options, header.configs.front());
  const bool has_lanes = header.op == Operation::kBlock || header.op == Operation::kDot ||
                         header.op == Operation::kDequantize || header.op == Operation::kMma;
  header.lengths =
      has_lanes && header.lanes > 1 && options.lengths == "vary" ? Lengths::kVary : Lengths::kFull;
  const bool draws = std::ranges::any_of(header.configs, golden::takes_random);
  header.random_words = draws ? RandomWords::kPresent : RandomWords::kAbsent;
  if (const std::string problem = header.problem(); !problem.empty()) {
    fail(Exit::kUsage, "{}", problem);
  }
}

std::uint64_t plan_suite(const GenOptions& options, GenPlan& plan) {
  golden::VectorHeader& header = *plan.header;
  header.suite = options.suite.empty() ? "smoke" : options.suite;
  const SuiteKind kind = require_suite(header.suite);
  const ElementFormat& source =
      options.configs.book->require_element("source format", one_source(options.configs, "fp32"));
  if (kind == SuiteKind::kPolicy) {
    const auto drawn =
        static_cast<std::size_t>(std::min<std::uint64_t>(options.count, kDrawnConfigurations));
    header.configs = drawn_configurations(options.configs, source, options.seed, drawn);
    header.drawn = options.count;
  } else {
    header.configs = configurations(options.configs, source);
    header.drawn = kind == SuiteKind::kRandom ? options.count : 0;
  }
  set_shape(options, header);
  const auto stimulus = std::make_shared<const golden::Stimulus>(header);
  plan.classes = stimulus->classes();
  plan.duplicates = stimulus->duplicates();
  plan.fill = [stimulus, keep = plan.header](std::uint64_t first, std::uint64_t last,
                                             golden::RecordBatch& batch) {
    stimulus->fill(first, last, batch);
  };
  return stimulus->size();
}

void take_shard(const GenOptions& options, std::uint64_t total, GenPlan& plan) {
  const auto [i, n] = require_shard(options.shard);
  const golden::ShardRange range = golden::shard_range(total, i, n);
  plan.first = range.first;
  plan.whole = total;
  plan.header->count = range.count;
  plan.header->shard = i;
  plan.header->shards = n;
  if (range.count == 0) {
    fail(Exit::kUsage, "shard {} of {} vectors is empty; ask for fewer shards or a larger --count",
         options.shard, total);
  }
}

/// The options of casts, dot products and units, as they have to be typed again.
std::string cast_options_text(const ConfigOptions& options) {
  return fmt::format(" --mode {} --platform {}", options.cast_mode(), options.platform);
}

std::string dot_options_text(const ConfigOptions& options) {
  const DotText& t = options.dot;
  std::string text = fmt::format(" --mode {} --result {}", t.mode, t.result);
  if (!options.addend.empty()) text += " --addend " + options.addend;
  if (t.mode != "accumulator") return text;
  for (const AccumulatorText& each : t.accumulator) {
    std::visit([&](const auto& value) { text += fmt::format(" {} {}", each.option, value); },
               each.value);
  }
  return text;
}

std::string unit_options_text(const ConfigOptions& options) {
  std::string text = fmt::format(" --unit {} --result {}", options.unit, options.dot.result);
  if (!options.scale_format.empty()) text += " --scale-format " + options.scale_format;
  return text;
}

/// The options in one spelling, those that do not change the vectors left out.
std::string options_text(const GenOptions& options, const GenPlan& plan) {
  const ConfigOptions& configs = options.configs;
  const golden::VectorHeader& header = *plan.header;
  std::string text = fmt::format("--op {}", configs.op);
  text += options.input.empty() ? fmt::format(" --suite {}", header.suite)
                                : fmt::format(" --input {} --tensor {} --axis {}", options.input,
                                              options.tensor, options.axis);
  text += options.definitions;
  if (!configs.sources.empty()) text += fmt::format(" --source {}", configs.sources.front());
  if (!configs.formats.empty()) {
    text += fmt::format(" --format {}", fmt::join(configs.formats, ","));
  }
  if (configs.op == "dot") text += dot_options_text(configs);
  if (configs.op == "dequantize") text += " --result " + configs.dot.result;
  if (configs.op == "mma") text += unit_options_text(configs);
  if (configs.op == "arith") text += arith_options_text(configs.arith);
  if (configs.op == "cast") text += cast_options_text(configs);
  text += fmt::format(" --profile {} --seed {} --shard {}", configs.profile, options.seed,
                      options.shard);
  if (header.drawn != 0) text += fmt::format(" --count {}", options.count);
  if (configs.block_size != 0) text += fmt::format(" --block-size {}", configs.block_size);
  if (options.lanes != 0) text += fmt::format(" --lanes {}", options.lanes);
  text += fmt::format(" --lengths {}", options.lengths);
  if (configs.random_bits != 0) text += fmt::format(" --random-bits {}", configs.random_bits);
  if (!configs.tensor_amax.empty()) text += " --tensor-amax " + configs.tensor_amax;
  for (std::size_t i = 0; i < configs.policies.size(); ++i) {
    if (configs.policies[i].empty()) continue;
    text += fmt::format(" {} {}", option_name(policy_options()[i]),
                        fmt::join(configs.policies[i], ","));
  }
  return text;
}

}  // namespace

void add_gen_options(const Command& app, GenOptions& options) {
  app.add_option("--count", options.count, "Vectors of the suites rnd (a configuration) and policy")
      .range(std::uint64_t{1}, std::uint64_t{1} << 44)
      .capture_default_str();
  seed_option(app, options.seed);
  shard_option(app, options.shard);
  app.add_option(
         "--lanes", options.lanes,
         "Elements of a dot product, of a cast's row, or of blocks as long as an axis or a tensor")
      .range(1, golden::kMaxLanes)
      .default_str("two blocks, or 64");
  app.add_option("--lengths", options.lengths, "Blocks and dots: vary (some are short) | full")
      .is_member({"vary", "full"})
      .capture_default_str();
  as_input(app.add_option("--input", options.input,
                          fmt::format("Take the vectors from a {} file", tensor_suffixes())));
  tensor_option(app, options.tensor);
  axis_option(app, options.axis);
}

void refuse_unused_stimulus(const Command& app, const GenOptions& options) {
  refuse_unused_options(app, options.configs);
  refuse_without(app, "--tensor", "--input");
  refuse_without(app, "--axis", "--input");
  const bool is_drawn =
      options.input.empty() && (options.suite == "rnd" || options.suite == "policy");
  if (!is_drawn && app.count("--count") != 0) {
    fail(Exit::kUsage, "--count: goes with --suite rnd and policy");
  }
  const std::string& op = options.configs.op;
  const bool is_single = op == "cvt" || op == "arith";
  constexpr std::string_view kLanes[] = {"--lanes"};
  if (is_single) refuse_given(app, kLanes, fmt::format("a record of --op {} is one number", op));
  if (!options.input.empty()) refuse_given(app, kLanes, "tensors of --input have their own blocks");
  if (is_single && options.axis != GenOptions().axis) {
    fail(Exit::kUsage, "--axis: numbers of --op {} lie along no axis", op);
  }
  // Manifests write the default, whatever the operation.
  const bool is_typed = app.count("--lengths") != 0;
  if (!is_typed || options.lengths == GenOptions().lengths) return;
  if (is_single || op == "cast") {
    fail(Exit::kUsage, "--lengths {}: says nothing to --op {}, whose records have one length",
         options.lengths, op);
  }
  if (!options.input.empty()) {
    fail(Exit::kUsage, "--lengths {}: tensors of --input have their own blocks", options.lengths);
  }
}

GenPlan plan_gen(const GenOptions& options) {
  GenPlan plan;
  plan.header = std::make_shared<golden::VectorHeader>();
  plan.header->op = options.configs.operation_kind();
  plan.header->seed = options.seed;
  plan.header->generator = "mxgold";
  std::uint64_t total = 0;
  try {
    total = options.input.empty() ? plan_suite(options, plan) : plan_tensors(options, plan);
  } catch (const std::invalid_argument& error) {
    fail(Exit::kUsage, "{}", error.what());
  }
  take_shard(options, total, plan);
  plan.options = options_text(options, plan);
  return plan;
}

}  // namespace mx::cli
