#include "mxgold_systemc/models.hpp"

#include <utility>

namespace mxgold {
namespace {

constexpr std::uint32_t kUsedBits = 0x07FFFFFF;  // docs/vector-fields.md: 31:27 are 0
constexpr std::uint32_t kSourceFtz = 1U << 26;
constexpr unsigned kFirstPolicyBit = 12;
constexpr std::uint32_t kBelowPolicies = 0xFFF;

/// Bits of the policies that start at the tuser bits of a mask: fields of the word (spec R5.6).
constexpr std::array<std::pair<unsigned, unsigned>, 11> kPolicyFields = {{{12, 2},
                                                                          {14, 2},
                                                                          {16, 1},
                                                                          {17, 1},
                                                                          {18, 1},
                                                                          {19, 3},
                                                                          {22, 1},
                                                                          {23, 1},
                                                                          {24, 1},
                                                                          {25, 1},
                                                                          {26, 1}}};

ModelHandle handle(mxgold_status status, mxgold_model* model, const std::string& why,
                   std::string& problem) {
  problem = status == MXGOLD_OK ? std::string() : why;
  if (status != MXGOLD_OK && problem.empty()) problem = "status " + std::to_string(status);
  return ModelHandle(model);
}

}  // namespace

ModelHandle open_model(const std::string& text, std::string& problem) {
  std::array<char, 512> why{};
  mxgold_model* model = nullptr;
  const mxgold_status status = mxgold_model_open(text.c_str(), &model, why.data(), why.size());
  return handle(status, model, why.data(), problem);
}

ModelHandle open_word_model(std::uint32_t word, const std::string& text, std::string& problem) {
  std::array<char, 512> why{};
  mxgold_model* model = nullptr;
  const mxgold_status status =
      mxgold_model_open_word(word, text.c_str(), &model, why.data(), why.size());
  return handle(status, model, why.data(), problem);
}

BlockModel::BlockModel(ModelHandle model, int block_size)
    : model_(std::move(model)), lanes_(static_cast<std::size_t>(block_size)) {
  mxgold_model_facts facts;
  static_cast<void>(mxgold_model_describe(model_.get(), &facts));
  const auto mask = [&](int field) {
    const std::uint32_t bits = facts.fields[field].bits;
    return bits == 0 ? 0U : ~std::uint32_t{0} >> (32 - bits);
  };
  source_mask_ = mask(MXGOLD_FIELD_SOURCE);
  random_mask_ = mask(MXGOLD_FIELD_RANDOM);
  takes_random_ = facts.fields[MXGOLD_FIELD_RANDOM].words != 0;
}

void BlockModel::ask(Block& block) {
  for (std::size_t i = 0; i < lanes_; ++i) {
    // A lane that is not kept counts as +0 (spec R6).
    source_[i] = (block.keep >> i & 1) != 0 ? block.source[i] & source_mask_ : 0;
    random_[i] = block.random[i] & random_mask_;
  }
  mxgold_record record{};
  record.operands[MXGOLD_FIELD_SOURCE] = source_.data();
  record.operands[MXGOLD_FIELD_RANDOM] = random_.data();
  record.results[0] = &scale_;
  record.results[1] = codes_.data();
  record.results[2] = &flags_;
  static_cast<void>(mxgold_model_answer(model_.get(), &record, open_.data(), nullptr, 0));
  block.is_answered = true;
}

void BlockModel::answer(const Build& build, Block& block, int beat, BeatOut& out,
                        std::uint8_t* open) {
  if (!block.is_answered || takes_random_) ask(block);
  const auto lanes = static_cast<std::size_t>(build.lanes);
  const std::size_t first = lanes * static_cast<std::size_t>(beat);
  out.keep = static_cast<std::uint32_t>(block.keep >> first) & (~std::uint32_t{0} >> (32 - lanes));
  for (std::size_t i = 0; i < lanes; ++i) {
    const bool is_kept = (out.keep >> i & 1) != 0;
    out.codes[i] = is_kept ? static_cast<std::uint8_t>(codes_[first + i]) : std::uint8_t{0};
    // A lane that is not kept has code 0 whatever its scale.
    if (open != nullptr) open[i] = is_kept ? open_[first + 1 + i] : std::uint8_t{0};
  }
  std::uint64_t flags = flags_;
  if (first + lanes < lanes_) {
    static_cast<void>(
        mxgold_model_flags_so_far(model_.get(), static_cast<std::uint32_t>(first + lanes), &flags));
  }
  out.user = static_cast<std::uint16_t>(flags << 8 | scale_);
  if (open == nullptr) return;
  open[lanes] = open_[0];
  open[lanes + 1] = open_[lanes_ + 1];
}

WordModels::WordModels(const Build& build) : build_(build), mask_(kBelowPolicies) {
  for (const auto& [first, width] : kPolicyFields) {
    if ((build.policy_mask >> (first - kFirstPolicyBit) & 1) == 0) continue;
    mask_ |= ((1U << width) - 1) << first;
  }
  static constexpr std::array<const char*, 3> kVariants = {"stochastic_a", "stochastic_b",
                                                           "stochastic_c"};
  context_ = "block_size=" + std::to_string(build.block_size) +
             " random_bits=" + std::to_string(build.sr_bits) +
             " stochastic=" + kVariants[static_cast<std::size_t>(build.sr_variant)];
}

std::uint32_t WordModels::seen_word(std::uint32_t tuser) const {
  return (tuser & mask_ & kUsedBits) | (build_.subnormals == 0 ? kSourceFtz : 0U);
}

BlockModel* WordModels::find(std::uint32_t tuser) {
  const std::uint32_t word = seen_word(tuser);
  if (last_ != nullptr && word == last_word_) return last_;
  auto found = models_.find(word);
  if (found == models_.end()) {
    std::unique_ptr<BlockModel> made;
    std::string why;
    if (ModelHandle model = open_word_model(word, context_, why); model != nullptr) {
      made = std::make_unique<BlockModel>(std::move(model), build_.block_size);
    } else {
      problem_ = why;
    }
    found = models_.emplace(word, std::move(made)).first;
  }
  last_word_ = word;
  last_ = found->second.get();
  return last_;
}

std::string problem_of(const Build& build) {
  const auto is_power = [](int n) { return n > 0 && (n & (n - 1)) == 0; };
  if (build.block_size != 16 && build.block_size != 32 && build.block_size != 64) {
    return "block_size must be 16, 32 or 64";
  }
  if (!is_power(build.lanes) || build.lanes > kMaxBeatLanes || build.lanes > build.block_size) {
    return "lanes must be a power of two up to 32 and up to block_size";
  }
  if (build.in_width != 16 && build.in_width != 32) return "in_width must be 16 or 32";
  if (build.sr_bits < 2 || build.sr_bits > 16 || build.sr_variant < 0 || build.sr_variant > 2) {
    return "sr_bits must be 2..16 and sr_variant 0..2";
  }
  if (build.policy_mask > 0x7FFF) return "policy_mask must be 0..7FFF";
  if (build.subnormals < 0 || build.subnormals > 1 || build.out_skid < 0 || build.out_skid > 1 ||
      build.pipe_lane < 0 || build.pipe_lane > 3) {
    return "subnormals and out_skid must be 0 or 1, pipe_lane 0..3";
  }
  return {};
}

}  // namespace mxgold
