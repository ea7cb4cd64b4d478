#include "emulators/microxcaling/specs/specs.hpp"

#include <array>
#include <utility>

namespace mx::emulators::microxcaling {
namespace {

constexpr std::array kNames = {"w_elem_format",    "a_elem_format",       "w_elem_format_bp",
                               "a_elem_format_bp", "a_elem_format_bp_ex", "a_elem_format_bp_os"};
constexpr std::array kNumbers = {"scale_bits", "block_size", "bfloat", "fp"};
constexpr std::array kFlags = {"mx_flush_fp32_subnorms", "softmax_exp2", "vec_use_exp2",
                               "vec_use_recip", "custom_cuda"};
constexpr std::array kTrueFlags = {"bfloat_subnorms", "quantize_backprop"};

using Heir = std::pair<std::string_view, std::string_view>;

/// Who inherits from whom, in this order.
constexpr std::array kHeirs = {Heir{"w_elem_format_bp", "w_elem_format"},
                               Heir{"a_elem_format_bp", "a_elem_format"},
                               Heir{"a_elem_format_bp_os", "a_elem_format"},
                               Heir{"a_elem_format_bp_ex", "a_elem_format"},
                               Heir{"round_m", "round"},
                               Heir{"round_output", "round"},
                               Heir{"round_grad_weight", "round"},
                               Heir{"round_grad_input", "round"},
                               Heir{"round_weight", "round"},
                               Heir{"round_mx_output", "round"},
                               Heir{"round_mx_input_grad_input", "round_grad_input"},
                               Heir{"round_mx_weight_grad_input", "round_grad_input"},
                               Heir{"round_mx_grad_output_grad_input", "round_grad_input"},
                               Heir{"round_mx_input_grad_weight", "round_grad_input"},
                               Heir{"round_mx_grad_output_grad_weight", "round_grad_input"}};

bool is_none(const SpecValue& value) { return std::holds_alternative<std::monostate>(value); }

/// What Python takes for false.
bool is_empty(const SpecDict& specs, std::string_view key) {
  const auto found = specs.find(key);
  if (found == specs.end() || is_none(found->second)) return true;
  if (const bool* const flag = std::get_if<bool>(&found->second)) return !*flag;
  if (const auto* const number = std::get_if<std::int64_t>(&found->second)) return *number == 0;
  return std::get<std::string>(found->second).empty();
}

}  // namespace

MxSpecs::MxSpecs() {
  for (const std::string_view key : kNames) values_[std::string(key)] = std::monostate{};
  for (const std::string_view key : kNumbers) values_[std::string(key)] = std::int64_t{0};
  for (const std::string_view key : kFlags) values_[std::string(key)] = false;
  for (const std::string_view key : kTrueFlags) values_[std::string(key)] = true;
  values_["shared_exp_method"] = std::string("max");
  values_["round"] = std::string("nearest");
  for (const Heir& heir : kHeirs) {
    if (heir.first.starts_with("round")) values_[std::string(heir.first)] = std::string("nearest");
  }
}

Checked<MxSpecs> MxSpecs::make(const SpecDict& given) {
  MxSpecs specs;
  for (const auto& [key, value] : given) {
    if (!specs.set(key, value)) return Problem{"AssertionError: "};
  }
  return specs;
}

Checked<SpecValue> MxSpecs::get(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return Problem{"KeyError: '" + std::string(key) + "'"};
  return found->second;
}

bool MxSpecs::set(std::string_view key, SpecValue value) {
  const auto found = values_.find(key);
  if (found == values_.end()) return false;
  found->second = std::move(value);
  set_.emplace(key);
  return true;
}

bool MxSpecs::flag(std::string_view key) const { return !is_empty(values_, key); }

std::int64_t MxSpecs::number(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return 0;
  const auto* const number = std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? 0 : *number;
}

std::string MxSpecs::name(std::string_view key) const {
  const auto found = values_.find(key);
  if (found == values_.end()) return {};
  const auto* const name = std::get_if<std::string>(&found->second);
  return name == nullptr ? std::string{} : *name;
}

Checked<FinalSpecs> finalize_mx_specs(SpecDict specs, const Setting& setting, bool early_exit) {
  bool is_idle = is_empty(specs, "bfloat") && is_empty(specs, "fp");
  for (const std::string_view key : kNames) is_idle = is_idle && is_empty(specs, key);
  if (is_idle && early_exit) return FinalSpecs{};
  if (!is_empty(specs, "custom_cuda") && setting.platform != Platform::kCuda) {
    return Problem{"AssertionError: 'custom_cuda' is only supported on CUDA devices."};
  }
  for (const auto& [heir, owner] : kHeirs) {
    const auto inherited = specs.find(owner);
    const auto own = specs.find(heir);
    if (inherited != specs.end() && (own == specs.end() || is_none(own->second))) {
      specs.insert_or_assign(std::string(heir), SpecValue(inherited->second));
    }
  }
  auto applied = apply_mx_specs(specs);
  if (!applied) return Problem{std::string(applied.problem())};
  return FinalSpecs{*std::move(applied)};
}

Checked<FinalSpecs> finalize_mx_specs(const MxSpecs& specs, const Setting& setting,
                                      bool early_exit) {
  SpecDict dict = specs.values();
  if (setting.mode == Mode::kStrict) {
    std::erase_if(dict, [&](const auto& entry) { return !specs.was_set(entry.first); });
  }
  return finalize_mx_specs(std::move(dict), setting, early_exit);
}

Checked<MxSpecs> apply_mx_specs(const SpecDict& specs) {
  MxSpecs applied;
  for (const auto& [key, value] : specs) {
    if (is_none(value)) continue;
    if (!applied.set(key, value)) {
      return Problem{"KeyError: \"Unknown key '" + key + "' passed to mx specs\""};
    }
  }
  return applied;
}

MxSpecs get_backwards_mx_specs(const MxSpecs& specs) {
  MxSpecs backwards = specs;
  if (specs.flag("quantize_backprop")) return backwards;
  for (const std::string_view key : kNames) backwards.set(key, std::monostate{});
  for (const std::string_view key : {"block_size", "bfloat", "fp"}) {
    backwards.set(key, std::int64_t{0});
  }
  return backwards;
}

}  // namespace mx::emulators::microxcaling
