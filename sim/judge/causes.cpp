#include "sim/judge/causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "golden/config_word/table.hpp"
#include "reference/policy/fields.hpp"
#include "sim/block/faulty_model.hpp"

namespace mx::sim {
namespace {

/// How an answer is tried against a hypothesis.
using Explains = std::function<bool(const Mismatch&)>;

/// Hypotheses that explain something and contradict no right answer.
class Hypotheses {
 public:
  Hypotheses(std::span<const Mismatch> wrong, std::span<const Mismatch> right)
      : wrong_(wrong), right_(right) {}

  void add(Hypothesis::Kind kind, std::string text, const Explains& explains) {
    Hypothesis hypothesis{kind, std::move(text), std::vector<bool>(wrong_.size())};
    std::vector<bool>& explained = hypothesis.explained;
    for (std::size_t i = 0; i < wrong_.size(); ++i) explained[i] = explains(wrong_[i]);
    if (std::ranges::find(explained, true) == explained.end()) return;
    if (!std::ranges::all_of(right_, explains)) return;
    list_.push_back(std::move(hypothesis));
  }
  [[nodiscard]] const std::vector<Hypothesis>& list() const { return list_; }

 private:
  std::span<const Mismatch> wrong_, right_;
  std::vector<Hypothesis> list_;
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
                  Hypotheses& list) {
  for (const PolicyField& field : policy_fields()) {
    std::set<std::string> present;
    for (const Mismatch& m : wrong) {
      const QuantizerConfig& config = config_at(configs, m.block.config);
      present.insert(field.read({config.element, config.block}));
    }
    for (const std::string& from : present) {
      for (const std::string_view to : field.values()) {
        if (to == from) continue;
        PolicyModel model(field, from, to, configs);
        list.add(Hypothesis::Kind::kPolicy, policy_cause(field.name, from, to),
                 [&](const Mismatch& m) { return model.explains(m); });
      }
    }
  }
}

void add_defects(const Configurations& configs, Hypotheses& list) {
  for (const Fault& fault : all_faults()) {
    if (fault.port != PortFault::kNone) continue;
    FaultyModel model(fault, configs);
    const std::string text = fmt::format("broken: {}; as {} does", fault.breaks, fault.token);
    list.add(Hypothesis::Kind::kDefect, text, [&](const Mismatch& m) {
      BlockOut answer;
      model.answer(m.block, m.previous ? &*m.previous : nullptr, answer);
      if (is_given(m, answer)) return true;
      // A reset may have come between.
      model.answer(m.block, nullptr, answer);
      return is_given(m, answer);
    });
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
std::vector<std::string> differences_of(const Mismatch& m, ReferenceModel& model) {
  const BlockOut& right = m.expected;
  const BlockOut given = m.open.observed.completed(m.actual, right);
  if (given.keep != right.keep || given.last != right.last)
    return {"keep or last is not the input's"};
  const std::uint32_t compared = compared_lanes(m.compare, m.open) & m.block.keep;
  std::vector<WrongCode> codes;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    if (given.codes[lane] == right.codes[lane] || (compared >> lane & 1) == 0) continue;
    codes.push_back({lane, right.codes[lane], given.codes[lane]});
  }
  if (given.scale() != right.scale() && !m.open.scale) {
    const std::string off = fmt::format("scale code off by {:+}", given.scale() - right.scale());
    if (given.scale() == 0xFF || right.scale() == 0xFF) {
      return {fmt::format("scale {:02X} for {:02X}", given.scale(), right.scale())};
    }
    BlockOut own = with_own_scale(m, model.quantizer(m.block.config));
    own.status = given.status;
    if (is_given(m, own)) return {off + "; codes agree with the device's own scale"};
    return {off + (codes.empty() ? "; codes are those of the right scale"
                                 : "; codes agree with neither")};
  }
  if (!codes.empty()) return code_differences(codes, 2);
  return {"only status bits: " +
          status_difference(static_cast<std::uint16_t>(right.status & ~given.status),
                            static_cast<std::uint16_t>(given.status & ~right.status))};
}

}  // namespace

std::vector<Cause> causes_of(std::span<const Mismatch> wrong, std::span<const Mismatch> right,
                             const Configurations& configs) {
  Hypotheses list(wrong, right);
  add_policies(wrong, configs, list);
  add_defects(configs, list);
  std::vector<Hypothesis> all = list.list();
  ReferenceModel model(configs);
  std::vector<std::uint64_t> numbers;
  std::vector<std::vector<std::string>> words;
  for (const Mismatch& m : wrong) {
    numbers.push_back(m.index);
    words.push_back(differences_of(m, model));
  }
  add_differences(words, all);
  return fewest_causes(all, numbers);
}

}  // namespace mx::sim
