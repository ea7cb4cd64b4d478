#include "golden/stimulus/block_directed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "golden/points/draw.hpp"
#include "golden/points/sort_unique.hpp"

namespace mx::golden {
namespace {

using Block = std::vector<Lane>;

/// Distinct positions up to which "each lane" is meant literally.
constexpr std::size_t kMaxLanes = 64;

class Maker {
 public:
  explicit Maker(const DirectedFrom& from)
      : kit_(from.source, from.element),
        rule_(from.rule),
        scale_sat_(from.scale_sat),
        rounding_(from.rounding),
        random_bits_(from.random_bits),
        lanes_(static_cast<std::size_t>(from.lanes)),
        smoke_(from.kind == SuiteKind::kSmoke),
        lengths_(from.lengths),
        middle_(kit_.middle_scale(rule_)),
        seed_(from.seed),
        tag_(suite_tag(fmt::format("block.{}-{}.{}.dir", from.source.name, from.element.name,
                                   token_of(rule_)))) {}

  DirectedBlocks make();

 private:
  [[nodiscard]] const SourceGrid& grid() const { return kit_.grid(); }
  [[nodiscard]] bool stochastic() const { return is_stochastic(rounding_); }
  [[nodiscard]] std::uint32_t last_random() const {
    return static_cast<std::uint32_t>((std::uint64_t{1} << random_bits_) - 1);
  }
  void begin(std::string_view name) { result_.classes.push_back({name, 0}); }
  /// Adds a block; lanes beyond `block` are +0.
  void add(Block block);
  /// The draw of the next block.
  [[nodiscard]] Draw next() { return {seed_, tag_, drawn_++}; }
  [[nodiscard]] std::uint64_t with_sign(Draw& draw, std::uint64_t magnitude) const {
    return grid().code(draw.small(2) != 0, magnitude);
  }
  /// A random word, an end of its range one time in four.
  [[nodiscard]] std::uint32_t word(Draw& draw) const;
  /// Lanes of ordinary data under a maximum, which stands in lane `argmax`.
  [[nodiscard]] Block ordinary(Draw& draw, std::uint64_t maximum, std::size_t argmax);
  /// Lane positions: each one, or kMaxLanes of them; few for smoke.
  [[nodiscard]] std::vector<std::size_t> positions(std::size_t smoke_count) const;
  [[nodiscard]] std::uint64_t middle_pin() const { return kit_.pin(rule_, middle_).value(); }

  void argmax_lanes();
  void equal_maxima();
  void zeros();
  void subnormals();
  void special_lanes(const std::vector<std::uint64_t>& codes);
  void scales();
  void spreads();
  void elements(int t, const std::vector<std::uint64_t>& magnitudes);
  void element_sets();
  void far_bits();
  void clamped_elements();
  void random_words();
  void fraction_walk();
  void short_blocks();
  /// Spreads lanes over blocks, with the pin in a lane of its own.
  void pack(const std::vector<Lane>& items, std::uint64_t pin);

