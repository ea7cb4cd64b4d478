// Texts of casts. Any text is a cast of a system, or is refused in words with the class of an
// exception and a position; what is read is spelt canonically, and that spelling is read as the
// same.
#include "emulators/casts/casts.hpp"
#include "reference/casts/cast.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

constexpr std::size_t kLongest = 400;

bool begins_with_exception(std::string_view problem) {
  const std::size_t colon = problem.find(": ");
  if (colon == std::string_view::npos || colon == 0) return false;
  for (const char c : problem.substr(0, colon)) {
    if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.')) return false;
  }
  return true;
}

/// The first byte chooses the mode, and a system before the text.
Outcome run(std::string_view input) {
  if (input.empty() || input.size() > kLongest) return Outcome::kRefused;
  const auto choice = static_cast<unsigned char>(input[0]);
  const casts::Setting setting{(choice & 1) != 0 ? SystemMode::kCompat : SystemMode::kStrict,
                               Platform::kX86};
  std::size_t count = 0;
  while (!emulators::package_name(count).empty()) ++count;
  const std::size_t chosen = static_cast<std::size_t>(choice >> 1) % (count + 1);
  std::string whole(input.substr(1));
  if (chosen != count) whole.insert(0, std::string(emulators::package_name(chosen)) + ":");
  const auto cast = emulators::make_cast(whole, setting);
  if (!cast) {
    require(begins_with_exception(cast.problem()), "a refusal names a class of exceptions", whole);
    return Outcome::kRefused;
  }
  const std::string system = whole.substr(0, whole.find(':') + 1);
  const std::string canonical = system + (*cast)->text();
  const auto again = emulators::make_cast(canonical, setting);
  require(static_cast<bool>(again), "the canonical text is read", whole + " -> " + canonical);
  require(system + (*again)->text() == canonical, "the canonical text stays", canonical);
  (void)(*cast)->properties();
  return Outcome::kRead;
}

constexpr std::string_view kTexts[] = {
    "dmx:SAME",
    "dmx:XP[8,+4](CSN)",
    "dmx:FP[1|4|3,7](_N)",
    "dmx:BFP[8|8]{64}(SN)",
    "dmx:SBFP<XP[4,0](CSN)><FP[0|4|4,7](FN)>{16}",
    "dmx:MXFP8[E4M3]{32}",
    "dmx:MXINT8{32}",
    "torchmx:quantize_mx(elem_dtype=float8_e4m3,block_size=32)",
    "qtorch:fixed_point_quantize(wl=8,fl=4,clamp=True,symmetric=False,rounding=stochastic)",
    "qtorch:float_quantize(exp=5,man=2,rounding=nearest)",
    "aimet:FloatQuantizeDequantize(exponent_bits=4,mantissa_bits=3,shape=(1,))",
    "microxcaling:quantize_mx(scale_bits=8,elem_format=fp8_e4m3,axes=(-1),block_size=32)"};

/// Each text with its system in it, in both modes.
std::vector<std::string> seeds() {
  std::size_t count = 0;
  while (!emulators::package_name(count).empty()) ++count;
  std::vector<std::string> all;
  for (const std::string_view text : kTexts) {
    for (const std::size_t mode : {0U, 1U}) {
      all.push_back(static_cast<char>(count << 1 | mode) + std::string(text));
    }
  }
  return all;
}

}  // namespace

Target casts_target() { return {"casts", run, seeds}; }

}  // namespace mx::fuzz
