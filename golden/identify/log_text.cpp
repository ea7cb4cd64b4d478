// Logs and stimulus as text: docs/identify.md.
#include <string_view>

#include "golden/bytes/number_text.hpp"
#include "golden/identify/implementation_log.hpp"
#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

constexpr std::string_view kUnknown = "x";

std::string joined(const std::vector<std::uint64_t>& codes, int bits) {
  std::string text;
  for (const std::uint64_t code : codes) {
    if (!text.empty()) text += ' ';
    text += hex(code, bits);
  }
  return text;
}

/// Which optional columns the inputs need.
struct Columns {
  bool random = false;
  bool tensor = false;
};

std::string header_text(const Surface& s, const Columns& columns, LogOutputs outputs) {
  return filled("{} {}{}{}{}\n", s.source.name, s.target(),
                outputs == LogOutputs::kValues ? " values" : "",
                columns.random ? " random hexadecimal" : "", columns.tensor ? " tensor" : "");
}

std::string input_text(const Surface& s, const Columns& columns, const BlockInput& input) {
  const std::string_view bar = s.is_block ? " | " : " ";
  std::string text = joined(input.lanes, s.source.bits);
  if (columns.random) {
    const std::vector<std::uint64_t> words(input.random.begin(), input.random.end());
    text += bar;
    text += words.empty() ? "00000000" : joined(words, 32);
  }
  if (columns.tensor) text += filled("{}{:08x}", bar, input.tensor_amax);
  return text;
}

}  // namespace

std::string stimulus_text(const Surface& surface, const std::vector<BlockInput>& inputs) {
  Columns columns;
  for (const BlockInput& input : inputs) {
    columns.random = columns.random || !input.random.empty();
    columns.tensor = columns.tensor || input.tensor_amax != 0;
  }
  std::string text = header_text(surface, columns, LogOutputs::kCodes);
  for (const BlockInput& input : inputs) text += input_text(surface, columns, input) + "\n";
  return text;
}

std::string log_text(const ImplementationLog& log) {
  Columns columns{.random = log.has_random, .tensor = false};
  for (const LogRecord& record : log.records) {
    columns.tensor = columns.tensor || record.input.tensor_amax != 0;
  }
  const Surface& s = log.surface;
  const bool has_values = log.outputs == LogOutputs::kValues;
  std::string text = header_text(s, columns, log.outputs);
  for (const LogRecord& record : log.records) {
    text += input_text(s, columns, record.input);
    if (s.is_block && !has_values) {
      text += " | ";
      text +=
          record.has_scale ? hex(record.answer.scale, s.block.scale_bits()) : std::string(kUnknown);
    }
    if (s.is_block) text += " |";
    const int bits = has_values ? 32 : s.is_block ? s.block.element.bits : s.destination.bits;
    for (std::size_t i = 0; i < record.answer.codes.size(); ++i) {
      text += ' ';
      text += is_known(record, i) ? hex(record.answer.codes[i], bits) : std::string(kUnknown);
    }
    text += '\n';
  }
  return text;
}

}  // namespace mx::golden
