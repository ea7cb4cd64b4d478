#include "cli/options/policies.hpp"

#include <algorithm>
#include <array>

#include "cli/text/names.hpp"
#include "reference/element/default_policy.hpp"
#include "reference/format/rows.hpp"

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

ProfileChoice require_profile(std::string_view name) {
  return asked([&] { return golden::choose_profile(name, golden::Spelling::kOptions); });
}

ProfiledFormat profiled(const ProfileChoice& profile, const FormatChoice& format,
                        const ElementFormat& source, int block_size) {
  return asked([&] {
    return golden::under_profile(profile, format, source, block_size, golden::Spelling::kOptions);
  });
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

/// The values of a policy behind what it means, which is no sentence elsewhere.
std::string help_of(const PolicyOption& field) {
  std::string meaning(field.meaning);
  if (meaning.front() >= 'a' && meaning.front() <= 'z') {
    meaning.front() = static_cast<char>(meaning.front() - 'a' + 'A');
  }
  return fmt::format("{}: {}", meaning, fmt::join(field.values(), " | "));
}

/// What holds where neither the option nor a profile says otherwise.
Option with_default(Option option, const PolicyOption& field) {
  return option.default_str(default_of(field.get).text()).group(kGroup);
}

}  // namespace

Option policy_option(const Command& app, const PolicyOption& field, std::string& token) {
  const Option option = app.add_option(std::string(field.option), token, help_of(field));
  return with_default(option.type_name("TOKEN"), field);
}

Option policy_option(const Command& app, const PolicyOption& field, Names& tokens) {
  const Option option = as_list(app.add_option(std::string(field.option), tokens, help_of(field)));
  return with_default(option.type_name("TOKEN[,TOKEN]"), field);
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

golden::Settings PolicyOptions::settings() const {
  golden::Settings settings;
  for (std::size_t i = 0; i < texts_.size(); ++i) {
    if (!texts_[i].empty()) settings.emplace_back(policy_options()[i].name, texts_[i]);
  }
  if (random_bits_ != 0) settings.emplace_back("random_bits", std::to_string(random_bits_));
  return settings;
}

std::vector<std::string> PolicyOptions::given() const { return golden::names_of(settings()); }

std::string PolicyOptions::given_text() const {
  return golden::text_of(settings(), golden::Spelling::kOptions);
}

void PolicyOptions::check() const {
  (void)require_profile(profile());
  Policies unused;
  apply_options(unused);
}

void PolicyOptions::apply_options(Policies& policies) const {
  asked([&] { golden::apply(settings(), policies, golden::Spelling::kOptions); });
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
