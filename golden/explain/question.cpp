// SPDX-License-Identifier: Apache-2.0
#include "golden/explain/question.hpp"

#include <algorithm>

#include "golden/configuration/policies.hpp"
#include "golden/explain/beside.hpp"
#include "golden/explain/input.hpp"
#include "golden/explain/text.hpp"
#include "golden/explain/values.hpp"
#include "golden/names/profile_choice.hpp"
#include "golden/text/filled.hpp"
#include "reference/policy/scale_rule.hpp"

namespace mx::golden {
namespace {

/// A question about a format that is known.
class Asked {
 public:
  Asked(const ExplainQuestion& question, FormatCatalog& catalog)
      : question_(question),
        catalog_(catalog),
        format_(choose_format(catalog, question.format, question.spelling)) {}

  [[nodiscard]] Answer way_there() const;
  [[nodiscard]] Answer way_back() const;

 private:
  [[nodiscard]] std::string spelled(std::string_view name) const {
    return golden::spelled(question_.spelling, name);
  }
  [[nodiscard]] bool is_block() const { return format_.block != nullptr; }
  [[nodiscard]] bool is_sized() const {
    return is_block() && format_.block->extent == BlockExtent::kElements;
  }
  [[nodiscard]] int block_size() const {
    return question_.block_size != 0 ? question_.block_size : format_.block->block_size;
  }
  [[nodiscard]] ProfiledFormat under(const ProfileChoice& profile,
                                     const ElementFormat& source) const {
    ProfiledFormat chosen =
        under_profile(profile, format_, source, question_.block_size, question_.spelling);
    apply(question_.settings, chosen.policies, question_.spelling);
    return chosen;
  }

  void refuse_arguments_of_blocks() const;
  [[nodiscard]] std::vector<ProfileChoice> profiles(const ElementFormat& source) const;
  [[nodiscard]] ExplainedCase under_one(const ProfileChoice& profile, const ElementFormat& source,
                                        std::span<const ExplainInput> inputs) const;
  void refuse_unread(std::span<const ExplainedCase> cases) const;
  void refuse_policies_of_the_way_there(const ProfiledFormat& chosen) const;
  [[nodiscard]] std::vector<std::uint64_t> codes(const BlockFormat& format) const;

