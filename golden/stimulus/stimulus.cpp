#include "golden/stimulus/stimulus.hpp"
#include "golden/points/block_kit.hpp"

#include <algorithm>
#include <mutex>
#include <optional>
#include <stdexcept>

#include "golden/points/block_kit.hpp"
#include "golden/stimulus/suites.hpp"

namespace mx::golden {

std::unique_ptr<const Suite> make_suite(const Configuration& configuration,
                                        const SuiteOptions& options) {
  struct Maker {
    const SuiteOptions& options;
    auto operator()(const ConversionConfig& c) const { return make_cvt_suite(c, options); }
    auto operator()(const QuantizerConfig& c) const {
      return has_exact_stimulus(c) ? make_mx_block_suite(c, options) : make_block_suite(c, options);
    }
    auto operator()(const DotCase& c) const { return make_dot_suite(c, options); }
    auto operator()(const UnitCase& c) const { return make_unit_suite(c, options); }
    auto operator()(const ArithmeticCase& c) const { return make_arithmetic_suite(c, options); }
    auto operator()(const CastCase& c) const { return make_cast_suite(c, options); }
    auto operator()(const DequantizeCase& c) const { return make_dequantize_suite(c, options); }
  };
  return std::visit(Maker{options}, configuration.what);
}

std::optional<SuiteKind> suite_kind(const VectorHeader& header) {
  return parse_token<SuiteKind>(header.suite);
}

/// Suites are opened when a vector of theirs is asked for; the last ones stay open.
struct Stimulus::State {
  explicit State(const VectorHeader& header_in) : header(header_in) {
    const auto kind = suite_kind(header);
    if (!kind) {
      throw std::invalid_argument(header.suite + ": no suite whose vectors can be made again");
    }
    options = {*kind, header.seed, header.drawn, header.lanes, header.lengths};
    shape = header.shape();
    config_words = header.config_words();
    starts.push_back(0);
    for (std::size_t c = 0; c < header.configs.size(); ++c) {
      const std::shared_ptr<const Suite> suite = open(c);
      starts.push_back(starts.back() + suite->size());
      duplicates += suite->duplicates();
      add_classes(suite->classes());
    }
    if (takes_turns()) {
      starts.back() = header.drawn;
      spread_classes();
    }
  }

  [[nodiscard]] bool takes_turns() const { return options.kind == SuiteKind::kPolicy; }

  void add_classes(std::span<const StimulusClass> more) {
    for (const StimulusClass& c : more) {
      const auto found = std::ranges::find(classes, c.name, &StimulusClass::name);
      if (found == classes.end()) {
        classes.push_back(c);
      } else {
        found->count += c.count;
      }
    }
  }

  /// Vector i is number i of its configuration's suite, so that the classes take turns too.
  void spread_classes() {
    const std::uint64_t n = classes.size();
    for (std::uint64_t c = 0; c < n; ++c) {
      classes[c].count = turns_of(starts.back(), n, c);
    }
  }

  std::shared_ptr<const Suite> open(std::size_t config) {
    const std::size_t kept = takes_turns() ? header.configs.size() : kKept;
    {
      const std::scoped_lock lock(mutex);
      const auto found = std::ranges::find(opened, config, &Opened::config);
      if (found != opened.end()) return found->suite;
    }
    std::shared_ptr<const Suite> suite = make_suite(header.configs[config], options);
    const std::scoped_lock lock(mutex);
    if (opened.size() >= kept) opened.erase(opened.begin());
    opened.push_back({config, suite});
    return suite;
  }

  /// Vectors that stand side by side in the suite of one configuration.
  struct Run {
    std::size_t config = 0;
    std::uint64_t number = 0;  ///< of the first within its suite
    std::size_t vectors = 0;
  };
  /// The vectors of one configuration from vector i on, and before `last`.
  [[nodiscard]] Run run(std::uint64_t i, std::uint64_t last) const {
    if (takes_turns()) return {i % header.configs.size(), i, 1};
    const auto at = std::ranges::upper_bound(starts, i) - starts.begin() - 1;
    const auto config = static_cast<std::size_t>(at);
    const std::uint64_t end = std::min(last, starts[config + 1]);
    return {config, i - starts[config], static_cast<std::size_t>(end - i)};
  }

  static constexpr std::size_t kKept = 4;
  struct Opened {
    std::size_t config = 0;
    std::shared_ptr<const Suite> suite;
  };

  const VectorHeader& header;
  SuiteOptions options;
  RecordShape shape;
  std::vector<std::uint32_t> config_words;
  std::vector<std::uint64_t> starts;  ///< first vector of each configuration, and the total
  std::vector<StimulusClass> classes;
  std::uint64_t duplicates = 0;
  std::mutex mutex;
  std::vector<Opened> opened;
};

Stimulus::Stimulus(const VectorHeader& header) : state_(std::make_unique<State>(header)) {}
Stimulus::~Stimulus() = default;

std::uint64_t Stimulus::size() const { return state_->starts.back(); }
const std::vector<StimulusClass>& Stimulus::classes() const { return state_->classes; }
std::uint64_t Stimulus::duplicates() const { return state_->duplicates; }

void Stimulus::fill(std::uint64_t first, std::uint64_t last, RecordBatch& batch) const {
  batch.reset(state_->shape, static_cast<std::size_t>(last - first));
  for (std::uint64_t i = first; i < last;) {
    const State::Run run = state_->run(i, last);
    const auto at = static_cast<std::size_t>(i - first);
    if (batch.has(Field::kConfig)) {
      std::ranges::fill(batch.all(Field::kConfig).subspan(at, run.vectors), run.config);
    }
    if (batch.has(Field::kTuser)) {
      std::ranges::fill(batch.all(Field::kTuser).subspan(at, run.vectors),
                        state_->config_words[run.config]);
    }
    state_->open(run.config)->fill_run(run.number, run.vectors, batch, at);
    i += run.vectors;
  }
}

ShardRange shard_range(std::uint64_t total, std::uint64_t shard, std::uint64_t shards) {
  const std::uint64_t rest = total % shards;
  return {total / shards * shard + std::min(shard, rest), total / shards + (shard < rest ? 1 : 0)};
}

}  // namespace mx::golden
