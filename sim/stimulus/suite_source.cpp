#include "sim/stimulus/suite_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "golden/config_word/table.hpp"
#include "reference/format/table.hpp"
#include "sim/block/stream.hpp"
#include "sim/stimulus/suite_parts.hpp"

namespace mx::sim {
namespace {

// Parts are cut into slices, the slices shuffled over the whole run, the blocks of a window
// shuffled among each other. 32 slices meet in a window.
constexpr std::uint64_t kSlice = 64;
constexpr std::uint64_t kWindow = 2048;

struct Slice {
  std::uint32_t part = 0;
  std::uint32_t count = 0;
  std::uint64_t first = 0;
};

template <typename T>
void shuffle(std::span<T> items, Stream stream) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[stream.below(static_cast<std::uint32_t>(i))]);
  }
}

std::vector<Slice> cut(const std::vector<Part>& parts) {
  std::vector<Slice> slices;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const std::uint64_t size = parts[p].size();
    for (std::uint64_t first = 0; first < size; first += kSlice) {
      slices.push_back({static_cast<std::uint32_t>(p),
                        static_cast<std::uint32_t>(std::min(kSlice, size - first)), first});
    }
  }
  return slices;
}

}  // namespace

Selection Selection::all() {
  Selection selection;
  for (const std::string_view name : golden::kFormatCodes) {
    selection.formats.push_back(*find_format(name));
  }
  selection.roundings = {Rounding::kTiesToEven,     Rounding::kTiesToAway,
                         Rounding::kTowardZero,     Rounding::kTowardNegative,
                         Rounding::kTowardPositive, Rounding::kAwayFromZero,
                         Rounding::kToOdd,          Rounding::kStochasticA};
  selection.rules = {ScaleRule::kFloor, ScaleRule::kCeil, ScaleRule::kRceil, ScaleRule::kEvenUp};
  for (const std::string_view name : golden::kSourceCodes) {
    selection.sources.push_back(*find_format(name));
  }
  return selection;
}

Configurations Selection::configurations(int random_bits) const {
  Configurations list;
  for (const ElementFormat& source : sources) {
    for (const ElementFormat& element : formats) {
      const auto format = std::ranges::find(mx_block_formats(), element, &BlockFormat::element);
      if (format == mx_block_formats().end()) continue;
      for (const ScaleRule rule : rules) {
        for (const Rounding rounding : roundings) {
          QuantizerConfig config{source, *format, {}, {}};
          config.element.rounding = rounding;
          if (is_stochastic(rounding)) config.element.random_bits = random_bits;
          config.block.rule = rule;
          list.push_back({config, {}});
        }
      }
    }
  }
  return list;
}

bool ToldPolicy::allows(const QuantizerConfig& config) const {
  return std::ranges::find(values, field->read({config.element, config.block})) != values.end();
}

struct SuiteSource::State {
  SuiteOptions options;
  SuiteParts parts;
  std::vector<Slice> slices;          // in run order
  std::vector<std::uint64_t> starts;  // first block of each slice, and the total

  [[nodiscard]] std::size_t slice_at(std::uint64_t index) const;
  [[nodiscard]] std::vector<std::uint32_t> window_order(std::uint64_t window) const;
  void fill_slice(std::size_t number, std::span<BlockIn> out, golden::RecordBatch& batch) const;
  void add_noise(std::uint64_t index, bool has_policies, bool has_random, BlockIn& block) const;
};

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

void SuiteSource::State::fill_slice(std::size_t number, std::span<BlockIn> out,
                                    golden::RecordBatch& batch) const {
  const Slice& slice = slices[number];
  const Part& part = parts.parts[slice.part];
  part.fill(slice.first, out, batch);
  for (std::size_t b = 0; b < out.size(); ++b) {
    const bool has_random = golden::takes_random(parts.configs[out[b].config]);
    add_noise(starts[number] + b, part.has_policies(), has_random, out[b]);
  }
}

// What the device must ignore becomes noise: high halves of narrow sources, the random words of
// deterministic roundings. tlast and, where policies are drawn, the lane mask vary too.
void SuiteSource::State::add_noise(std::uint64_t index, bool has_policies, bool has_random,
                                   BlockIn& block) const {
  const Stream noise(options.seed, StreamUse::kShape);
  const std::uint64_t group = index * 16;
  const auto random_mask =
      static_cast<std::uint32_t>((std::uint64_t{1} << options.random_bits) - 1);
  const bool is_narrow = config_at(parts.configs, block.config).source.bits == 16;
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
  const bool is_drawn = has_policies && (shape[1] & 3) == 0;
  // Mostly a short last block, now and then any pattern.
  if (is_drawn) {
    block.keep = (shape[1] & 12) == 0 ? shape[2] : kAllLanes >> (1 + shape[2] % 31);
  }
  if (is_drawn || block.keep != kAllLanes) block.last = true;
}

SuiteSource::SuiteSource(const SuiteOptions& options) {
  auto state = std::make_unique<State>();
  state->options = options;
  state->parts = make_parts(options);
  state->slices = cut(state->parts.parts);
  shuffle(std::span(state->slices), Stream(options.seed, StreamUse::kOrder));
  std::uint64_t total = 0;
  for (const Slice& slice : state->slices) {
    state->starts.push_back(total);
    total += slice.count;
  }
  state->starts.push_back(total);
  state_ = std::move(state);
}

SuiteSource::~SuiteSource() = default;

std::uint64_t SuiteSource::size() const { return state_->starts.back(); }
const Configurations& SuiteSource::configs() const { return state_->parts.configs; }
const std::string& SuiteSource::first_refusal() const { return state_->parts.first_refusal; }
std::size_t SuiteSource::configurations() const { return state_->parts.configurations; }
std::size_t SuiteSource::left_out() const { return state_->parts.left_out; }

void SuiteSource::fill(std::uint64_t first, std::span<BlockIn> blocks) const {
  thread_local std::vector<BlockIn> near;
  thread_local golden::RecordBatch batch;
  const std::uint64_t end = first + blocks.size();
  for (std::uint64_t window = first / kWindow; window * kWindow < end; ++window) {
    const std::uint64_t start = window * kWindow;
    const std::vector<std::uint32_t> order = state_->window_order(window);
    // Slices straddle windows; the buffer has room for the whole slices at both ends.
    const std::size_t first_slice = state_->slice_at(start);
    const std::size_t last_slice = state_->slice_at(start + order.size() - 1);
    const std::uint64_t base = state_->starts[first_slice];
    near.resize(state_->starts[last_slice + 1] - base);
    for (std::size_t s = first_slice; s <= last_slice; ++s) {
      state_->fill_slice(
          s, std::span(near).subspan(state_->starts[s] - base, state_->slices[s].count), batch);
    }
    const std::uint64_t from = std::max(first, start);
    const std::uint64_t to = std::min(end, start + order.size());
    for (std::uint64_t i = from; i < to; ++i) {
      blocks[i - first] = near[start - base + order[i - start]];
    }
  }
}

std::string SuiteSource::describe(std::uint64_t index) const {
  const std::uint64_t window = index / kWindow;
  const std::uint64_t origin =
      window * kWindow + state_->window_order(window)[index - window * kWindow];
  const std::size_t s = state_->slice_at(origin);
  const Slice& slice = state_->slices[s];
  return fmt::format("{}, vector {}", state_->parts.parts[slice.part].name(),
                     slice.first + (origin - state_->starts[s]));
}

}  // namespace mx::sim