  const ExplainQuestion& question_;
  FormatCatalog& catalog_;
  FormatChoice format_;
};

void Asked::refuse_arguments_of_blocks() const {
  const bool has_size = question_.block_size != 0;
  if (!is_block()) {
    if (has_size) {
      throw Refusal(
          filled("{}: {} has no blocks; leave it out", spelled("block_size"), question_.format));
    }
    question_.level.check(nullptr, format_.name, {}, question_.spelling);
    refuse_block_policies(names_of(question_.settings), question_.format, question_.spelling);
  } else if (has_size && !is_sized()) {
    throw Refusal(filled("{}: a block of {} is the whole axis or tensor; leave it out",
                         spelled("block_size"), question_.format));
  }
}

std::vector<ProfileChoice> Asked::profiles(const ElementFormat& source) const {
  std::vector<ProfileChoice> chosen;
  for (const std::string& name : question_.profiles) {
    if (name != "all") {
      chosen.push_back(choose_profile(name, question_.spelling));
      continue;
    }
    for (ProfileChoice& each : profiles_of(format_, source)) chosen.push_back(std::move(each));
  }
  if (chosen.empty()) {
    throw Refusal(filled("no profile speaks of {} to {}", source.name, question_.format));
  }
  return chosen;
}

/// The largest finite magnitude: the block stands for its whole tensor.
Unpacked largest(const QuantizerConfig& config, std::span<const ExplainInput> inputs) {
  Unpacked amax;
  for (const ExplainInput& input : inputs) {
    const Unpacked x = decode_flushed(config.source, config.element, input.code);
    if (x.cls == ValueClass::kFinite && compare_magnitude(x, amax) > 0) amax = x;
  }
  amax.negative = false;
  return amax;
}

ExplainedCase Asked::under_one(const ProfileChoice& profile, const ElementFormat& source,
                               std::span<const ExplainInput> inputs) const {
  const ProfiledFormat chosen = under(profile, source);
  ExplainedCase result{.profile = profile.name(),
                       .format = format_.name,
                       .is_block = is_block(),
                       .config = {source, {}, chosen.policies.element, chosen.policies.block},
                       .changes = text_of(question_.settings, question_.spelling)};
  QuantizerConfig& config = result.config;
  if (!is_block()) {
    config.format.element = chosen.element;
    result.masks = element_masks(*profile.profile, source, *format_.element, profile.variant);
    return result;
  }
  config.format = *format_.block;
  config.format.element = chosen.element;
  config.format.block_size = block_size();
  result.masks = block_masks(*profile.profile, config.format, source, profile.variant);
  if (const std::string problem = Quantizer::refusal(config); !problem.empty()) {
    throw Refusal(problem);
  }
  question_.level.check(format_.block, format_.name, config.block.rule, question_.spelling);
  if (config.format.tensor_scale != TensorScale::kNone) {
    config.tensor = question_.level.level(config, largest(config, inputs), question_.spelling);
  }
  if (is_sized() && inputs.size() > static_cast<std::size_t>(config.format.elements())) {
    throw Refusal(filled("{} inputs for a block of {}; raise {} or give fewer", inputs.size(),
                         config.format.elements(), spelled("block_size")));
  }
  return result;
}

/// Refuses arguments that no case reads.
void Asked::refuse_unread(std::span<const ExplainedCase> cases) const {
  std::vector<PolicyReader> readers;
  for (const ExplainedCase& each : cases) {
    readers.push_back({each.config.format.element, each.config.element, {}});
    if (each.is_block) readers.back().block = each.config.block;
  }
  refuse_unread_policies(names_of(question_.settings), readers, question_.spelling);
  if (std::ranges::any_of(readers, draws)) return;
  const RandomGiven& random = question_.random;
  const std::pair<std::string_view, bool> given[] = {{"random", !random.random.empty()},
                                                     {"random_source", !random.source.empty()},
                                                     {"rbits", !random.rbits.empty()},
                                                     {"seed", random.seed.has_value()}};
  for (const auto& [name, is_given] : given) {
    if (!is_given) continue;
    throw Refusal(filled("{}: nothing here draws; it goes with a stochastic rounding ({})",
                         spelled(name),
                         golden::spelled(question_.spelling, "rounding", "stochastic_a")));
  }
}

Answer Asked::way_there() const {
  refuse_arguments_of_blocks();
  const bool names_source = !question_.source.empty();
  const ElementFormat& source = choose_element(
      catalog_, "source", names_source ? question_.source : "fp32", question_.spelling);
  const std::vector<ProfileChoice> chosen = profiles(source);
  const Policies policies = under(chosen.front(), source).policies;
  std::vector<ExplainInput> inputs;
  for (const std::string& text : question_.inputs) {
    inputs.push_back(parse_input(source, text, names_source ? BitsFirst::kYes : BitsFirst::kNo,
                                 question_.spelling));
  }
  set_random(question_.random, source, *format_.element, policies.element, inputs,
             question_.spelling);
  std::vector<ExplainedCase> cases;
  for (const ProfileChoice& profile : chosen) cases.push_back(under_one(profile, source, inputs));
  refuse_unread(cases);
  if (cases.size() > 1) {
    const Tree data = cases_beside(cases, inputs);
    return {data, beside_text(data)};
  }
  const Tree data = explain_case(cases.front(), inputs);
  return {data, explanation_text(data)};
}

/// Codes have the policies of the way there behind them.
void Asked::refuse_policies_of_the_way_there(const ProfiledFormat& chosen) const {
  for (const std::string& name : names_of(question_.settings)) {
    const bool is_read = name == "rule"
                             ? reads_rule_back(*format_.block, chosen.policies.block.rule)
                             : is_policy_of(Operation::kDequantize, *find_policy_field(name));
    if (is_read) continue;
    throw Refusal(
        filled("{}: says nothing of codes of {} under a scale", spelled(name), question_.format));
  }
}

std::vector<std::uint64_t> Asked::codes(const BlockFormat& format) const {
  std::vector<std::uint64_t> codes;
  for (const std::string& text : question_.inputs) {
    codes.push_back(parse_bits(question_.spelling == Spelling::kOptions ? "INPUT" : "input", text,
                               format.element.code_mask()));
  }
  if (is_sized() && codes.size() > static_cast<std::size_t>(format.elements())) {
    throw Refusal(filled("{} codes for a block of {}", codes.size(), format.elements()));
  }
  return codes;
}

std::uint64_t scale_mask(const BlockFormat& format) {
  const int bits = format.scale_bits();
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

Answer Asked::way_back() const {
  if (!is_block()) {
    throw Refusal(filled("{}: {} is an element format; give a block format", spelled("scale"),
                         question_.format));
  }
  if (question_.profiles.size() > 1) {
    throw Refusal(filled("{} {}: codes under a scale are explained by one profile",
                         spelled("profile"), joined(question_.profiles, ",")));
  }
  const ProfileChoice profile = choose_profile(question_.profiles.front(), question_.spelling);
  const ProfiledFormat chosen = under(profile, formats::fp32);
  refuse_policies_of_the_way_there(chosen);
  question_.level.check(format_.block, format_.name, chosen.policies.block.rule,
                        question_.spelling);
  ExplainedValues what{
      .what = {.format = *format_.block,
               .result = choose_element(catalog_, filled("value of {}", spelled("result")),
                                        question_.result.empty() ? "fp32" : question_.result,
                                        question_.spelling),
               .how = {chosen.policies.element.rounding, chosen.policies.element.dst_ftz},
               .overflow = chosen.policies.block.dequant_overflow,
               .rule = chosen.policies.block.rule},
      .scale = 0,
      .codes = {},
      .profile = question_.profiles.front(),
      .changes = text_of(question_.settings, question_.spelling)};
  BlockFormat& format = what.what.format;
  format.block_size = block_size();
  format.element = chosen.element;
  if (format.tensor_scale != TensorScale::kNone) {
    const QuantizerConfig config{formats::fp32, format, chosen.policies.element,
                                 chosen.policies.block};
    what.what.tensor_scale = question_.level.level(config, {}, question_.spelling).scale;
  }
  if (const std::string why = problem_of({what.what, {}}); !why.empty()) throw Refusal(why);
  const std::vector<std::uint64_t> inputs = codes(format);
  what.scale = parse_bits(spelled("scale"), question_.scale, scale_mask(format));
  what.codes = inputs;
  const Tree data = explain_values(what);
  return {data, values_text(data)};
}

/// What goes with codes alone, or never with them.
void refuse_arguments_of_codes(const ExplainQuestion& question) {
  const RandomGiven& random = question.random;
  const std::pair<std::string_view, bool> given[] = {{"source", !question.source.empty()},
                                                     {"random", !random.random.empty()},
                                                     {"random_source", !random.source.empty()},
                                                     {"rbits", !random.rbits.empty()},
                                                     {"seed", random.seed.has_value()}};
  const bool has_codes = !question.scale.empty();
  if (!has_codes && !question.result.empty()) {
    throw Refusal(filled("{}: goes with {}", spelled(question.spelling, "result"),
                         spelled(question.spelling, "scale")));
  }
  for (const auto& [name, is_given] : given) {
    if (!has_codes || !is_given) continue;
    throw Refusal(
        filled("{}: says nothing of codes under a scale", spelled(question.spelling, name)));
  }
}

}  // namespace

Answer explain(const ExplainQuestion& question, FormatCatalog& catalog) {
  require_policies(question.settings);
  refuse_arguments_of_codes(question);
  const Asked asked(question, catalog);
  return question.scale.empty() ? asked.way_there() : asked.way_back();
}

}  // namespace mx::golden
