#include "sim/stimulus/suite_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "golden/points/random_configs.hpp"
#include "golden/stimulus/block_directed.hpp"
#include "golden/stimulus/suite.hpp"
#include "reference/parallel/threads.hpp"
#include "sim/judge/explain.hpp"
#include "sim/stimulus/suite_extras.hpp"

namespace mx::sim {
namespace {

// Random elements of a configuration unless the caller says otherwise. The full suite's 576
// configurations together have more than 10^8 elements.
constexpr std::uint64_t kSmokeElements = 256;
constexpr std::uint64_t kFullElements = 180'224;

// Configurations of which every field is drawn, for each source.
constexpr std::size_t kDrawnConfigurations = 256;

template <typename T, typename Get>
std::vector<T> distinct(const Configurations& configs, Get get) {
  std::vector<T> values;
  for (const golden::Configuration& each : configs) {
    const T value = get(std::get<QuantizerConfig>(each.what));
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }
  return values;
}

/// The lists that configurations span.
Selection selection_of(const Configurations& configs) {
  using C = QuantizerConfig;
  return {distinct<ElementFormat>(configs, [](const C& c) { return c.format.element; }),
          distinct<Rounding>(configs, [](const C& c) { return c.element.rounding; }),
          distinct<ScaleRule>(configs, [](const C& c) { return c.block.rule; }),
          distinct<ElementFormat>(configs, [](const C& c) { return c.source; })};
}

class Planner {
 public:
  explicit Planner(const SuiteOptions& options) : options_(options) {}

  SuiteParts plan() {
    for (const golden::Configuration& each : options_.configs) add_configuration(each);
    if (takes_policies()) add_policies();
    return std::move(plan_);
  }

 private:
  [[nodiscard]] std::string refusal(const golden::Configuration& configuration) const {
    return options_.refusal ? options_.refusal(std::get<QuantizerConfig>(configuration.what))
                            : std::string();
  }

  void add_configuration(const golden::Configuration& configuration) {
    if (const std::string why = refusal(configuration); !why.empty()) {
      ++plan_.left_out;
      if (plan_.first_refusal.empty()) plan_.first_refusal = why;
      return;
    }
    ++plan_.configurations;
    const QuantizerConfig& config = std::get<QuantizerConfig>(configuration.what);
    const bool new_elements = is_new(config, [](const QuantizerConfig& a, const auto& b) {
      return a.source == b.source && a.format.element == b.format.element &&
             a.element.rounding == b.element.rounding;
    });
    const bool new_rule = is_new(config, [](const QuantizerConfig& a, const auto& b) {
      return a.source == b.source && a.block.rule == b.block.rule;
    });
    const bool new_source =
        is_new(config, [](const auto& a, const auto& b) { return a.source == b.source; });
    const bool new_format_rule = is_new(config, [](const QuantizerConfig& a, const auto& b) {
      return a.source == b.source && a.format.element == b.format.element &&
             a.block.rule == b.block.rule;
    });
    const std::uint32_t number = enter(configuration);
    add_part(configuration, number, directed_kind(), 0);
    add_part(configuration, number, golden::SuiteKind::kRandom, random_blocks());
    if (new_elements) add_walk(configuration, number, "elements", walk_elements(config));
    if (new_elements) add_walk(configuration, number, "subnormals", walk_subnormals(config));
    if (new_format_rule) {
      add_walk(configuration, number, "subnormal keys", walk_subnormal_keys(config));
    }
    if (new_rule) add_walk(configuration, number, "keys", walk_keys(config));
    if (new_source) add_walk(configuration, number, "specials", walk_specials(config));
    if (new_rule) add_walk(configuration, number, "tops", tops_beside_specials(config));
    if (options_.size == SuiteSize::kFull) {
      add_walk(configuration, number, "shapes", walk_shapes(config));
    }
  }

  /// Is there no configuration yet that is the same in what `same` compares?
  template <typename Same>
  [[nodiscard]] bool is_new(const QuantizerConfig& config, Same same) const {
    return std::ranges::none_of(plan_.configs, [&](const golden::Configuration& each) {
      return same(std::get<QuantizerConfig>(each.what), config);
    });
  }

  // Blocks that a lane's wires must not survive, whichever lane it is.
  void add_walk(const golden::Configuration& configuration, std::uint32_t number,
                std::string_view what, const std::vector<WalkBlock>& blocks) {
    if (blocks.empty()) return;
    const std::string text = configuration_text(std::get<QuantizerConfig>(configuration.what));
    plan_.parts.emplace_back(configuration, number, fmt::format("walk of {}, {}", what, text),
                             blocks);
  }

  std::uint32_t enter(const golden::Configuration& configuration) {
    plan_.configs.push_back(configuration);
    return static_cast<std::uint32_t>(plan_.configs.size() - 1);
  }

  [[nodiscard]] golden::SuiteKind directed_kind() const {
    return options_.size == SuiteSize::kSmoke ? golden::SuiteKind::kSmoke
                                              : golden::SuiteKind::kDirected;
  }

