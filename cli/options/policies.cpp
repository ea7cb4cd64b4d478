#include "cli/options/policies.hpp"

#include <algorithm>
#include <array>

#include "cli/text/names.hpp"
#include "reference/element/default_policy.hpp"
#include "reference/format/rows.hpp"
#include "reference/profiles/refusal.hpp"

namespace mx::cli {
namespace {

constexpr const char* kGroup = "Policies";

/// Options whose names are not just the field's.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kOptions = {
    {{"nan", "--nan,--element-nan"}, {"zero_sign", "--zero-sign,--negative-zero"}}};

/// Lists show these first; files of several configurations vary them in this order, so it stays.
constexpr std::array<std::string_view, 19> kFirst = {"rule",
                                                     "rounding",
                                                     "overflow",
                                                     "nan",
                                                     "zero_sign",
                                                     "int_min",
                                                     "src_ftz",
                                                     "dst_ftz",
                                                     "staging",
                                                     "tininess",
                                                     "unsigned_negative",
                                                     "zero_in",
                                                     "scale_sat",
                                                     "even_carry",
                                                     "amax_over",
                                                     "inf_block",
                                                     "zero_block_scale",
                                                     "elem_codes_when_nan_scale",
                                                     "dequant_overflow"};

std::string option_of(std::string_view name) {
  for (const auto& [field, option] : kOptions) {
    if (field == name) return std::string(option);
  }
  std::string option = "--" + std::string(name);
  std::ranges::replace(option, '_', '-');
  return option;
}

/// Does any row of the profile have the variants of a name?
bool has_variant(const Profile& profile, std::string_view variant) {
  variant = parts_of(variant).own;
  if (variant.empty()) return true;
  const auto in = [](std::span<const ProfileVariant> variants, std::string_view names) {
    while (!names.empty()) {
      const std::size_t end = names.find('+');
      if (std::ranges::find(variants, names.substr(0, end), &ProfileVariant::name) ==
          variants.end()) {
        return false;
      }
      names.remove_prefix(end == std::string_view::npos ? names.size() : end + 1);
    }
    return true;
  };
  return std::ranges::any_of(profile.elements,
                             [&](const ElementRow& row) { return in(row.variants, variant); }) ||
         std::ranges::any_of(profile.blocks,
                             [&](const BlockRow& row) { return in(row.variants, variant); });
}

std::vector<std::string_view> variants_of(const Profile& profile) {
  std::vector<std::string_view> names;
  const auto add = [&](std::span<const ProfileVariant> variants) {
    for (const ProfileVariant& variant : variants) {
      if (std::ranges::find(names, variant.name) == names.end()) names.push_back(variant.name);
    }
  };
  for (const ElementRow& row : profile.elements) add(row.variants);
  for (const BlockRow& row : profile.blocks) add(row.variants);
  return names;
}

/// The format in blocks of `block_size` elements; 0: its own.
BlockFormat sized(BlockFormat format, int block_size) {
  if (block_size != 0) format.block_size = block_size;
  return format;
}

}  // namespace

std::span<const PolicyOption> policy_options() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> options;
    for (const PolicyField& each : policy_fields()) options.push_back(option_of(each.name));
    return options;
  }();
  static const std::vector<PolicyOption> kFields = [] {
    std::vector<PolicyOption> fields;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const PolicyField& each = policy_fields()[i];
      if (each.name == "random_bits") continue;
      fields.push_back({each.name, kNames[i], each.summary, each.values, each.write, each.read});
    }
    const auto rank = [](const PolicyOption& field) {
      return std::ranges::find(kFirst, field.name) - kFirst.begin();
    };
    std::ranges::stable_sort(fields, {}, rank);
    return fields;
  }();
  return kFields;
}

