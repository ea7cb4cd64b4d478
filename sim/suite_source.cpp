#include "mx/sim/suite_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <string>

#include "mx/format_table.hpp"
#include "mx/golden/stimulus.hpp"
#include "mx/golden/tuser_table.hpp"
#include "mx/sim/prng.hpp"

namespace mx::sim {
namespace {

// Suites are cut into slices, the slices shuffled over the whole run, the blocks of a window
// shuffled among each other. 32 slices meet in a window.
constexpr std::uint64_t kSlice = 64;
constexpr std::uint64_t kWindow = 2048;

// Random elements of a configuration unless the caller says otherwise. The full suite's 576
// configurations together have more than 10^8 elements.
constexpr std::uint64_t kSmokeElements = 256;
constexpr std::uint64_t kFullElements = 180'224;

// One part: a suite of golden/ with a name.
struct Part {
  golden::BlockSuite suite;
  std::string name;
  bool policies = false;  // configuration and lane mask of every block are drawn
};

struct Slice {
  std::uint32_t part = 0;
  std::uint32_t count = 0;
  std::uint64_t first = 0;
};

QuantizerConfig make_config(const ElementFormat& source, const ElementFormat& element,
                            Rounding rounding, ScaleRule rule,
                            const golden::TuserContext& context) {
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

template <typename T>
void shuffle(std::span<T> items, Stream stream) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[stream.below(static_cast<std::uint32_t>(i))]);
  }
}

std::string join_tokens(const QuantizerConfig& config) {
  return fmt::format("{}-{} {} {}", config.source.name, config.format.element.name,
                     token_of(config.element.rounding), token_of(config.block.rule));
}

}  // namespace

Selection Selection::all() {
  Selection selection;
  for (const std::string_view name : golden::kFormatCodes) {
    selection.formats.push_back(*find_format(name));
  }
  selection.roundings = {Rounding::kTiesToEven,     Rounding::kTiesToAway,
                         Rounding::kTowardZero,     Rounding::kTowardPositive,
                         Rounding::kTowardNegative, Rounding::kAwayFromZero,
                         Rounding::kToOdd,          Rounding::kStochasticA};
  selection.rules = {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil, ScaleRule::kEvenUp};
  for (const std::string_view name : golden::kSourceCodes) {
    selection.sources.push_back(*find_format(name));
  }
  return selection;
}

struct SuiteSource::State {
  SuiteOptions options;
  std::vector<Part> parts;
  std::vector<Slice> slices;          // in run order
  std::vector<std::uint64_t> starts;  // first block of each slice, and the total
  std::size_t configurations = 0;
  std::size_t left_out = 0;

  void add_part(golden::BlockSuiteOptions suite, std::string name, bool policies);
  void add_configuration(const QuantizerConfig& config);
  void add_policies(const ElementFormat& source, std::uint64_t blocks);
  void cut_and_shuffle();
  [[nodiscard]] std::uint64_t random_blocks() const;
  [[nodiscard]] std::size_t slice_at(std::uint64_t index) const;
  void fill_slice(const Slice& slice, std::uint64_t index, std::span<BlockIn> out,
                  golden::BlockBatch& batch) const;
  [[nodiscard]] std::vector<std::uint32_t> window_order(std::uint64_t window) const;
};

void SuiteSource::State::add_part(golden::BlockSuiteOptions suite, std::string name,
                                  bool policies) {
  parts.push_back({golden::BlockSuite(suite), std::move(name), policies});
  const std::uint64_t size = parts.back().suite.size();
  for (std::uint64_t first = 0; first < size; first += kSlice) {
    slices.push_back({static_cast<std::uint32_t>(parts.size() - 1),
                      static_cast<std::uint32_t>(std::min(kSlice, size - first)), first});
  }
}

