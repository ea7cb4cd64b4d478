#include "emulators/torchmx/dtypes.hpp"

#include "reference/format/rows.hpp"

namespace mx::emulators::torchmx {
namespace {

constexpr ElementFormat kWholeInt8 = {.name = "fixed8.0",
                                      .bits = 8,
                                      .storage_bits = 8,
                                      .kind = FormatKind::kTwosComplement,
                                      .zero = ZeroKind::kPosOnly,
                                      .max_code = 0x7F};

}  // namespace

const DType* find_elem_dtype(std::string_view name) {
  for (const DType& each : kSupportedElemDtypes) {
    if (each.name == name) return &each;
  }
  return nullptr;
}

const ElementFormat& format_of(const DType& elem_dtype, Mode mode) {
  if (elem_dtype == kFloat8E4m3) return formats::e4m3fn;
  if (elem_dtype == kFloat6E3m2) return formats::e3m2fn;
  if (elem_dtype == kFloat6E2m3) return formats::e2m3fn;
  if (elem_dtype == kFloat4E2m1) return formats::e2m1fn;
  return mode == Mode::kStrict ? formats::int8 : kWholeInt8;
}

int shared_exponent_offset(const DType& elem_dtype, Mode mode) {
  return mode == Mode::kStrict && elem_dtype == kInt8 ? 0 : elem_dtype.max_pow2;
}

}  // namespace mx::emulators::torchmx
