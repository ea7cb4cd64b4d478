#include "cli/vectors/gen_plan.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "cli/base/error.hpp"
#include "cli/text/names.hpp"
#include "golden/config_word/table.hpp"

namespace mx::cli {
namespace {

using golden::BlockBatch;
using golden::CvtBatch;
using golden::RandomWords;
using golden::SuiteKind;

/// What `all` stands for: the formats, roundings and rules of the default RTL build.
const Names kAllFormats = {"e4m3fn", "e5m2", "e2m3fn", "e3m2fn", "e2m1fn", "int8"};
const Names kAllRoundings = {"ties_to_even",    "ties_to_away",   "toward_zero", "toward_negative",
                             "toward_positive", "away_from_zero", "to_odd",      "stochastic_a"};
const Names kAllRules = {"floor", "ceil", "rceil", "even_up"};

const Names& expand_all(std::string_view field, const Names& tokens) {
  if (!is_all(tokens)) return tokens;
  if (field == "rounding") return kAllRoundings;
  return field == "rule" ? kAllRules : tokens;
}

/// The block format of MX with an element, or the element alone.
FormatChoice choice_of(const ElementFormat& element, golden::RecordKind op) {
  if (op != golden::RecordKind::kCvt) {
    for (const BlockFormat& format : mx_block_formats()) {
      if (format.element == element) return {format.name, &format, &format.element};
    }
  }
  return {element.name, nullptr, &element};
}

/// The profile's policies; vectors name formats, so none that it changes can be written.
Policies profile_policies(const GenOptions& options, const FormatChoice& format,
                          const ElementFormat& source) {
  const ProfileChoice profile = require_profile(options.profile);
  const ProfiledFormat chosen = profiled(profile, format, source);
  if (chosen.element != *format.element ||
      (format.block == nullptr && chosen.policies.element.e8m0_quirk != E8m0Quirk::kNone)) {
    fail(Exit::kUsage,
         "profile {} has its own {} (NaN code, tie parity or lowest scale), which vectors cannot "
         "name",
         profile.name(), format.name);
  }
  return chosen.policies;
}

/// Every combination of the listed policies, the last field fastest.
std::vector<Policies> combinations(const GenOptions& options, const FormatChoice& format,
                                   const ElementFormat& source) {
  std::vector<Policies> list{profile_policies(options, format, source)};
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    if (options.policies[i].empty()) continue;
    const PolicyOption& field = policy_options()[i];
    std::vector<Policies> wider;
    for (const Policies& policies : list) {
      for (const std::string& token : expand_all(field.name, options.policies[i])) {
        Policies chosen = policies;
        if (!field.set(chosen, token)) {
          fail(Exit::kUsage, "{}",
               unknown_name("value of " + option_name(field), token, field.values()));
        }
        wider.push_back(chosen);
      }
    }
    list = std::move(wider);
  }
  return list;
}

bool is_mx(const BlockFormat& format) {
  return std::ranges::any_of(mx_block_formats(),
                             [&](const BlockFormat& row) { return row.name == format.name; });
}

std::vector<ElementFormat> element_formats(const GenOptions& options) {
  const Names names = options.formats.empty() ? Names{"e4m3fn"} : options.formats;
  std::vector<ElementFormat> formats;
  for (const std::string& name : is_all(names) ? kAllFormats : names) {
    const FormatChoice choice = options.book->require(name);
    if (options.op == "block" && choice.block != nullptr && !is_mx(*choice.block)) {
      fail(
          Exit::kUsage,
          "{}: block vectors carry the configuration word of the hardware (docs/spec/rtl.md R5.6), "
          "which knows the formats of OCP MX only; mxgold quantize and explain compute {}, --op "
          "cvt makes vectors of its elements",
          choice.name, choice.name);
    }
    formats.push_back(*choice.element);
  }
  return formats;
}

SuiteKind suite_kind(const std::string& name) {
  constexpr std::array kKinds{SuiteKind::kSmoke, SuiteKind::kDirected, SuiteKind::kRandom,
                              SuiteKind::kPolicy};
  std::vector<std::string_view> known;
  for (const SuiteKind kind : kKinds) {
    if (to_string(kind) == name) return kind;
    known.push_back(to_string(kind));
  }
  fail(Exit::kUsage, "{}", unknown_name("suite", name, known));
}

void add_classes(std::span<const golden::StimulusClass> classes, GenPlan& plan) {
  for (const golden::StimulusClass& c : classes) {
    const auto found = std::ranges::find(plan.classes, c.name, &golden::StimulusClass::name);
    if (found == plan.classes.end()) {
      plan.classes.push_back(c);
    } else {
      found->count += c.count;
    }
  }
}

void add_once(std::vector<std::string>& list, std::string_view token) {
  if (std::ranges::find(list, token) == list.end()) list.emplace_back(token);
}

std::string checked_problem(const QuantizerConfig& config) {
  const std::string problem(Quantizer::problem(config));
  if (!problem.empty()) return problem;
  if (golden::config_word_of(config)) return {};
  return "it has no tuser word (docs/spec/rtl.md R5.6), which block vectors carry; choose among "
         "the "
         "formats, sources, roundings, rules and policies of that table, or --op cvt";
}

}  // namespace