  void add_part(const golden::Configuration& configuration, std::uint32_t number,
                golden::SuiteKind kind, std::uint64_t drawn) {
    plan_.parts.emplace_back(std::span(&configuration, 1), number, suite_options(kind, drawn),
                             configuration_text(std::get<QuantizerConfig>(configuration.what)));
  }

  [[nodiscard]] golden::SuiteOptions suite_options(golden::SuiteKind kind,
                                                   std::uint64_t drawn) const {
    return {kind, options_.seed, drawn, kLanes, golden::Lengths::kFull};
  }

  // Devices that do all that was asked for and policies too get corners and random policies.
  [[nodiscard]] bool takes_policies() {
    if (options_.extras == ExtraPolicies::kAbsent) return false;
    if (plan_.left_out != 0 || plan_.configurations == 0) return false;
    golden::Configuration corner = plan_.configs.front();
    auto& config = std::get<QuantizerConfig>(corner.what);
    config.element.overflow = Overflow::kSatFiniteKeepInf;
    config.block.amax_over = AmaxOver::kFiniteOnly;
    tell(config);
    return refusal(corner).empty();
  }

  void add_policies() {
    const Selection s = selection_of(options_.configs);
    for (const ElementFormat& source : s.sources) {
      std::vector<BlockFormat> formats;
      for (const golden::Configuration& each : options_.configs) {
        const auto& config = std::get<QuantizerConfig>(each.what);
        const bool is_new = std::ranges::none_of(
            formats, [&](const BlockFormat& f) { return f.name == config.format.name; });
        if (config.source == source && is_new) formats.push_back(config.format);
      }
      for (const BlockFormat& format : formats) add_corners({source, format, {}, {}}, s);
      if (!formats.empty()) add_drawn(source, formats, s);
    }
  }

  /// Gives a configuration of the suite's own the values that were told; several take turns.
  void tell(QuantizerConfig& config) {
    Policies policies{config.element, config.block};
    for (const ToldPolicy& each : options_.told) {
      if (each.allows(config)) continue;
      static_cast<void>(each.field->write(policies, each.values[turn_++ % each.values.size()]));
    }
    config.element = policies.element;
    config.block = policies.block;
  }

  [[nodiscard]] golden::Configuration added(QuantizerConfig config) {
    if (options_.told.empty()) return {config, {}};
    tell(config);
    return {config, options_.configs.front().origin};
  }

  /// Told values make some configurations the same as others, and some that nothing computes.
  [[nodiscard]] static bool is_another(const golden::Configuration& configuration,
                                       const Configurations& list) {
    const auto& config = std::get<QuantizerConfig>(configuration.what);
    const bool draws = golden::takes_random(configuration);
    return golden::problem_of(configuration).empty() &&
           std::ranges::none_of(list, [&](const golden::Configuration& each) {
             QuantizerConfig other = std::get<QuantizerConfig>(each.what);
             if (!draws) other.element.random_bits = config.element.random_bits;
             return other.source == config.source && other.format == config.format &&
                    other.element == config.element && other.block == config.block;
           });
  }

  void add_corners(QuantizerConfig base, const Selection& selection) {
    base.element.random_bits = options_.random_bits;
    for (const QuantizerConfig& corner : policy_corners(base, selection)) {
      const golden::Configuration configuration = added(corner);
      if (!refusal(configuration).empty()) continue;
      if (!options_.told.empty() && !is_another(configuration, plan_.configs)) continue;
      const std::uint32_t number = enter(configuration);
      const auto& config = std::get<QuantizerConfig>(configuration.what);
      add_part(configuration, number, directed_kind(), 0);
      add_walk(configuration, number, "tops", tops_beside_specials(config));
    }
  }

  void add_drawn(const ElementFormat& source, const std::vector<BlockFormat>& formats,
                 const Selection& selection) {
    golden::RandomFrom from{
        {source, formats.front(), {}, {}}, formats, selection.roundings, selection.rules};
    from.base.element.random_bits = options_.random_bits;
    const auto first = static_cast<std::uint32_t>(plan_.configs.size());
    Configurations drawn;
    for (const QuantizerConfig& config :
         golden::draw_configs(from, options_.seed, kDrawnConfigurations)) {
      const golden::Configuration configuration = added(config);
      const bool is_taken = options_.told.empty() ||
                            (is_another(configuration, plan_.configs) &&
                             is_another(configuration, drawn) && refusal(configuration).empty());
      if (is_taken) drawn.push_back(configuration);
    }
    if (drawn.empty()) return;
    plan_.configs.insert(plan_.configs.end(), drawn.begin(), drawn.end());
    const std::size_t sources = selection_of(options_.configs).sources.size();
    const std::uint64_t blocks =
        random_blocks() * plan_.configurations / 4 / sources / kDrawnConfigurations + 1;
    plan_.parts.emplace_back(drawn, first, suite_options(golden::SuiteKind::kPolicy, blocks),
                             fmt::format("{}, every field drawn", source.name));
  }