const PolicyOption* find_policy_option(std::string_view name) {
  for (const PolicyOption& each : policy_options()) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

std::string ProfileChoice::name() const {
  return std::string(profile->name) + (variant.empty() ? "" : ":" + variant);
}

ProfileChoice require_profile(std::string_view name) {
  const std::size_t colon = name.find(':');
  const Profile* const profile = find_profile(name.substr(0, colon));
  if (profile == nullptr) {
    std::vector<std::string_view> known;
    for (const Profile& each : all_profiles()) known.push_back(each.name);
    throw Error(Exit::kUsage, unknown_name("profile", name.substr(0, colon), known) +
                                  "; mxgold list profiles shows all");
  }
  const std::string_view variant =
      colon == std::string_view::npos ? std::string_view{} : name.substr(colon + 1);
  if (!has_variant(*profile, variant)) {
    const std::vector<std::string_view> known = variants_of(*profile);
    throw Error(Exit::kUsage,
                known.empty() ? fmt::format("profile {} has no variants", profile->name)
                              : unknown_name(fmt::format("variant of profile {}", profile->name),
                                             parts_of(variant).own, known));
  }
  if (const std::string problem = mixture_problem(variant); !problem.empty()) {
    throw Error(Exit::kUsage, "--" + problem);
  }
  if (const NamedProfile blocks = named_profile(parts_of(variant).blocks_as);
      blocks.profile != nullptr && !has_variant(*blocks.profile, blocks.variant)) {
    (void)require_profile(parts_of(variant).blocks_as);  // says which variants there are
  }
  return {profile, std::string(variant)};
}

ProfiledFormat profiled(const ProfileChoice& profile, const FormatChoice& format,
                        const ElementFormat& source, int block_size) {
  constexpr std::string_view kShowsAll = "; mxgold list profiles NAME shows all it has";
  const Profile& from = *profile.profile;
  std::string why;
  if (format.block != nullptr) {
    const BlockFormat block = sized(*format.block, block_size);
    if (const auto config = block_config(from, block, source, profile.variant)) {
      return {{config->element, config->block}, config->format.element};
    }
    why = refusal_of(from, block, source, profile.variant, "--blocks-as mxgold-default");
  } else {
    if (const auto conversion =
            element_conversion(from, source, *format.element, profile.variant)) {
      return {{conversion->policy, {}}, conversion->destination};
    }
    why = refusal_of(from, source, *format.element, profile.variant);
  }
  throw Error(Exit::kUsage, why.append(kShowsAll));
}

std::string option_name(const PolicyOption& field) {
  return std::string(field.option.substr(0, field.option.find(',')));
}

std::string PolicyDefault::text() const {
  if (is_one()) return value;
  return fmt::format("{}; single values to a format with infinities: {}", value, with_infinities);
}

PolicyDefault default_of(std::string (*get)(const Policies&)) {
  return {get({}), get({default_policy(formats::fp32), {}})};
}

namespace {

std::string help_of(const PolicyOption& field) {
  const PolicyDefault usual = default_of(field.get);
  return fmt::format("{}: {}{}", field.meaning, fmt::join(field.values(), " | "),
                     usual.is_one() ? "" : fmt::format(" (default {})", usual.text()));
}

}  // namespace

Option policy_option(const Command& app, const PolicyOption& field, std::string& token) {
  return app.add_option(std::string(field.option), token, help_of(field))
      .type_name("TOKEN")
      .group(kGroup);
}

Option policy_option(const Command& app, const PolicyOption& field, Names& tokens) {
  return as_list(app.add_option(std::string(field.option), tokens, help_of(field)))
      .type_name("TOKEN[,TOKEN]")
      .group(kGroup);
}

void PolicyOptions::add_to(const Command& command, ProfileCount count) {
  count == ProfileCount::kOne ? profile_option(command, profiles_.front())
                              : profile_option(command, profiles_);
  texts_.resize(policy_options().size());
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    policy_option(command, policy_options()[i], texts_[i]);
  }
  random_bits_option(command, random_bits_).group(kGroup);
}

std::vector<std::string> PolicyOptions::given() const {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (!texts_[i].empty()) names.emplace_back(policy_options()[i].name);
  }
  if (random_bits_ != 0) names.emplace_back("random_bits");
  return names;
}

std::string PolicyOptions::given_text() const {
  std::vector<std::string> options;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (texts_[i].empty()) continue;
    options.push_back(fmt::format("{} {}", option_name(policy_options()[i]), texts_[i]));
  }
  if (random_bits_ != 0) options.push_back(fmt::format("--random-bits {}", random_bits_));
  return fmt::format("{}", fmt::join(options, " "));
}

void PolicyOptions::check() const {
  (void)require_profile(profile());
  Policies unused;
  apply_options(unused);
}

void PolicyOptions::apply_options(Policies& policies) const {
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    const PolicyOption& each = policy_options()[i];
    if (!texts_[i].empty() && !each.set(policies, texts_[i])) {
      throw Error(Exit::kUsage,
                  unknown_name("value of " + option_name(each), texts_[i], each.values()));
    }
  }
  if (random_bits_ != 0) policies.element.random_bits = random_bits_;
}

ProfiledFormat PolicyOptions::resolve(const FormatChoice& format, const ElementFormat& source,
                                      int block_size) const {
  return resolve(require_profile(profile()), format, source, block_size);
}

ProfiledFormat PolicyOptions::resolve(const ProfileChoice& profile, const FormatChoice& format,
                                      const ElementFormat& source, int block_size) const {
  ProfiledFormat result = profiled(profile, format, source, block_size);
  apply_options(result.policies);
  return result;
}

}  // namespace mx::cli