std::string one_source(const GenOptions& options, std::string_view otherwise) {
  if (options.sources.size() > 1) {
    fail(Exit::kUsage, "--source {}: a vector file has one source format; run gen once for each",
         fmt::join(options.sources, ","));
  }
  return options.sources.empty() ? std::string(otherwise) : options.sources.front();
}

void announce(const QuantizerConfig& config, golden::VectorHeader& header) {
  add_once(header.formats, config.format.element.name);
  add_once(header.roundings, token_of(config.element.rounding));
  add_once(header.rules, token_of(config.block.rule));
  add_once(header.overflows, token_of(config.element.overflow));
  if (!is_stochastic(config.element.rounding)) return;
  if (header.random_words == RandomWords::kPresent &&
      header.context.stochastic != config.element.rounding) {
    fail(Exit::kUsage, "one file holds one stochastic rounding; write {} and {} to two files",
         token_of(header.context.stochastic), token_of(config.element.rounding));
  }
  header.random_words = RandomWords::kPresent;
  header.context.stochastic = config.element.rounding;
}

std::vector<QuantizerConfig> block_configs(const GenOptions& options, const ElementFormat& source,
                                           const GenPlan& plan) {
  std::vector<QuantizerConfig> configs;
  for (const ElementFormat& format : element_formats(options)) {
    for (const Policies& policies :
         combinations(options, choice_of(format, golden::RecordKind::kBlock), source)) {
      QuantizerConfig config{source, {}, policies.element, policies.block};
      config.format = {format.name, format, formats::e8m0, options.elements()};
      config.element.random_bits = plan.header.context.random_bits;
      const std::string problem = checked_problem(config);
      if (!problem.empty()) {
        fail(Exit::kUsage, "{} from {} with {} and {}: {}", format.name, source.name,
             token_of(config.element.rounding), token_of(config.block.rule), problem);
      }
      configs.push_back(config);
    }
  }
  return configs;
}

ConversionConfig one_conversion(const GenOptions& options, const ElementFormat& source) {
  const std::vector<ElementFormat> formats = element_formats(options);
  const std::vector<Policies> policies =
      combinations(options, choice_of(formats.front(), golden::RecordKind::kCvt), source);
  if (formats.size() != 1 || policies.size() != 1) {
    fail(
        Exit::kUsage,
        "a file of conversions has one format and one value of each policy; run gen once for each");
  }
  ConversionConfig conversion{source, formats.front(), policies.front().element};
  if (options.random_bits != 0) conversion.policy.random_bits = options.random_bits;
  return conversion;
}

namespace {

bool is_listed(const GenOptions& options, std::string_view field) {
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    if (policy_options()[i].name == field) return !options.policies[i].empty();
  }
  return false;
}

/// One suite that draws from everything listed.
golden::BlockSuiteOptions policy_suite(const GenOptions& options,
                                       const std::vector<QuantizerConfig>& configs) {
  golden::BlockSuiteOptions suite{
      configs.front(), SuiteKind::kPolicy, options.seed, options.count, {}, {}, {}};
  if (!options.formats.empty()) suite.formats = element_formats(options);
  for (const QuantizerConfig& config : configs) {
    if (is_listed(options, "rounding")) suite.roundings.push_back(config.element.rounding);
    if (is_listed(options, "rule")) suite.rules.push_back(config.block.rule);
  }
  return suite;
}

void announce_drawn(const golden::BlockSuite& suite, golden::VectorHeader& header) {
  for (const ElementFormat& format : suite.options().formats) add_once(header.formats, format.name);
  for (const Rounding each : suite.options().roundings) {
    add_once(header.roundings, token_of(each));
  }
  for (const ScaleRule each : suite.options().rules) add_once(header.rules, token_of(each));
  for (const Overflow each : golden::kOverflowCodes) add_once(header.overflows, token_of(each));
  header.random_words = suite.random_words();
  header.context.stochastic = suite.context().stochastic;
}

