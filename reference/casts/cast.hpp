// A cast of an emulated package, as everything outside of emulators/ sees it: a tensor becomes
// tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reference/casts/maker.hpp"
#include "reference/casts/tensor.hpp"
#include "reference/policy/checked.hpp"

namespace mx::casts {

/// What a cast is given.
struct CastInput {
  TensorView tensor;
  /// Further tensors by name: "scale" (AIMET's, as data), "gradient", "zero_point".
  std::vector<TensorView> operands = {};
  /// The axis of blocks; nothing: the package's own default.
  std::optional<std::int64_t> axis = {};
  /// The words of stochastic roundings in the order in which the package draws them.
  std::span<const std::uint32_t> random = {};
  /// A cast may use so many threads; apply_on_threads() gives them to any.
  int threads = 1;

  [[nodiscard]] const TensorView* operand(std::string_view name) const {
    for (const TensorView& each : operands) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }
};

/// A fact that a package tells of a format: "bit_precision", "8.25".
struct Property {
  std::string name;
  std::string text;     ///< as the package prints it; empty where it raises
  std::string problem;  ///< "AttributeError: ...", where it raises
};

/// A refusal begins with the class of the exception that the package raises and a colon:
/// "RuntimeError: block_size must divide 12".
class Cast {
 public:
  virtual ~Cast() = default;

  /// The canonical spelling, without the package's name: its CastMaker reads it back.
  [[nodiscard]] virtual std::string text() const = 0;

  /// How many random words apply() reads for this input; 0 where the cast is deterministic.
  [[nodiscard]] virtual Checked<std::size_t> random_words(const CastInput& input) const = 0;

  /// The results, "values" first; others ("scale", "data", "mask") where the package gives them.
  [[nodiscard]] virtual Checked<std::vector<Tensor>> apply(const CastInput& input) const = 0;

  /// How many entries of an axis belong together, if pieces of that many entries, and of multiples
  /// of it, may be cast alone: their results are then those of the whole, one behind the other, and
  /// read the random words of their elements in order. No axis before it is longer than 1; operands
  /// of the tensor's rank that are as long on the axis are cut with it. 0: no piece stands alone.
  [[nodiscard]] virtual std::size_t piece(const CastInput& /*input*/, std::size_t /*axis*/) const {
    return 0;
  }

  [[nodiscard]] virtual std::vector<Property> properties() const { return {}; }

  /// The operands that vectors carry beside every row, each one binary32 word: "scale" where the
  /// package's scale is data.
  [[nodiscard]] virtual std::vector<std::string> row_operands() const { return {}; }
};

}  // namespace mx::casts
