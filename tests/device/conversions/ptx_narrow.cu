// cvt to and from e4m3 and e5m2.
#include "reference/format/table.hpp"
#include "tests/device/conversions/instructions.cuh"

namespace mx::device {
namespace ptx {

MX_FLOATS_TO_PAIR(E4m3OfFloats, 89, "cvt.rn.satfinite", ".e4m3x2.f32", std::uint16_t, "=h", 8)
MX_FLOATS_TO_PAIR(E5m2OfFloats, 89, "cvt.rn.satfinite", ".e5m2x2.f32", std::uint16_t, "=h", 8)
MX_HALVES_TO_BYTES(E4m3OfHalves, 89, "cvt.rn.satfinite", ".e4m3x2.f16x2")
MX_HALVES_TO_BYTES(E5m2OfHalves, 89, "cvt.rn.satfinite", ".e5m2x2.f16x2")
MX_BYTES_TO_HALVES(HalvesOfE4m3, 89, "cvt.rn", ".f16x2.e4m3x2")
MX_BYTES_TO_HALVES(HalvesOfE5m2, 89, "cvt.rn", ".f16x2.e5m2x2")

template <template <Clamp, Half> class Name, class Word>
Part narrow(std::string name, const Law& law) {
  Part part{"ptx", std::move(name), law, 89};
  add_pair<Name, Word>(part);
  return part;
}

Law law_of(const ElementFormat& source, const ElementFormat& destination) {
  return Law::of_profile("ptx-9.0", source, destination);
}

}  // namespace ptx

std::vector<Part> ptx_narrow_parts() {
  using namespace ptx;
  const auto back = [](const ElementFormat& source) {
    return Law::wide(source, formats::fp16, Rounding::kTiesToEven);
  };
  return {
      narrow<HalvesOfE4m3, std::uint16_t>("e4m3fn to fp16", back(formats::e4m3fn)),
      narrow<HalvesOfE5m2, std::uint16_t>("e5m2 to fp16", back(formats::e5m2)),
      narrow<E4m3OfHalves, std::uint8_t>("fp16 to e4m3fn", law_of(formats::fp16, formats::e4m3fn)),
      narrow<E5m2OfHalves, std::uint8_t>("fp16 to e5m2", law_of(formats::fp16, formats::e5m2)),
      narrow<E4m3OfFloats, std::uint8_t>("fp32 to e4m3fn", law_of(formats::fp32, formats::e4m3fn)),
      narrow<E5m2OfFloats, std::uint8_t>("fp32 to e5m2", law_of(formats::fp32, formats::e5m2))};
}

int architecture_in_use() {
  cudaFuncAttributes attributes{};
  void (*const kernel)(Inputs, std::uint16_t*) =
      convert_each<ptx::HalvesOfE4m3<Clamp::kNone, ptx::Half::kUpper>, std::uint16_t>;
  const cudaError_t error =
      cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(kernel));
  return error == cudaSuccess ? attributes.ptxVersion : 0;
}

}  // namespace mx::device
