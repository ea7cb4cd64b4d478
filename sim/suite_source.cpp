#include "mx/sim/suite_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <numeric>
#include <string>
#include <thread>

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

// One part: a suite of golden/ with a name. Directed sets are kept as words, a quarter of the
// suite's own size; seeded ones are drawn when they are needed.
struct Part {
  golden::BlockSuiteOptions options;
  std::string name;
  std::unique_ptr<const golden::BlockSuite> suite;  // seeded parts only
  std::uint32_t tuser = 0;                          // directed parts only, as the next two
  std::vector<std::uint32_t> source;
  std::vector<std::uint32_t> random;

  [[nodiscard]] bool has_policies() const { return options.kind == golden::SuiteKind::kPolicy; }
  [[nodiscard]] bool is_seeded() const {
    return has_policies() || options.kind == golden::SuiteKind::kRandom;
  }
  [[nodiscard]] std::uint64_t size() const {
    return suite ? suite->size() : source.size() / kLanes;
  }
  void prepare();
};

void Part::prepare() {
  auto made = std::make_unique<const golden::BlockSuite>(options);
  if (is_seeded()) {
    suite = std::move(made);
    return;
  }
  golden::BlockBatch batch;
  made->fill(0, made->size(), batch);
  tuser = batch.tuser.empty() ? 0 : batch.tuser.front();
  source.reserve(batch.source.size());
  for (const std::uint64_t word : batch.source) {
    source.push_back(static_cast<std::uint32_t>(word));
  }
  random = std::move(batch.random);
}

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

  void add_part(const golden::BlockSuiteOptions& suite, const std::string& name);
  void prepare_parts();
  void add_configuration(const QuantizerConfig& config);
  void add_policies(const ElementFormat& source, std::uint64_t blocks);
  void cut_and_shuffle();
  [[nodiscard]] std::uint64_t random_blocks() const;
  [[nodiscard]] std::size_t slice_at(std::uint64_t index) const;
  void fill_slice(const Slice& slice, std::uint64_t index, std::span<BlockIn> out,
                  golden::BlockBatch& batch) const;
  void add_noise(std::uint64_t index, bool has_policies, bool has_random, BlockIn& block) const;
  [[nodiscard]] std::vector<std::uint32_t> window_order(std::uint64_t window) const;
};

void SuiteSource::State::add_part(const golden::BlockSuiteOptions& suite, const std::string& name) {
  Part& part = parts.emplace_back();
  part.options = suite;
  part.name = fmt::format("{}, {}", to_string(suite.kind), name);
}

void SuiteSource::State::prepare_parts() {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr error;
  std::mutex mutex;
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < parts.size(); i = next++) parts[i].prepare();
    } catch (...) {
      const std::lock_guard lock(mutex);
      error = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> pool;
    for (unsigned i = 1; i < options.threads; ++i) pool.emplace_back(work);
    work();
  }
  if (error) std::rethrow_exception(error);
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
  add_part(suite, join_tokens(config));
  suite.kind = golden::SuiteKind::kRandom;
  suite.count = random_blocks();
  add_part(suite, join_tokens(config));
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
  add_part(suite, std::string(source.name));
}

void SuiteSource::State::cut_and_shuffle() {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::uint64_t size = parts[p].size();
    for (std::uint64_t first = 0; first < size; first += kSlice) {
      slices.push_back({static_cast<std::uint32_t>(p),
                        static_cast<std::uint32_t>(std::min(kSlice, size - first)), first});
    }
  }
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

// What the device must ignore becomes noise: high halves of narrow sources, the random words of
// deterministic roundings. tlast and, where policies are drawn, the lane mask vary too.
void SuiteSource::State::add_noise(std::uint64_t index, bool has_policies, bool has_random,
                                   BlockIn& block) const {
  const Stream noise(options.seed, StreamUse::kShape);
  const std::uint64_t group = index * 16;
  const std::uint32_t random_mask =
      static_cast<std::uint32_t>((std::uint64_t{1} << options.context.random_bits) - 1);
  const golden::TuserField& field = golden::tuser_field::kSource;
  const bool is_narrow = (block.tuser >> field.lsb & ((1U << field.width) - 1)) != 0;
  if (is_narrow || !has_random) {
    for (std::size_t i = 0; i < kLanes; i += 4) {
      const PhiloxBlock four = noise.group(group + i / 4);
      for (std::size_t k = 0; k < 4; ++k) {
        if (is_narrow) block.source[i + k] |= four[k] & 0xFFFF0000;
        if (!has_random) block.random[i + k] = four[k] & random_mask;
      }
    }
  }
  const PhiloxBlock shape = noise.group(group + 8);
  block.last = (shape[0] & 3) == 0;
  block.keep = kAllLanes;
  if (has_policies && (shape[1] & 3) == 0) {
    // Mostly a short last block, now and then any pattern.
    block.keep = (shape[1] & 12) == 0 ? shape[2] : kAllLanes >> (1 + shape[2] % 31);
    block.last = true;
  }
}

// The whole slice; `index` is where it starts in the run.
void SuiteSource::State::fill_slice(const Slice& slice, std::uint64_t index, std::span<BlockIn> out,
                                    golden::BlockBatch& batch) const {
  const Part& part = parts[slice.part];
  if (part.suite) part.suite->fill(slice.first, slice.first + slice.count, batch);
  for (std::size_t b = 0; b < slice.count; ++b) {
    BlockIn& block = out[b];
    bool has_random = false;
    if (part.suite) {
      block.tuser = batch.tuser[b];
      std::ranges::transform(batch.source_of(b), block.source.begin(),
                             [](std::uint64_t word) { return static_cast<std::uint32_t>(word); });
      has_random = !batch.random_of(b).empty();
      std::ranges::copy(batch.random_of(b), block.random.begin());
    } else {
      block.tuser = part.tuser;
      const std::size_t first = (slice.first + b) * kLanes;
      std::ranges::copy(std::span(part.source).subspan(first, kLanes), block.source.begin());
      has_random = !part.random.empty();
      if (has_random) {
        std::ranges::copy(std::span(part.random).subspan(first, kLanes), block.random.begin());
      }
    }
    add_noise(index + b, part.has_policies(), has_random, block);
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
  state->prepare_parts();
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
