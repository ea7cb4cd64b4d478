// The jobs of QuantizerTarget and DequantizerTarget.
#include <algorithm>
#include <array>

#include "mxgold_systemc/target.hpp"
#include "mxgold_systemc/words.hpp"
#include "row_blocks.hpp"

namespace mxgold {
namespace {

/// The flags of a record (docs/vector-fields.md) of those of mxgold.h.
std::uint32_t record_flags(std::uint32_t flags) {
  static constexpr std::array<std::uint32_t, 6> kBits = {MXGOLD_SCALE_CLAMPED, MXGOLD_ZERO_BLOCK,
                                                         MXGOLD_HAS_INF,       MXGOLD_HAS_NAN,
                                                         MXGOLD_TO_ZERO,       MXGOLD_OVERFLOW};
  std::uint32_t record = 0;
  for (std::size_t i = 0; i < kBits.size(); ++i) {
    record |= (flags & kBits[i]) != 0 ? 1U << i : 0U;
  }
  return record;
}

bool has_tensor_level(const TextWords& words) {
  return !words.value("tensor_amax").empty() || !words.value("stored_tensor_scale").empty();
}

/// Does a text leave everything about the result but its format at the defaults? mxgold.h takes
/// nothing else.
bool has_plain_result(const TextWords& words) {
  static constexpr std::array<const char*, 7> kPlain = {
      "op", "format", "block_size", "result", "profile", "blocks_as", "chosen"};
  return std::all_of(words.all().begin(), words.all().end(), [](const auto& word) {
    return std::find(kPlain.begin(), kPlain.end(), word.first) != kPlain.end();
  });
}

}  // namespace

std::string QuantizerTarget::run(const Job& job) {
  std::string problem;
  mxgold_model_facts facts{};
  const ModelHandle model = open(job, "block", facts, problem);
  if (model == nullptr) return problem;
  RowBlocks blocks{job.word(reg::kRows), job.wide(reg::kLength)};
  if (problem = check_size(blocks.rows, blocks.length); !problem.empty()) return problem;
  const TextWords words(mxgold_model_text(model.get()));
  const QuantizerHandle quantizer = quantizer_of(words);
  const bool by_blocks = job.wide(reg::kFlagsOut) != 0 || job.wide(reg::kRandom) != 0;
  if (!by_blocks && quantizer != nullptr && !has_tensor_level(words)) {
    return run_tensor(job, quantizer.get());
  }
  problem = find_block(quantizer.get(), model.get(), facts, blocks);
  return problem.empty() ? run_blocks(job, model.get(), facts, blocks) : problem;
}

std::string QuantizerTarget::run_tensor(const Job& job, const mxgold_quantizer* quantizer) {
  const std::array<std::uint64_t, 2> shape = {job.word(reg::kRows), job.wide(reg::kLength)};
  mxgold_tensor_sizes sizes{};
  if (mxgold_sizes(quantizer, shape.data(), 2, -1, &sizes) != MXGOLD_OK) {
    return "no tensor of ROWS times LENGTH";
  }
  std::string problem;
  Bytes source;
  Bytes codes(sizes.code_bytes);
  Bytes scales(sizes.scale_bytes);
  if (!fetch(job, job.wide(reg::kSource), sizes.source_bytes, source, problem)) return problem;
  std::uint32_t flags = 0;
  const mxgold_status status = mxgold_quantize_tensor(
      quantizer, shape.data(), 2, -1, source.data(), source.size(), job.wide(reg::kSeed),
      job.word(reg::kTensor), codes.data(), codes.size(), scales.data(), scales.size(), &flags);
  if (status == MXGOLD_BAD_CODE) return "a source code has bits above its format's width";
  if (status != MXGOLD_OK) return "the tensor: status " + std::to_string(status);
  did(sizes.scales, record_flags(flags));
  if (store(job, job.wide(reg::kOut), codes, problem)) {
    store(job, job.wide(reg::kScaleOut), scales, problem);
  }
  return problem;
}

std::string QuantizerTarget::run_blocks(const Job& job, mxgold_model* model,
                                        const mxgold_model_facts& facts, const RowBlocks& blocks) {
  const std::uint64_t elements = blocks.rows * blocks.length;
  const std::size_t width = storage_bytes(facts.fields[MXGOLD_FIELD_SOURCE].bits);
  const bool draws = facts.fields[MXGOLD_FIELD_RANDOM].words != 0;
  if (draws && job.wide(reg::kRandom) == 0) {
    return "the rounding draws: give RANDOM, or leave FLAGS_OUT 0 so that SEED is used";
  }
  std::string problem;
  Bytes source;
  Bytes random;
  if (!fetch(job, job.wide(reg::kSource), elements * width, source, problem)) return problem;
  if (draws && !fetch(job, job.wide(reg::kRandom), elements * 4, random, problem)) return problem;
  QuantizedBlocks out;
  problem = quantize_blocks(model, facts, blocks, {source, width}, {random, 4}, out);
  if (!problem.empty()) return problem;
  did(blocks.count(), out.all_flags);
  if (!store(job, job.wide(reg::kOut), out.codes, problem)) return problem;
  if (!store(job, job.wide(reg::kScaleOut), out.scales, problem)) return problem;
  if (job.wide(reg::kFlagsOut) != 0) store(job, job.wide(reg::kFlagsOut), out.flags, problem);
  return problem;
}

std::string DequantizerTarget::run(const Job& job) {
  std::string problem;
  mxgold_model_facts facts{};
  const ModelHandle model = open(job, "dequantize", facts, problem);
  if (model == nullptr) return problem;
  RowBlocks blocks{job.word(reg::kRows), job.wide(reg::kLength)};
  if (problem = check_size(blocks.rows, blocks.length); !problem.empty()) return problem;
  const TextWords words(mxgold_model_text(model.get()));
  const QuantizerHandle quantizer = quantizer_of(words);
  const std::array<std::uint64_t, 2> shape = {blocks.rows, blocks.length};
  mxgold_tensor_sizes sizes{};
  mxgold_format_info result{};
  const std::string format = words.value("result").empty() ? "fp32" : words.value("result");
  if (quantizer == nullptr ||
      mxgold_sizes(quantizer.get(), shape.data(), 2, -1, &sizes) != MXGOLD_OK ||
      mxgold_format(format.c_str(), &result) != MXGOLD_OK) {
    return "no tensor of ROWS times LENGTH in this format";
  }
  Bytes codes;
  Bytes scales;
  if (!fetch(job, job.wide(reg::kSource), sizes.code_bytes, codes, problem)) return problem;
  if (!fetch(job, job.wide(reg::kScaleIn), sizes.scale_bytes, scales, problem)) return problem;
  Bytes values(sizes.elements * result.storage_bytes);
  if (has_plain_result(words)) {
    const mxgold_status status = mxgold_dequantize_tensor(
        quantizer.get(), shape.data(), 2, -1, codes.data(), codes.size(), scales.data(),
        scales.size(), format.c_str(), values.data(), values.size());
    if (status == MXGOLD_BAD_CODE) return "a code or a scale has bits above its width";
    if (status != MXGOLD_OK) return "the tensor: status " + std::to_string(status);
  } else {
    problem = find_block(quantizer.get(), model.get(), facts, blocks);
    if (!problem.empty()) return problem;
    problem =
        dequantize_blocks(model.get(), facts, blocks, {codes, sizes.code_bytes / sizes.elements},
                          {scales, sizes.scale_bytes / sizes.scales}, result.storage_bytes, values);
    if (!problem.empty()) return problem;
  }
  did(sizes.scales, 0);
  store(job, job.wide(reg::kOut), values, problem);
  return problem;
}

}  // namespace mxgold
