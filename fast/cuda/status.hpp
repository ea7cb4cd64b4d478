// Success of a call to the CUDA path, or what went wrong in words.
#pragma once

#include <cstdint>
#include <string_view>

namespace mx::fast {

enum class Error : std::uint8_t {
  kNone,
  kUnsupportedFormat,  ///< no plan
  kBadSize,            ///< a span does not fit the layout
  kBadLayout,          ///< a layout that the path does not have
  kBadPointer,         ///< a pointer is null or not aligned to its words
  kNoDevice,           ///< no device code in this build, no driver, or no device
  kDevice              ///< a CUDA call failed
};

/// On an error the outputs are unspecified.
struct Status {
  Error error = Error::kNone;
  std::string_view detail = {};
  [[nodiscard]] explicit operator bool() const { return error == Error::kNone; }
};

}  // namespace mx::fast
