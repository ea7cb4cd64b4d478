#include "sim/judge/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "golden/bytes/number_text.hpp"
#include "golden/config_word/table.hpp"
#include "reference/policy/fields.hpp"
#include "sim/block/faulty_model.hpp"

namespace mx::sim {
namespace {

/// What might make a wrong answer. Of two that explain as much the earlier kind is named.
struct Hypothesis {
  std::string text;
  bool is_exact = false;  ///< says what every answer would be
  /// Does it give just this answer?
  std::function<bool(const Mismatch&)> explains;
};

bool is_given(const Mismatch& m, const BlockOut& answer) {
  return agrees(m.compare, answer, m.open, m.actual);
}

/// The answers under one policy set otherwise, in configurations that have its first value.
class PolicyModel {
 public:
  PolicyModel(const PolicyField& field, std::string from, std::string_view to,
              const Configurations& configs)
      : field_(&field), from_(std::move(from)), to_(to), configs_(&configs) {}

  bool explains(const Mismatch& m) {
    const std::optional<Quantizer>& quantizer = of(m.block.config);
    if (!quantizer) return is_given(m, m.expected);
    std::array<std::uint64_t, kLanes> source;
    std::array<std::uint64_t, kLanes> codes;
    source_codes(m.block, quantizer->config().source, source);
    BlockOut answer;
    make_answer(m.block, quantizer->quantize_block(source, m.block.random, codes), codes, answer);
    return is_given(m, answer);
  }

 private:
  /// Nothing where the configuration has another value, or cannot have the new one.
  const std::optional<Quantizer>& of(std::uint32_t config) {
    const auto [entry, is_new] = quantizers_.try_emplace(config);
    if (!is_new) return entry->second;
    QuantizerConfig other = config_at(*configs_, config);
    Policies policies{other.element, other.block};
    if (field_->read(policies) != from_ || !field_->write(policies, to_)) return entry->second;
    other.element = policies.element;
    other.block = policies.block;
    if (Checked<Quantizer> made = Quantizer::make(other)) entry->second = std::move(made).value();
    return entry->second;
  }

  const PolicyField* field_;
  std::string from_, to_;
  const Configurations* configs_;
  std::map<std::uint32_t, std::optional<Quantizer>> quantizers_;
};

void add_policies(std::span<const Mismatch> wrong, const Configurations& configs,
                  std::vector<Hypothesis>& list) {
  for (const PolicyField& field : policy_fields()) {
    std::set<std::string> present;
    for (const Mismatch& m : wrong) {
      const QuantizerConfig& config = config_at(configs, m.block.config);
      present.insert(field.read({config.element, config.block}));
    }
    for (const std::string& from : present) {
      for (const std::string_view to : field.values()) {
        if (to == from) continue;
        const auto model = std::make_shared<PolicyModel>(field, from, to, configs);
        list.push_back({fmt::format("as with {} {} for {} (spec F15)", field.name, to, from), true,
                        [model](const Mismatch& m) { return model->explains(m); }});
      }
    }
  }
}

void add_defects(const Configurations& configs, std::vector<Hypothesis>& list) {
  for (const Fault& fault : all_faults()) {
    if (fault.port != PortFault::kNone) continue;
    const auto model = std::make_shared<FaultyModel>(fault, configs);
    list.push_back({fmt::format("broken: {}; as {} does", fault.breaks, fault.token), true,
                    [model](const Mismatch& m) {
                      BlockOut answer;
                      model->answer(m.block, m.previous ? &*m.previous : nullptr, answer);
                      if (is_given(m, answer)) return true;
                      // A reset may have come between.
                      model->answer(m.block, nullptr, answer);
                      return is_given(m, answer);
                    }});
  }
}

/// The answer with the codes that belong to the device's own scale.
BlockOut with_own_scale(const Mismatch& m, const Quantizer& quantizer) {
  BlockOut answer = m.expected;
  std::array<std::uint64_t, kLanes> source;
  source_codes(m.block, quantizer.config().source, source);
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if ((m.block.keep >> lane & 1) == 0) continue;
    Trace trace;
    answer.codes[lane] = static_cast<std::uint8_t>(
        quantizer.explain_element(source[lane], m.actual.scale(), m.block.random[lane], trace)
            .code);
  }
  answer.status = static_cast<std::uint16_t>((m.expected.status & 0xFF00) | m.actual.scale());
  return answer;
}

std::string status_difference(std::uint16_t missing, std::uint16_t extra) {
  std::string text;
  const auto add = [&](std::uint16_t bits, std::string_view how) {
    for (const golden::StatusBit& bit : golden::kStatusBits) {
      if ((bits >> bit.bit & 1) == 0) continue;
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", bit.name, how);
    }
  };
  add(missing, "missing");
  add(extra, "set");
  return text;
}

/// What the difference is, in words that others may have in common.
std::string difference_of(const Mismatch& m, ReferenceModel& model) {
  const BlockOut& right = m.expected;
  const BlockOut& given = m.actual;
  if (given.keep != right.keep || given.last != right.last)
    return "keep or last is not the input's";
  const std::uint32_t compared = compared_lanes(m.compare, m.open) & m.block.keep;
  std::uint32_t lanes = 0;
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    if (given.codes[lane] != right.codes[lane]) lanes |= 1U << lane;
  }
  lanes &= compared;
  if (given.scale() != right.scale() && !m.open.scale) {
    const std::string off = fmt::format("scale code off by {:+}", given.scale() - right.scale());
    if (given.scale() == 0xFF || right.scale() == 0xFF) {
      return fmt::format("scale {:02X} for {:02X}", given.scale(), right.scale());
    }
    BlockOut own = with_own_scale(m, model.quantizer(m.block.config));
    own.status = given.status;
    if (is_given(m, own)) return off + "; codes agree with the device's own scale";
    return off +
           (lanes == 0 ? "; codes are those of the right scale" : "; codes agree with neither");
  }
  if (lanes == 0) {
    return "only status bits: " +
           status_difference(static_cast<std::uint16_t>(right.status & ~given.status),
                             static_cast<std::uint16_t>(given.status & ~right.status));
  }
  if (std::has_single_bit(lanes)) {
    return fmt::format("only the code of lane {}", std::countr_zero(lanes));
  }
  return {};
}

