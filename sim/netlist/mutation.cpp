#include "sim/netlist/mutation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "sim/block/stream.hpp"

namespace mx::sim {
namespace {

std::string_view next_word(std::string_view& line) {
  const std::size_t start = std::min(line.find_first_not_of(' '), line.size());
  line.remove_prefix(start);
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

bool parse_number(std::string_view text, int& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

/// Lines and columns of a source tag; 0 where there are none.
struct Place {
  std::string_view file;
  std::int64_t lines = 0;  ///< how many it spans: the fewest are the innermost place
};

Place place_of(std::string_view tag) {
  const std::size_t colon = tag.rfind(':');
  if (colon == std::string_view::npos) return {tag, 0};
  const std::string_view span = tag.substr(colon + 1);
  const std::size_t dash = span.find('-');
  int first = 0;
  int last = 0;
  parse_number(span.substr(0, span.find('.')), first);
  if (dash != std::string_view::npos) {
    const std::string_view end = span.substr(dash + 1);
    parse_number(end.substr(0, end.find('.')), last);
  }
  return {tag.substr(0, colon), std::int64_t{last} - first + 1};
}

/// An instantiation spans more lines than the statement it reaches, and 0.0-0.0 says nothing.
bool is_inner(std::string_view tag, std::string_view than) {
  if (than.empty()) return true;
  if (tag.ends_with(":0.0-0.0")) return false;
  // Instantiations stand in the modules above: the statement has the last tag of fewest lines.
  return place_of(tag).lines <= place_of(than).lines;
}

std::string without_folder(std::string_view tag) {
  const std::size_t slash = tag.rfind('/');
  return std::string(slash == std::string_view::npos ? tag : tag.substr(slash + 1));
}

}  // namespace

bool Mutation::is_of_logic() const {
  const bool is_read = cell.find("$memrd") != std::string::npos;
  return port != "CLK" && !(is_read && port == "EN");
}

std::string Mutation::command(int number) const {
  std::string text = "mutate";
  if (number != 0) text += fmt::format(" -ctrl mutsel {} {}", kMutselBits, number);
  text += fmt::format(" -mode {} -module mx_quantizer -cell {} -port {} -portbit {}", mode, cell,
                      port, bit);
  if (control >= 0) text += fmt::format(" -ctrlbit {}", control);
  return text;
}

std::string Mutation::text() const {
  std::string text = fmt::format("{} of {}[{}]", mode, port, bit);
  if (control >= 0) text += fmt::format(" by bit {}", control);
  text += fmt::format(" of {}", without_folder(cell));
  if (!wire.empty()) text += fmt::format(", wire {}[{}]", wire, wire_bit);
  return text + ", " + source;
}

std::optional<Mutation> parse_mutation(std::string_view line) {
  if (next_word(line) != "mutate") return std::nullopt;
  Mutation mutation;
  std::string_view source;
  for (std::string_view key = next_word(line); !key.empty(); key = next_word(line)) {
    const std::string_view value = next_word(line);
    if (value.empty()) return std::nullopt;
    if (key == "-mode") {
      mutation.mode = value;
    } else if (key == "-cell") {
      mutation.cell = value;
    } else if (key == "-port") {
      mutation.port = value;
    } else if (key == "-wire") {
      mutation.wire = value;
    } else if (key == "-src") {
      if (is_inner(value, source)) source = value;
    } else if (key == "-portbit" || key == "-ctrlbit" || key == "-wirebit") {
      int& number = key == "-portbit"   ? mutation.bit
                    : key == "-ctrlbit" ? mutation.control
                                        : mutation.wire_bit;
      if (!parse_number(value, number)) return std::nullopt;
    } else if (key != "-module") {
      return std::nullopt;
    }
  }
  mutation.source = without_folder(source);
  if (mutation.mode.empty() || mutation.cell.empty() || mutation.port.empty()) return std::nullopt;
  return mutation;
}

std::vector<Mutation> draw_mutations(const std::vector<Mutation>& all, std::size_t count,
                                     std::uint64_t seed) {
  std::vector<std::uint32_t> order(all.size());
  std::iota(order.begin(), order.end(), 0U);
  count = std::min(count, all.size());
  Stream stream(seed, StreamUse::kMutation);
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(order[i], order[i + stream.below(static_cast<std::uint32_t>(order.size() - i))]);
  }
  order.resize(count);
  std::ranges::sort(order);
  std::vector<Mutation> drawn;
  drawn.reserve(count);
  for (const std::uint32_t i : order) drawn.push_back(all[i]);
  return drawn;
}

}  // namespace mx::sim
