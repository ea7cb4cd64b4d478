// Blocks: what a subject answers is found step by step as Quantizer does (scan, scale, elements),
// each step once a record for all subjects whose settings it reads alike.
#include <algorithm>
#include <utility>

#include "golden/compare/block_answers.hpp"
#include "golden/identify/record_judge.hpp"
#include "reference/block/lanes.hpp"
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

/// Do the codes, what is open of them and their values, under an equal scale?
bool encodes_alike(const QuantizerConfig& a, const QuantizerConfig& b) {
  const BlockPolicy& x = a.block;
  const BlockPolicy& y = b.block;
  return a.element == b.element && x.rule == y.rule && x.elem_scaling == y.elem_scaling &&
         x.nan_scale_codes == y.nan_scale_codes && x.dequant_overflow == y.dequant_overflow &&
         same_formats(a, b);
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
      encodings.add(config, encodes_alike);
      masks.push_back(each.block.masks);
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
};

/// Something computed for one record.
template <typename T>
struct Kept {
  std::uint64_t stamp = 0;
  T value = {};
};

/// The answer of an encoding under one scale, and what the record says of it under each mask.
struct Answer {
  BlockScale scale;
  FullAnswer full;
  std::vector<std::uint64_t> shown;  ///< codes, or values where codes cannot be compared
  std::vector<std::pair<Masks, Verdict>> verdicts;
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
    seen_ = &record.answer.codes;
    has_decoded_ = false;
    const BlockInput& input = record.input;
    random_ = input.random;
    const std::uint32_t shared = input.random.empty() ? 0 : input.random.front();
    if (random_.size() != input.lanes.size()) random_.assign(input.lanes.size(), shared);
  }

  Verdict judge(std::size_t subject) override {
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
  const QuantizerConfig& leveled(const QuantizerConfig& config, QuantizerConfig& storage) const {
    if (record_->input.tensor_amax == 0) return config;
    return storage = at_level(config, record_->input);
  }

  const BlockScale& scale_of(std::size_t subject) {
    const std::size_t group = of_.scales.of[subject];
    Kept<BlockScale>& kept = scales_[group];
    if (kept.stamp == stamp_) return kept.value;
    QuantizerConfig storage;
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
    const auto known = std::find_if(answers.list.begin(), end, [&](const Answer& each) {
      return same_scale(each.scale, scale);
    });
    if (known != end) return *known;
    if (answers.count == answers.list.size()) answers.list.emplace_back();
    Answer& answer = answers.list[answers.count++];
    fill(group, scale, answer);
    return answer;
  }

  void fill(std::size_t group, const BlockScale& scale, Answer& answer) {
    QuantizerConfig storage;
    const QuantizerConfig& config = leveled(of_.encodings.values[group], storage);
    const BlockInput& input = record_->input;
    answer.scale = scale;
    answer.verdicts.clear();
    const BlockLanes lanes = lanes_under(config, scale);
    std::vector<std::uint64_t>& codes = answer.full.codes;
    codes.resize(input.lanes.size());
    answer.full.result = lanes.block;
    answer.full.result.flags |= encode_lanes(config, lanes, 0, input.lanes, random_, codes);
    answer.shown = of_.by_code[group]
                       ? codes
                       : decoded_values(config, input, answer.full.result.scale_code, codes);
  }

  /// The outputs of the record as they are compared with those of an encoding.
  const std::vector<std::uint64_t>& seen_by(std::size_t group) {
    if (of_.by_code[group] || of_.outputs == LogOutputs::kValues) return *seen_;
    if (!has_decoded_) {
      has_decoded_ = true;
      decoded_ = decoded_values(of_.reader, record_->input, record_->answer.scale, *seen_);
    }
    return decoded_;
  }

  Verdict weigh(std::size_t subject, const Answer& answer) {
    const std::size_t group = of_.encodings.of[subject];
    const BlockSubject asked{of_.encodings.values[group], of_.masks[subject]};
    OpenParts open = open_parts(asked, record_->input, answer.full.result);
    Verdict verdict;
    verdict.left_open = open.any();
    const bool by_code = of_.by_code[group];
    const bool has_values = of_.outputs == LogOutputs::kValues;
    const std::size_t count = record_->input.lanes.size();
    const bool reads_elements = by_code || has_values || record_->has_scale;
    // Values of a scale that is left open mean nothing, and scales of other codes are not compared.
    if (!by_code && open.scale) open.elements.assign(count, true);
    verdict.left_open = verdict.left_open || !by_code;
    if (!by_code) open.scale = true;
    if (!has_values && is_compared(verdict, record_->has_scale, open.scale)) {
      verdict.agrees = answer.full.result.scale_code == record_->answer.scale;
    }
    const std::vector<std::uint64_t>& seen = seen_by(group);
    const ElementFormat& element = asked.config.format.element;
    for (std::size_t i = 0; i < count; ++i) {
      const bool known = reads_elements && is_known(*record_, i);
      if (!is_compared(verdict, known, open.is_open(i)) || !verdict.agrees) continue;
      verdict.agrees =
          by_code ? answer.shown[i] == seen[i] : same_value(element, answer.shown[i], seen[i]);
    }
    return verdict;
  }

  /// Counts one answer. True: it is to be compared.
  static bool is_compared(Verdict& verdict, bool known, bool open) {
    AnswerCounts& counts = verdict.counts;
    ++(!known ? counts.unknown : open ? counts.open : counts.compared);
    return known && !open;
  }

  const BlockJudges& of_;
  std::vector<Kept<BlockScan>> scans_;
  std::vector<Kept<BlockScale>> scales_;
  std::vector<Kept<Answers>> answers_;
  std::vector<std::uint32_t> random_;
  std::vector<std::uint64_t> decoded_;
  const LogRecord* record_ = nullptr;
  const std::vector<std::uint64_t>* seen_ = nullptr;
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