std::uint64_t SuiteSource::State::random_blocks() const {
  const bool smoke = options.size == SuiteSize::kSmoke;
  const std::uint64_t elements = options.elements != 0 ? options.elements
                                 : smoke               ? kSmokeElements
                                                       : kFullElements;
  return (elements + kLanes - 1) / kLanes;
}

void SuiteSource::State::add_configuration(const QuantizerConfig& config) {
  const std::optional<std::uint32_t> tuser = golden::tuser_of(config);
  if (!tuser) {
    throw StimulusError(fmt::format("{} has no configuration word", join_tokens(config)));
  }
  if (options.supports && !options.supports(*tuser)) {
    ++left_out;
    return;
  }
  ++configurations;
  golden::BlockSuiteOptions suite;
  suite.config = config;
  suite.seed = options.seed;
  suite.kind =
      options.size == SuiteSize::kSmoke ? golden::SuiteKind::kSmoke : golden::SuiteKind::kDirected;
  add_part(suite, fmt::format("{}, {}", to_string(suite.kind), join_tokens(config)), false);
  suite.kind = golden::SuiteKind::kRandom;
  suite.count = random_blocks();
  add_part(suite, fmt::format("rnd, {}", join_tokens(config)), false);
}

void SuiteSource::State::add_policies(const ElementFormat& source, std::uint64_t blocks) {
  const Selection& selection = options.selection;
  golden::BlockSuiteOptions suite;
  suite.config = make_config(source, selection.formats.front(), selection.roundings.front(),
                             selection.rules.front(), options.context);
  suite.seed = options.seed;
  suite.kind = golden::SuiteKind::kPolicy;
  suite.count = blocks;
  suite.formats = selection.formats;
  suite.roundings = selection.roundings;
  suite.rules = selection.rules;
  add_part(suite, fmt::format("policy, {}", source.name), true);
}

void SuiteSource::State::cut_and_shuffle() {
  shuffle(std::span(slices), Stream(options.seed, StreamUse::kOrder));
  starts.reserve(slices.size() + 1);
  std::uint64_t total = 0;
  for (const Slice& slice : slices) {
    starts.push_back(total);
    total += slice.count;
  }
  starts.push_back(total);
}

std::size_t SuiteSource::State::slice_at(std::uint64_t index) const {
  const auto after = std::ranges::upper_bound(starts, index);
  return static_cast<std::size_t>(after - starts.begin()) - 1;
}

std::vector<std::uint32_t> SuiteSource::State::window_order(std::uint64_t window) const {
  const std::uint64_t length = std::min(kWindow, starts.back() - window * kWindow);
  std::vector<std::uint32_t> order(length);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(std::span(order),
          Stream(options.seed, StreamUse::kOrder, static_cast<std::uint32_t>(window) + 1));
  return order;
}

// Blocks of one slice, from the slice's first; `index` is where the slice starts in the run.
void SuiteSource::State::fill_slice(const Slice& slice, std::uint64_t index, std::span<BlockIn> out,
                                    golden::BlockBatch& batch) const {
  const Part& part = parts[slice.part];
  part.suite.fill(slice.first, slice.first + slice.count, batch);
  const std::uint32_t random_mask = (1U << options.context.random_bits) - 1;
  for (std::size_t b = 0; b < slice.count; ++b) {
    BlockIn& block = out[b];
    block.tuser = batch.tuser[b];
    const auto source = batch.source_of(b);
    const auto random = batch.random_of(b);
    for (std::size_t i = 0; i < kLanes; ++i) {
      block.source[i] = static_cast<std::uint32_t>(source[i]);
    }
    // Noise for whatever the device must ignore: one group of words for each four lanes.
    const Stream noise(options.seed, StreamUse::kShape);
    const std::uint64_t word = (index + b) * 16;
    const bool narrow = (block.tuser >> 10 & 3) != 0;
    if (narrow || random.empty()) {
      for (std::size_t i = 0; i < kLanes; i += 4) {
        const PhiloxBlock four = noise.group(word + i / 4);
        for (std::size_t k = 0; k < 4; ++k) {
          if (narrow) block.source[i + k] |= four[k] & 0xFFFF0000;
          block.random[i + k] = four[k] & random_mask;
        }
      }
    }
    if (!random.empty()) std::ranges::copy(random, block.random.begin());
    const PhiloxBlock shape = noise.group(word + 8);
    block.last = (shape[0] & 3) == 0;
    block.keep = kAllLanes;
    if (part.policies && (shape[1] & 3) == 0) {
      // Mostly a short last block, now and then any pattern.
      block.keep = (shape[1] & 4) != 0 ? shape[2] : kAllLanes >> (1 + shape[2] % 31);
      block.last = true;
    }
  }
}

