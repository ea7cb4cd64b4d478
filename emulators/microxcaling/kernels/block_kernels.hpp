// The three arithmetics of a block: from its maximum to its scale, from an element to its result.
// spec S7.3 (MS-S) and, for the strict one, S2 ST9.
#pragma once

#include <cstdint>
#include <span>

#include "emulators/common/grid_simd.hpp"
#include "emulators/microxcaling/kernels/block_config.hpp"
#include "emulators/microxcaling/kernels/exact_element.hpp"
#include "emulators/microxcaling/kernels/kernel_element.hpp"
#include "emulators/microxcaling/kernels/python_element.hpp"
#include "emulators/microxcaling/kernels/words.hpp"

namespace mx::emulators::microxcaling {

/// The element's configuration inside a block: saturating, subnormals kept.
[[nodiscard]] inline ElementConfig element_in_block(const BlockConfig& config) {
  ElementConfig element = element_config(config.elem_format);
  element.round = config.round;
  element.saturate_normals = true;
  return element;
}

/// How a block is scaled: 2^exponent, or no number at all.
struct Scale {
  enum class Kind : std::uint8_t { kPower, kFlushed, kNan };
  Kind kind = Kind::kPower;
  int exponent = 0;
};

/// PyTorch operations, each rounded to T.
template <typename T>
class PythonBlocks {
 public:
  using Type = T;
  struct Plan : Scale {
    Word limit = 0;  ///< the maximum under the scale; 0: only the general way is open
  };

  explicit PythonBlocks(const BlockConfig& config)
      : element_config_(element_in_block(config)),
        element_(element_config_),
        emax_(get_format_params(config.elem_format).emax),
        limit_(config.scale_emax()),
        flushes_(config.flush_fp32_subnorms),
        is_dithered_(config.round == RoundingMode::kDither) {}

  /// Of the largest magnitude; a sign, which only a call without axes leaves, has no logarithm.
  [[nodiscard]] Plan plan(Word largest) const {
    if (largest >= T::kInfinity && largest != T::kSign) return {{Scale::Kind::kNan, 0}, 0};
    const Word magnitude = largest & ~T::kSign;
    // A zero counts as 2^-126, which binary16 does not have: the exponent is -Inf there.
    const int zero_exponent = T::kEmin > -126 ? -(1 << 15) : -126;
    const int read = magnitude == 0 ? zero_exponent : read_exponent<T>(magnitude);
    int exponent = read - emax_;
    if (exponent > limit_) return {{Scale::Kind::kNan, 0}, 0};
    if (exponent < -limit_) exponent = -limit_;
    // 2^exponent is infinite or zero in the type: 0 * Inf or 0 / 0 follows.
    if (exponent > T::kBias || exponent < T::kEmin - T::kStored) return {{Scale::Kind::kNan, 0}, 0};
    const bool is_flushed = flushes_ && read <= -127;
    return {{is_flushed ? Scale::Kind::kFlushed : Scale::Kind::kPower, exponent},
            is_flushed ? 0 : element_.block_limit(exponent)};
  }

  /// Plans of one key give every word the same result; -1: too rare to matter.
  [[nodiscard]] int key(const Plan& plan) const {
    return plan.kind == Scale::Kind::kPower ? plan.exponent + 512 : -1;
  }

  /// apply() for a whole block of integers that are rounded to even; false where it cannot.
  [[nodiscard]] bool apply_all(const Plan& plan, std::span<const Bits> x,
                               std::span<Bits> out) const {
    using Lanes = GridSimd<GridRounding::kEvenSlip>;
    const int top_field = 127 + plan.exponent, kept = element_config_.bits - 2;
    const bool is_whole =
        element_config_.is_integer() && element_config_.round == RoundingMode::kEven;
    if (!is_whole || plan.limit == 0 || !Lanes::takes(top_field, kept)) return false;
    Lanes lanes(top_field, kept);
    if (lanes.largest() != plan.limit) return false;
    // A quotient up to 2^-150 is zero already, which loses the sign.
    const int exponent = plan.exponent - 150;
    const Bits vanishes = exponent < -149   ? 0
                          : exponent < -126 ? Bits{1} << (exponent + 149)
                                            : static_cast<Bits>(exponent + 127) << 23;
    lanes.keep_sign_from(vanishes + 1);
    return lanes(x, out);
  }

  [[nodiscard]] Word apply(const Plan& plan, Word word, std::uint64_t random) const {
    if (plan.limit != 0 && element_.takes(word, plan.exponent)) {
      return element_.in_block(word, plan.exponent, plan.limit);
    }
    return general(plan, word, random);
  }

 private:
  [[nodiscard]] Word general(const Plan& plan, Word word, std::uint64_t random) const {
    if (plan.kind == Scale::Kind::kNan) return T::kNan;
    const Word magnitude = word & ~T::kSign;
    if (magnitude == 0 || plan.kind == Scale::Kind::kFlushed) return 0;
    if (is_dithered_ && T::kPrecision != 53) {
      return literal_block_element(T::kType, element_config_, word, plan.exponent,
                                   static_cast<std::uint32_t>(random));
    }
    const Word scaled = T::scaled(magnitude, -plan.exponent);
    if (scaled == 0) return 0;
    const Word sign = word & T::kSign;
    const Word quantized = element_(scaled | sign, random) & ~T::kSign;
    if (quantized == 0) return sign;
    if (quantized >= T::kInfinity) return quantized | (quantized == T::kInfinity ? sign : 0);
    return sign | T::scaled(quantized, plan.exponent);
  }

