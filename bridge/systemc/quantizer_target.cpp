// The jobs of QuantizerTarget and DequantizerTarget.
#include <algorithm>
#include <array>

#include "mxgold_systemc/target.hpp"
#include "mxgold_systemc/words.hpp"

namespace mxgold {
namespace {

/// The flags of a record (docs/vector-format.md) of those of mxgold.h.
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

/// Are these the only words of a text?
template <std::size_t Count>
bool has_only(const TextWords& words, const std::array<const char*, Count>& names) {
  return std::all_of(words.all().begin(), words.all().end(), [&](const auto& word) {
    return std::find(names.begin(), names.end(), word.first) != names.end();
  });
}

/// "" or what is wrong with blocks along the rows, where each is a record of its own.
std::string block_size_of(const mxgold_quantizer* quantizer, mxgold_model* model,
                          std::uint64_t length, mxgold_model_facts& facts,
                          std::uint64_t& block_size) {
  mxgold_block_info info{};
  if (quantizer != nullptr && mxgold_block(quantizer, &info) == MXGOLD_OK) {
    const std::string extent = info.extent;
    if (info.tile_lines != 1 || extent == "tensor") {
      return "blocks of tiles or of whole tensors have no flags of their own: leave FLAGS_OUT and "
             "RANDOM 0";
    }
    if (extent == "axis" &&
        mxgold_model_set_lanes(model, static_cast<std::uint32_t>(length)) != 0) {
      return "rows of " + std::to_string(length) + " elements are too long for one block";
    }
  }
  static_cast<void>(mxgold_model_describe(model, &facts));
  block_size = facts.lanes;
  return {};
}

}  // namespace

std::string QuantizerTarget::run(const Job& job) {
  std::string problem;
  mxgold_model_facts facts{};
  const ModelHandle model = open(job, "block", facts, problem);
  if (model == nullptr) return problem;
  const std::uint64_t rows = job.word(reg::kRows);
  const std::uint64_t length = job.wide(reg::kLength);
  if (problem = check_size(rows, length); !problem.empty()) return problem;
  const TextWords words(mxgold_model_text(model.get()));
  const QuantizerHandle quantizer = quantizer_of(words);
  const bool by_blocks = job.wide(reg::kFlagsOut) != 0 || job.wide(reg::kRandom) != 0;
  if (by_blocks || quantizer == nullptr || has_tensor_level(words)) {
    std::uint64_t block_size = 0;
    problem = block_size_of(quantizer.get(), model.get(), length, facts, block_size);
    return problem.empty() ? run_blocks(job, model.get(), facts, block_size) : problem;
  }
  const std::array<std::uint64_t, 2> shape = {rows, length};
  mxgold_tensor_sizes sizes{};
  if (mxgold_sizes(quantizer.get(), shape.data(), 2, -1, &sizes) != MXGOLD_OK) {
    return "no tensor of ROWS times LENGTH";
  }
  Bytes source;
  Bytes codes(sizes.code_bytes);
  Bytes scales(sizes.scale_bytes);
  if (!fetch(job, job.wide(reg::kSource), sizes.source_bytes, source, problem)) return problem;
  std::uint32_t flags = 0;
  const mxgold_status status = mxgold_quantize_tensor(
      quantizer.get(), shape.data(), 2, -1, source.data(), source.size(), job.wide(reg::kSeed),
      job.word(reg::kTensor), codes.data(), codes.size(), scales.data(), scales.size(), &flags);
  if (status == MXGOLD_BAD_CODE) return "a source code has bits above its format's width";
  if (status != MXGOLD_OK) return "the tensor: status " + std::to_string(status);
  did(sizes.scales, record_flags(flags));
  if (!store(job, job.wide(reg::kOut), codes, problem)) return problem;
  store(job, job.wide(reg::kScaleOut), scales, problem);
  return problem;
}

std::string QuantizerTarget::run_blocks(const Job& job, mxgold_model* model,
                                        const mxgold_model_facts& facts, std::uint64_t block_size) {
  const std::uint64_t rows = job.word(reg::kRows);
  const std::uint64_t length = job.wide(reg::kLength);
  const std::uint64_t blocks = (length + block_size - 1) / block_size;
  const auto bytes = [&](int field) { return storage_bytes(facts.fields[field].bits); };
  const bool draws = facts.fields[MXGOLD_FIELD_RANDOM].words != 0;
  if (draws && job.wide(reg::kRandom) == 0) {
    return "the rounding draws: give RANDOM, or leave FLAGS_OUT 0 so that SEED is used";
  }
  std::string problem;
  Bytes source;
  Bytes random;
  if (!fetch(job, job.wide(reg::kSource), rows * length * bytes(MXGOLD_FIELD_SOURCE), source,
             problem) ||
      (draws && !fetch(job, job.wide(reg::kRandom), rows * length * 4, random, problem))) {
    return problem;
  }
  Bytes codes(rows * length * bytes(MXGOLD_FIELD_CODE));
  Bytes scales(rows * blocks * bytes(MXGOLD_FIELD_SCALE));
  Bytes flags_out(rows * blocks);
  std::vector<std::uint64_t> in(block_size);
  std::vector<std::uint64_t> drawn(block_size);
  std::vector<std::uint64_t> out(block_size);
  std::uint64_t scale = 0;
  std::uint64_t flags = 0;
  std::uint32_t all_flags = 0;
  mxgold_record record{};
  record.operands[MXGOLD_FIELD_SOURCE] = in.data();
  record.operands[MXGOLD_FIELD_RANDOM] = drawn.data();
  record.results[0] = &scale;
  record.results[1] = out.data();
  record.results[2] = &flags;
  for (std::uint64_t block = 0; block < rows * blocks; ++block) {
    const std::uint64_t first = block / blocks * length + block % blocks * block_size;
    const std::uint64_t count = std::min(block_size, length - block % blocks * block_size);
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t width = bytes(MXGOLD_FIELD_SOURCE);
      in[i] = get_word(source.data() + (first + i) * width, width);
      if (draws) drawn[i] = get_word(random.data() + (first + i) * 4, 4);
    }
    record.elements = facts.varies != 0 ? static_cast<std::uint32_t>(count) : 0;
    std::array<char, 256> why{};
    if (mxgold_model_answer(model, &record, nullptr, why.data(), why.size()) != MXGOLD_OK) {
      return "block " + std::to_string(block) + ": " + why.data();
    }
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::size_t width = bytes(MXGOLD_FIELD_CODE);
      put_word(codes.data() + (first + i) * width, width, out[i]);
    }
    put_word(scales.data() + block * bytes(MXGOLD_FIELD_SCALE), bytes(MXGOLD_FIELD_SCALE), scale);
    flags_out[block] = static_cast<std::uint8_t>(flags);
    all_flags |= static_cast<std::uint32_t>(flags);
  }
  did(rows * blocks, all_flags);
  if (!store(job, job.wide(reg::kOut), codes, problem)) return problem;
  if (!store(job, job.wide(reg::kScaleOut), scales, problem)) return problem;
  if (job.wide(reg::kFlagsOut) != 0) store(job, job.wide(reg::kFlagsOut), flags_out, problem);
  return problem;
}

