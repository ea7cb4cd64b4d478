// One rule, and every instruction or function that has to obey it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/device/conversions/rule.hpp"

namespace mx::device {

/// Input words: those at `words`, or consecutive ones from `first` on.
struct Inputs {
  const Code* words = nullptr;
  Code first = 0;
  std::size_t count = 0;
};

/// A way to convert each word into a word of `bytes` bytes.
struct Form {
  std::string name;
  Clamp clamp = Clamp::kNone;
  std::size_t bytes = 1;
  /// Starts on a stream (a cudaStream_t); the pointers are the device's.
  void (*on_device)(const Inputs& inputs, void* words, void* stream) = nullptr;
  /// nullptr: only a device has it.
  void (*on_host)(const Inputs& inputs, void* words) = nullptr;
};

struct Part {
  std::string_view surface;
  std::string name;
  Rule rule;
  int architecture = 0;  ///< the oldest that has every form: 89, 90
  std::vector<Form> forms = {};
};

/// Instructions by inline PTX.
[[nodiscard]] std::vector<Part> ptx_narrow_parts();
[[nodiscard]] std::vector<Part> ptx_wide_parts();
/// The functions of cuda_fp8.h, cuda_fp6.h and cuda_fp4.h.
[[nodiscard]] std::vector<Part> header_parts();

/// The virtual architecture that the code in use on this device was compiled for: 90. It may be
/// older than the device, which then runs nothing newer.
[[nodiscard]] int architecture_in_use();
/// CUDA's version that the headers are from: 13000.
[[nodiscard]] int headers_version();

}  // namespace mx::device
