#include "golden/files/sv_package.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "golden/files/layout.hpp"

namespace mx::golden {
namespace {

/// "a_scale" -> "AScale".
std::string constant_name(std::string_view field) {
  std::string name;
  bool is_first = true;
  for (const char c : field) {
    if (c != '_') {
      name += is_first ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    }
    is_first = c == '_';
  }
  return name;
}

std::string end_word(std::uint32_t magic, std::uint64_t count) {
  return fmt::format("128'h{:08x}_{:08x}_{:016x}", magic, kSchema, count);
}

}  // namespace

std::string sv_package(const VectorHeader& header, std::string_view name) {
  const RecordShape shape = header.shape();
  const std::size_t bytes = shape.record_bytes();
  const std::size_t pad = 4 * mem_pad(bytes);
  const std::size_t width = 8 * bytes + pad;
  std::string constants;
  std::string members = pad == 0 ? "" : fmt::format("    logic [{}:0] padding;\n", pad - 1);
  std::size_t top = 8 * bytes;
  for (const FieldShape& each : shape.fields) {
    const std::string_view field = token_of(each.field);
    const std::string constant = constant_name(field);
    const int bits = 8 * each.bytes;
    constants += fmt::format(
        "  localparam int {0}Words = {1};\n  localparam int {0}Bits = {2};\n  localparam int "
        "{0}Msb = "
        "{3};\n",
        constant, each.lanes, bits, top - 1);
    // `config` is a keyword.
    members += fmt::format("    logic [{}:0] {};\n", bits * each.lanes - 1,
                           each.field == Field::kConfig ? "config_number" : field);
    top -= static_cast<std::size_t>(bits) * static_cast<std::size_t>(each.lanes);
  }
  return fmt::format(
      R"(// The words of a .mem file of mxgold: {set}.
// Word 0 is Head, words 1 to Count are records, word Count + 1 is Tail. Word i of a field is
// record[FieldMsb - i * FieldBits -: FieldBits].
package {name};
  localparam int Schema = {schema};
  localparam int Count = {count};
  localparam int Width = {width};
  localparam logic [127:0] Head = {head};
  localparam logic [127:0] Tail = {tail};
{constants}
  typedef struct packed {{
{members}  }} record_t;
endpackage
)",
      fmt::arg("set", header.set_id()), fmt::arg("name", name), fmt::arg("schema", kSchema),
      fmt::arg("count", header.count), fmt::arg("width", width),
      fmt::arg("head", end_word(kMemHead, header.count)),
      fmt::arg("tail", end_word(kMemTail, header.count)), fmt::arg("constants", constants),
      fmt::arg("members", members));
}

bool is_sv_identifier(std::string_view text) {
  const auto is_letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  const auto may_follow = [&](char c) {
    return is_letter(c) || std::isdigit(static_cast<unsigned char>(c));
  };
  return !text.empty() && is_letter(text.front()) && std::ranges::all_of(text, may_follow);
}

}  // namespace mx::golden
