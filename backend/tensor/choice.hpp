// Which code computes, and what is wanted of it beside the codes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mx::backend {

/// Who computes: the option --backend of the program.
enum class Choice : std::uint8_t {
  kAuto,       ///< the fast path where there is one
  kReference,  ///< the model
  kCpu,        ///< the fast path, or a problem that says why there is none
  kCuda,       ///< the CUDA path on a device, or a problem
  kCudaHost    ///< its arithmetic on the host, or a problem
};

/// Their names, in that order.
inline constexpr std::array<std::string_view, 5> kChoiceNames = {"auto", "reference", "cpu", "cuda",
                                                                 "cuda-host"};

[[nodiscard]] constexpr std::string_view name_of(Choice choice) {
  return kChoiceNames[static_cast<std::size_t>(choice)];
}

/// Is the path that is named the only one that will do?
[[nodiscard]] constexpr bool insists(Choice choice) {
  return choice != Choice::kAuto && choice != Choice::kReference;
}
/// One of the CUDA path?
[[nodiscard]] constexpr bool is_cuda(Choice choice) {
  return choice == Choice::kCuda || choice == Choice::kCudaHost;
}

/// What a caller of TensorConverter wants to know beside codes.
enum class Wanted : std::uint8_t {
  kCounts,  ///< elements; flags stay 0
  kFlags    ///< flags too
};

}  // namespace mx::backend