void plan_block_suite(const GenOptions& options, SuiteKind kind, GenPlan& plan) {
  const ElementFormat& source =
      options.book->require_element("source format", one_source(options, "fp32"));
  plan.header.source = source;
  const std::vector<QuantizerConfig> configs = block_configs(options, source, plan);
  std::vector<golden::BlockSuiteOptions> suites;
  if (kind == SuiteKind::kPolicy) {
    suites.push_back(policy_suite(options, configs));
    announce_drawn(golden::BlockSuite(suites.front()), plan.header);
  } else {
    for (const QuantizerConfig& config : configs) {
      suites.push_back({config, kind, options.seed, options.count, {}, {}, {}});
      announce(config, plan.header);
    }
  }
  for (const golden::BlockSuiteOptions& each : suites) {
    const golden::BlockSuite suite(each);
    add_classes(suite.classes(), plan);
    plan.duplicates += suite.duplicates();
    plan.blocks.push_back({suite.size(), [each]() -> VectorRun<BlockBatch>::Fill {
                             const auto opened = std::make_shared<const golden::BlockSuite>(each);
                             return
                                 [opened](std::uint64_t first, std::uint64_t last,
                                          BlockBatch& batch) { opened->fill(first, last, batch); };
                           }});
  }
}

void plan_cvt_suite(const GenOptions& options, SuiteKind kind, GenPlan& plan) {
  if (kind == SuiteKind::kPolicy) {
    fail(Exit::kUsage, "the suite policy is made of blocks; add --op block");
  }
  const ElementFormat& source =
      options.book->require_element("source format", one_source(options, "fp32"));
  const golden::CvtSuiteOptions each{one_conversion(options, source), kind, options.seed,
                                     options.count};
  plan.header.source = each.conversion.source;
  plan.header.destination = each.conversion.destination;
  plan.header.policy = each.conversion.policy;
  const auto suite = std::make_shared<const golden::CvtSuite>(each);
  plan.header.random_words = suite->random_words();
  add_classes(suite->classes(), plan);
  plan.duplicates = suite->duplicates();
  plan.conversions.push_back({suite->size(), [suite]() -> VectorRun<CvtBatch>::Fill {
                                return
                                    [suite](std::uint64_t first, std::uint64_t last,
                                            CvtBatch& batch) { suite->fill(first, last, batch); };
                              }});
}

/// Cuts the sequence into `shards` runs whose lengths differ by at most one.
void take_shard(const GenOptions& options, GenPlan& plan) {
  const auto [i, n] = require_shard(options.shard);
  std::uint64_t total = 0;
  for (const auto& run : plan.blocks) total += run.size;
  for (const auto& run : plan.conversions) total += run.size;
  const std::uint64_t rest = total % n;
  plan.first = total / n * i + std::min(i, rest);
  plan.header.count = total / n + (i < rest ? 1 : 0);
  plan.header.shard = i;
  plan.header.shards = n;
  if (plan.header.count == 0) {
    fail(Exit::kUsage, "shard {} of {} vectors is empty; ask for fewer shards or a larger --count",
         options.shard, total);
  }
}

/// The options in one spelling, those that do not change the vectors left out.
std::string options_text(const GenOptions& options, const GenPlan& plan) {
  std::string text = fmt::format("--op {}", options.op);
  text += options.input.empty()
              ? fmt::format(" --suite {}", plan.header.suite)
              : fmt::format(" --input {} --tensor {}", options.input, options.tensor);
  text += options.definitions;
  text += fmt::format(" --source {}", plan.header.source.name);
  if (!options.formats.empty()) {
    text += fmt::format(" --format {}", fmt::join(options.formats, ","));
  }
  text += fmt::format(" --seed {} --shard {}", options.seed, options.shard);
  if (plan.header.suite == "rnd" || plan.header.suite == "policy") {
    text += fmt::format(" --count {}", options.count);
  }
  if (options.op == "block") text += fmt::format(" --block-size {}", options.elements());
  text += fmt::format(" --random-bits {}", plan.header.random_bits());
  for (std::size_t i = 0; i < options.policies.size(); ++i) {
    if (options.policies[i].empty()) continue;
    text += fmt::format(" {} {}", option_name(policy_options()[i]),
                        fmt::join(options.policies[i], ","));
  }
  return text;
}

}  // namespace

GenPlan plan_gen(const GenOptions& options) {
  GenPlan plan;
  const bool is_cvt = options.op == "cvt";
  plan.header.op = is_cvt ? golden::RecordKind::kCvt : golden::RecordKind::kBlock;
  plan.header.seed = options.seed;
  plan.header.generator = "mxgold";
  plan.header.context.block_size = options.elements();
  plan.header.context.random_bits = random_bits_or_default(options.random_bits);
  try {
    if (!options.input.empty()) {
      plan_tensors(options, plan);
    } else {
      plan.header.suite = options.suite.empty() ? "smoke" : options.suite;
      const SuiteKind kind = suite_kind(plan.header.suite);
      is_cvt ? plan_cvt_suite(options, kind, plan) : plan_block_suite(options, kind, plan);
    }
  } catch (const std::invalid_argument& error) {
    fail(Exit::kUsage, "{}", error.what());
  }
  take_shard(options, plan);
  plan.options = options_text(options, plan);
  return plan;
}

}  // namespace mx::cli
