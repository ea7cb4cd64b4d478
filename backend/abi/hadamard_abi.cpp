// Hadamard transforms over the C ABI.
#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "backend/transform/hadamard.hpp"
#include "mxgold.h"
#include "reference/format/table.hpp"
#include "reference/tensor/hadamard.hpp"

using mx::abi::guarded;

extern "C" uint16_t mxgold_hadamard_mask(uint64_t seed) noexcept {
  return mx::drawn_hadamard_mask(seed);
}

extern "C" mxgold_status mxgold_hadamard_tensor(const char* source, const uint64_t* shape,
                                                size_t rank, int64_t axis, uint16_t mask,
                                                int signs_last, const void* words,
                                                uint64_t word_bytes, void* values,
                                                uint64_t value_bytes) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    if (source == nullptr || (shape == nullptr && rank > 0)) return MXGOLD_NULL_ARGUMENT;
    const mx::ElementFormat* const format = mx::find_format(source);
    if (format == nullptr) return MXGOLD_UNKNOWN_FORMAT;
    if (!mx::hadamard_problem(*format, 0).empty()) return MXGOLD_BAD_VALUE;
    const auto groups = mx::BlockedShape::make(std::span(shape, rank), axis, mx::kHadamardSize);
    if (!groups || !mx::hadamard_problem(*format, groups->length).empty() ||
        word_bytes != groups->elements * mx::storage_bytes(*format) ||
        value_bytes != groups->elements * sizeof(mx::fp32::Bits)) {
      return MXGOLD_BAD_SIZE;
    }
    if (groups->elements > 0 && (words == nullptr || values == nullptr)) {
      return MXGOLD_NULL_ARGUMENT;
    }
    if (mx::abi::is_shared({{values, value_bytes}}, {{words, word_bytes}})) return MXGOLD_OVERLAP;
    const mx::HadamardSigns signs =
        signs_last != 0 ? mx::HadamardSigns::kLast : mx::HadamardSigns::kFirst;
    const bool is_large = groups->elements >= mx::abi::kLarge;
    const mx::abi::Checkable transform(
        mx::backend::TensorTransform::make(
            {mask, signs}, *format,
            is_large ? mx::backend::Choice::kAuto : mx::backend::Choice::kReference)
            .value());
    transform.checked().transform(*groups, mx::abi::read_bytes(words, word_bytes),
                                  mx::abi::write_bytes(values, value_bytes),
                                  mx::abi::threads_for(value_bytes));
    return MXGOLD_OK;
  });
}
