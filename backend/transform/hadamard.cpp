#include "backend/transform/hadamard.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

#include "backend/tensor/self_check.hpp"

namespace mx::backend {

Checked<TensorTransform> TensorTransform::make(const Hadamard& hadamard,
                                               const ElementFormat& source, Choice choice) {
  const std::string problem = hadamard_problem(source, 0);
  if (!problem.empty()) return Problem{problem};
  TensorTransform made(hadamard, source);
  if (choice == Choice::kReference) return made;
  const fast::HadamardOrder order = hadamard.signs == HadamardSigns::kFirst
                                        ? fast::HadamardOrder::kSignsFirst
                                        : fast::HadamardOrder::kSignsLast;
  made.chosen_.take(fast::HadamardPlan::make({source, hadamard.mask, order}));
  if (insists(choice) && !made.is_fast()) return Problem{made.chosen_.why_reference()};
  return made;
}

std::string TensorTransform::self_check() const {
  if (!is_fast()) return {};
  const std::vector<std::byte> words = structured_words(source_, kHadamardSize);
  const std::uint64_t elements = words.size() / storage_bytes(source_);
  constexpr std::uint64_t kColumns = 19;  // whole vectors, and a rest
  const std::uint64_t down = elements / (kHadamardSize * kColumns) * kHadamardSize;
  const std::array rows = {elements};
  const std::array columns = {down, kColumns};
  for (const BlockedShape& shape : {BlockedShape::make(rows, 0, kHadamardSize).value(),
                                    BlockedShape::make(columns, 0, kHadamardSize).value()}) {
    const auto here = std::span(words).first(shape.elements * storage_bytes(source_));
    std::vector<std::byte> expected(shape.elements * sizeof(fp32::Bits));
    std::vector<std::byte> values(expected.size());
    transform_tensor(hadamard_, shape, source_, here, expected);
    transform(shape, here, values);
    const auto found = std::ranges::mismatch(expected, values);
    if (found.in1 == expected.end()) continue;
    return "the fast path's transform of element " +
           std::to_string((found.in1 - expected.begin()) / 4) +
           " of the self-check differs from the reference's";
  }
  return {};
}

void TensorTransform::transform(const BlockedShape& shape, std::span<const std::byte> words,
                                std::span<std::byte> values, int threads) const {
  if (!is_fast()) return transform_tensor(hadamard_, shape, source_, words, values, threads);
  const fast::BlockLayout layout{shape.outer, shape.length, shape.inner};
  if (!chosen_.plan<fast::HadamardPlan>()->transform(layout, words, values, threads)) {
    throw std::logic_error("words and values of a transform do not fit its shape");
  }
}

}  // namespace mx::backend
