// The jobs of DotTarget.
#include <array>

#include "mxgold_systemc/target.hpp"
#include "mxgold_systemc/words.hpp"

namespace mxgold {
namespace {

/// The most that a model's record holds.
constexpr std::uint64_t kMostLanes = 65536;

std::vector<std::uint64_t> words_of(const std::vector<std::uint8_t>& bytes, std::size_t width) {
  std::vector<std::uint64_t> words(bytes.size() / width);
  for (std::size_t i = 0; i < words.size(); ++i) {
    words[i] = get_word(bytes.data() + i * width, width);
  }
  return words;
}

}  // namespace

std::string DotTarget::run(const Job& job) {
  std::string problem;
  mxgold_model_facts facts{};
  const ModelHandle model = open(job, "dot", facts, problem);
  if (model == nullptr) return problem;
  const std::uint64_t rows = job.word(reg::kRows);
  const std::uint64_t columns = job.word(reg::kColumns);
  const std::uint64_t length = job.wide(reg::kLength);
  for (const std::uint64_t count : {rows, columns}) {
    if (problem = check_size(count, length); !problem.empty()) return problem;
  }
  if (problem = check_size(rows, columns); !problem.empty()) return problem;
  // Records have whole blocks of A; shorter rows use their first lanes.
  const std::uint64_t block = facts.lanes / facts.fields[MXGOLD_FIELD_A_SCALE].words;
  const std::uint64_t lanes = (length + block - 1) / block * block;
  if (length > kMostLanes ||
      mxgold_model_set_lanes(model.get(), static_cast<std::uint32_t>(lanes)) != MXGOLD_OK) {
    return "no dot products of " + std::to_string(length) + " elements";
  }
  static_cast<void>(mxgold_model_describe(model.get(), &facts));
  const auto field = [&](int i) -> const mxgold_model_field& { return facts.fields[i]; };
  const auto width = [&](int i) { return storage_bytes(field(i).bits); };
  if (lanes != length && facts.varies == 0) return "LENGTH: whole blocks only";
  // Scales of a row: as many as its blocks.
  const auto scales_of = [&](int i) {
    const std::uint64_t size = lanes / field(i).words;
    return (length + size - 1) / size;
  };
  const std::uint64_t a_scales = scales_of(MXGOLD_FIELD_A_SCALE);
  const std::uint64_t b_scales = scales_of(MXGOLD_FIELD_B_SCALE);
  Bytes a;
  Bytes a_scale;
  Bytes b;
  Bytes b_scale;
  Bytes c;
  const bool adds = field(MXGOLD_FIELD_C).words != 0;
  const bool has_all =
      fetch(job, job.wide(reg::kSource), rows * length * width(MXGOLD_FIELD_A), a, problem) &&
      fetch(job, job.wide(reg::kScaleIn), rows * a_scales * width(MXGOLD_FIELD_A_SCALE), a_scale,
            problem) &&
      fetch(job, job.wide(reg::kB), columns * length * width(MXGOLD_FIELD_B), b, problem) &&
      fetch(job, job.wide(reg::kBScale), columns * b_scales * width(MXGOLD_FIELD_B_SCALE), b_scale,
            problem) &&
      (!adds || fetch(job, job.wide(reg::kC), rows * columns * width(MXGOLD_FIELD_C), c, problem));
  if (!has_all) return problem;
  const std::vector<std::uint64_t> a_words = words_of(a, width(MXGOLD_FIELD_A));
  const std::vector<std::uint64_t> a_scale_words = words_of(a_scale, width(MXGOLD_FIELD_A_SCALE));
  const std::vector<std::uint64_t> b_words = words_of(b, width(MXGOLD_FIELD_B));
  const std::vector<std::uint64_t> b_scale_words = words_of(b_scale, width(MXGOLD_FIELD_B_SCALE));
  const std::size_t result_width = width(MXGOLD_FIELD_CODE);
  Bytes results(rows * columns * result_width);
  Bytes flags_out(rows * columns);
  std::uint64_t addend = 0;
  std::uint64_t result = 0;
  std::uint64_t flags = 0;
  std::uint32_t all_flags = 0;
  mxgold_record record{};
  record.elements = facts.varies != 0 ? static_cast<std::uint32_t>(length) : 0;
  record.operands[MXGOLD_FIELD_C] = &addend;
  record.results[1] = &result;
  record.results[2] = &flags;
  for (std::uint64_t i = 0; i < rows * columns; ++i) {
    const std::uint64_t row = i / columns;
    const std::uint64_t column = i % columns;
    record.operands[MXGOLD_FIELD_A] = a_words.data() + row * length;
    record.operands[MXGOLD_FIELD_A_SCALE] = a_scale_words.data() + row * a_scales;
    record.operands[MXGOLD_FIELD_B] = b_words.data() + column * length;
    record.operands[MXGOLD_FIELD_B_SCALE] = b_scale_words.data() + column * b_scales;
    if (adds) addend = get_word(c.data() + i * width(MXGOLD_FIELD_C), width(MXGOLD_FIELD_C));
    std::array<char, 256> why{};
    if (mxgold_model_answer(model.get(), &record, nullptr, why.data(), why.size()) != MXGOLD_OK) {
      return "result " + std::to_string(i) + ": " + why.data();
    }
    put_word(results.data() + i * result_width, result_width, result);
    flags_out[i] = static_cast<std::uint8_t>(flags);
    all_flags |= static_cast<std::uint32_t>(flags);
  }
  did(rows * columns, all_flags);
  if (!store(job, job.wide(reg::kOut), results, problem)) return problem;
  if (job.wide(reg::kFlagsOut) != 0) store(job, job.wide(reg::kFlagsOut), flags_out, problem);
  return problem;
}

}  // namespace mxgold
