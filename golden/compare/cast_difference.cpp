#include "golden/compare/cast_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>

#include "golden/points/draw.hpp"
#include "golden/stimulus/suites.hpp"
#include "reference/element/encode.hpp"

namespace mx::golden {
namespace {

/// Answers rows of one length by both.
class Pair {
 public:
  Pair(const CastCase& a, const CastCase& b)
      : a_(a), b_(b), cast_a_(a.cast().value()), cast_b_(b.cast().value()) {
    // Where one of them takes its scale as data, both get it.
    reads_scale_ = !cast_a_->row_operands().empty() || !cast_b_->row_operands().empty();
  }

  /// Fills the answers of a difference's row; do they differ?
  bool part(CastDifference& difference) const {
    const RowOperands operands{difference.row, difference.random,
                               reads_scale_ ? std::optional(difference.scale) : std::nullopt};
    difference.a = cast_row(*cast_a_, a_.source, operands);
    difference.b = cast_row(*cast_b_, b_.source, operands);
    return difference.a != difference.b;
  }

  [[nodiscard]] std::size_t random_words(std::size_t elements) const {
    const auto of_a = row_of(a_, elements);
    const auto of_b = row_of(b_, elements);
    return std::max(of_a ? of_a->random_words : 0, of_b ? of_b->random_words : 0);
  }

 private:
  CastCase a_;
  CastCase b_;
  casts::CastPointer cast_a_;
  casts::CastPointer cast_b_;
  bool reads_scale_ = false;
};

std::string_view class_of(const ElementFormat& format, std::uint64_t code) {
  const Unpacked value = decode(format, code);
  if (value.cls == ValueClass::kNan) return "NaN";
  if (value.cls == ValueClass::kInf) return "Inf";
  if (value.cls == ValueClass::kZero) return value.negative ? "-0" : "+0";
  const int stored = static_cast<int>((code & (format.sign_bit() - 1)) >> format.man_bits);
  return stored == 0 ? "subnormal" : "normal";
}

std::string_view answer_class(const ElementFormat& format, std::uint64_t code) {
  const std::string_view cls = class_of(format, code);
  return cls == "subnormal" || cls == "normal" ? "number" : cls;
}

/// What a difference is, told from its first differing lane. Values have the source's type where
/// the cast gives values.
void classify(const ElementFormat& source, bool gives_values, CastDifference& difference) {
  const RowAnswer& a = difference.a;
  const RowAnswer& b = difference.b;
  const auto refused = [](const RowAnswer& answer) {
    return answer.problem.empty() ? "an answer" : answer.problem;
  };
  if (a.problem != b.problem || a.codes.size() != b.codes.size()) {
    difference.kind = fmt::format("{} | {}", refused(a), refused(b));
    return;
  }
  const auto [at_a, at_b] = std::ranges::mismatch(a.codes, b.codes);
  if (at_a == a.codes.end()) {
    difference.kind = "the scale alone";
    return;
  }
  difference.lane = static_cast<std::size_t>(at_a - a.codes.begin());
  const bool is_value = a.codes.size() == difference.row.size();
  const std::string_view input =
      is_value ? class_of(source, difference.row[difference.lane]) : std::string_view("codes");
  if (!is_value || !gives_values) {
    difference.kind = fmt::format("{}: another code", input);
    return;
  }
  const std::string_view left = answer_class(source, *at_a);
  const std::string_view right = answer_class(source, *at_b);
  const bool has_signs = left == "number" && right == "number";
  const std::uint64_t sign = source.sign_bit();
  const std::uint64_t size_a = *at_a & (sign - 1);
  const std::uint64_t size_b = *at_b & (sign - 1);
  difference.kind = fmt::format("{}: {} | {}{}", input, left, right,
                                !has_signs         ? ""
                                : size_a == size_b ? ", the other sign"
                                : size_a < size_b  ? ", the first smaller"
                                                   : ", the first larger");
}

/// Fewer elements that are not zero, then fewer significant bits, then smaller numbers.
auto cast_simplicity(const CastDifference& difference) {
  std::uint64_t nonzero = 0;
  int ones = 0;
  for (const std::uint64_t word : difference.row) {
    nonzero += word != 0 ? 1U : 0U;
    ones += std::popcount(word);
  }
  return std::tuple(difference.row.size(), nonzero, ones, difference.row);
}

class Comparer {
 public:
  Comparer(const CastCase& a, const CastCase& b)
      : source_(casts::format_of(a.source)), pair_(a, b) {
    const auto row = row_of(a, 1);
    gives_values_ = row && row->code == a.source;
  }