void add_differences(std::span<const Mismatch> wrong, const Configurations& configs,
                     std::vector<Hypothesis>& list) {
  const auto model = std::make_shared<ReferenceModel>(configs);
  std::set<std::string> present;
  for (const Mismatch& m : wrong) present.insert(difference_of(m, *model));
  present.erase("");
  for (const std::string& text : present) {
    list.push_back({text, false,
                    [model, text](const Mismatch& m) { return difference_of(m, *model) == text; }});
  }
}

/// Which of the wrong blocks a hypothesis explains; none where it contradicts a right one.
std::vector<bool> explained_by(const Hypothesis& hypothesis, std::span<const Mismatch> wrong,
                               std::span<const Mismatch> right) {
  std::vector<bool> explained(wrong.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    explained[i] = hypothesis.explains(wrong[i]);
    count += explained[i] ? 1U : 0U;
  }
  if (count == 0 || !hypothesis.is_exact) return explained;
  const bool fits = std::ranges::all_of(right, hypothesis.explains);
  return fits ? explained : std::vector<bool>(wrong.size());
}

std::size_t count_both(const std::vector<bool>& a, const std::vector<bool>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] && b[i] ? 1U : 0U;
  return count;
}

}  // namespace

std::vector<Cause> causes_of(std::span<const Mismatch> wrong, std::span<const Mismatch> right,
                             const Configurations& configs) {
  std::vector<Hypothesis> list;
  add_policies(wrong, configs, list);
  const std::size_t policies = list.size();
  add_defects(configs, list);
  add_differences(wrong, configs, list);
  std::vector<std::vector<bool>> explained;
  for (const Hypothesis& each : list) explained.push_back(explained_by(each, wrong, right));
  std::vector<bool> left(wrong.size(), true);
  std::vector<Cause> causes;
  const auto take = [&](std::string text, const std::vector<bool>& blocks) {
    Cause cause{std::move(text), 0, 0};
    for (std::size_t i = 0; i < wrong.size(); ++i) {
      if (!left[i] || !blocks[i]) continue;
      if (cause.blocks++ == 0) cause.first = wrong[i].index;
      left[i] = false;
    }
    if (cause.blocks != 0) causes.push_back(std::move(cause));
  };
  while (true) {
    std::size_t best = 0, most = 0;
    for (std::size_t h = 0; h < list.size(); ++h) {
      const std::size_t count = count_both(explained[h], left);
      if (count > most) {
        best = h;
        most = count;
      }
    }
    if (most == 0) break;
    std::string text = list[best].text;
    if (best < policies) {
      // The clause, where a defect of the museum is the same here.
      const auto same = std::ranges::find(explained.begin() + static_cast<std::ptrdiff_t>(policies),
                                          explained.end(), explained[best]);
      const auto defect = static_cast<std::size_t>(same - explained.begin());
      if (same != explained.end() && list[defect].is_exact) text += "; " + list[defect].text;
    }
    take(std::move(text), explained[best]);
  }
  take("no cause known", std::vector<bool>(wrong.size(), true));
  return causes;
}

std::string causes_text(std::span<const Cause> causes, std::uint64_t wrong) {
  if (causes.empty()) return {};
  std::uint64_t seen = 0;
  for (const Cause& cause : causes) seen += cause.blocks;
  std::string text =
      seen == wrong ? fmt::format("causes of the {} wrong blocks:\n", golden::with_commas(wrong))
                    : fmt::format("causes of {} of the {} wrong blocks:\n",
                                  golden::with_commas(seen), golden::with_commas(wrong));
  for (const Cause& cause : causes) {
    text += fmt::format("  {:>7} from block {} on: {}\n", golden::with_commas(cause.blocks),
                        cause.first, cause.text);
  }
  return text;
}

}  // namespace mx::sim
