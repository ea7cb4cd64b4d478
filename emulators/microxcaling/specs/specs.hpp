// MxSpecs, the specification that microxcaling's operations are driven by, and its finalisation.
// spec S7.2.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "emulators/common/interface.hpp"
#include "reference/policy/checked.hpp"

namespace mx::emulators::microxcaling {

/// None, a flag, a number or a name.
using SpecValue = std::variant<std::monostate, bool, std::int64_t, std::string>;
/// A plain dict: any keys.
using SpecDict = std::map<std::string, SpecValue, std::less<>>;

/// All keys with their values; those that were set are known, which only strict makes use of.
class MxSpecs {
 public:
  /// The defaults: no quantization.
  MxSpecs();
  /// The defaults under a dict; AssertionError for a key that is none.
  [[nodiscard]] static Checked<MxSpecs> make(const SpecDict& given);

  [[nodiscard]] const SpecDict& values() const { return values_; }
  [[nodiscard]] bool was_set(std::string_view key) const { return set_.contains(key); }

  /// KeyError where the key is none.
  [[nodiscard]] Checked<SpecValue> get(std::string_view key) const;
  /// False where the key is none; nothing changes then.
  bool set(std::string_view key, SpecValue value);

  // Values by what they are; None and other types count as the empty value.
  [[nodiscard]] bool flag(std::string_view key) const;
  [[nodiscard]] std::int64_t number(std::string_view key) const;
  [[nodiscard]] std::string name(std::string_view key) const;

 private:
  SpecDict values_;
  std::set<std::string, std::less<>> set_;
};

/// What finalize_mx_specs gives; nothing for a specification without any format (None).
using FinalSpecs = std::optional<MxSpecs>;

/// finalize_mx_specs of a plain dict: the formats of the backward pass that are None or missing
/// inherit the forward ones, the roundings inherit "round", those of MX gradients
/// "round_grad_input". custom_cuda needs a platform with CUDA (AssertionError).
[[nodiscard]] Checked<FinalSpecs> finalize_mx_specs(SpecDict specs, const Setting& setting,
                                                    bool early_exit = true);
/// The same of an MxSpecs object. compat: it holds "nearest" for every rounding already, so its
/// "round" changes nothing else; strict: what was not set inherits.
[[nodiscard]] Checked<FinalSpecs> finalize_mx_specs(const MxSpecs& specs, const Setting& setting,
                                                    bool early_exit = true);

/// The defaults under those entries of a dict that are not None; KeyError for an unknown key.
[[nodiscard]] Checked<MxSpecs> apply_mx_specs(const SpecDict& specs);

/// Without formats and without bfloat or fp where quantize_backprop is False.
[[nodiscard]] MxSpecs get_backwards_mx_specs(const MxSpecs& specs);

}  // namespace mx::emulators::microxcaling