  [[nodiscard]] std::uint64_t random_blocks() const {
    const bool is_smoke = options_.size == SuiteSize::kSmoke;
    const std::uint64_t standard = is_smoke ? kSmokeElements : kFullElements;
    const std::uint64_t elements = options_.elements != 0 ? options_.elements : standard;
    return (elements + kLanes - 1) / kLanes;
  }

  const SuiteOptions& options_;
  SuiteParts plan_;
  std::size_t turn_ = 0;  ///< of told values
};

// Each part on its own, from several threads.
void prepare_all(std::vector<Part>& parts, unsigned threads) {
  golden::DirectedShelf shelf;
  share_work(parts.size(), 1, static_cast<int>(threads),
             [&](std::uint64_t first, std::uint64_t) { parts[first].prepare(shelf); });
}

std::uint32_t low_word(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

}  // namespace

Part::Part(std::span<const golden::Configuration> configs, std::uint32_t first,
           const golden::SuiteOptions& options, const std::string& name)
    : configs_(configs.begin(), configs.end()),
      first_(first),
      options_(options),
      name_(fmt::format("{}, {}", token_of(options.kind), name)),
      shape_(header().shape()) {}

Part::Part(const golden::Configuration& configuration, std::uint32_t number, std::string name,
           std::span<const WalkBlock> blocks)
    : configs_{configuration}, first_(number), name_(std::move(name)), shape_(header().shape()) {
  for (const WalkBlock& block : blocks) {
    source_.insert(source_.end(), block.source.begin(), block.source.end());
    random_.insert(random_.end(), block.random.begin(), block.random.end());
    keep_.push_back(block.keep);
  }
}

golden::VectorHeader Part::header() const {
  golden::VectorHeader header;
  header.configs = configs_;
  header.lanes = kLanes;
  if (std::ranges::any_of(configs_, golden::takes_random)) {
    header.random_words = golden::RandomWords::kPresent;
  }
  return header;
}

void Part::prepare(golden::DirectedShelf& shelf) {
  if (!source_.empty()) return;
  golden::SuiteOptions options = options_;
  options.shelf = &shelf;
  for (const golden::Configuration& each : configs_) {
    suites_.push_back(golden::make_suite(each, options));
  }
  if (is_seeded()) return;
  keep_words(*suites_.front());
  suites_.clear();
}

void Part::keep_words(const golden::Suite& suite) {
  // Some vectors at a time: a batch has room for their answers too.
  constexpr std::uint64_t kVectors = 64;
  golden::RecordBatch batch(shape_, kVectors);
  const auto narrow = [](std::span<const std::uint64_t> words, std::vector<std::uint32_t>& out) {
    std::ranges::transform(words, std::back_inserter(out), low_word);
  };
  source_.reserve(suite.size() * kLanes);
  for (std::uint64_t first = 0; first < suite.size(); first += kVectors) {
    const std::uint64_t count = std::min(kVectors, suite.size() - first);
    batch.reset(shape_, count);
    for (std::uint64_t i = 0; i < count; ++i) suite.fill(first + i, batch, i);
    narrow(batch.all(golden::Field::kSource), source_);
    narrow(batch.all(golden::Field::kRandom), random_);
  }
}

std::uint64_t Part::size() const {
  if (suites_.empty()) return source_.size() / kLanes;
  return suites_.front()->size() * suites_.size();
}

void Part::fill(std::uint64_t first, std::span<BlockIn> out, golden::RecordBatch& batch) const {
  using golden::Field;
  if (suites_.empty()) {
    for (std::size_t b = 0; b < out.size(); ++b) {
      const std::size_t at = (first + b) * kLanes;
      out[b].config = first_;
      out[b].keep = keep_.empty() ? kAllLanes : keep_[first + b];
      std::ranges::copy(std::span(source_).subspan(at, kLanes), out[b].source.begin());
      if (!random_.empty()) {
        std::ranges::copy(std::span(random_).subspan(at, kLanes), out[b].random.begin());
      }
    }
    return;
  }
  batch = golden::RecordBatch(shape_, out.size());
  for (std::size_t b = 0; b < out.size(); ++b) {
    const std::size_t turn = (first + b) % suites_.size();
    // Where configurations take turns, the classes do too.
    suites_[turn]->fill(first + b, batch, b);
    out[b].config = first_ + static_cast<std::uint32_t>(turn);
    out[b].keep = kAllLanes;
    std::ranges::transform(batch.of(Field::kSource, b), out[b].source.begin(), low_word);
    if (batch.has(Field::kRandom)) {
      std::ranges::transform(batch.of(Field::kRandom, b), out[b].random.begin(), low_word);
    }
  }
}

SuiteParts make_parts(const SuiteOptions& options) {
  SuiteParts plan = Planner(options).plan();
  prepare_all(plan.parts, options.threads);
  return plan;
}

}  // namespace mx::sim
