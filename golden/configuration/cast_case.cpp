#include "golden/configuration/cast_case.hpp"

#include <algorithm>

namespace mx::golden {
namespace {

using casts::CastInput;
using casts::Tensor;

/// A row as a tensor, and the operand "scale" beside it.
struct Row {
  Tensor values;
  Tensor scale = Tensor::zeros("scale", TensorType::kFp32, {1});

  Row(TensorType type, std::size_t elements) : values(Tensor::zeros("values", type, {elements})) {}

  [[nodiscard]] CastInput input(std::optional<std::uint32_t> its_scale) {
    CastInput input{.tensor = values};
    if (!its_scale) return input;
    casts::set_word(scale.bytes, 4, 0, *its_scale);
    input.operands.emplace_back(scale);
    return input;
  }
};

bool reads_scale(const casts::Cast& cast) {
  const std::vector<std::string> names = cast.row_operands();
  return std::ranges::find(names, "scale") != names.end();
}

const Tensor* find(const std::vector<Tensor>& results, std::string_view name) {
  const auto found = std::ranges::find(results, name, &Tensor::name);
  return found == results.end() ? nullptr : &*found;
}

/// The result that a vector holds as its codes.
const Tensor& codes_of(const std::vector<Tensor>& results) {
  const Tensor* const data = find(results, "data");
  return data != nullptr ? *data : results.front();
}

constexpr std::uint32_t kOne = 0x3F800000;

}  // namespace

Checked<CastRow> row_of(const CastCase& what, std::size_t elements) {
  const auto cast = what.cast();
  if (!cast) return Problem{std::string(cast.problem())};
  CastRow row;
  row.reads_scale = reads_scale(**cast);
  Row zeros(what.source, elements);
  CastInput input = zeros.input(row.reads_scale ? std::optional(kOne) : std::nullopt);
  const auto words = (*cast)->random_words(input);
  if (!words) return Problem{std::string(words.problem())};
  row.random_words = *words;
  const std::vector<std::uint32_t> random(row.random_words);
  input.random = random;
  const auto results = (*cast)->apply(input);
  if (!results) return Problem{std::string(results.problem())};
  const Tensor& codes = codes_of(*results);
  row.code = codes.type;
  row.codes = casts::elements_of(codes.shape);
  const Tensor* const scale = find(*results, "scale");
  if (scale != nullptr && !row.reads_scale) {
    row.scale = scale->type;
    row.scales = casts::elements_of(scale->shape);
  }
  return row;
}

RowAnswer cast_row(const casts::Cast& cast, TensorType source, const RowOperands& operands) {
  Row row(source, operands.source.size());
  for (std::size_t i = 0; i < operands.source.size(); ++i) {
    casts::set_word(row.values.bytes, casts::width_of(source), i, operands.source[i]);
  }
  CastInput input = row.input(operands.scale);
  input.random = operands.random;
  const auto results = cast.apply(input);
  RowAnswer answer;
  if (!results) {
    answer.problem = results.problem();
    return answer;
  }
  const auto words = [](const Tensor& tensor) {
    std::vector<std::uint64_t> all(casts::elements_of(tensor.shape));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = casts::word_at(tensor, i);
    return all;
  };
  answer.codes = words(codes_of(*results));
  const Tensor* const scale = find(*results, "scale");
  if (scale != nullptr && !operands.scale) answer.scales = words(*scale);
  return answer;
}

}  // namespace mx::golden
