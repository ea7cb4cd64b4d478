#include <algorithm>

#include "fast/cuda/combinations.hpp"
#include "fast/cuda/host_lanes.hpp"
#include "fast/cuda/quantize.hpp"

namespace mx::fast {
namespace {

template <class Source, class Element>
void quantize_all(std::span<const std::byte> words, QuantizedSpans out) {
  const std::size_t elements = out.codes.size();
  auto* codes = reinterpret_cast<std::uint8_t*>(out.codes.data());
  auto* scales = reinterpret_cast<std::uint8_t*>(out.scales.data());
  for (std::size_t block = 0; block < out.scales.size(); ++block) {
    const std::size_t first = block * kBlockSize;
    const auto count = static_cast<int>(std::min<std::size_t>(kBlockSize, elements - first));
    quantize_block<Source, Element>(HostLanes{},
                                    words.data() + first * sizeof(typename Source::Word), count,
                                    codes + first, scales + block, out.status.data() + block);
  }
}

}  // namespace

bool is_supported(const ElementFormat& source, const ElementFormat& element) {
  return with_traits(source, element, []<class Source, class Element>() {});
}

std::size_t block_count(const ElementFormat& source, std::size_t source_bytes) {
  const std::size_t elements = source_bytes / (static_cast<std::size_t>(source.storage_bits) / 8);
  return elements / kBlockSize + (elements % kBlockSize != 0 ? 1 : 0);
}

Status quantize_on_host(const ElementFormat& source, const ElementFormat& element,
                        std::span<const std::byte> words, QuantizedSpans out) {
  if (const Status bad = check_call(source, element, words, out); !bad) return bad;
  with_traits(source, element,
              [&]<class Source, class Element>() { quantize_all<Source, Element>(words, out); });
  return {};
}

}  // namespace mx::fast
