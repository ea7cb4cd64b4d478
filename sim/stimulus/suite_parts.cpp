#include "sim/stimulus/suite_parts.hpp"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "golden/config_word/table.hpp"
#include "reference/format/table.hpp"
#include "sim/block/stream.hpp"
#include "sim/judge/explain.hpp"
#include "sim/stimulus/suite_extras.hpp"

namespace mx::sim {
namespace {

// Random elements of a configuration unless the caller says otherwise. The full suite's 576
// configurations together have more than 10^8 elements.
constexpr std::uint64_t kSmokeElements = 256;
constexpr std::uint64_t kFullElements = 180'224;

QuantizerConfig make_config(const ElementFormat& source, const ElementFormat& element,
                            Rounding rounding, ScaleRule rule,
                            const golden::ConfigWordContext& context) {
  QuantizerConfig config;
  config.source = source;
  config.format.element = element;
  config.format.scale = formats::e8m0;
  config.format.block_size = context.block_size;
  config.element.rounding = rounding;
  config.element.random_bits = context.random_bits;
  config.block.rule = rule;
  return config;
}

class Planner {
 public:
  explicit Planner(const SuiteOptions& options) : options_(options) {}

  SuiteParts plan() {
    const Selection& s = options_.selection;
    for (const ElementFormat& source : s.sources) {
      for (const ElementFormat& element : s.formats) add_pair(source, element);
    }
    if (takes_policies()) {
      for (const ElementFormat& source : s.sources) add_policies(source);
    }
    return std::move(plan_);
  }

 private:
  void add_pair(const ElementFormat& source, const ElementFormat& element) {
    const Selection& s = options_.selection;
    for (const Rounding rounding : s.roundings) {
      for (const ScaleRule rule : s.rules) {
        add_configuration(make_config(source, element, rounding, rule, options_.context));
      }
    }
  }

  void add_configuration(const QuantizerConfig& config) {
    if (!is_supported(config)) {
      ++plan_.left_out;
      return;
    }
    ++plan_.configurations;
    add_directed(config);
    golden::BlockSuiteOptions suite;
    suite.config = config;
    suite.seed = options_.seed;
    suite.kind = golden::SuiteKind::kRandom;
    suite.count = random_blocks();
    plan_.parts.emplace_back(suite, configuration_text(config));
  }

  void add_directed(const QuantizerConfig& config) {
    golden::BlockSuiteOptions suite;
    suite.config = config;
    suite.seed = options_.seed;
    suite.kind = options_.size == SuiteSize::kSmoke ? golden::SuiteKind::kSmoke
                                                    : golden::SuiteKind::kDirected;
    plan_.parts.emplace_back(suite, configuration_text(config));
  }

  // Devices that do all that was asked for and policies too get corners and random policies.
  [[nodiscard]] bool takes_policies() const {
    constexpr std::uint32_t kPolicy = 1U << golden::kPolicyLsb;
    return plan_.left_out == 0 && plan_.configurations != 0 &&
           (!options_.supports || options_.supports(kPolicy));
  }

  void add_policies(const ElementFormat& source) {
    const Selection& s = options_.selection;
    for (const ElementFormat& element : s.formats) {
      const QuantizerConfig base =
          make_config(source, element, s.roundings.front(), s.rules.front(), options_.context);
      for (const QuantizerConfig& corner : policy_corners(base, s)) {
        if (is_supported(corner)) add_directed(corner);
      }
    }
    golden::BlockSuiteOptions suite;
    suite.config = make_config(source, s.formats.front(), s.roundings.front(), s.rules.front(),
                               options_.context);
    suite.seed = options_.seed;
    suite.kind = golden::SuiteKind::kPolicy;
    suite.count = random_blocks() * plan_.configurations / 4 / s.sources.size() + 1;
    suite.formats = s.formats;
    suite.roundings = s.roundings;
    suite.rules = s.rules;
    plan_.parts.emplace_back(suite, fmt::format("{}, every field drawn", source.name));
  }

  [[nodiscard]] bool is_supported(const QuantizerConfig& config) const {
    const std::optional<std::uint32_t> config_word = golden::config_word_of(config);
    if (!config_word) {
      throw StimulusError(fmt::format("{} has no configuration word", configuration_text(config)));
    }
    return !options_.supports || options_.supports(*config_word);
  }

  [[nodiscard]] std::uint64_t random_blocks() const {
    const bool is_smoke = options_.size == SuiteSize::kSmoke;
    const std::uint64_t standard = is_smoke ? kSmokeElements : kFullElements;
    const std::uint64_t elements = options_.elements != 0 ? options_.elements : standard;
    return (elements + kLanes - 1) / kLanes;
  }

  const SuiteOptions& options_;
  SuiteParts plan_;
};

// Each part on its own, from several threads.
void prepare_all(std::vector<Part>& parts, unsigned threads) {
  tbb::task_arena(static_cast<int>(threads)).execute([&] {
    tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t i) { parts[i].prepare(); });
  });
}

std::uint32_t low_word(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

}  // namespace

Part::Part(const golden::BlockSuiteOptions& options, const std::string& name)
    : options_(options), name_(fmt::format("{}, {}", to_string(options.kind), name)) {}

void Part::prepare() {
  auto made = std::make_unique<const golden::BlockSuite>(options_);
  if (is_seeded()) {
    suite_ = std::move(made);
  } else {
    keep_words(*made);
  }
}

void Part::keep_words(const golden::BlockSuite& suite) {
  golden::BlockBatch batch;
  suite.fill(0, suite.size(), batch);
  config_word_ = batch.config_word.empty() ? 0 : batch.config_word.front();
  source_.resize(batch.source.size());
  std::ranges::transform(batch.source, source_.begin(), low_word);
  random_ = std::move(batch.random);
  append_fraction_walk(options_.config.source, options_.seed, source_);
  if (random_.empty()) return;
  // The walk is about the scale; its random words are any.
  const std::uint32_t mask =
      low_word((std::uint64_t{1} << options_.config.element.random_bits) - 1);
  Stream draw(options_.seed, StreamUse::kRandomWord);
  while (random_.size() < source_.size()) random_.push_back(draw.next() & mask);
}

std::uint64_t Part::size() const { return suite_ ? suite_->size() : source_.size() / kLanes; }

bool Part::fill(std::uint64_t first, std::span<BlockIn> out, golden::BlockBatch& batch) const {
  if (suite_) {
    suite_->fill(first, first + out.size(), batch);
    for (std::size_t b = 0; b < out.size(); ++b) {
      out[b].config_word = batch.config_word[b];
      std::ranges::transform(batch.source_of(b), out[b].source.begin(), low_word);
      std::ranges::copy(batch.random_of(b), out[b].random.begin());
    }
    return !batch.random.empty();
  }
  for (std::size_t b = 0; b < out.size(); ++b) {
    const std::size_t at = (first + b) * kLanes;
    out[b].config_word = config_word_;
    std::ranges::copy(std::span(source_).subspan(at, kLanes), out[b].source.begin());
    if (!random_.empty()) {
      std::ranges::copy(std::span(random_).subspan(at, kLanes), out[b].random.begin());
    }
  }
  return !random_.empty();
}

SuiteParts make_parts(const SuiteOptions& options) {
  SuiteParts plan = Planner(options).plan();
  prepare_all(plan.parts, options.threads);
  return plan;
}

}  // namespace mx::sim