  BlockKit kit_;
  ScaleRule rule_;
  ScaleSat scale_sat_;
  Rounding rounding_;
  int random_bits_;
  std::size_t lanes_;
  bool smoke_;
  Lengths lengths_;
  int middle_;
  std::uint64_t seed_;
  std::uint32_t tag_;
  std::uint64_t drawn_ = 0;
  DirectedBlocks result_;
};

std::uint32_t Maker::word(Draw& draw) const {
  const std::uint32_t drawn = draw.word();
  if (!stochastic()) return 0;
  switch (draw.small(8)) {
    case 0:
      return 0;
    case 1:
      return last_random();
    default:
      return drawn & last_random();
  }
}

void Maker::add(Block block) {
  block.resize(lanes_);
  result_.blocks.push_back(std::move(block));
  ++result_.classes.back().count;
}

Block Maker::ordinary(Draw& draw, std::uint64_t maximum, std::size_t argmax) {
  Block block(lanes_);
  for (std::size_t i = 0; i < lanes_; ++i) {
    const std::uint32_t bits = draw.word();
    const std::uint64_t magnitude =
        i == argmax ? maximum : kit_.below(bits, maximum, 1 + BlockKit::near_distance(bits));
    block[i] = {with_sign(draw, magnitude), word(draw)};
  }
  return block;
}

std::vector<std::size_t> Maker::positions(std::size_t smoke_count) const {
  const std::size_t wanted = std::min(lanes_, smoke_ ? smoke_count : kMaxLanes);
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < wanted; ++i) list.push_back(i * lanes_ / wanted);
  return list;
}

/// The maximum in each lane: alone by a binade, and one ulp above lanes of the next lower scale.
void Maker::argmax_lanes() {
  const std::uint64_t pin = middle_pin();
  for (const std::size_t lane : positions(kMaxLanes)) {
    Draw draw = next();
    add(ordinary(draw, kit_.below(draw.word(), pin, 0), lane));
    Block close(lanes_);
    for (std::size_t i = 0; i < lanes_; ++i) {
      close[i] = {with_sign(draw, std::min(i == lane ? pin + 1 : pin, grid().max())), word(draw)};
    }
    add(std::move(close));
  }
}

void Maker::equal_maxima() {
  for (const std::size_t lane : positions(4)) {
    Draw draw = next();
    Block block = ordinary(draw, middle_pin(), lane);
    block[(lane * 7 + 3) % lanes_] = {grid().code(draw.small(2) != 0, middle_pin()), word(draw)};
    add(std::move(block));
  }
  for (const bool negative : {false, true}) {
    Draw draw = next();
    Block block(lanes_);
    for (Lane& lane : block) lane = {grid().code(negative, middle_pin()), word(draw)};
    add(std::move(block));
  }
}

void Maker::zeros() {
  for (const int kind : {0, 1, 2, 3}) {
    Draw draw = next();
    Block block(lanes_);
    for (std::size_t i = 0; i < lanes_; ++i) {
      const bool negative = kind == 1 || (kind == 2 && i % 2 == 1) || (kind == 3 && i == 0);
      block[i] = {grid().code(negative, 0), word(draw)};
    }
    add(std::move(block));
  }
}

/// Blocks without a normal number: every leading bit, one lane and all lanes; both ends.
void Maker::subnormals() {
  const std::uint64_t largest = grid().format().man_mask();
  for (std::uint64_t top = 1; top <= largest; top = smoke_ ? top << 4 : top << 1) {
    Draw draw = next();
    Block one(lanes_);
    one[draw.small(static_cast<std::uint32_t>(lanes_))] = {with_sign(draw, top), word(draw)};
    add(std::move(one));
    Block all(lanes_);
    for (Lane& lane : all) lane = {with_sign(draw, draw.below(2 * top)), word(draw)};
    all[draw.small(static_cast<std::uint32_t>(lanes_))].code = with_sign(draw, 2 * top - 1);
    add(std::move(all));
  }
  Draw draw = next();
  add(ordinary(draw, largest, 0));
  if (!smoke_) pack({{grid().code(false, largest), 0}, {grid().code(true, largest), 0}}, 0);
  add(ordinary(draw, largest + 1, lanes_ - 1));
}

/// NaN or Inf in each lane among ordinary ones, in all lanes, and beside zeros only.
void Maker::special_lanes(const std::vector<std::uint64_t>& codes) {
  std::size_t turn = 0;
  for (const std::size_t lane : positions(4)) {
    Draw draw = next();
    Block block = ordinary(draw, middle_pin(), (lane + 1) % lanes_);
    block[lane] = {codes[turn++ % codes.size()], word(draw)};
    add(std::move(block));
  }
  for (const std::uint64_t code : codes) {
    Draw draw = next();
    Block zeros(lanes_);
    zeros[draw.small(static_cast<std::uint32_t>(lanes_))].code = code;
    add(std::move(zeros));
    add(Block(lanes_, Lane{code, word(draw)}));
    Block mixed = ordinary(draw, middle_pin(), 0);
    mixed[lanes_ / 2].code = code;
    mixed[lanes_ - 1].code = draw.small(2) == 0 ? grid().nans().back() : grid().infinities()[0];
    add(std::move(mixed));
  }
}

/// Block maxima at every point where a rule changes the scale, in every binade of the source: the
/// power of two, the largest element and the even rules' point, each with its neighbours.
void Maker::scales() {
  const ElementFormat& format = grid().format();
  const int emax = kit_.element().emax();
  const int m = kit_.element().rule_man_bits();
  const Unpacked even = unpack_integer(false, (std::uint64_t{1} << (m + 2)) - 1, -m - 1);
  const std::array points{unpack_integer(false, 1, 0),
                          scaled(start_of(kit_.ladder().last()), -emax), even};
  const int lowest = format.emin() - format.man_bits;
  const int highest = format.emax();
  std::vector<std::uint64_t> maxima;
  // The end of the last binade, where a scale above the largest one is clamped.
  if (!smoke_) kit_.append_near(unpack_integer(false, 1, highest + 1), 0, maxima);
  for (int e = lowest; e <= highest; ++e) {
    const int scale = e - emax + 127;
    const bool edge = e >= highest - 1 || e <= lowest + 1 || (scale >= -1 && scale <= 2);
    if (smoke_ && !edge) continue;
    for (const Unpacked& at : points) kit_.append_near(at, e, maxima);
  }
  sort_unique(maxima);
  for (const std::uint64_t maximum : maxima) {
    Draw draw = next();
    const std::size_t lane = draw.small(static_cast<std::uint32_t>(lanes_));
    add(ordinary(draw, maximum, lane));
  }
}

/// All other lanes a fixed number of binades under the maximum.
void Maker::spreads() {
  const int step = smoke_ ? 4 : 1;
  for (const int t : {middle_, kit_.highest_scale(rule_)}) {
    for (int distance = 0; distance <= kit_.widest_spread(); distance += step) {
      Draw draw = next();
      const std::uint64_t maximum = kit_.pin(rule_, t).value();
      const std::size_t argmax = draw.small(static_cast<std::uint32_t>(lanes_));
      Block block(lanes_);
      for (std::size_t i = 0; i < lanes_; ++i) {
        std::uint64_t magnitude = kit_.below(draw.word(), maximum, distance);
        if (i % 4 == 1) magnitude &= ~grid().format().man_mask();
        if (i % 4 == 2) magnitude |= grid().format().man_mask();
        magnitude = i == argmax ? maximum : std::min(magnitude, maximum);
        block[i] = {with_sign(draw, magnitude), word(draw)};
      }
      add(std::move(block));
    }
  }
}

void Maker::pack(const std::vector<Lane>& items, std::uint64_t pin) {
  const bool pinned = lanes_ > 1 && pin != 0;
  const std::size_t room = pinned ? lanes_ - 1 : lanes_;
  for (std::size_t first = 0; first < items.size(); first += room) {
    Draw draw = next();
    Block block(items.begin() + static_cast<std::ptrdiff_t>(first),
                items.begin() + static_cast<std::ptrdiff_t>(std::min(first + room, items.size())));
    if (pinned) {
      const auto at = draw.small(static_cast<std::uint32_t>(block.size()) + 1);
      block.insert(block.begin() + at, Lane{with_sign(draw, pin), word(draw)});
    }
    add(std::move(block));
  }
}

/// Every magnitude with both signs, under the scale 2^t.
void Maker::elements(int t, const std::vector<std::uint64_t>& magnitudes) {
  Draw draw = next();
  std::vector<Lane> items;
  for (const std::uint64_t magnitude : magnitudes) {
    items.push_back({grid().code(false, magnitude), word(draw)});
    items.push_back({grid().code(true, magnitude), word(draw)});
  }
  pack(items, kit_.pin(rule_, t).value());
}

void Maker::element_sets() {
  const int low = kit_.lowest_scale(rule_);
  const int high = kit_.highest_scale(rule_);
  std::vector<int> scales{middle_};
  if (!smoke_) {
    // Where the source's smallest subnormal is the element's quantum, twice and half of it.
    const ElementFormat& source = grid().format();
    const int coarse = source.emin() - source.man_bits - kit_.ladder().first().exponent;
    scales = {low, low + 3, coarse - 1, coarse, coarse + 1, middle_, high};
    for (int& t : scales) t = std::clamp(t, low, high);
    sort_unique(scales);
  }
  for (const int t : scales) elements(t, kit_.thresholds(t, kit_.pin(rule_, t).value()));
  constexpr int kLast = 127;
  const bool is_clamped = high == kLast && kit_.pin(rule_, kLast + 1).has_value();
  if (smoke_ || !is_clamped || scale_sat_ != ScaleSat::kClamp) return;
  // Under the last scale, in blocks whose maximum calls for a larger one.
  std::vector<Lane> items;
  Draw draw = next();
  for (const std::uint64_t magnitude : kit_.thresholds(kLast, grid().max())) {
    for (const bool negative : {false, true}) {
      items.push_back({grid().code(negative, magnitude), word(draw)});
    }
  }
  pack(items, grid().max());
}

/// A single bit at every distance below the guard of the first gap, however far.
void Maker::far_bits() {
  constexpr int kDistances = 40;
  for (const int t : {middle_, kit_.highest_scale(rule_)}) {
    std::vector<std::uint64_t> magnitudes;
    for (int distance = 1; distance <= kDistances; ++distance) {
      const int exponent = kit_.ladder().first().exponent - 1 - distance + t;
      const Unpacked bit = unpack_integer(false, 1, exponent);
      if (grid().holds(bit)) magnitudes.push_back(grid().floor(bit));
    }
    elements(t, magnitudes);
  }
}

/// Thresholds under the lowest scale in blocks whose own maximum calls for a lower one.
void Maker::clamped_elements() {
  const int t = -127;
  std::vector<Lane> items;
  Draw draw = next();
  for (const std::uint64_t magnitude :
       kit_.thresholds(t, kit_.grid().floor(scaled(midpoint(kit_.ladder().normal()), t)))) {
    items.push_back({with_sign(draw, magnitude), word(draw)});
  }
  pack(items, 0);
}

/// R at 0, R* - 1, R*, R* + 1 and 2^N - 1 for points of every gap.
void Maker::random_words() {
  constexpr int kBits = 6;
  constexpr std::array<std::uint64_t, 7> kPoints{0, 1, 21, 32, 33, 54, 63};
  const std::uint64_t pin = middle_pin();
  std::vector<Lane> items;
  for (const Gap& gap : kit_.ladder().gaps()) {
    for (const std::uint64_t at : kPoints) {
      const std::uint64_t magnitude = grid().floor(scaled(point(gap, at, kBits), middle_));
      const Unpacked value = scaled(decode(grid().format(), magnitude), -middle_);
      if (magnitude > pin || value.cls != ValueClass::kFinite ||
          compare_magnitude(value, start_of(gap)) < 0) {
        continue;
      }
      const std::uint64_t up = first_random_up(rounding_, random_bits_, value, gap);
      for (const std::uint64_t random :
           {std::uint64_t{0}, up - 1, up, up + 1, std::uint64_t{last_random()}}) {
        if (random > last_random()) continue;
        for (const bool negative : {false, true}) {
          items.push_back({grid().code(negative, magnitude), static_cast<std::uint32_t>(random)});
        }
      }
    }
  }
  pack(items, pin);
}

/// Maxima with one fraction bit set, or all but one, for each bit in turn: what a scale rule must
/// see. The other lanes are smaller.
void Maker::fraction_walk() {
  const ElementFormat& format = grid().format();
  const std::uint64_t one = static_cast<std::uint64_t>(format.bias) << format.man_bits;
  for (int walk = 0; walk < 2 * format.man_bits; ++walk) {
    const std::uint64_t bit = std::uint64_t{1} << walk / 2;
    Draw draw = next();
    const std::uint64_t maximum = one | (walk % 2 == 0 ? bit : format.man_mask() & ~bit);
    add(ordinary(draw, maximum, draw.small(static_cast<std::uint32_t>(lanes_))));
  }
}

/// Blocks that the axis or the tensor ends: of every length, or some of them.
void Maker::short_blocks() {
  for (const std::size_t last : positions(6)) {
    Draw draw = next();
    Block block = ordinary(draw, middle_pin(), draw.small(static_cast<std::uint32_t>(last) + 1));
    block.resize(last + 1);
    result_.blocks.push_back(std::move(block));
    ++result_.classes.back().count;
  }
}

DirectedBlocks Maker::make() {
  begin("argmax_lane");
  argmax_lanes();
  begin("equal_maxima");
  equal_maxima();
  begin("zero");
  zeros();
  begin("subnormal");
  subnormals();
  begin("nan_lane");
  special_lanes(grid().nans());
  begin("inf_lane");
  special_lanes(grid().infinities());
  begin("scale");
  scales();
  begin("fraction");
  fraction_walk();
  begin("spread");
  spreads();
  begin("element");
  element_sets();
  if (!smoke_) {
    begin("sticky");
    elements(middle_, kit_.sticky(middle_, middle_pin()));
    begin("far_bit");
    far_bits();
    if (grid().format().emin() < -100) {
      begin("clamped");
      clamped_elements();
    }
  }
  if (stochastic()) {
    begin("stochastic");
    random_words();
  }
  if (lengths_ == Lengths::kVary && lanes_ > 1) {
    begin("short");
    short_blocks();
  }
  for (const StimulusClass& c : result_.classes) {
    if (c.count == 0) throw std::logic_error(fmt::format("stimulus class {} is empty", c.name));
  }
  result_.duplicates = sort_unique(result_.blocks);
  return std::move(result_);
}

}  // namespace

DirectedFrom directed_from(const QuantizerConfig& config, const SuiteOptions& options) {
  DirectedFrom from{.source = config.source,
                    .element = config.format.element,
                    .rule = config.block.rule,
                    .scale_sat = config.block.scale_sat,
                    .kind = options.kind,
                    .seed = options.seed,
                    .lanes = options.lanes,
                    .lengths = options.lengths};
  if (is_stochastic(config.element.rounding)) {
    from.rounding = config.element.rounding;
    from.random_bits = config.element.random_bits;
  }
  return from;
}

DirectedBlocks make_directed_blocks(const DirectedFrom& from) { return Maker(from).make(); }

std::shared_ptr<const DirectedBlocks> DirectedShelf::of(const DirectedFrom& from) {
  Entry* entry = nullptr;
  {
    const std::lock_guard lock(mutex_);
    const auto same = std::ranges::find(entries_, from, &Entry::from);
    entry = same != entries_.end() ? &*same : &entries_.emplace_back(from);
  }
  std::call_once(entry->made, [&] {
    entry->blocks = std::make_shared<const DirectedBlocks>(make_directed_blocks(from));
  });
  return entry->blocks;
}

}  // namespace mx::golden
