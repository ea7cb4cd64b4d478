#include "emulators/dmx/format/aliases.hpp"

namespace mx::emulators::dmx {
namespace {

constexpr Alias kAliases[] = {
    {"SAME", "SAME"},
    {"FLOAT32", "FP[1|8|23,127](_N)"},
    {"FLOAT16", "FP[1|5|10,15](FN)"},
    {"BFLOAT16", "FP[1|8|7,127](FN)"},
    {"AFLOAT8", "FP[1|4|3,7](_N)"},
    {"BFLOAT8", "FP[1|5|2,15](_N)"},
    {"INT8", "XP[8,0](CSN)"},
    {"INT4", "XP[4,0](CSN)"},
    {"BFP32_1", "BFP[24|8]{1}(SN)"},
    {"BFP24_64", "BFP[16|8]{64}(SN)"},
    {"BFP24_32", "BFP[16|8]{32}(SN)"},
    {"BFP24_16", "BFP[16|8]{16}(SN)"},
    {"BFP16_128", "BFP[8|8]{128}(SN)"},
    {"BFP16_64", "BFP[8|8]{64}(SN)"},
    {"BFP16_32", "BFP[8|8]{32}(SN)"},
    {"BFP16_16", "BFP[8|8]{16}(SN)"},
    {"BFP14_128", "BFP[6|8]{128}(SN)"},
    {"BFP14_64", "BFP[6|8]{64}(SN)"},
    {"BFP14_32", "BFP[6|8]{32}(SN)"},
    {"BFP14_16", "BFP[6|8]{16}(SN)"},
    {"BFP12_128", "BFP[4|8]{128}(SN)"},
    {"BFP12_64", "BFP[4|8]{64}(SN)"},
    {"BFP12_32", "BFP[4|8]{32}(SN)"},
    {"BFP12_16", "BFP[4|8]{16}(SN)"},
    {"BFP16A_128", "BFP[8|8]{128}(_N)"},
    {"BFP16A_64", "BFP[8|8]{64}(_N)"},
    {"BFP16A_32", "BFP[8|8]{32}(_N)"},
    {"BFP16A_16", "BFP[8|8]{16}(_N)", "BFP[6|8]{16}(_N)"},  // mistyped in the package
    {"BFP14A_128", "BFP[6|8]{128}(_N)"},
    {"BFP14A_64", "BFP[6|8]{64}(_N)"},
    {"BFP14A_32", "BFP[6|8]{32}(_N)"},
    {"BFP14A_16", "BFP[6|8]{16}(_N)"},
    {"BFP12A_128", "BFP[4|8]{128}(_N)"},
    {"BFP12A_64", "BFP[4|8]{64}(_N)"},
    {"BFP12A_32", "BFP[4|8]{32}(_N)"},
    {"BFP12A_16", "BFP[4|8]{16}(_N)"},
    {"SBFP12_16", "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}"},
    {"SBFP12_16_4", "SBFP<XP[4,0](CSN)><FP[0|4|4,4](FN)>{16}"},
    {"SBFP12_16_5", "SBFP<XP[4,0](CSN)><FP[0|4|4,5](FN)>{16}"},
    {"SBFP12_16_6", "SBFP<XP[4,0](CSN)><FP[0|4|4,6](FN)>{16}"},
    {"SBFP12_16_7", "SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}"},
    {"SBFP12_16_8", "SBFP<XP[4,0](CSN)><FP[0|4|4,8](FN)>{16}"},
    {"SBFP12_16_9", "SBFP<XP[4,0](CSN)><FP[0|4|4,9](FN)>{16}"},
    {"SBFP12_16_10", "SBFP<XP[4,0](CSN)><FP[0|4|4,10](FN)>{16}"},
    {"SBFP12_16_11", "SBFP<XP[4,0](CSN)><FP[0|4|4,11](FN)>{16}"},
    {"SBFP12_16_12", "SBFP<XP[4,0](CSN)><FP[0|4|4,12](FN)>{16}"},
    {"SBFP12_16_13", "SBFP<XP[4,0](CSN)><FP[0|4|4,13](FN)>{16}"},
    {"SBFP12_16_14", "SBFP<XP[4,0](CSN)><FP[0|4|4,14](FN)>{16}"},
    {"SBFP12_16_15", "SBFP<XP[4,0](CSN)><FP[0|4|4,15](FN)>{16}"},
    {"SBFP12_16_16", "SBFP<XP[4,0](CSN)><FP[0|4|4,16](FN)>{16}"},
    {"SBFP12_16_17", "SBFP<XP[4,0](CSN)><FP[0|4|4,17](FN)>{16}"},
    {"SBFP12_16_18", "SBFP<XP[4,0](CSN)><FP[0|4|4,18](FN)>{16}"},
    {"MXFP8_E4M3K128", "MXFP8[E4M3]{128}"},
    {"MXFP8_E4M3K64", "MXFP8[E4M3]{64}"},
    {"MXFP8_E4M3K32", "MXFP8[E4M3]{32}"},
    {"MXFP8_E5M2K128", "MXFP8[E5M2]{128}"},
    {"MXFP8_E5M2K64", "MXFP8[E5M2]{64}"},
    {"MXFP8_E5M2K32", "MXFP8[E5M2]{32}"},
    {"MXFP6_E2M3K128", "MXFP6[E2M3]{128}"},
    {"MXFP6_E2M3K64", "MXFP6[E2M3]{64}"},
    {"MXFP6_E2M3K32", "MXFP6[E2M3]{32}"},
    {"MXFP6_E3M2K128", "MXFP6[E3M2]{128}"},
    {"MXFP6_E3M2K64", "MXFP6[E3M2]{64}"},
    {"MXFP6_E3M2K32", "MXFP6[E3M2]{32}"},
    {"MXFP4_E2M1K128", "MXFP4[E2M1]{128}"},
    {"MXFP4_E2M1K64", "MXFP4[E2M1]{64}"},
    {"MXFP4_E2M1K32", "MXFP4[E2M1]{32}"},
    {"MXINT8_K128", "MXINT8{128}"},
    {"MXINT8_K64", "MXINT8{64}"},
    {"MXINT8_K32", "MXINT8{32}"},
    {"MXINT6_K128", "MXINT6{128}"},
    {"MXINT6_K64", "MXINT6{64}"},
    {"MXINT6_K32", "MXINT6{32}"},
    {"MXINT4_K128", "MXINT4{128}"},
    {"MXINT4_K64", "MXINT4{64}"},
    {"MXINT4_K32", "MXINT4{32}"},
};

}  // namespace

std::span<const Alias> aliases() { return kAliases; }

std::string_view shorthand_of(std::string_view name, Mode mode) {
  for (const Alias& each : kAliases) {
    if (each.name == name) return each.in(mode);
  }
  return {};
}

}  // namespace mx::emulators::dmx
