#include "tests/fast/stimulus.hpp"

#include <algorithm>
#include <array>

#include "reference/number/philox.hpp"
#include "reference/number/unpacked.hpp"

namespace mx::fast::test {
namespace {

constexpr std::size_t kLanes = 32;
constexpr std::size_t kPieceBlocks = 4096;

/// Gathers blocks and hands them on in pieces of bounded size.
class Pieces {
 public:
  explicit Pieces(const Sink& sink) : sink_(sink) { codes_.reserve(kPieceBlocks * kLanes); }
  ~Pieces() {
    if (!codes_.empty()) sink_(codes_);
  }
  Pieces(const Pieces&) = delete;
  Pieces& operator=(const Pieces&) = delete;

  void add(std::span<const std::uint32_t> block) {
    codes_.insert(codes_.end(), block.begin(), block.end());
    if (codes_.size() < kPieceBlocks * kLanes) return;
    sink_(codes_);
    codes_.clear();
  }

 private:
  const Sink& sink_;
  std::vector<std::uint32_t> codes_;
};

/// Fills blocks around one fixed lane that pins the scale.
class PinnedBlocks {
 public:
  PinnedBlocks(Pieces& pieces, std::uint32_t pin) : pieces_(pieces), pin_(pin) { start(); }
  ~PinnedBlocks() {
    if (used_ == 0) return;
    while (used_ != 0) add(0);
  }
  PinnedBlocks(const PinnedBlocks&) = delete;
  PinnedBlocks& operator=(const PinnedBlocks&) = delete;

  void add(std::uint32_t code) {
    if (lane_ == pin_lane_) ++lane_;
    block_[lane_++] = code;
    ++used_;
    if (used_ < kLanes - 1) return;
    pieces_.add(block_);
    pin_lane_ = (pin_lane_ + 1) % kLanes;
    start();
  }

 private:
  void start() {
    lane_ = 0;
    used_ = 0;
    block_[pin_lane_] = pin_;
  }

  Pieces& pieces_;
  std::uint32_t pin_;
  std::array<std::uint32_t, kLanes> block_{};
  std::size_t pin_lane_ = 0;
  std::size_t lane_ = 0;
  std::size_t used_ = 0;
};

/// counter_random(seed, 0, first, 32), then of first + 1, ...: one bijection for four of them.
class Draws {
 public:
  /// `first` is a multiple of 4.
  Draws(std::uint64_t seed, std::uint64_t first) : seed_(seed), next_(first) {}

  std::uint32_t operator()() {
    const std::uint64_t q = next_ / 4;
    if (next_ % 4 == 0) {
      words_ = philox4x32(
          {static_cast<std::uint32_t>(q), static_cast<std::uint32_t>(q >> 32), 0, 0}, seed_);
    }
    return words_[next_++ % 4];
  }

