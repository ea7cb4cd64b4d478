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
#include "sim/judge/block_record.hpp"
#include "sim/judge/cause_waivers.hpp"

namespace mx::sim {
namespace {

/// How an answer is tried against a hypothesis.
using Explains = std::function<bool(const Mismatch&)>;

/// Hypotheses that explain something and contradict no right answer.
class Hypotheses {
 public:
  Hypotheses(std::span<const Mismatch> wrong, std::span<const Mismatch> right)
      : wrong_(wrong), right_(right) {}

  void add(Hypothesis::Kind kind, std::string text, const Explains& explains,
           std::vector<golden::Change> as = {}) {
    Hypothesis hypothesis{kind, std::move(text), std::vector<bool>(wrong_.size()), std::move(as)};
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

/// One policy set otherwise, in configurations that have its first value.
struct PolicyChange {
  const PolicyField* field = nullptr;
  std::string from;
  std::string_view to;
};

golden::Change named(const PolicyChange& change) {
  return {std::string(change.field->name), change.from, std::string(change.to)};
}

/// The answers under some policies set otherwise.
class PolicyModel {
 public:
  PolicyModel(std::vector<const PolicyChange*> changes, const Configurations& configs)
      : changes_(std::move(changes)), configs_(&configs) {}

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
  /// Nothing where the configuration has other values, or cannot have the new ones.
  const std::optional<Quantizer>& of(std::uint32_t config) {
    const auto [entry, is_new] = quantizers_.try_emplace(config);
    if (!is_new) return entry->second;
    QuantizerConfig other = config_at(*configs_, config);
    Policies policies{other.element, other.block};
    bool is_changed = false;
    for (const PolicyChange* each : changes_) {
      const bool has = each->field->read(policies) == each->from;
      is_changed = (has && each->field->write(policies, each->to)) || is_changed;
    }
    if (!is_changed) return entry->second;
    other.element = policies.element;
    other.block = policies.block;
    if (Checked<Quantizer> made = Quantizer::make(other)) entry->second = std::move(made).value();
    return entry->second;
  }

  std::vector<const PolicyChange*> changes_;
  const Configurations* configs_;
  std::map<std::uint32_t, std::optional<Quantizer>> quantizers_;
};

/// Every value of every policy that a configuration with a wrong answer does not have.
std::vector<PolicyChange> policy_changes(std::span<const Mismatch> wrong,
                                         const Configurations& configs) {
  std::vector<PolicyChange> changes;
  for (const PolicyField& field : policy_fields()) {
    std::set<std::string> present;
    for (const Mismatch& m : wrong) {
      const QuantizerConfig& config = config_at(configs, m.block.config);
      present.insert(field.read({config.element, config.block}));
    }
    for (const std::string& from : present) {
      for (const std::string_view to : field.values()) {
        if (to != from) changes.push_back({&field, from, to});
      }
    }
  }
  return changes;
}

void add_policies(const std::vector<PolicyChange>& changes, const Configurations& configs,
                  Hypotheses& list) {
  for (const PolicyChange& each : changes) {
    PolicyModel model({&each}, configs);
    list.add(Hypothesis::Kind::kPolicy, policy_cause(each.field->name, each.from, each.to),
             [&](const Mismatch& m) { return model.explains(m); }, {named(each)});
  }
}

/// Two policies at once, for wrong blocks that nothing else explains. What explains fewer than half
/// of all wrong blocks, or fewer than three that nothing else does, may be chance.
class PairSearch {
 public:
  PairSearch(std::span<const Mismatch> wrong, std::span<const Mismatch> right,
             const Configurations& configs)
      : wrong_(wrong), right_(right), configs_(configs) {}

  void add_to(const std::vector<PolicyChange>& changes, std::vector<Hypothesis>& list) {
    for (std::size_t i = 0; i < wrong_.size(); ++i) {
      const auto explains = [&](const Hypothesis& each) { return each.explained[i]; };
      if (std::ranges::none_of(list, explains)) left_.push_back(i);
    }
    if (left_.size() < kFewest || changes.size() > kMostChanges) return;
    std::vector<Hypothesis> pairs;
    for (std::size_t a = 0; a < changes.size(); ++a) {
      for (std::size_t b = a + 1; b < changes.size(); ++b) {
        if (changes[a].field != changes[b].field) add_pair(changes[a], changes[b], pairs);
      }
    }
    list.insert(list.end(), pairs.begin(), pairs.end());
  }

 private:
  void add_pair(const PolicyChange& a, const PolicyChange& b, std::vector<Hypothesis>& pairs) {
    PolicyModel model({&a, &b}, configs_);
    const auto explains = [&](const Mismatch& m) { return model.explains(m); };
    bool has_probe = false;
    for (std::size_t i = 0; i < kProbes && !has_probe; ++i) {
      const Mismatch& probe = wrong_[left_[i * left_.size() / kProbes]];
      // Where one of the two changes nothing the other one alone was tried before.
      has_probe = applies(a, probe) && applies(b, probe) && explains(probe);
    }
    if (!has_probe) return;
    Hypothesis hypothesis{
        Hypothesis::Kind::kPolicy,
        fmt::format("as with {} and {}", policy_change(a.field->name, a.from, a.to),
                    policy_change(b.field->name, b.from, b.to)),
        {},
        {named(a), named(b)}};
    for (const Mismatch& m : wrong_) hypothesis.explained.push_back(explains(m));
    const auto count = std::ranges::count(hypothesis.explained, true);
    const auto is_new = [&](std::size_t at) { return bool{hypothesis.explained[at]}; };
    if (2 * count < std::ssize(wrong_) ||
        std::ranges::count_if(left_, is_new) < static_cast<std::ptrdiff_t>(kFewest)) {
      return;
    }
    if (std::ranges::all_of(right_, explains)) pairs.push_back(std::move(hypothesis));
  }

  /// Has the answer's configuration the value that is changed?
  [[nodiscard]] bool applies(const PolicyChange& change, const Mismatch& m) const {
    const QuantizerConfig& config = config_at(configs_, m.block.config);
    return change.field->read({config.element, config.block}) == change.from;
  }

  static constexpr std::size_t kFewest = 3;
  static constexpr std::size_t kProbes = 3;
  /// Of runs of many configurations; every pair makes a quantizer for some of them.
  static constexpr std::size_t kMostChanges = 400;

  std::span<const Mismatch> wrong_, right_;
  const Configurations& configs_;
  std::vector<std::size_t> left_;
};

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
  std::string text, numbers;
  const auto add = [&](std::uint16_t bits, std::string_view how) {
    for (const golden::StatusBit& bit : golden::kStatusBits) {
      if ((bits >> bit.bit & 1) == 0) continue;
      const char* const comma = text.empty() ? "" : ", ";
      text += fmt::format("{}{} {}", comma, bit.name, how);
      numbers += fmt::format("{}{}", comma, bit.bit);
    }
  };
  add(missing, "missing");
  add(extra, "set");
  return text +
         (text.find(',') == std::string::npos ? "; broken: status bit "
                                              : "; broken: status bits ") +
         numbers + " (spec R6)";
}

/// What the difference is, in words that others may have in common.
std::vector<std::string> differences_of(const Mismatch& m, ReferenceModel& model) {
  const BlockOut& right = m.expected;
  const BlockOut given = m.open.observed.completed(m.actual, right);
  if (given.keep != right.keep || given.last != right.last)
    return {"keep or last is not the input's; broken: they pass through (spec R6)"};
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
  if (given.status == right.status) {
    return {"only codes of lanes that are not kept; broken: they leave as code 0 (spec R6)"};
  }
  return {"only status bits: " +
          status_difference(static_cast<std::uint16_t>(right.status & ~given.status),
                            static_cast<std::uint16_t>(given.status & ~right.status))};
}

/// Blocks as records that stay.
class Records {
 public:
  Records(const golden::VectorHeader& header, std::span<const Mismatch> blocks) : blocks_(blocks) {
    BlockRecords records(header);
    for (const Mismatch& m : blocks) records_.push_back(records.of(m));
  }
  [[nodiscard]] std::vector<golden::AnswerAt> answers() const {
    std::vector<golden::AnswerAt> answers;
    for (std::size_t i = 0; i < records_.size(); ++i) {
      const BlockRecord& record = records_[i];
      answers.push_back({record.expected, record.actual, 0, record.open, blocks_[i].index});
    }
    return answers;
  }

 private:
  std::span<const Mismatch> blocks_;
  std::vector<BlockRecord> records_;
};

}  // namespace

std::vector<Cause> causes_of(std::span<const Mismatch> wrong, std::span<const Mismatch> right,
                             const Configurations& configs) {
  Hypotheses list(wrong, right);
  const std::vector<PolicyChange> changes = policy_changes(wrong, configs);
  add_policies(changes, configs, list);
  add_defects(configs, list);
  std::vector<Hypothesis> all = list.list();
  PairSearch(wrong, right, configs).add_to(changes, all);
  ReferenceModel model(configs);
  std::vector<std::uint64_t> numbers;
  std::vector<std::vector<std::string>> words;
  for (const Mismatch& m : wrong) {
    numbers.push_back(m.index);
    words.push_back(differences_of(m, model));
  }
  add_differences(words, all);
  std::vector<Cause> causes = fewest_causes(all, numbers);
  const golden::VectorHeader header = block_header(configs);
  const Records wrong_records(header, wrong), right_records(header, right);
  add_cause_waivers(header, wrong_records.answers(), right_records.answers(), causes);
  return causes;
}

}  // namespace mx::sim
