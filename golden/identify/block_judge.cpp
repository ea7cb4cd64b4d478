// Blocks: what a subject answers is found step by step as Quantizer does (scan, scale, elements),
// each step once a record for all subjects whose settings it reads alike.
#include <algorithm>
#include <optional>
#include <utility>

#include "golden/compare/block_answers.hpp"
#include "golden/identify/record_judge.hpp"
#include "reference/block/block_elements.hpp"
#include "reference/block/scale.hpp"

namespace mx::golden {
namespace {

bool same_formats(const QuantizerConfig& a, const QuantizerConfig& b) {
  return a.format == b.format && a.source == b.source && a.tensor == b.tensor;
}

/// Does the scan of a block read the same settings of two configurations?
bool scans_alike(const QuantizerConfig& a, const QuantizerConfig& b) {
  const auto finite_only = [](const QuantizerConfig& c) {
    return facts_of(c.block.rule).takes_every_block;
  };
  return a.source == b.source && a.element.staging == b.element.staging &&
         a.element.src_ftz == b.element.src_ftz && a.block.amax_over == b.block.amax_over &&
         finite_only(a) == finite_only(b);
}

/// Does the choice of a scale? It looks at elements only where the scan does not suffice.
bool scales_alike(const QuantizerConfig& a, const QuantizerConfig& b) {
  const auto read = [](const QuantizerConfig& c) {
    if (!scale_needs_only_scan(c)) return c.element;
    ElementPolicy policy;
    policy.staging = c.element.staging;
    policy.src_ftz = c.element.src_ftz;
    policy.e8m0_quirk = c.element.e8m0_quirk;
    return policy;
  };
  const auto block = [](const QuantizerConfig& c) {
    BlockPolicy policy = c.block;
    policy.nan_scale_codes = {};
    policy.dequant_overflow = {};
    if (scale_needs_only_scan(c)) policy.elem_scaling = {};
    return policy;
  };
  return a.block.rule == b.block.rule && block(a) == block(b) && read(a) == read(b) &&
         same_formats(a, b);
}

/// Are infinite elements numbers, which the codes then show?
InfBlock infinite_elements(const QuantizerConfig& c) {
  const bool are_numbers =
      c.block.inf_block == InfBlock::kAsTwoTo128 && c.block.amax_over != AmaxOver::kFiniteOnly;
  return are_numbers ? InfBlock::kAsTwoTo128 : InfBlock::kScaleNan;
}

/// Do the codes, what is open of them and their values, under an equal scale? What becomes of codes
/// under a NaN scale is asked apart; how values overflow matters where values are compared. Some
/// real-valued rules bring elements to the scale by their own settings.
bool encodes_alike(const QuantizerConfig& a, const QuantizerConfig& b) {
  const auto block = [](const QuantizerConfig& c) {
    BlockPolicy policy = c.block;
    if (is_power_rule(c.block.rule)) {
      policy = {.rule = c.block.rule,
                .inf_block = infinite_elements(c),
                .elem_scaling = c.block.elem_scaling};
    }
    policy.nan_scale_codes = {};
    policy.dequant_overflow = {};
    return policy;
  };
  return a.element == b.element && block(a) == block(b) && same_formats(a, b);
}
bool decodes_alike(const QuantizerConfig& a, const QuantizerConfig& b) {
  return encodes_alike(a, b) && a.block.dequant_overflow == b.block.dequant_overflow;
}

class BlockJudges final : public RecordJudges {
 public:
  BlockJudges(const ImplementationLog& log, std::span<const Subject> subjects)
      : outputs(log.outputs), reader(reader_of(log.surface)) {
    const bool has_codes = outputs == LogOutputs::kCodes;
    for (const Subject& each : subjects) {
      const QuantizerConfig& config = each.block.config;
      (void)Quantizer::make(config).value();  // refuses what is no configuration
      scans.add(config, scans_alike);
      scales.add(config, scales_alike);
      encodings.add(config,
                    has_codes && same_codes(config, reader) ? encodes_alike : decodes_alike);
      masks.push_back(each.block.masks);
      nan_codes.push_back(config.block.nan_scale_codes);
    }
    for (const QuantizerConfig& config : encodings.values) {
      by_code.push_back(has_codes && same_codes(config, reader));
    }
  }
  [[nodiscard]] std::unique_ptr<RecordJudge> make() const override;