  ElementConfig element_config_;
  PythonElement<T> element_;
  int emax_;
  int limit_;
  bool flushes_;
  bool is_dithered_;
};

/// The C++ functions and CUDA kernels: binary32, the result rounded to T.
template <typename T>
class KernelBlocks {
 public:
  using Type = T;
  struct Plan {
    Bits scale = 0;
    int power = 0;  ///< of a normal scale
    bool is_power = false;
    bool is_flushed = false;
  };

  KernelBlocks(const BlockConfig& config, Platform platform)
      : element_(element_in_block(config)),
        machine_{platform},
        emax_(get_format_params(config.elem_format).emax),
        limit_(config.scale_emax()),
        flushes_(config.flush_fp32_subnorms) {}

  [[nodiscard]] Plan plan(Word largest) const {
    const int field =
        static_cast<int>(to_binary32<T>(largest & ~T::kSign, machine_.platform) >> 23);
    int biased = field == 255 ? field : field - emax_;
    if (biased - 127 > limit_) biased = 255;
    if (biased - 127 < -limit_) biased = 127 - limit_;
    const bool has_significand = biased == 0 || biased == 255;
    Plan plan;
    // A negative field, of scales below 2^-127, runs into the sign.
    plan.scale = static_cast<Bits>(biased) << 23 | (has_significand ? 0x00400000 : 0);
    plan.power = biased - 127;
    plan.is_power = biased >= 0 && biased < 255;
    plan.is_flushed = field == 0 && flushes_;
    return plan;
  }

  /// Plans of one key give every word the same result; -1: too rare to matter.
  [[nodiscard]] int key(const Plan& plan) const {
    return plan.is_power && !plan.is_flushed ? plan.power + 512 : -1;
  }

  [[nodiscard]] Word apply(const Plan& plan, Word word, std::uint64_t) const {
    const Bits x = to_binary32<T>(word, machine_.platform);
    if (plan.is_power) {
      const Bits magnitude = x & ~fp32::kSignBit;
      if (magnitude == 0 || plan.is_flushed) return 0;
      if (magnitude < fp32::kInfinity) {
        const auto scaled = static_cast<Bits>(Fp32::scaled(magnitude, -plan.power));
        const Bits quantized = element_(scaled | (x & fp32::kSignBit));
        const Bits result = quantized & ~fp32::kSignBit;
        if (result == 0) return 0;
        const auto product = static_cast<Bits>(Fp32::scaled(result, plan.power));
        return from_binary32<T>(product | (quantized & fp32::kSignBit), machine_.platform);
      }
    }
    const Bits scaled = plan.is_flushed ? 0 : machine_.divide(x, plan.scale);
    // The scale is the first operand in the compiled function: a NaN block takes its sign.
    return from_binary32<T>(machine_.multiply(plan.scale, element_(scaled)), machine_.platform);
  }

 private:
  KernelElement element_;
  SoftMachine machine_;
  int emax_;
  int limit_;
  bool flushes_;
};

/// Strict: exact exponents, elements rounded once, signed zeros.
template <typename T>
class ExactBlocks {
 public:
  using Type = T;
  using Plan = Scale;

  explicit ExactBlocks(const BlockConfig& config)
      : element_(element_in_block(config)),
        is_integer_(get_format_params(config.elem_format).ebits == 0),
        emax_(get_format_params(config.elem_format).emax),
        limit_(config.scale_emax()),
        flushes_(config.flush_fp32_subnorms) {}

  [[nodiscard]] Plan plan(Word largest) const {
    const Word magnitude = largest & ~T::kSign;
    if (magnitude >= T::kInfinity) return {Scale::Kind::kNan, 0};
    if (magnitude == 0) return {Scale::Kind::kFlushed, 0};
    const int read = exponent_of(T::value(magnitude));
    const int exponent = read - emax_;
    if (exponent > limit_) return {Scale::Kind::kNan, 0};
    const bool is_flushed = flushes_ && read < -126;
    return {is_flushed ? Scale::Kind::kFlushed : Scale::Kind::kPower, std::max(exponent, -limit_)};
  }

  /// Plans of one key give every word the same result; -1: too rare to matter.
  [[nodiscard]] int key(const Plan& plan) const {
    return plan.kind == Scale::Kind::kPower ? plan.exponent + 512 : -1;
  }

  [[nodiscard]] Word apply(const Plan& plan, Word word, std::uint64_t random) const {
    if (plan.kind == Scale::Kind::kNan) return T::kNan;
    if (plan.kind == Scale::Kind::kFlushed) return is_integer_ ? 0 : word & T::kSign;
    return element_.template apply<T>(word, plan.exponent, random);
  }

 private:
  ExactElement element_;
  bool is_integer_;
  int emax_;
  int limit_;
  bool flushes_;
};

}  // namespace mx::emulators::microxcaling
