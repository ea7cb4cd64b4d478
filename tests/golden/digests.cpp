// Prints the record digest of suites of every kind, for comparison between builds by different
// compilers. Exits non-zero if there is nothing to print.
#include <cstdio>
#include <string>

#include "golden/files/vector_file.hpp"
#include "tests/golden/set_kit.hpp"

namespace {

using namespace mx::golden;

int sets = 0;

void print(const std::vector<Configuration>& configs, SuiteKind kind, std::uint64_t drawn,
           FileKind file) {
  const GoldenSet set = golden_set(configs, kind, drawn, 3);
  VectorWriter writer("/dev/null", file, set.header);
  writer.write(set.records);
  std::printf("%s %s\n", to_hex(writer.finish().records).c_str(), set.header.set_id().c_str());
  ++sets;
}

void mx_blocks(const mx::ElementFormat& source) {
  using mx::Rounding;
  using mx::ScaleRule;
  for (const mx::BlockFormat& format : mx::mx_block_formats()) {
    print({block(source, format, Rounding::kTiesToEven, ScaleRule::kFloor)}, SuiteKind::kDirected,
          0, FileKind::kTv);
    print({block(source, format, Rounding::kStochasticA, ScaleRule::kEvenUp)}, SuiteKind::kRandom,
          700, FileKind::kTv);
    print({block(source, format, Rounding::kStochasticC, ScaleRule::kRceil),
           block(source, format, Rounding::kToOdd, ScaleRule::kCeil)},
          SuiteKind::kPolicy, 350, FileKind::kTv);
  }
}

void conversions(const mx::ElementFormat& source, const mx::ElementFormat& destination) {
  for (const SuiteKind kind : {SuiteKind::kDirected, SuiteKind::kRandom}) {
    for (const mx::Rounding rounding : {mx::Rounding::kToOdd, mx::Rounding::kStochasticB}) {
      Configuration each = conversion(source, destination, rounding);
      std::get<mx::ConversionConfig>(each.what).policy.overflow = mx::Overflow::kNoneInfOrNan;
      print({each}, kind, 3000, FileKind::kBin);
    }
  }
}

}  // namespace

int main() {
  using namespace mx::formats;
  for (const mx::ElementFormat& source : {fp32, bf16, fp16}) mx_blocks(source);
  for (const Configuration& each : every_block()) {
    print({each}, SuiteKind::kSmoke, 0, FileKind::kMem);
    print({each}, SuiteKind::kRandom, 500, FileKind::kBin);
  }
  for (const mx::ElementFormat& source : {fp64, fp32, bf16, fp16, e5m2}) {
    for (const mx::ElementFormat& destination : {e4m3fn, e2m1fn, int8, fp16}) {
      conversions(source, destination);
    }
  }
  for (const char* format : {"mxfp8_e4m3", "mxfp4", "nvfp4"}) {
    print({dot(format, format, Addend::kPresent)}, SuiteKind::kSmoke, 0, FileKind::kTv);
  }
  for (const Configuration& each : every_unit()) print({each}, SuiteKind::kSmoke, 0, FileKind::kTv);
  for (const mx::Token<mx::ArithmeticOperation>& each : mx::tokens<mx::ArithmeticOperation>()) {
    for (const mx::ElementFormat& format : {fp64, fp32, e5m2}) {
      print({arith(each.value, format)}, SuiteKind::kSmoke, 0, FileKind::kTv);
    }
  }
  return sets >= 150 ? 0 : 1;
}
