// From a value to a code: the procedure of spec F8, for any descriptor.
#pragma once

#include <cstdint>
#include <span>

#include "reference/format/format.hpp"
#include "reference/number/rounding.hpp"
#include "reference/number/unpacked.hpp"
#include "reference/policy/checked.hpp"
#include "reference/policy/policy.hpp"

namespace mx {

struct Encoded {
  std::uint64_t code = 0;
  std::uint8_t flags = 0;  ///< OR of Flag
  constexpr bool operator==(const Encoded&) const = default;
};

/// Why a value became its code.
struct Trace {
  enum class Step : std::uint8_t {
    kNan,
    kInfinity,
    kZero,
    kUnsignedNegative,
    kRounded,
    kOverflowed,
    kFlushed
  };
  Step step = Step::kRounded;
  bool odd = false;         ///< parity of the lower candidate
  bool rounded_up = false;  ///< the decision of round_up
  Discarded discarded;      ///< what was cut off
  std::uint64_t lower = 0;  ///< magnitude code of the neighbour at or below |x|
  std::uint64_t upper = 0;  ///< magnitude code of the next neighbour (may exceed max_code)
  bool has_neighbours = false;
};

/// Rounds x once into `format`. Staging and source flushing are the caller's (see Conversion).
/// `random` is R of the stochastic modes, R < 2^policy.random_bits.
[[nodiscard]] Encoded encode(const Unpacked& x, const ElementFormat& format,
                             const ElementPolicy& policy, std::uint32_t random);

/// The same, and why.
[[nodiscard]] Encoded encode(const Unpacked& x, const ElementFormat& format,
                             const ElementPolicy& policy, std::uint32_t random, Trace& trace);

/// Everything that decides how a source code becomes a destination code.
struct ConversionConfig {
  ElementFormat source;
  ElementFormat destination;
  ElementPolicy policy;
};

/// One element conversion: source code to destination code, by the plain kernel. A value type.
class Conversion {
 public:
  /// The conversion of a configuration, or why it cannot be used: what problem() says.
  [[nodiscard]] static Checked<Conversion> make(const ConversionConfig& config);

  /// Why a configuration cannot be used ("" if it can): an invalid descriptor, random_bits outside
  /// 1..32.
  [[nodiscard]] static std::string_view problem(const ConversionConfig& config);

  [[nodiscard]] const ConversionConfig& config() const { return config_; }

  /// Decodes, flushes (src_ftz), stages (staging), encodes; then the quirk of destinations like
  /// e8m0 (e8m0_quirk). `source_code` holds no bits above the source's; `random` is R of the
  /// stochastic modes, R < 2^random_bits.
  [[nodiscard]] Encoded operator()(std::uint64_t source_code, std::uint32_t random = 0) const;
  [[nodiscard]] Encoded operator()(std::uint64_t source_code, std::uint32_t random,
                                   Trace& trace) const;
  /// Of a value that is no code's: staged, encoded, and the quirk. src_ftz, which speaks of a
  /// source's subnormals, is not looked at; a sticky value needs a destination of at most 62 bits
  /// of precision.
  [[nodiscard]] Encoded of(const Unpacked& x, std::uint32_t random = 0) const;
  /// Of one code after the other: `random` holds a word for each, or is empty for words
  /// of 0.
  void each(std::span<const std::uint64_t> source_codes, std::span<const std::uint64_t> random,
            std::span<std::uint64_t> codes, std::span<std::uint64_t> flags) const;

 private:
  explicit Conversion(const ConversionConfig& config) : config_(config) {}

  ConversionConfig config_;
};

/// The value of a source code: decoded, subnormals flushed if src_ftz says so. What a block sees of
/// its elements.
[[nodiscard]] Unpacked decode_flushed(const ElementFormat& source, const ElementPolicy& policy,
                                      std::uint64_t code);
/// A value after the first rounding that `staging` asks for, if any, on its way to `destination`
/// (spec F9.5): of a conversion the source's, of a block's element the one that was brought to its
/// scale.
[[nodiscard]] Unpacked staged(const Unpacked& x, const ElementPolicy& policy,
                              const ElementFormat& destination);
/// Both: what a conversion sees of its source.
[[nodiscard]] Unpacked seen_source(const ConversionConfig& conversion, std::uint64_t code);

}  // namespace mx
