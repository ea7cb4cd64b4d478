// Values converted one by one by the fastest path that is proven for their configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "backend/tensor/choice.hpp"
#include "backend/tensor/chosen.hpp"
#include "fast/plan/plan.hpp"
#include "reference/element/encode.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::backend {

/// The reference's answers for elements [first, last), as TensorConverter::convert gives them.
[[nodiscard]] TensorSummary convert_by_reference(const Conversion& reference,
                                                 std::span<const std::byte> source,
                                                 CounterRandom random, std::span<std::byte> codes,
                                                 std::uint64_t first, std::uint64_t last);

/// Values of one configuration. A value type; the calls are const and may run side by side.
class TensorConverter {
 public:
  /// The problem: the configuration is none, or kCpu is asked for and has no path, as where
  /// flags are wanted.
  [[nodiscard]] static Checked<TensorConverter> make(const ConversionConfig& config, Choice choice,
                                                     Wanted wanted);

  [[nodiscard]] bool is_fast() const { return chosen_.is_fast(); }
  /// As TensorQuantizer has them.
  [[nodiscard]] std::string path() const { return chosen_.path(); }
  [[nodiscard]] std::string_view why_reference() const { return chosen_.why_reference(); }
  [[nodiscard]] std::string self_check() const;

  /// Elements [first, last) of a tensor whose words and codes lie in C order, each in its format's
  /// storage width. Words without bits above their format's width.
  [[nodiscard]] TensorSummary convert(std::span<const std::byte> source, CounterRandom random,
                                      std::span<std::byte> codes, std::uint64_t first,
                                      std::uint64_t last) const;

 private:
  explicit TensorConverter(Conversion reference) : reference_(std::move(reference)) {}

  /// Elements whose first stands at `first` in its tensor. Throws std::logic_error where the spans
  /// do not fit each other.
  void compute(std::span<const std::byte> source, CounterRandom random, std::span<std::byte> codes,
               std::uint64_t first) const;

  Conversion reference_;
  Chosen<fast::ConvertPlan> chosen_;
};

}  // namespace mx::backend
