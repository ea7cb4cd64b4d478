// Types of the safetensors format and sizes of shapes.
#include <array>
#include <limits>

#include "cli/files/tensor_header.hpp"
#include "reference/format/table.hpp"

namespace mx::cli {
namespace {

constexpr std::array kTypes = {DType{"F64", 64, &formats::fp64, &formats::fp64},
                               DType{"F32", 32, &formats::fp32, &formats::fp32},
                               DType{"F16", 16, &formats::fp16, &formats::fp16},
                               DType{"BF16", 16, &formats::bf16, &formats::bf16},
                               DType{"U8", 8},
                               DType{"I8", 8},
                               DType{"U16", 16},
                               DType{"I16", 16},
                               DType{"U32", 32},
                               DType{"I32", 32},
                               DType{"U64", 64},
                               DType{"I64", 64},
                               DType{"BOOL", 8},
                               DType{"C64", 64},
                               DType{"F8_E4M3", 8, nullptr, &formats::e4m3fn},
                               DType{"F8_E5M2", 8, nullptr, &formats::e5m2},
                               DType{"F8_E8M0", 8, nullptr, &formats::e8m0},
                               DType{"F8_E4M3FNUZ", 8, nullptr, &formats::e4m3fnuz},
                               DType{"F8_E5M2FNUZ", 8, nullptr, &formats::e5m2fnuz},
                               DType{"F6_E2M3", 6, nullptr, &formats::e2m3fn},
                               DType{"F6_E3M2", 6, nullptr, &formats::e3m2fn},
                               DType{"F4", 4, nullptr, &formats::e2m1fn}};

}  // namespace

const DType* find_dtype(std::string_view name) {
  for (const DType& type : kTypes) {
    if (type.name == name) return &type;
  }
  return nullptr;
}

std::string_view code_dtype(const ElementFormat& format) {
  switch (format.storage_bits) {
    case 8:
      return "U8";
    case 16:
      return "U16";
    case 32:
      return "U32";
    default:
      return "U64";
  }
}

std::string_view float_dtype(const ElementFormat& format) {
  for (const DType& type : kTypes) {
    if (type.format != nullptr && *type.format == format) return type.name;
  }
  return {};
}

std::string_view own_dtype(const ElementFormat& format) {
  // The sign that ue4m3 has no bit for is 0 in codes of e4m3fn.
  const ElementFormat& held = format == formats::ue4m3 ? formats::e4m3fn : format;
  for (const DType& type : kTypes) {
    if (type.codes != nullptr && *type.codes == held) return type.name;
  }
  return {};
}

std::optional<std::uint64_t> element_count(std::span<const std::uint64_t> shape, int bits) {
  const std::uint64_t limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) /
                              static_cast<std::uint64_t>(bits);
  std::uint64_t nonzero = 1;
  bool is_empty = false;
  for (const std::uint64_t length : shape) {
    if (length == 0) {
      is_empty = true;
    } else if (length > limit / nonzero) {
      return std::nullopt;
    } else {
      nonzero *= length;
    }
  }
  return is_empty ? 0 : nonzero;
}

}  // namespace mx::cli
