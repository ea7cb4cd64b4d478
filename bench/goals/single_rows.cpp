// Single values, fp32 to e4m3fn: beside CPFloat, ml_dtypes and the narrowing copy, and drawn beside
// CPFloat's.
#include <algorithm>
#include <cstdint>
#include <memory>

#include "bench/goals/inputs.hpp"
#include "bench/goals/rows.hpp"
#include "bench/goals/values.hpp"
#include "bench/measure/memory.hpp"
#include "fast/cpu/block_plan.hpp"
#include "fast/stochastic/stochastic_plan.hpp"
#include "reference/format/rows.hpp"

namespace mx::goals {

namespace {

/// What a row of single values works on.
struct Singles {
  explicit Singles(std::size_t size)
      : count(size), values(single_values(size)), codes(size), theirs(size * sizeof(float)) {}
  [[nodiscard]] float their_value(std::size_t i) const {
    return reinterpret_cast<const float*>(theirs.data())[i];
  }
  std::size_t count;
  Array<float> values;
  Array<std::uint8_t> codes;   ///< ours
  Array<std::uint8_t> theirs;  ///< room for a word of the peer each
};

fast::ElementPlan plan_of(Rounding rounding) {
  fast::ElementJob job{formats::fp32, formats::e4m3fn, {}};
  job.policy.rounding = rounding;
  return fast::ElementPlan::make(job).value();
}

Work conversion_work(const Singles& arrays) {
  Work work;
  work.ours = [arrays, plan = plan_of(Rounding::kTiesToEven)] {
    (void)plan.convert(arrays.values.bytes(), arrays.codes.bytes());
  };
  work.from = arrays.values.data();
  work.to = arrays.theirs.data();
  return work;
}

Work beside_cpfloat(std::size_t count) {
  const Singles arrays(count);
  Work work = conversion_work(arrays);
  work.difference = [arrays, values = values_of(formats::e4m3fn)] {
    return first_difference(arrays.count, [&](std::size_t i) {
      const float ours = values[arrays.codes[i]];
      const float theirs = arrays.their_value(i);
      return Pair{ours, theirs, is_same(ours, theirs)};
    });
  };
  work.mask = "inputs below 440 (its e4m3 ends at 480); it writes fp32";
  return work;
}

Work beside_ml_dtypes(std::size_t count) {
  const Singles arrays(count);
  Work work = conversion_work(arrays);
  work.difference = [arrays] {
    return first_difference(arrays.count, [&](std::size_t i) {
      return Pair{static_cast<double>(arrays.codes[i]), static_cast<double>(arrays.theirs[i]),
                  arrays.codes[i] == arrays.theirs[i]};
    });
  };
  work.mask = "inputs below 440";
  return work;
}

Work beside_copy(std::size_t count) {
  const Singles arrays(count);
  Work work = conversion_work(arrays);
  work.difference = [arrays] {
    return narrowed_difference(arrays.values.span(), arrays.theirs.span());
  };
  work.mask = "the copy's bytes are checked";
  return work;
}

/// Drawn codes: between the two neighbours, those of the same seed whatever threads and pieces
/// share the work, others of another seed.
class Drawn {
 public:
  explicit Drawn(const Singles& arrays)
      : arrays_(arrays),
        down_(arrays.count),
        up_(arrays.count),
        other_(arrays.count),
        plan_(make_plan()) {
    (void)plan_of(Rounding::kTowardZero).convert(arrays.values.bytes(), down_.bytes());
    (void)plan_of(Rounding::kAwayFromZero).convert(arrays.values.bytes(), up_.bytes());
  }

  void run() const {
    (void)plan_.convert({kSeed, 0}, arrays_.values.bytes(), arrays_.codes.bytes());
  }

  [[nodiscard]] std::string difference() const {
    const std::string ours = not_reproduced();
    if (!ours.empty()) return "our own bits: " + ours;
    return first_difference(arrays_.count, [&](std::size_t i) {
      const std::uint8_t code = arrays_.codes[i];
      const float theirs = arrays_.their_value(i);
      const bool is_ours = code == down_[i] || code == up_[i];
      const bool is_theirs =
          is_same(theirs, values_[down_[i]], true) || is_same(theirs, values_[up_[i]], true);
      return Pair{values_[code], theirs, is_ours && is_theirs};
    });
  }

 private:
  static constexpr std::uint64_t kSeed = 1;

  static fast::StochasticElementPlan make_plan() {
    fast::ElementJob job{formats::fp32, formats::e4m3fn, {}};
    job.policy.rounding = Rounding::kStochasticA;
    return fast::StochasticElementPlan::make(job).value();
  }

  [[nodiscard]] bool is_again() const {
    return std::ranges::equal(arrays_.codes.span(), other_.span());
  }

  /// What changes the bits that must not, "" if nothing does.
  [[nodiscard]] std::string not_reproduced() const {
    const std::span<std::byte> source = arrays_.values.bytes();
    const std::span<std::byte> again = other_.bytes();
    for (const int threads : {1, 2, 3}) {
      (void)plan_.convert({kSeed, 0}, source, again, threads);
      if (!is_again()) return std::to_string(threads) + " threads give others";
    }
    const std::size_t part = arrays_.count / 3 + 1;
    for (std::size_t i = 0; i < arrays_.count; i += part) {
      const std::size_t length = std::min(part, arrays_.count - i);
      (void)plan_.convert({kSeed, 0}, source.subspan(4 * i, 4 * length), again.subspan(i, length),
                          1, i);
    }
    if (!is_again()) return "pieces give others";
    (void)plan_.convert({kSeed + 1, 0}, source, again);
    return is_again() ? "another seed gives the same" : "";
  }

  Singles arrays_;
  Array<std::uint8_t> down_;
  Array<std::uint8_t> up_;
  Array<std::uint8_t> other_;
  fast::StochasticElementPlan plan_;
  std::array<float, 256> values_ = values_of(formats::e4m3fn);
};

Work drawn_beside_cpfloat(std::size_t count) {
  const Singles arrays(count);
  const auto drawn = std::make_shared<const Drawn>(arrays);
  Work work = conversion_work(arrays);
  work.ours = [drawn] { drawn->run(); };
  work.difference = [drawn] { return drawn->difference(); };
  work.mask =
      "each result is a neighbour of its input, signs of zeros apart; ours are the same bits with "
      "1, 2 and 3 threads and in pieces";
  return work;
}

}  // namespace

std::vector<RowPlan> single_rows(const Setting& setting) {
  const std::string drawn = "fp32 to e4m3fn, stochastic, drawing included";
  return {{"C3", "fp32 to e4m3fn", 1.9, setting.small, "cpfloat", "e4m3", beside_cpfloat},
          {"C3", "fp32 to e4m3fn", 0, setting.large, "cpfloat", "e4m3", beside_cpfloat},
          {"C4", "fp32 to e4m3fn", 20, setting.small, "ml_dtypes", "to_e4m3fn", beside_ml_dtypes},
          {"C4", "fp32 to e4m3fn", 0, setting.large, "ml_dtypes", "to_e4m3fn", beside_ml_dtypes},
          {"C8", "fp32 to e4m3fn / narrowing copy", 0.9, setting.large, "limits", "narrow_copy",
           beside_copy},
          {"C9", drawn, 8, setting.small, "cpfloat", "e4m3_drawn", drawn_beside_cpfloat},
          {"C9", drawn, 0, setting.large, "cpfloat", "e4m3_drawn", drawn_beside_cpfloat}};
}

}  // namespace mx::goals