  LogOutputs outputs;
  QuantizerConfig reader;
  Groups<QuantizerConfig> scans;
  Groups<QuantizerConfig> scales;
  Groups<QuantizerConfig> encodings;
  std::vector<bool> by_code;  ///< of an encoding: its codes are the log's
  std::vector<Masks> masks;
  std::vector<NanScaleCodes> nan_codes;
};

/// Something computed for one record.
template <typename T>
struct Kept {
  std::uint64_t stamp = 0;
  T value = {};
};

/// The answer of an encoding under one scale, as far as it was asked for, and what the record says
/// of it under each mask.
struct Answer {
  BlockScale scale;
  NanScaleCodes nan_codes = {};  ///< read under a NaN scale only
  BlockElements lanes;
  std::vector<std::uint64_t> codes;
  std::size_t encoded = 0;  ///< codes that are known
  std::vector<std::pair<Masks, RecordMatch>> verdicts;
};

/// The answers of an encoding to one record; those after `count` are of earlier ones.
struct Answers {
  std::vector<Answer> list;
  std::size_t count = 0;
};

bool same_scale(const BlockScale& a, const BlockScale& b) {
  return a.code == b.code && a.flags == b.flags && a.is_nan == b.is_nan && a.flushed == b.flushed &&
         a.scan.amax == b.scan.amax;
}

class BlockJudge final : public RecordJudge {
 public:
  explicit BlockJudge(const BlockJudges& of)
      : of_(of),
        scans_(of.scans.values.size()),
        scales_(of.scales.values.size()),
        answers_(of.encodings.values.size()) {}

  void take(const LogRecord& record) override {
    record_ = &record;
    ++stamp_;
    has_decoded_ = false;
    const BlockInput& input = record.input;
    random_ = input.random;
    const std::uint32_t shared = input.random.empty() ? 0 : input.random.front();
    if (random_.size() != input.lanes.size()) random_.assign(input.lanes.size(), shared);
  }

  RecordMatch judge(std::size_t subject) override {
    const BlockScale& scale = scale_of(subject);
    Answer& answer = answer_of(subject, scale);
    const Masks masks = of_.masks[subject];
    for (const auto& [known, verdict] : answer.verdicts) {
      if (known == masks) return verdict;
    }
    return answer.verdicts.emplace_back(masks, weigh(subject, answer)).second;
  }

 private:
  /// A configuration at the tensor level of the record. `storage` holds one that is not the given.
  const QuantizerConfig& leveled(const QuantizerConfig& config,
                                 std::optional<QuantizerConfig>& storage) const {
    if (record_->input.tensor_amax == 0) return config;
    return storage.emplace(at_level(config, record_->input));
  }

  const BlockScale& scale_of(std::size_t subject) {
    const std::size_t group = of_.scales.of[subject];
    Kept<BlockScale>& kept = scales_[group];
    if (kept.stamp == stamp_) return kept.value;
    std::optional<QuantizerConfig> storage;
    const QuantizerConfig& config = leveled(of_.scales.values[group], storage);
    const std::vector<std::uint64_t>& lanes = record_->input.lanes;
    kept.stamp = stamp_;
    kept.value = scale_needs_only_scan(config)
                     ? scale_of_scan(config, scan_of(subject), lanes.size(),
                                     random_.empty() ? 0 : random_.front())
                     : scale_block(config, lanes, random_);
    return kept.value;
  }

  const BlockScan& scan_of(std::size_t subject) {
    const std::size_t group = of_.scans.of[subject];
    Kept<BlockScan>& kept = scans_[group];
    if (kept.stamp != stamp_) {
      kept = {stamp_, scan_block(of_.scans.values[group], record_->input.lanes)};
    }
    return kept.value;
  }

  Answer& answer_of(std::size_t subject, const BlockScale& scale) {
    const std::size_t group = of_.encodings.of[subject];
    Kept<Answers>& kept = answers_[group];
    if (kept.stamp != stamp_) {
      kept.stamp = stamp_;
      kept.value.count = 0;
    }
    Answers& answers = kept.value;
    const auto end = answers.list.begin() + static_cast<std::ptrdiff_t>(answers.count);
    const NanScaleCodes nan_codes = of_.nan_codes[subject];
    const auto known = std::find_if(answers.list.begin(), end, [&](const Answer& each) {
      return same_scale(each.scale, scale) && (!scale.is_nan || each.nan_codes == nan_codes);
    });
    if (known != end) return *known;
    if (answers.count == answers.list.size()) answers.list.emplace_back();
    Answer& answer = answers.list[answers.count++];
    fill(group, scale, nan_codes, answer);
    return answer;
  }

  void fill(std::size_t group, const BlockScale& scale, NanScaleCodes nan_codes, Answer& answer) {
    std::optional<QuantizerConfig> storage;
    const QuantizerConfig& config = leveled(of_.encodings.values[group], storage);
    answer.scale = scale;
    answer.nan_codes = nan_codes;
    if (scale.is_nan) {
      QuantizerConfig asked = config;
      asked.block.nan_scale_codes = nan_codes;
      answer.lanes = lanes_under(asked, scale);
    } else {
      answer.lanes = lanes_under(config, scale);
    }
    answer.codes.resize(record_->input.lanes.size());
    answer.encoded = 0;
    answer.verdicts.clear();
  }

  std::uint64_t code_of(std::size_t group, Answer& answer, std::size_t i) {
    if (answer.encoded <= i) encode_to(i, group, answer);
    return answer.codes[i];
  }

