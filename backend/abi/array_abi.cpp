// Arrays of single values over the C ABI.
#include <algorithm>
#include <mutex>

#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "mxgold.h"
#include "reference/tensor/layout.hpp"
#include "reference/tensor/tensor.hpp"

namespace {

using mx::abi::guarded;

}  // namespace

extern "C" mxgold_status mxgold_convert_array(const mxgold_conversion* conversion,
                                              const void* source, uint64_t source_bytes,
                                              uint64_t seed, uint32_t tensor_index, void* codes,
                                              uint64_t code_bytes, uint32_t* flags) noexcept {
  return guarded(__func__, [&]() -> mxgold_status {
    mx::abi::ArraySizes sizes;
    const mxgold_status status =
        mx::abi::read_sizes(conversion, {source, source_bytes}, {codes, code_bytes}, sizes);
    if (status != MXGOLD_OK) return status;
    const mx::ConversionConfig& config = conversion->conversion.config();
    const std::uint64_t count = sizes.count;
    if (mx::abi::is_shared({{codes, code_bytes}}, {{source, source_bytes}})) return MXGOLD_OVERLAP;
    const std::span<const std::byte> words = mx::abi::read_bytes(source, source_bytes);
    const std::span<std::byte> made = mx::abi::write_bytes(codes, code_bytes);
    const mx::CounterRandom random{seed, tensor_index};
    const int threads = mx::abi::threads_for(std::max(source_bytes, code_bytes));
    if (!mx::stray_word(config.source, words, threads).empty()) return MXGOLD_BAD_CODE;
    // The fast path has no flags, and a small array is not worth its self-check.
    const auto& arrays = conversion->arrays;
    const bool is_fast =
        flags == nullptr && count >= mx::abi::kLarge && arrays.unchecked().is_fast();
    const mx::backend::TensorConverter* const fast = is_fast ? &arrays.checked() : nullptr;
    std::uint32_t all = 0;
    std::mutex mutex;
    mx::share_work(
        count, mx::layout::kSharedWords, threads, [&](std::uint64_t first, std::uint64_t last) {
          const mx::TensorSummary part =
              fast != nullptr ? fast->convert(words, random, made, first, last)
                              : mx::backend::convert_by_reference(conversion->conversion, words,
                                                                  random, made, first, last);
          const std::lock_guard lock(mutex);
          all |= part.flags;
        });
    if (flags != nullptr) *flags = all;
    return MXGOLD_OK;
  });
}
