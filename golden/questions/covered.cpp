// SPDX-License-Identifier: Apache-2.0
#include "golden/questions/covered.hpp"

#include <algorithm>

#include "golden/bytes/number_text.hpp"
#include "golden/config_word/config_word.hpp"
#include "golden/coverage/collectors.hpp"
#include "golden/text/filled.hpp"
#include "reference/profiles/profile.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kNamedHoles = 8;

RecordShape record_shape(std::size_t lanes, bool is_block) {
  const auto all = static_cast<int>(lanes);
  RecordShape shape{{{Field::kSource, all, 8},
                     {Field::kRandom, all, 4},
                     {Field::kCode, all, 8},
                     {Field::kFlags, 1, 2},
                     {Field::kOpen, (all + 2 + 7) / 8, 1}}};
  if (is_block) {
    shape.fields.push_back({Field::kElements, 1, 4});
    shape.fields.push_back({Field::kScale, 1, 8});
  }
  return shape;
}

/// The field `open` of a record: a bit for the flags, one for the scale, one for each code.
void set_open(std::span<std::uint64_t> words, std::size_t bit) {
  words[bit / 8] |= std::uint64_t{1} << bit % 8;
}

}  // namespace

struct ValueCoverage::State {
  Conversion conversion;
  Masks masks;
  std::unique_ptr<Collector> collector;
  RecordBatch record{record_shape(1, false), 1};
  std::uint64_t samples = 0;
};

ValueCoverage::ValueCoverage(const ConversionConfig& config, Masks masks)
    : state_(std::make_unique<State>(State{made(Conversion::make(config)), masks,
                                           make_conversion_collector(config, masks)})) {}
ValueCoverage::~ValueCoverage() = default;
ValueCoverage::ValueCoverage(ValueCoverage&&) noexcept = default;

void ValueCoverage::sample(std::uint64_t source, std::uint32_t random) {
  State& s = *state_;
  const Encoded encoded = s.conversion(source, random);
  s.record.word(Field::kSource, 0) = source;
  s.record.word(Field::kRandom, 0) = random;
  s.record.word(Field::kCode, 0) = encoded.code;
  s.record.word(Field::kFlags, 0) = encoded.flags;
  const std::span<std::uint64_t> open = s.record.of(Field::kOpen, 0);
  std::ranges::fill(open, 0);
  if (s.masks != 0 && is_masked(s.masks, s.conversion.config(), source)) {
    for (const std::size_t bit : {0U, 2U}) set_open(open, bit);
  }
  s.collector->sample(s.record, 0);
  ++s.samples;
}

Covergroup ValueCoverage::group() const {
  Covergroup group;
  group.samples = state_->samples;
  group.points = state_->collector->points();
  return group;
}

struct BlockCoverage::State {
  Quantizer quantizer;
  Masks masks;
  std::unique_ptr<Collector> collector;
  RecordBatch record;
  std::uint64_t samples = 0;
};

BlockCoverage::BlockCoverage(const QuantizerConfig& config, Masks masks, std::size_t lanes)
    : state_(std::make_unique<State>(State{made(Quantizer::make(config)), masks,
                                           make_block_collector(config, lanes, Lengths::kVary),
                                           RecordBatch(record_shape(lanes, true), 1)})) {}
BlockCoverage::~BlockCoverage() = default;
BlockCoverage::BlockCoverage(BlockCoverage&&) noexcept = default;

void BlockCoverage::sample(std::span<const std::uint64_t> source,
                           std::span<const std::uint32_t> random) {
  State& s = *state_;
  RecordBatch& record = s.record;
  std::ranges::copy(source, record.of(Field::kSource, 0).begin());
  std::ranges::copy(random, record.of(Field::kRandom, 0).begin());
  const std::span<std::uint64_t> codes = record.of(Field::kCode, 0).first(source.size());
  const BlockResult result = s.quantizer.quantize_block(source, random, codes);
  record.word(Field::kElements, 0) = source.size();
  record.word(Field::kScale, 0) = result.scale_code;
  record.word(Field::kFlags, 0) = status_bits_of(result);
  const std::span<std::uint64_t> open = record.of(Field::kOpen, 0);
  std::ranges::fill(open, 0);
  if (s.masks != 0) {
    const OpenFields fields = open_fields(s.masks, s.quantizer.config(), source, result);
    if (fields.scale != 0) set_open(open, 1);
    bool is_any = fields.scale != 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      if (!fields.is_open(i)) continue;
      set_open(open, i + 2);
      is_any = true;
    }
    if (is_any) set_open(open, 0);
  }
  s.collector->sample(record, 0);
  ++s.samples;
}

Covergroup BlockCoverage::group() const {
  Covergroup group;
  group.samples = state_->samples;
  group.points = state_->collector->points();
  return group;
}

namespace {

std::string percent_text(const Score& score) {
  const std::uint64_t all = score.per_10000();
  return filled("{}.{:02}", all / 100, all % 100);
}

std::vector<std::string> holes_of(const Coverpoint& point) {
  std::vector<std::string> names;
  for (const Bin& bin : point.bins) {
    if (bin.hits == 0 && bin.reach == Reach::kOpen) names.push_back(bin.name);
  }
  return names;
}

void add_score(const Score& score, Tree& tree) {
  tree["percent"] = percent_text(score);
  tree["bins"] = score.bins;
  tree["hit"] = score.hit;
  tree["unreachable"] = score.unreachable;
}

Tree point_tree(const Coverpoint& point) {
  Tree tree = {{"name", point.name}, {"meaning", point.meaning}};
  add_score(point.score(), tree);
  Tree bins = Tree::list();
  for (const Bin& bin : point.bins) {
    Tree each = Tree::list({bin.name, bin.hits});
    if (bin.reach == Reach::kUnreachable) each.push_back("unreachable");
    bins.push_back(std::move(each));
  }
  tree["bins_hit"] = bins;
  tree["holes"] = holes_of(point);
  return tree;
}

std::string score_text(const Score& score) {
  return filled("{:>6} %  {} of {} bins, {} unreachable", percent_text(score),
                with_commas(score.hit), with_commas(score.bins), with_commas(score.unreachable));
}

std::string point_text(const Coverpoint& point) {
  std::string text = filled("  {:16} {}\n", point.name, score_text(point.score()));
  std::vector<std::string> holes = holes_of(point);
  if (holes.empty()) return text;
  const std::size_t more = holes.size() - std::min(holes.size(), kNamedHoles);
  holes.resize(holes.size() - more);
  return text + filled("    not hit: {}{}\n", joined(holes, ", "),
                       more == 0 ? "" : filled(" and {} more", more));
}

}  // namespace

Answer covered(std::string_view source, std::string_view format, const Covergroup& group) {
  const Score score = group.score();
  Tree data = {{"format", format}, {"source", source}, {"samples", group.samples}};
  add_score(score, data);
  data["points"] = Tree::list();
  std::string text = filled("{} to {}, {} samples\n  {:16} {}\n", source, format,
                            with_commas(group.samples), "all", score_text(score));
  for (const Coverpoint& point : group.points) {
    data["points"].push_back(point_tree(point));
    text += point_text(point);
  }
  return {data, text, score.complete()};
}

}  // namespace mx::golden
