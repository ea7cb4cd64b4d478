#include "mx/cli/policies.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <type_traits>

#include "mx/cli/names.hpp"

namespace mx::cli {
namespace {

template <auto Member>
struct MemberTraits;
template <typename C, typename E, E C::*Member>
struct MemberTraits<Member> {
  using Class = C;
  using Value = E;
};

/// The enum that `Member` points to, in whichever half of the policies holds it.
template <auto Member>
auto& value_in(auto& policies) {
  if constexpr (std::is_same_v<typename MemberTraits<Member>::Class, ElementPolicy>) {
    return policies.element.*Member;
  } else {
    return policies.block.*Member;
  }
}

template <auto Member>
PolicyField field(std::string_view name, std::string_view option, std::string_view meaning) {
  using E = typename MemberTraits<Member>::Value;
  return {name,
          option,
          meaning,
          [] {
            std::vector<std::string_view> texts;
            for (const Token<E>& token : tokens<E>()) texts.push_back(token.text);
            return texts;
          },
          [](Policies& policies, std::string_view token) {
            const auto value = parse_token<E>(token);
            if (value) value_in<Member>(policies) = *value;
            return value.has_value();
          },
          [](const Policies& policies) { return token_of(value_in<Member>(policies)); }};
}

}  // namespace

std::span<const PolicyField> policy_fields() {
  using E = ElementPolicy;
  using B = BlockPolicy;
  static const std::array kFields = {
      field<&B::rule>("rule", "--rule", "scale rule"),
      field<&E::rounding>("rounding", "--rounding", "rounding of elements"),
      field<&E::overflow>("overflow", "--overflow", "elements beyond the largest value, and Inf"),
      field<&E::nan>("nan", "--nan,--element-nan", "code of a NaN element"),
      field<&E::zero_sign>("zero_sign", "--zero-sign,--negative-zero", "negative zero"),
      field<&E::int_min>("int_min", "--int-min", "most negative two's complement code"),
      field<&E::src_ftz>("src_ftz", "--src-ftz", "subnormal inputs"),
      field<&E::dst_ftz>("dst_ftz", "--dst-ftz", "subnormal results"),
      field<&E::staging>("staging", "--staging", "format to round to first"),
      field<&E::tininess>("tininess", "--tininess", "when a result counts as tiny"),
      field<&E::unsigned_negative>("unsigned_negative", "--unsigned-negative",
                                   "negative values for an unsigned format"),
      field<&E::zero_in>("zero_in", "--zero-in", "zero for a format without zero"),
      field<&B::scale_sat>("scale_sat", "--scale-sat", "scale codes above the largest"),
      field<&B::even_carry>("even_carry", "--even-carry", "even rules that carry to 2^128"),
      field<&B::amax_over>("amax_over", "--amax-over", "elements the block maximum looks at"),
      field<&B::inf_block>("inf_block", "--inf-block", "scale of a block with an infinite maximum"),
      field<&B::zero_block_scale>("zero_block_scale", "--zero-block-scale",
                                  "scale of a block of zeros"),
      field<&B::nan_scale_codes>("elem_codes_when_nan_scale", "--elem-codes-when-nan-scale",
                                 "element codes under a NaN scale"),
      field<&B::dequant_overflow>("dequant_overflow", "--dequant-overflow",
                                  "dequantized values beyond the output's range")};
  return kFields;
}

const PolicyField* find_policy_field(std::string_view name) {
  for (const PolicyField& each : policy_fields()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::span<const Profile> all_profiles() {
  // The defaults of the policy types are this profile.
  static const std::array kProfiles = {Profile{"mxgold-default", {}}};
  return kProfiles;
}

const Profile& require_profile(std::string_view name) {
  std::vector<std::string_view> known;
  for (const Profile& profile : all_profiles()) {
    if (profile.name == name) return profile;
    known.push_back(profile.name);
  }
  throw Error(Exit::kUsage, unknown_name("profile", name, known));
}

void PolicyOptions::add_to(CLI::App& command) {
  const std::string group = "Policies";
  command.add_option("--profile", profile_, "Named bundle of policies; options override it")
      ->capture_default_str()
      ->group(group);
  texts_.resize(policy_fields().size());
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const PolicyField& each = policy_fields()[i];
    const std::string help = fmt::format("{}: {}", each.meaning, fmt::join(each.values(), " | "));
    command.add_option(std::string(each.option), texts_[i], help)->type_name("TOKEN")->group(group);
  }
  command.add_option("--random-bits", random_bits_, "N of the stochastic roundings, 1..32")
      ->check(CLI::Range(1, 32))
      ->capture_default_str()
      ->group(group);
}

Policies PolicyOptions::resolve(const BlockFormat* block) const {
  Policies policies = require_profile(profile_).policies;
  if (block != nullptr && profile_ == "mxgold-default") policies.block.rule = block->rule;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const PolicyField& each = policy_fields()[i];
    if (!texts_[i].empty() && !each.set(policies, texts_[i])) {
      const std::string option(each.option.substr(0, each.option.find(',')));
      throw Error(Exit::kUsage, unknown_name("value of " + option, texts_[i], each.values()));
    }
  }
  policies.element.random_bits = random_bits_;
  return policies;
}

}  // namespace mx::cli
