// NVFP4 of host memory on a device: copies in, runs, copies out, waits.
#include "fast/cuda/plan.hpp"
#include "fast/cuda_nvfp4/stream.hpp"

namespace mx::fast {
namespace {

constexpr Status kCopiesProblem = {Error::kBadSize, "a span does not fit the layout"};

/// What keeps a call from a device, or none.
Status problem_of(std::string_view layout_problem, bool fits) {
  if (!layout_problem.empty()) return {Error::kBadLayout, layout_problem};
  if (!fits) return kCopiesProblem;
  const std::string_view device = device_problem();
  return device.empty() ? Status{} : Status{Error::kNoDevice, device};
}

}  // namespace

Status Nvfp4Plan::copy_and_quantize(const StreamLayout& layout, std::span<const std::byte> source,
                                    const HostResults& results, const StreamRandom& random) const {
  const std::string_view why = layout_problem(layout);
  const StreamSizes wanted = why.empty() ? sizes(layout) : StreamSizes{};
  const bool fits = source.size() == wanted.source_bytes &&
                    results.codes.size() == wanted.code_bytes &&
                    results.scales.size() == wanted.scale_bytes &&
                    (results.status.empty() || results.status.size() == wanted.status_words);
  if (const Status problem = problem_of(why, fits); !problem) return problem;
  const std::size_t elements = layout.shape.elements();
  if (elements == 0) return {};
  const std::span<const std::uint32_t> words{random.words, random.words == nullptr ? 0 : elements};
  const std::span<const std::byte> in[] = {source, std::as_bytes(words)};
  const std::span<std::byte> out[] = {results.codes, results.scales,
                                      std::as_writable_bytes(results.status)};
  return cuda::run_between_copies(in, out, [&](void* const* at) {
    const StreamResults there{
        at[2], at[3], results.status.empty() ? nullptr : static_cast<std::uint16_t*>(at[4])};
    const auto* const draws = words.empty() ? nullptr : static_cast<const std::uint32_t*>(at[1]);
    return quantize(nullptr, layout, at[0], there, nullptr, {draws, random.seed, random.tensor});
  });
}

Status Nvfp4Plan::copy_and_dequantize(const StreamLayout& layout, std::span<const std::byte> codes,
                                      std::span<const std::byte> scales,
                                      std::span<std::byte> words) const {
  const std::string_view why = layout_problem(layout);
  const StreamSizes wanted = why.empty() ? sizes(layout) : StreamSizes{};
  const bool fits = codes.size() == wanted.code_bytes && scales.size() == wanted.scale_bytes &&
                    words.size() == wanted.source_bytes;
  if (const Status problem = problem_of(why, fits); !problem) return problem;
  if (layout.shape.elements() == 0) return {};
  const std::span<const std::byte> in[] = {codes, scales};
  const std::span<std::byte> out[] = {words};
  return cuda::run_between_copies(in, out, [&](void* const* at) {
    return dequantize(nullptr, layout, {at[0], at[1]}, at[2]);
  });
}

}  // namespace mx::fast
