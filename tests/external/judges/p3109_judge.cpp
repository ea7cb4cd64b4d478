// mxgold's P3109 family against the working group's value tables: every code of the formats with
// K = 3..16 decodes to the printed value, and the value encodes to the code.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "reference/catalog/catalog.hpp"
#include "reference/element/encode.hpp"
#include "tests/external/judges/verdict.hpp"

namespace mx::external {
namespace {

/// "NaN", "Inf", "-0x1.8p-3": a sign, hexadecimal digits with a point, a binary exponent.
std::optional<Unpacked> parse_value(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative) text.remove_prefix(1);
  if (text == "NaN") return Unpacked{.cls = ValueClass::kNan};
  if (text == "Inf") return Unpacked{.cls = ValueClass::kInf, .negative = negative};
  if (!text.starts_with("0x")) return std::nullopt;
  const std::size_t p = text.find('p');
  if (p == std::string_view::npos) return std::nullopt;
  std::uint64_t digits = 0;
  int fraction_digits = -1;
  for (const char c : text.substr(2, p - 2)) {
    if (c == '.') {
      fraction_digits = 0;
      continue;
    }
    const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0 || digits >> 60 != 0) return std::nullopt;
    digits = digits << 4 | static_cast<unsigned>(digit);
    if (fraction_digits >= 0) ++fraction_digits;
  }
  const int exponent = std::stoi(std::string(text.substr(p + 1)));
  return unpack_integer(negative, digits, exponent - 4 * std::max(fraction_digits, 0));
}

/// Compares one table: lines "code,value,subnormal" below a heading, one for each code.
void judge_table(std::istream& table, const std::string& name, const ElementFormat& format,
                 bool wrong, oracle::Report& report) {
  ElementFormat ours = format;
  if (wrong) ours.bias += 1;
  std::string line;
  std::getline(table, line);
  std::uint64_t next = 0;
  while (std::getline(table, line)) {
    if (line.empty() || line == "\r") continue;
    const std::size_t comma = line.find(',');
    const std::size_t second = line.find(',', comma + 1);
    const std::uint64_t code = std::stoull(line.substr(0, comma), nullptr, 16);
    const std::optional<Unpacked> value =
        parse_value(std::string_view(line).substr(comma + 1, second - comma - 1));
    const auto describe = [&] {
      std::string text = name;
      return text.append(": mxgold disagrees with the line ").append(line);
    };
    report.check(code == next++ && value.has_value(), describe);
    if (!value || (code & ~format.code_mask()) != 0) continue;
    report.check(decode(ours, code) == *value, describe);
    // A representable value encodes to its code under every rounding; Inf stays Inf.
    for (const Rounding rounding : {Rounding::kTiesToEven, Rounding::kToOdd}) {
      const ElementPolicy policy{.rounding = rounding, .overflow = Overflow::kPropagateInf};
      report.check(encode(*value, ours, policy, 0).code == code, describe);
    }
  }
  report.check(next == std::uint64_t{1} << format.bits, [&] {
    std::string text = name;
    return text.append(": the number of codes in the table is ").append(std::to_string(next));
  });
}

std::filesystem::path tables() {
  const char* text = std::getenv("MX_P3109");
  return std::filesystem::path(text == nullptr ? MX_P3109_DEFAULT : text) / "Value Tables" /
         "Hexadecimal";
}

/// The table of a format, for example K7/P3/signed/Binary7p3se.csv.
std::filesystem::path table_of(int k, int p, Signedness sign, P3109Domain domain) {
  const bool is_signed = sign == Signedness::kSigned;
  std::ostringstream path;
  path << 'K' << k << "/P" << p << (is_signed ? "/signed/" : "/unsigned/") << "Binary" << k << 'p'
       << p << (is_signed ? 's' : 'u') << (domain == P3109Domain::kExtended ? 'e' : 'f') << ".csv";
  return tables() / path.str();
}

int run(const Arguments& arguments) {
  if (!arguments.valid) return usage("external_p3109");
  if (!std::filesystem::is_directory(tables())) {
    return skip("P3109", "no value tables at " + tables().string() +
                             "; install them with ./dev external-setup, or name a checkout of "
                             "P3109/Public in MX_P3109");
  }
  Verdict verdict{"P3109 value tables", arguments.wrong};
  for (int k = 3; k <= 16; ++k) {
    oracle::Report report;
    int formats = 0;
    for (int p = 1; p <= k; ++p) {
      for (const Signedness sign : {Signedness::kSigned, Signedness::kUnsigned}) {
        for (const P3109Domain domain : {P3109Domain::kFinite, P3109Domain::kExtended}) {
          const auto format = p3109_format(k, p, sign, domain);
          if (!format) continue;
          const std::filesystem::path path = table_of(k, p, sign, domain);
          std::ifstream table(path);
          report.check(table.is_open(), [&] { return "no table " + path.string(); });
          judge_table(table, path.stem().string(), *format, arguments.wrong, report);
          ++formats;
        }
      }
    }
    verdict.add("K = " + std::to_string(k) + ", " + std::to_string(formats) + " formats", report);
  }
  return verdict.finish();
}

}  // namespace
}  // namespace mx::external

int main(int argc, char** argv) { return mx::external::run(mx::external::parse(argc, argv)); }