 private:
  std::uint64_t seed_;
  std::uint64_t next_;
  PhiloxBlock words_{};
};

/// The magnitude code of 2^exponent, or nothing representable: 0.
std::uint32_t power_of_two(const ElementFormat& source, int exponent) {
  const int field = exponent + source.bias;
  if (field >= 1) return static_cast<std::uint32_t>(field) << source.man_bits;
  const int bit = exponent - (source.emin() - source.man_bits);
  return bit < 0 ? 0 : std::uint32_t{1} << bit;
}

/// The magnitude code of x * 2^power, cut off where the source has no such bits.
std::uint32_t scaled(const ElementFormat& source, const Unpacked& x, int power) {
  if (x.cls == ValueClass::kZero) return 0;
  const int exponent = x.exponent + power;
  const int subnormal_shift = std::max(0, source.emin() - exponent);
  const int shift = 63 - source.man_bits + subnormal_shift;
  if (shift > 63) return 0;
  const std::uint64_t kept = x.significand >> shift;
  const int steps = std::max(exponent, source.emin()) - source.emin();
  return static_cast<std::uint32_t>(kept) + (static_cast<std::uint32_t>(steps) << source.man_bits);
}

/// The element format with one more significand bit and no special codes: its even codes are the
/// codes, its odd ones the midpoints.
ElementFormat with_midpoints(ElementFormat element) {
  element.bits += 1;
  element.inf = InfKind::kNone;
  element.nan = NanKind::kNone;
  element.man_bits += 1;
  element.frac_bits += 1;
  element.max_code = element.magnitude_mask();
  return element;
}

}  // namespace

void every_code_under_every_scale(const ElementFormat& source, const Sink& sink) {
  Pieces pieces(sink);
  const auto inf = static_cast<std::uint32_t>(source.inf_code());
  const auto sign = static_cast<std::uint32_t>(source.sign_bit());
  const int lowest = source.emin() - source.man_bits;
  for (int exponent = lowest; power_of_two(source, exponent) < inf; ++exponent) {
    const std::uint32_t above = power_of_two(source, exponent + 1);
    PinnedBlocks blocks(pieces, power_of_two(source, exponent));
    for (std::uint32_t magnitude = 0; magnitude < above; ++magnitude) {
      blocks.add(magnitude);
      blocks.add(magnitude | sign);
    }
  }
}

void thresholds_at_every_scale(const ElementFormat& source, const ElementFormat& element,
                               const Sink& sink) {
  Pieces pieces(sink);
  const auto inf = static_cast<std::uint32_t>(source.inf_code());
  const auto sign = static_cast<std::uint32_t>(source.sign_bit());
  const ElementFormat fine = with_midpoints(element);
  std::vector<Unpacked> points;
  for (std::uint64_t code = 0; code <= fine.magnitude_mask(); ++code) {
    const Unpacked point = decode(fine, code);
    if (point.cls == ValueClass::kZero || point.exponent <= element.emax()) points.push_back(point);
  }
  int walk = 0;
  const int lowest = source.emin() - source.man_bits;
  for (int exponent = lowest; power_of_two(source, exponent) < inf; ++exponent) {
    const std::uint32_t above = power_of_two(source, exponent + 1);
    // Below scale 00 the element grid no longer follows the maximum.
    const int power = std::max(exponent - element.emax(), -127);
    PinnedBlocks blocks(pieces, power_of_two(source, exponent));
    for (const Unpacked& point : points) {
      const std::uint32_t at = scaled(source, point, power);
      walk = (walk + 1) % source.man_bits;
      for (const std::uint32_t code : {at, at + 1, at - 1, at | (std::uint32_t{1} << walk)}) {
        if (code >= above) continue;  // at - 1 below zero too
        blocks.add(code);
        blocks.add(code | sign);
      }
    }
  }
}

void random_blocks(const ElementFormat& source, std::uint64_t seed, std::uint64_t blocks,
                   const Sink& sink) {
  Pieces pieces(sink);
  const auto mask = static_cast<std::uint32_t>(source.code_mask());
  const auto sign = static_cast<std::uint32_t>(source.sign_bit());
  const auto inf = static_cast<std::uint32_t>(source.inf_code());
  const auto man_mask = static_cast<std::uint32_t>(source.man_mask());
  const auto fields = inf >> source.man_bits;  // finite exponent fields
  const auto man_bits = static_cast<unsigned>(source.man_bits);

  for (std::uint64_t b = 0; b < blocks; ++b) {
    Draws draw(seed, b * 256);
    const auto with_field = [&](std::uint32_t field) {
      return (std::min(field, fields - 1) << man_bits) | (draw() & (man_mask | sign));
    };
    std::array<std::uint32_t, kLanes> block{};
    const std::uint32_t base = draw() % fields;
    const std::uint32_t lane = draw() % kLanes;
    const std::uint32_t width = 1 + draw() % 40;
    const std::uint32_t common = with_field(base) & ~sign;
    for (std::size_t i = 0; i < kLanes; ++i) {
      std::uint32_t& code = block[i];
      switch (b % 8) {
        case 0:
          code = with_field(draw() % fields);
          break;
        case 1:
          code = with_field(base + draw() % 8);
          break;
        case 2:
          code = with_field(draw() % 20 < 10 ? 0 : draw() % 20);
          break;
        case 3:
          code = draw() % 4 == 0 ? with_field(base) : draw() & sign;
          break;
        case 4:
          code = draw() % 24 == 0 ? (draw() & mask) | inf : with_field(base);
          break;
        case 5:
          code = common | (draw() & sign);
          break;
        case 6: {
          const std::uint32_t below = draw() % width;
          code = i == lane ? with_field(base) : with_field(base > below ? base - below : 0);
          break;
        }
        default:
          code = b % 64 == 7 || i != lane ? draw() & sign : draw() & 1;
          break;
      }
      // Inf itself is one code among the NaNs: give it its share.
      if (b % 16 == 12 && (code & ~sign) > inf) code = inf | (code & sign);
    }
    pieces.add(block);
  }
}

std::vector<std::uint32_t> hard_blocks(const ElementFormat& source, const ElementFormat& element) {
  std::vector<std::uint32_t> codes;
  const Sink keep = [&](std::span<const std::uint32_t> piece) {
    codes.insert(codes.end(), piece.begin(), piece.end());
  };
  thresholds_at_every_scale(source, element, keep);
  random_blocks(source, 7, std::size_t{45} * 512, keep);
  return codes;
}

}  // namespace mx::fast::test
