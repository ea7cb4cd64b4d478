// mxgold's arithmetic against Berkeley TestFloat: testfloat_gen prints operands, result and
// exception flags of IEEE operations; every line is computed again.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <span>
#include <sstream>
#include <vector>

#include "reference/arithmetic/arithmetic.hpp"
#include "reference/format/table.hpp"
#include "tests/external/judges/testfloat_functions.hpp"
#include "tests/external/judges/verdict.hpp"

namespace mx::external {
namespace {

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

/// Does IEEE 754-2019 section 7.2 leave invalid open: 0 * Inf + quiet NaN?
bool is_invalid_open(const ElementFormat& format, const std::uint64_t (&x)[3]) {
  const Unpacked a = decode(format, x[0]);
  const Unpacked b = decode(format, x[1]);
  const Unpacked c = decode(format, x[2]);
  const bool no_product = (a.cls == ValueClass::kInf && b.cls == ValueClass::kZero) ||
                          (a.cls == ValueClass::kZero && b.cls == ValueClass::kInf);
  return no_product && c.cls == ValueClass::kNan && !c.signaling;
}

/// What the command line says besides the arguments that all judges have.
struct Options {
  int level = 1;
  OutOfRange out_of_range = OutOfRange::kIndefinite;  ///< as SoftFloat's 8086-SSE
};

/// The lines of one function under one mode.
void judge_lines(std::FILE* lines, ArithmeticOperation operation, const Arithmetic& arithmetic,
                 oracle::Report& report) {
  const ElementFormat& from = arithmetic.operand_format(operation);
  const ElementFormat& to = arithmetic.result_format(operation);
  const std::size_t operands = operands_of(operation);
  char line[200];
  while (report.mismatches() < kEnough && std::fgets(line, sizeof line, lines) != nullptr) {
    std::uint64_t x[3] = {};
    char* rest = line;
    for (std::size_t k = 0; k < operands; ++k) x[k] = std::strtoull(rest, &rest, 16);
    const std::uint64_t want = std::strtoull(rest, &rest, 16);
    unsigned want_flags = static_cast<unsigned>(std::strtoul(rest, &rest, 16));
    const Encoded ours = arithmetic(operation, std::span(x).first(operands));
    unsigned our_flags = flags_of(ours.flags);
    if (operands == 3 && is_invalid_open(from, x)) {
      want_flags &= ~static_cast<unsigned>(kInvalid);
      our_flags &= ~static_cast<unsigned>(kInvalid);
    }
    // Which NaN comes out is the machine's choice; that it is a quiet one is not.
    const Unpacked want_value = decode(to, want);
    const Unpacked our_value = decode(to, ours.code);
    const bool both_nan = want_value.cls == ValueClass::kNan && our_value.cls == ValueClass::kNan &&
                          !our_value.signaling;
    report.check((ours.code == want || both_nan) && our_flags == want_flags, [&] {
      std::ostringstream text;
      text << line << "    mxgold: " << oracle::hex(ours.code, (to.bits + 3) / 4) << ' '
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

/// A function in one rounding, under one rule of tininess.
void judge_mode(const std::string& program, const TestfloatFunction& function,
                const TestfloatMode& mode, Tininess tininess, const Options& options, bool wrong,
                oracle::Report& report) {
  const std::string command = '\'' + program + "' " +
                              testfloat_arguments(function, mode, tininess, options.level) +
                              " 2>&1";
  std::cout << "  " << command << '\n';
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> lines(popen(command.c_str(), "r"), pclose);
  const std::uint64_t before = report.cases();
  if (lines != nullptr) {
    judge_lines(
        lines.get(), wrong ? function.wrong : function.operation,
        testfloat_arithmetic(function, mode.rounding, tininess, options.out_of_range, wrong),
        report);
  }
  if (report.mismatches() >= kEnough) return;
  report.check(report.cases() > before + 100, [&] { return command + " printed nothing"; });
}

void judge_function(const std::string& program, const TestfloatFunction& function,
                    const Options& options, bool wrong, Verdict& verdict) {
  oracle::Report report;
  for (const Tininess tininess : {Tininess::kAfterRounding, Tininess::kBeforeRounding}) {
    if (tininess == Tininess::kBeforeRounding && !function.has_tininess) continue;
    for (const TestfloatMode& mode : testfloat_modes(function)) {
      judge_mode(program, function, mode, tininess, options, wrong, report);
      if (report.mismatches() >= kEnough) break;
    }
  }
  verdict.add(function.name, report);
}

int run(const Arguments& arguments, const Options& options) {
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
    for (const TestfloatFunction& function : testfloat_functions(named.name, *named.format)) {
      // A format, or one function.
      if (!arguments.wants(named.name) && !arguments.wants(function.name)) continue;
      judge_function(program, function, options, arguments.wrong, verdict);
    }
  }
  return verdict.finish();
}

/// Takes --level=N and --out-of-range=RULE out of the arguments; false where one is none.
bool take_options(std::vector<char*>& words, Options& options) {
  bool is_right = true;
  std::erase_if(words, [&](const char* word) {
    const std::string_view text = word;
    if (text.starts_with("--level=")) {
      is_right &= text == "--level=1" || text == "--level=2";
      options.level = text.back() - '0';
      return true;
    }
    if (!text.starts_with("--out-of-range=")) return false;
    const auto rule = parse_token<OutOfRange>(text.substr(15));
    is_right &= rule.has_value();
    options.out_of_range = rule.value_or(OutOfRange::kIndefinite);
    return true;
  });
  return is_right;
}

int main_of(std::vector<char*> words) {
  Options options;
  const bool is_right = take_options(words, options);
  const Arguments arguments = parse(static_cast<int>(words.size()), words.data());
  if (!is_right || !arguments.valid) {
    std::cerr << "external_testfloat: besides SURFACE and --wrong: --level=1 | 2, "
                 "--out-of-range=indefinite | saturate_nan_max | saturate_nan_zero (the rule that "
                 "SoftFloat was built for)\n";
    return usage("external_testfloat");
  }
  return run(arguments, options);
}

}  // namespace
}  // namespace mx::external

int main(int argc, char** argv) {
  return mx::external::main_of(std::vector<char*>(argv, argv + argc));
}