  void look(CastDifference difference) {
    const bool differs = pair_.part(difference);
    if (!differs && !difference.a.problem.empty()) return refuse(difference.a.problem, 1);
    ++result_.rows;
    if (!differs) return;
    ++result_.different;
    classify(source_, gives_values_, difference);
    const auto found =
        std::ranges::find(result_.differences, difference.kind, &CastDifference::kind);
    if (found == result_.differences.end()) {
      difference.rows = 1;
      result_.differences.push_back(shrunk(std::move(difference)));
      return;
    }
    ++found->rows;
    difference.rows = found->rows;
    if (cast_simplicity(difference) < cast_simplicity(*found))
      *found = shrunk(std::move(difference));
  }

  /// Counts rows that both refuse.
  void refuse(const std::string& words, std::uint64_t rows) {
    result_.refused += rows;
    if (result_.refusal.empty()) result_.refusal = words;
  }

  [[nodiscard]] const Pair& pair() const { return pair_; }
  [[nodiscard]] CastComparison take() { return std::move(result_); }

 private:
  /// The same kind of difference with lanes set to zero where that leaves it.
  CastDifference shrunk(CastDifference difference) const {
    for (std::size_t lane = 0; lane < difference.row.size(); ++lane) {
      if (difference.row[lane] == 0) continue;
      CastDifference less = difference;
      less.row[lane] = 0;
      if (!pair_.part(less)) continue;
      classify(source_, gives_values_, less);
      if (less.kind == difference.kind) difference = std::move(less);
    }
    return difference;
  }

  const ElementFormat& source_;
  bool gives_values_ = false;
  Pair pair_;
  CastComparison result_;
};

constexpr std::uint32_t kOne = 0x3F800000;
constexpr std::uint64_t kCastSeed = 1;

/// Pattern i of 65,536 as a word of the source.
std::uint64_t pattern(const ElementFormat& source, std::uint64_t i) {
  return i << (source.bits - 16);
}

void look_at_suite(const CastCase& what, std::size_t elements, Comparer& comparer) {
  const auto lanes = static_cast<int>(elements);
  RecordShape shape;
  shape.fields = {{Field::kSource, lanes, static_cast<int>(casts::width_of(what.source))},
                  {Field::kAScale, 1, 4}};
  if (const std::size_t words = comparer.pair().random_words(elements); words != 0) {
    shape.fields.push_back({Field::kRandom, static_cast<int>(words), 4});
  }
  const auto suite = make_cast_suite(what, {SuiteKind::kDirected, 0, 0, lanes, Lengths::kFull});
  RecordBatch batch(shape, 1);
  for (std::uint64_t i = 0; i < suite->size(); ++i) {
    suite->fill(i, batch, 0);
    CastDifference row;
    row.row.assign(batch.of(Field::kSource, 0).begin(), batch.of(Field::kSource, 0).end());
    for (const std::uint64_t word : batch.of(Field::kRandom, 0)) {
      row.random.push_back(static_cast<std::uint32_t>(word));
    }
    row.scale = static_cast<std::uint32_t>(batch.word(Field::kAScale, 0));
    comparer.look(std::move(row));
  }
}

}  // namespace

CastComparison compare_casts(const CastCase& a, const CastCase& b, std::size_t elements) {
  Comparer comparer(a, b);
  const ElementFormat& source = casts::format_of(a.source);
  const std::uint64_t one = static_cast<std::uint64_t>(source.bias) << source.man_bits;
  Draw draw(kCastSeed, suite_tag("cast.compare"), 0);
  for (const std::size_t length : {std::size_t{1}, std::size_t{2}}) {
    const std::size_t random_words = comparer.pair().random_words(length);
    for (std::uint64_t i = 0; i < 65536; ++i) {
      CastDifference row;
      row.row.assign(length, one);
      row.row[0] = pattern(source, i);
      row.scale = kOne;
      for (std::size_t word = 0; word < random_words; ++word) row.random.push_back(draw.word());
      comparer.look(std::move(row));
    }
  }
  look_at_suite(a, elements, comparer);
  return comparer.take();
}

}  // namespace mx::golden