std::string DequantizerTarget::run(const Job& job) {
  std::string problem;
  mxgold_model_facts facts{};
  const ModelHandle model = open(job, "dequantize", facts, problem);
  if (model == nullptr) return problem;
  const std::uint64_t rows = job.word(reg::kRows);
  const std::uint64_t length = job.wide(reg::kLength);
  if (problem = check_size(rows, length); !problem.empty()) return problem;
  const TextWords words(mxgold_model_text(model.get()));
  const QuantizerHandle quantizer = quantizer_of(words);
  const std::array<std::uint64_t, 2> shape = {rows, length};
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
  if (!fetch(job, job.wide(reg::kSource), sizes.code_bytes, codes, problem) ||
      !fetch(job, job.wide(reg::kScaleIn), sizes.scale_bytes, scales, problem)) {
    return problem;
  }
  Bytes values(sizes.elements * result.storage_bytes);
  // How the result is rounded, mxgold.h does not take; the model does.
  static constexpr std::array<const char*, 6> kPlain = {"op",     "format",  "block_size",
                                                        "result", "profile", "chosen"};
  if (has_only(words, kPlain)) {
    const mxgold_status status = mxgold_dequantize_tensor(
        quantizer.get(), shape.data(), 2, -1, codes.data(), codes.size(), scales.data(),
        scales.size(), format.c_str(), values.data(), values.size());
    if (status == MXGOLD_BAD_CODE) return "a code or a scale has bits above its width";
    if (status != MXGOLD_OK) return "the tensor: status " + std::to_string(status);
  } else {
    std::uint64_t block_size = 0;
    problem = block_size_of(quantizer.get(), model.get(), length, facts, block_size);
    if (!problem.empty()) return problem;
    const std::uint64_t blocks = (length + block_size - 1) / block_size;
    const std::size_t code_width = sizes.code_bytes / sizes.elements;
    const std::size_t scale_width = sizes.scale_bytes / sizes.scales;
    std::vector<std::uint64_t> in(block_size);
    std::vector<std::uint64_t> out(block_size);
    std::uint64_t scale = 0;
    mxgold_record record{};
    record.operands[MXGOLD_FIELD_A_SCALE] = &scale;
    record.operands[MXGOLD_FIELD_A] = in.data();
    record.results[1] = out.data();
    for (std::uint64_t block = 0; block < rows * blocks; ++block) {
      const std::uint64_t first = block / blocks * length + block % blocks * block_size;
      const std::uint64_t count = std::min(block_size, length - block % blocks * block_size);
      scale = get_word(scales.data() + block * scale_width, scale_width);
      for (std::uint64_t i = 0; i < count; ++i) {
        in[i] = get_word(codes.data() + (first + i) * code_width, code_width);
      }
      record.elements = facts.varies != 0 ? static_cast<std::uint32_t>(count) : 0;
      std::array<char, 256> why{};
      if (mxgold_model_answer(model.get(), &record, nullptr, why.data(), why.size()) != MXGOLD_OK) {
        return "block " + std::to_string(block) + ": " + why.data();
      }
      for (std::uint64_t i = 0; i < count; ++i) {
        put_word(values.data() + (first + i) * result.storage_bytes, result.storage_bytes, out[i]);
      }
    }
  }
  did(sizes.scales, 0);
  store(job, job.wide(reg::kOut), values, problem);
  return problem;
}

}  // namespace mxgold
