#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "golden/coverage/collectors.hpp"
#include "golden/coverpoints/block_shape_points.hpp"
#include "golden/coverpoints/source_points.hpp"
#include "golden/points/gaps.hpp"

namespace mx::golden {
namespace {

/// Binades from a row's maximum down that have a bin each.
constexpr int kWidestSpread = 12;
/// Sources of at most so many bits are all tried where each element is cast by itself.
constexpr int kExhaustiveBits = 16;
constexpr std::size_t kBytes = 256;

/// What became of a value, without its sign.
constexpr std::array<std::string_view, 12> kOutcomes = {
    "zero_of_zero",  "zero_of_number",     "subnormal",          "normal",
    "largest",       "infinity_of_itself", "infinity_of_number", "number_of_infinity",
    "number_of_nan", "nan_of_itself",      "nan_of_number",      "other_sign"};
enum Outcome : std::size_t {
  kZeroOfZero,
  kZeroOfNumber,
  kSubnormal,
  kNormal,
  kLargest,
  kInfinityOfItself,
  kInfinityOfNumber,
  kNumberOfInfinity,
  kNumberOfNan,
  kNanOfItself,
  kNanOfNumber,
  kOtherSign
};

/// What a cast answers: of values in lanes of their own what each one became, of packed codes and
/// of scales in bytes every byte.
class CastResultPoints {
 public:
  CastResultPoints(const CastCase& what, std::size_t lanes)
      : source_(casts::format_of(what.source)), row_(row_of(what, lanes).value()) {
    const bool is_float = row_.code == TensorType::kFp32 || row_.code == TensorType::kFp16 ||
                          row_.code == TensorType::kBf16;
    if (is_float && row_.codes == lanes) {
      result_ = casts::format_of(row_.code);
      const SourceGrid grid(result_);
      largest_ = decode(result_, grid.code(false, grid.max()));
      for (const char* sign : {"+", "-"}) {
        for (const std::string_view name : kOutcomes) {
          outcome_.bins.push_back({sign + std::string(name), 0, Reach::kOpen});
        }
      }
      exclude_missing(what, lanes);
    }
    if (row_.code == TensorType::kUint8 && row_.codes != 0) add_bytes(byte_);
    if (row_.scales != 0 && row_.scale == TensorType::kUint8) add_bytes(scale_);
  }

  void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) {
    const auto codes = batch.of(Field::kCode, i);
    const auto sources = batch.of(Field::kSource, i);
    for (std::size_t lane = 0; lane < codes.size(); ++lane) {
      if (open.code(lane)) continue;
      if (!outcome_.bins.empty()) hit(outcome_, sources[lane], codes[lane]);
      if (!byte_.bins.empty()) byte_.hit(static_cast<std::size_t>(codes[lane] % kBytes));
    }
    if (scale_.bins.empty() || open.scale()) return;
    for (const std::uint64_t scale : batch.of(Field::kScale, i)) {
      scale_.hit(static_cast<std::size_t>(scale % kBytes));
    }
  }

  void append_to(std::vector<Coverpoint>& points) const {
    for (const Coverpoint* point : {&outcome_, &byte_, &scale_}) {
      if (!point->bins.empty()) points.push_back(*point);
    }
  }

 private:
  static void add_bytes(Coverpoint& point) {
    for (std::size_t value = 0; value < kBytes; ++value) {
      point.bins.push_back({fmt::format("{:02x}", value), 0, Reach::kOpen});
    }
  }

  /// Every source, where an element's result is its own affair: neither random words, nor a scale,
  /// nor its neighbours have a part in it.
  void exclude_missing(const CastCase& what, std::size_t lanes) {
    if (source_.bits > kExhaustiveBits || row_.random_words != 0 || row_.reads_scale) return;
    const casts::CastPointer cast = what.cast().value();
    const casts::Tensor values = casts::Tensor::zeros("values", what.source, {lanes});
    if (cast->piece({.tensor = values}, 0) != 1) return;
    Coverpoint witnesses = outcome_;
    std::vector<std::uint64_t> row(lanes);
    for (std::uint64_t code = 0; code <= source_.code_mask();) {
      for (std::uint64_t& each : row) each = std::min(code++, source_.code_mask());
      const RowAnswer answer = cast_row(*cast, what.source, {row, {}});
      if (!answer.problem.empty()) return;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        hit(witnesses, row[lane], answer.codes[lane]);
      }
    }
    outcome_.exclude_what(witnesses);
  }

  void hit(Coverpoint& point, std::uint64_t source, std::uint64_t result) const {
    const Unpacked from = decode(source_, source);
    const Unpacked to = decode(result_, result);
    const std::size_t sign = from.negative ? kOutcomes.size() : 0;
    const bool is_nan = from.cls == ValueClass::kNan || to.cls == ValueClass::kNan;
    if (from.negative != to.negative && !is_nan) point.hit(sign + kOtherSign);
    point.hit(sign + kind_of(from, to));
  }

  [[nodiscard]] Outcome kind_of(const Unpacked& from, const Unpacked& to) const {
    if (to.cls == ValueClass::kNan) {
      return from.cls == ValueClass::kNan ? kNanOfItself : kNanOfNumber;
    }
    if (from.cls == ValueClass::kNan) return kNumberOfNan;
    if (to.cls == ValueClass::kInf) {
      return from.cls == ValueClass::kInf ? kInfinityOfItself : kInfinityOfNumber;
    }
    if (from.cls == ValueClass::kInf) return kNumberOfInfinity;
    if (to.cls == ValueClass::kZero) {
      return from.cls == ValueClass::kZero ? kZeroOfZero : kZeroOfNumber;
    }
    if (compare_magnitude(to, largest_) == 0) return kLargest;
    return to.exponent < result_.emin() ? kSubnormal : kNormal;
  }

  ElementFormat source_, result_;
  CastRow row_;
  Unpacked largest_;
  Coverpoint outcome_{"outcome", "sign of a value, and what it became"};
  Coverpoint byte_{"byte", "every byte of the packed codes"};
  Coverpoint scale_{"scale_byte", "every scale"};
};

/// Rows of an emulated system's cast: what the values are, which lanes hold what, and what becomes
/// of them. A covergroup is of one cast with all its policies, so that all is crossed with them.
class CastCollector final : public Collector {
 public:
  using Collector::sample;
  CastCollector(const CastCase& what, std::size_t lanes)
      : format_(casts::format_of(what.source)),
        source_(format_),
        shape_(format_, lanes, Lengths::kFull, lanes > 1 ? kWidestSpread : 0),
        results_(what, lanes) {}

  void sample(const RecordBatch& batch, std::size_t i, const NotCompared& open) override {
    const auto codes = batch.of(Field::kSource, i);
    values_.clear();
    for (const std::uint64_t code : codes) {
      values_.push_back(decode(format_, code));
      source_.sample(values_.back());
    }
    shape_.sample(codes, values_);
    results_.sample(batch, i, open);
  }

  [[nodiscard]] std::vector<Coverpoint> points() const override {
    std::vector<Coverpoint> points;
    source_.append_to(points);
    shape_.append_to(points);
    results_.append_to(points);
    return points;
  }

 private:
  ElementFormat format_;
  SourcePoints source_;
  BlockShapePoints shape_;
  CastResultPoints results_;
  std::vector<Unpacked> values_;
};

}  // namespace

std::unique_ptr<Collector> make_cast_collector(const CastCase& what, std::size_t lanes) {
  return std::make_unique<CastCollector>(what, lanes);
}

}  // namespace mx::golden