SuiteSource::SuiteSource(const SuiteOptions& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  const Selection& selection = options.selection;
  for (const ElementFormat& source : selection.sources) {
    for (const ElementFormat& element : selection.formats) {
      for (const Rounding rounding : selection.roundings) {
        for (const ScaleRule rule : selection.rules) {
          state->add_configuration(make_config(source, element, rounding, rule, options.context));
        }
      }
    }
  }
  // Devices that support everything asked for also get random policies and lane masks.
  constexpr std::uint32_t kPolicyBit = 1U << golden::kPolicyLsb;
  const bool policies = state->left_out == 0 && (!options.supports || options.supports(kPolicyBit));
  if (policies && state->configurations != 0) {
    const std::uint64_t blocks = state->random_blocks() * state->configurations / 4;
    for (const ElementFormat& source : selection.sources) {
      state->add_policies(source, blocks / selection.sources.size() + 1);
    }
  }
  state->cut_and_shuffle();
  state_ = std::move(state);
}

SuiteSource::~SuiteSource() = default;

std::uint64_t SuiteSource::size() const { return state_->starts.back(); }
const golden::TuserContext& SuiteSource::context() const { return state_->options.context; }
std::size_t SuiteSource::configurations() const { return state_->configurations; }
std::size_t SuiteSource::left_out() const { return state_->left_out; }

void SuiteSource::fill(std::uint64_t first, std::span<BlockIn> blocks) const {
  thread_local std::vector<BlockIn> window_blocks;
  thread_local golden::BlockBatch batch;
  const std::uint64_t end = first + blocks.size();
  for (std::uint64_t window = first / kWindow; window * kWindow < end; ++window) {
    const std::uint64_t start = window * kWindow;
    const std::vector<std::uint32_t> order = state_->window_order(window);
    // Slices straddle windows; the buffer has room for the whole slices at both ends.
    const std::size_t first_slice = state_->slice_at(start);
    const std::size_t last_slice = state_->slice_at(start + order.size() - 1);
    const std::uint64_t base = state_->starts[first_slice];
    window_blocks.resize(state_->starts[last_slice + 1] - base);
    for (std::size_t s = first_slice; s <= last_slice; ++s) {
      const std::uint64_t offset = state_->starts[s] - base;
      state_->fill_slice(state_->slices[s], state_->starts[s],
                         std::span(window_blocks).subspan(offset), batch);
    }
    const std::uint64_t from = std::max(first, start);
    const std::uint64_t to = std::min(end, start + order.size());
    for (std::uint64_t i = from; i < to; ++i) {
      blocks[i - first] = window_blocks[start - base + order[i - start]];
    }
  }
}

std::string SuiteSource::describe(std::uint64_t index) const {
  const std::uint64_t window = index / kWindow;
  const std::uint64_t origin =
      window * kWindow + state_->window_order(window)[index - window * kWindow];
  const std::size_t s = state_->slice_at(origin);
  const Slice& slice = state_->slices[s];
  return fmt::format("{}, vector {}", state_->parts[slice.part].name,
                     slice.first + (origin - state_->starts[s]));
}

}  // namespace mx::sim
