// One thread's buffers: what a form makes of a chunk of words, on the device or on the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "tests/device/conversions/part.hpp"

namespace mx::device {

/// Words in a chunk: small enough for many threads to hold theirs, large enough for a kernel.
inline constexpr std::size_t kChunk = std::size_t{1} << 20;

enum class Where : std::uint8_t { kDevice, kHost };

/// Ends the program, as a judge that broke down, if a call of CUDA's runtime failed.
void require(int error, const char* what);

/// Not for two threads at once.
class Lane {
 public:
  /// `bytes`: what a word takes in all forms of a part together, at most.
  Lane(Where where, std::size_t bytes);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Begins every form of a part on a chunk; `inputs.words` is the host's.
  void start(const Part& part, const Inputs& inputs);
  /// Waits, and returns what each form made.
  [[nodiscard]] std::vector<const std::uint8_t*> finish();

 private:
  Where where_;
  void* stream_ = nullptr;
  void* device_inputs_ = nullptr;
  std::uint8_t* device_words_ = nullptr;
  std::uint8_t* host_words_ = nullptr;  ///< pinned where there is a device
  std::unique_ptr<std::uint8_t[]> own_words_;
  std::vector<const std::uint8_t*> started_;
};

}  // namespace mx::device
