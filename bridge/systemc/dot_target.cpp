// The jobs of DotTarget.
#include <array>

#include "mxgold_systemc/target.hpp"
#include "mxgold_systemc/words.hpp"

namespace mxgold {
namespace {

/// The most elements of a row: what a model's record holds.
constexpr std::uint64_t kMostLanes = 65536;

}  // namespace

// Rows of one operand, with what a record wants of them.
struct DotTarget::Side {
  std::uint64_t rows = 0;
  std::uint64_t length = 0;
  std::uint64_t scales_in_a_row = 0;
  std::vector<std::uint64_t> codes{};
  std::vector<std::uint64_t> scales{};

  [[nodiscard]] const std::uint64_t* code(std::uint64_t row) const {
    return codes.data() + row * length;
  }
  [[nodiscard]] const std::uint64_t* scale(std::uint64_t row) const {
    return scales.data() + row * scales_in_a_row;
  }
};

bool DotTarget::fetch_words(const Job& job, std::uint64_t address, std::uint64_t count,
                            const mxgold_model_field& field, std::vector<std::uint64_t>& words,
                            std::string& problem) {
  Bytes bytes;
  const std::size_t width = storage_bytes(field.bits);
  if (!fetch(job, address, count * width, bytes, problem)) return false;
  words.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) words[i] = get_word(bytes.data() + i * width, width);
  return true;
}

bool DotTarget::fetch_side(const Job& job, std::uint64_t code_address, std::uint64_t scale_address,
                           const mxgold_model_facts& facts, int scale_field, Side& side,
                           std::string& problem) {
  const mxgold_model_field& scales = facts.fields[scale_field];
  const mxgold_model_field& codes = facts.fields[scale_field + 1];
  const std::uint64_t block = facts.lanes / scales.words;
  side.scales_in_a_row = (side.length + block - 1) / block;
  return fetch_words(job, code_address, side.rows * side.length, codes, side.codes, problem) &&
         fetch_words(job, scale_address, side.rows * side.scales_in_a_row, scales, side.scales,
                     problem);
}

std::string DotTarget::multiply(const Job& job, mxgold_model* model,
                                const mxgold_model_facts& facts, const Side& a, const Side& b,
                                const std::vector<std::uint64_t>& addends) {
  const std::uint64_t count = a.rows * b.rows;
  const std::size_t width = storage_bytes(facts.fields[MXGOLD_FIELD_CODE].bits);
  Bytes results(count * width);
  Bytes flags_out(count);
  std::uint64_t result = 0;
  std::uint64_t flags = 0;
  std::uint32_t all_flags = 0;
  mxgold_record record{};
  record.elements = facts.varies != 0 ? static_cast<std::uint32_t>(a.length) : 0;
  record.results[1] = &result;
  record.results[2] = &flags;
  for (std::uint64_t i = 0; i < count; ++i) {
    record.operands[MXGOLD_FIELD_A] = a.code(i / b.rows);
    record.operands[MXGOLD_FIELD_A_SCALE] = a.scale(i / b.rows);
    record.operands[MXGOLD_FIELD_B] = b.code(i % b.rows);
    record.operands[MXGOLD_FIELD_B_SCALE] = b.scale(i % b.rows);
    if (!addends.empty()) record.operands[MXGOLD_FIELD_C] = addends.data() + i;
    std::array<char, 256> why{};
    if (mxgold_model_answer(model, &record, nullptr, why.data(), why.size()) != MXGOLD_OK) {
      return "result " + std::to_string(i) + ": " + why.data();
    }
    put_word(results.data() + i * width, width, result);
    flags_out[i] = static_cast<std::uint8_t>(flags);
    all_flags |= static_cast<std::uint32_t>(flags);
  }
  did(count, all_flags);
  std::string problem;
  if (store(job, job.wide(reg::kOut), results, problem) && job.wide(reg::kFlagsOut) != 0) {
    store(job, job.wide(reg::kFlagsOut), flags_out, problem);
  }
  return problem;
}

std::string DotTarget::run(const Job& job) {
  std::string problem;
  mxgold_model_facts facts{};
  const ModelHandle model = open(job, "dot", facts, problem);
  if (model == nullptr) return problem;
  const std::uint64_t length = job.wide(reg::kLength);
  Side a{job.word(reg::kRows), length};
  Side b{job.word(reg::kColumns), length};
  for (const auto& [rows, columns] :
       {std::pair(a.rows, length), std::pair(b.rows, length), std::pair(a.rows, b.rows)}) {
    if (problem = check_size(rows, columns); !problem.empty()) return problem;
  }
  // Records have whole blocks of A; shorter rows use their first lanes.
  const std::uint64_t block = facts.lanes / facts.fields[MXGOLD_FIELD_A_SCALE].words;
  const std::uint64_t lanes = (length + block - 1) / block * block;
  if (length > kMostLanes ||
      mxgold_model_set_lanes(model.get(), static_cast<std::uint32_t>(lanes)) != MXGOLD_OK) {
    return "no dot products of " + std::to_string(length) + " elements";
  }
  static_cast<void>(mxgold_model_describe(model.get(), &facts));
  if (lanes != length && facts.varies == 0) return "LENGTH: whole blocks only";
  std::vector<std::uint64_t> addends;
  const mxgold_model_field& c = facts.fields[MXGOLD_FIELD_C];
  const bool has_all =
      fetch_side(job, job.wide(reg::kSource), job.wide(reg::kScaleIn), facts, MXGOLD_FIELD_A_SCALE,
                 a, problem) &&
      fetch_side(job, job.wide(reg::kB), job.wide(reg::kBScale), facts, MXGOLD_FIELD_B_SCALE, b,
                 problem) &&
      (c.words == 0 || fetch_words(job, job.wide(reg::kC), a.rows * b.rows, c, addends, problem));
  return has_all ? multiply(job, model.get(), facts, a, b, addends) : problem;
}

}  // namespace mxgold