  /// Makes the codes up to lane i known, and some more: most contradictions show in the first.
  void encode_to(std::size_t i, std::size_t group, Answer& answer) {
    constexpr std::size_t kFirst = 4;
    std::optional<QuantizerConfig> storage;
    const QuantizerConfig& config = leveled(of_.encodings.values[group], storage);
    while (answer.encoded <= i) {
      const std::size_t first = answer.encoded;
      const std::size_t count = std::min(std::max(kFirst, 2 * first), answer.codes.size() - first);
      (void)encode_lanes(
          config, answer.lanes, first, std::span(record_->input.lanes).subspan(first, count),
          std::span(random_).subspan(first, count), std::span(answer.codes).subspan(first, count));
      answer.encoded += count;
    }
  }

  /// The values of all its codes.
  std::vector<std::uint64_t> values_of(std::size_t group, Answer& answer) {
    (void)code_of(group, answer, answer.codes.size() - 1);
    return decoded_values(of_.encodings.values[group], record_->input,
                          answer.lanes.block.scale_code, answer.codes);
  }

  /// The outputs of the record as values.
  const std::vector<std::uint64_t>& seen_values() {
    if (of_.outputs == LogOutputs::kValues) return record_->answer.codes;
    if (!has_decoded_) {
      has_decoded_ = true;
      decoded_ =
          decoded_values(of_.reader, record_->input, record_->answer.scale, record_->answer.codes);
    }
    return decoded_;
  }

  RecordMatch weigh(std::size_t subject, Answer& answer) {
    const std::size_t group = of_.encodings.of[subject];
    const OpenParts open = open_of(group, of_.masks[subject], answer.lanes.block);
    return of_.by_code[group] ? weigh_codes(group, answer, open)
                              : weigh_values(group, answer, open);
  }

  /// open_parts(); without elements where all of them are closed.
  [[nodiscard]] OpenParts open_of(std::size_t group, Masks masks, const BlockResult& result) const {
    std::optional<QuantizerConfig> storage;
    const QuantizerConfig& config = leveled(of_.encodings.values[group], storage);
    const std::vector<std::uint64_t>& lanes = record_->input.lanes;
    const MaskedBlock masked = masked_block(masks, config, lanes, result);
    OpenParts open{.scale = masked.scale,
                   .elements = {},
                   .is_under_nan = (result.flags & kBlockCodesMasked) != 0 && !masked.scale};
    if (!masked.codes && masked.lanes == 0) return open;
    open.elements.resize(lanes.size());
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      open.elements[i] = is_lane_masked(masked, config, lanes[i], i);
    }
    return open;
  }

  RecordMatch weigh_codes(std::size_t group, Answer& answer, const OpenParts& open) {
    RecordMatch verdict{.left_open = open.by_profile()};
    const LogRecord& record = *record_;
    if (verdict.counts.add(record.has_scale, open.scale)) {
      verdict.agrees = answer.lanes.block.scale_code == record.answer.scale;
    }
    const std::size_t count = answer.codes.size();
    if (record.unknown.empty() && open.elements.empty()) {
      verdict.counts.compared += count;
      for (std::size_t i = 0; i < count && verdict.agrees; ++i) {
        verdict.agrees = code_of(group, answer, i) == record.answer.codes[i];
      }
      return verdict;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_compared =
          verdict.counts.add(is_known(record, i), open.is_open(i), open.is_under_nan);
      if (!is_compared || !verdict.agrees) continue;
      verdict.agrees = code_of(group, answer, i) == record.answer.codes[i];
    }
    return verdict;
  }

  /// Values of a scale that is left open mean nothing, and scales of other codes are not compared.
  RecordMatch weigh_values(std::size_t group, Answer& answer, const OpenParts& open) {
    RecordMatch verdict{.left_open = true};
    const bool has_values = of_.outputs == LogOutputs::kValues;
    if (!has_values) (void)verdict.counts.add(record_->has_scale, true);
    const std::vector<std::uint64_t> expected = values_of(group, answer);
    const std::vector<std::uint64_t>& seen = seen_values();
    const ElementFormat& element = of_.encodings.values[group].format.element;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool known = (has_values || record_->has_scale) && is_known(*record_, i);
      if (!verdict.counts.add(known, open.scale || open.is_open(i), open.is_under_nan)) continue;
      verdict.agrees = verdict.agrees && same_value(element, expected[i], seen[i]);
    }
    return verdict;
  }

  const BlockJudges& of_;
  std::vector<Kept<BlockScan>> scans_;
  std::vector<Kept<BlockScale>> scales_;
  std::vector<Kept<Answers>> answers_;
  std::vector<std::uint32_t> random_;
  std::vector<std::uint64_t> decoded_;
  const LogRecord* record_ = nullptr;
  bool has_decoded_ = false;
  std::uint64_t stamp_ = 0;
};

std::unique_ptr<RecordJudge> BlockJudges::make() const {
  return std::make_unique<BlockJudge>(*this);
}

}  // namespace

std::unique_ptr<RecordJudges> block_judges(const ImplementationLog& log,
                                           std::span<const Subject> subjects) {
  return std::make_unique<BlockJudges>(log, subjects);
}

}  // namespace mx::golden
