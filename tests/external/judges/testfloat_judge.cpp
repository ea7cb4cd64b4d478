// mxgold's arithmetic against Berkeley TestFloat: testfloat_gen prints operands, result and
// exception flags of IEEE operations; every line is computed again.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <vector>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/format/table.hpp"
#include "tests/external/judges/verdict.hpp"

namespace mx::external {
namespace {

struct Operation {
  std::string_view name;
  int operands;
};
constexpr Operation kOperations[] = {{"add", 2}, {"sub", 2},    {"mul", 2},
                                     {"div", 2}, {"mulAdd", 3}, {"sqrt", 1}};

struct Mode {
  std::string_view option;
  Rounding rounding;
};
constexpr Mode kModes[] = {
    {"near_even", Rounding::kTiesToEven}, {"near_maxMag", Rounding::kTiesToAway},
    {"minMag", Rounding::kTowardZero},    {"min", Rounding::kTowardNegative},
    {"max", Rounding::kTowardPositive},   {"odd", Rounding::kToOdd}};

/// TestFloat's flag bits.
enum : unsigned { kInexact = 1, kUnderflow = 2, kOverflow = 4, kInfinite = 8, kInvalid = 16 };

/// So many mismatches say what there is to say about a function.
constexpr std::uint64_t kEnough = 1000;

unsigned flags_of(std::uint8_t flags) {
  return ((flags & kFlagInexact) != 0 ? kInexact : 0U) |
         ((flags & kFlagUnderflow) != 0 ? kUnderflow : 0U) |
         ((flags & kFlagOverflow) != 0 ? kOverflow : 0U) |
         ((flags & kFlagDivideByZero) != 0 ? kInfinite : 0U) |
         ((flags & kFlagInvalid) != 0 ? kInvalid : 0U);
}

Encoded compute(const Arithmetic& arithmetic, std::string_view name, const std::uint64_t (&x)[3]) {
  if (name == "add") return arithmetic.add(x[0], x[1]);
  if (name == "sub") return arithmetic.subtract(x[0], x[1]);
  if (name == "mul") return arithmetic.multiply(x[0], x[1]);
  if (name == "div") return arithmetic.divide(x[0], x[1]);
  if (name == "sqrt") return arithmetic.sqrt(x[0]);
  return arithmetic.fma(x[0], x[1], x[2]);
}

/// Does IEEE 754-2019 section 7.2 leave invalid open: 0 * Inf + quiet NaN?
bool is_invalid_open(const ElementFormat& format, const std::uint64_t (&x)[3]) {
  const Unpacked a = decode(format, x[0]);
  const Unpacked b = decode(format, x[1]);
  const Unpacked c = decode(format, x[2]);
  const bool no_product = (a.cls == ValueClass::kInf && b.cls == ValueClass::kZero) ||
                          (a.cls == ValueClass::kZero && b.cls == ValueClass::kInf);
  return no_product && c.cls == ValueClass::kNan && !c.signaling;
}

/// TestFloat's reference overflows to the largest finite number in round-to-odd; mxgold's ieee()
/// policy to Inf (spec F10.1).
Arithmetic arithmetic_of(const ElementFormat& format, Rounding rounding, bool wrong) {
  Arithmetic arithmetic = Arithmetic::ieee(format, rounding);
  if (rounding == Rounding::kToOdd) arithmetic.policy.overflow = Overflow::kSatFiniteKeepInf;
  if (wrong) {
    arithmetic.policy.rounding =
        rounding == Rounding::kTiesToEven ? Rounding::kTiesToZero : Rounding::kTiesToEven;
  }
  return arithmetic;
}

/// The lines of one function under one mode.
void judge_lines(std::FILE* lines, const ElementFormat& format, const Operation& operation,
                 const Arithmetic& arithmetic, oracle::Report& report) {
  char line[200];
  while (report.mismatches() < kEnough && std::fgets(line, sizeof line, lines) != nullptr) {
    std::uint64_t x[3] = {};
    char* rest = line;
    for (int k = 0; k < operation.operands; ++k) x[k] = std::strtoull(rest, &rest, 16);
    const std::uint64_t want = std::strtoull(rest, &rest, 16);
    unsigned want_flags = static_cast<unsigned>(std::strtoul(rest, &rest, 16));
    const Encoded ours = compute(arithmetic, operation.name, x);
    unsigned our_flags = flags_of(ours.flags);
    if (operation.operands == 3 && is_invalid_open(format, x)) {
      want_flags &= ~static_cast<unsigned>(kInvalid);
      our_flags &= ~static_cast<unsigned>(kInvalid);
    }
    // Which NaN comes out is the machine's choice; that it is a quiet one is not.
    const Unpacked want_value = decode(format, want);
    const Unpacked our_value = decode(format, ours.code);
    const bool both_nan = want_value.cls == ValueClass::kNan && our_value.cls == ValueClass::kNan &&
                          !our_value.signaling;
    report.check((ours.code == want || both_nan) && our_flags == want_flags, [&] {
      std::ostringstream text;
      text << line << "    mxgold: " << oracle::hex(ours.code, format.bits / 4) << ' '
           << oracle::hex(our_flags);
      return text.str();
    });
  }
}

std::string generator() {
  const char* named = std::getenv("MX_TESTFLOAT");
  if (named != nullptr) return access(named, X_OK) == 0 ? named : "";
  std::istringstream path(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH"));
  for (std::string folder; std::getline(path, folder, ':');) {
    const std::string program = folder + "/testfloat_gen";
    if (access(program.c_str(), X_OK) == 0) return program;
  }
  return "";
}

void judge_function(const std::string& program, std::string_view format_name,
                    const ElementFormat& format, const Operation& operation,
                    const Arguments& arguments, Verdict& verdict) {
  std::string function(format_name);
  function.append("_").append(operation.name);
  oracle::Report report;
  for (const Mode& mode : kModes) {
    std::ostringstream line;
    line << '\'' << program << "' -r" << mode.option << " -tininessafter -level 1 " << function
         << " 2>&1";
    const std::string command = line.str();
    std::cout << "  " << command << '\n';
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> lines(popen(command.c_str(), "r"),
                                                                pclose);
    const std::uint64_t before = report.cases();
    if (lines != nullptr) {
      judge_lines(lines.get(), format, operation,
                  arithmetic_of(format, mode.rounding, arguments.wrong), report);
    }
    if (report.mismatches() >= kEnough) break;
    report.check(report.cases() > before + 100, [&] { return command + " printed nothing"; });
  }
  verdict.add(function, report);
}

int run(const Arguments& arguments) {
  if (!arguments.valid) return usage("external_testfloat");
  const std::string program = generator();
  if (program.empty()) {
    return skip("TestFloat",
                "no testfloat_gen on PATH and MX_TESTFLOAT names none; build Berkeley "
                "TestFloat 3e and SoftFloat 3e from their sources");
  }
  struct Named {
    std::string_view name;
    const ElementFormat* format;
  };
  Verdict verdict{"TestFloat", arguments.wrong};
  for (const Named& named :
       {Named{"f16", &formats::fp16}, Named{"f32", &formats::fp32}, Named{"f64", &formats::fp64}}) {
    if (!arguments.wants(named.name)) continue;
    for (const Operation& operation : kOperations) {
      judge_function(program, named.name, *named.format, operation, arguments, verdict);
    }
  }
  return verdict.finish();
}

}  // namespace
}  // namespace mx::external

int main(int argc, char** argv) { return mx::external::run(mx::external::parse(argc, argv)); }
