#include "bridge/bus/score.hpp"

#include <fmt/format.h>

#include <charconv>

#include "bridge/bus/format_of.hpp"
#include "golden/text/exact.hpp"

namespace mx::bridge {
namespace {

using golden::Field;

constexpr std::array kResults = {Field::kScale, Field::kCode, Field::kFlags};
constexpr std::size_t kMostDifferences = 4;

std::size_t index_of(Field field) {
  return static_cast<std::size_t>(field) - static_cast<std::size_t>(Field::kScale);
}

std::string word_text(const ElementFormat& format, int lane_bits, std::uint64_t code) {
  const std::string hex = fmt::format("{:0{}x}", code, (lane_bits + 3) / 4);
  if (format.bits == 0 || !format.takes(code)) return hex;
  return fmt::format("{} ({})", hex, golden::short_decimal(decode(format, code)));
}

std::string place_text(Field field, std::size_t word, std::size_t words) {
  return words == 1 ? std::string(token_of(field)) : fmt::format("{}[{}]", token_of(field), word);
}

bool is_nan(const ElementFormat& format, std::uint64_t code) {
  return format.bits != 0 && format.takes(code) && decode(format, code).cls == ValueClass::kNan;
}

}  // namespace

std::unique_ptr<Score> Score::open(std::string_view text) {
  auto score = std::make_unique<Score>();
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    const char* const end = value.data() + value.size();
    if (name == "name" && !value.empty()) {
      score->name_ = value;
    } else if (name == "nan" && (value == "exact" || value == "any")) {
      score->any_nan_ = value == "any";
    } else if (name != "errors" || std::from_chars(value.data(), end, score->errors_).ptr != end ||
               value.empty()) {
      score->error_ =
          fmt::format("\"{}\": a scoreboard has name=TEXT, nan=exact or nan=any, errors=N", word);
    }
  }
  return score;
}

bool Score::tell(std::string text) {
  ++counts_.wrong;
  if (first_.empty()) first_ = text;
  message_ = ++told_ <= errors_ ? fmt::format("{}: {}", name_, text) : "";
  return false;
}

std::uint64_t Score::count(std::string_view what) const {
  if (what == "expected") return counts_.expected;
  if (what == "observed") return counts_.observed;
  if (what == "wrong") return counts_.wrong;
  if (what == "unknown") return counts_.unknown;
  if (what == "compared") return counts_.compared;
  if (what == "open") return counts_.open;
  return what == "unobserved" ? counts_.unobserved : 0;
}

bool Score::refuse(std::string why) {
  error_ = std::move(why);
  return false;
}

bool Score::set_mask(std::string_view name, std::uint64_t mask) {
  Field field{};
  if (!find_field(name, field) || !golden::is_result(field)) {
    return refuse(fmt::format("\"{}\" is none of the results scale, code, flags", name));
  }
  masks_[index_of(field)] = mask;
  return true;
}

bool Score::expect(Handle* asked, std::string_view context) {
  message_.clear();
  Expected wanted;
  wanted.record = counts_.expected++;
  wanted.context = context;
  if (asked == nullptr || !asked->has_answer()) {
    return tell(fmt::format("record {}: the model has no answer: {}{}{}", wanted.record,
                            asked == nullptr         ? "no handle"
                            : asked->error().empty() ? "it was not asked"
                                                     : asked->error(),
                            context.empty() ? "" : "; ", context));
  }
  Handle& handle = *asked;
  for (std::size_t f = 0; f < kResults.size(); ++f) {
    const std::span<const std::uint64_t> words = handle.of(kResults[f]);
    wanted.lane_bits[f] = handle.lane_bits(kResults[f]);
    wanted.formats[f] = format_of(handle.model().configuration(), kResults[f]);
    for (std::size_t i = 0; i < words.size(); ++i) {
      // A NaN that may be any is compared as one, an open sign of a zero bit by bit.
      const bool is_alike = handle.is_alike(kResults[f], i);
      const bool is_any = (any_nan_ || is_alike) && is_nan(wanted.formats[f], words[i]);
      const bool is_compared = is_alike && is_any;
      wanted.fields[f].push_back(
          {words[i], is_compared ? 0 : handle.open_bits(kResults[f], i), is_any});
    }
  }
  wanted.operands = handle.operand_line();
  wanted.model = handle.text();
  queue_.push_back(std::move(wanted));
  return true;
}

Score::Difference Score::compare_word(const Expected& wanted, std::size_t field, std::size_t word,
                                      const Observed::Field& seen, ScoreCounts& counts) const {
  const Word& expected = wanted.fields[field][word];
  const int width = wanted.lane_bits[field];
  const std::uint64_t whole = ones(width);
  const std::uint64_t given = masks_[field] & whole;
  const std::uint64_t looked_at = given & ~expected.open;
  if (given == 0) {
    ++counts.unobserved;
    return {};
  }
  if (looked_at == 0) {
    ++counts.open;
    return {};
  }
  ++counts.compared;
  const std::size_t at = word * static_cast<std::size_t>(width);
  if (at + static_cast<std::size_t>(width) > 32 * seen.value.size()) {
    return {fmt::format("{}[{}]: not on the bus, which ends before it", token_of(kResults[field]),
                        word),
            true};
  }
  const std::uint64_t value = read_bits(seen.value, at, width);
  const std::uint64_t unknown = read_bits(seen.unknown, at, width) & looked_at;
  const std::string place = place_text(kResults[field], word, wanted.fields[field].size());
  const ElementFormat& format = wanted.formats[field];
  if (unknown != 0) {
    return {fmt::format("{}: bits {:x} are X or Z, expected {}", place, unknown,
                        word_text(format, width, expected.value)),
            true};
  }
  if (((value ^ expected.value) & looked_at) == 0) return {};
  if (expected.is_nan && looked_at == whole && is_nan(format, value)) return {};
  const std::string compared =
      looked_at == whole ? "" : fmt::format(" in the bits {:x}", looked_at);
  return {fmt::format("{}: got {}, expected {}{}", place, word_text(format, width, value),
                      word_text(format, width, expected.value), compared)};
}

Score::Difference Score::compare(const Expected& wanted, const Observed& seen,
                                 ScoreCounts& counts) const {
  Difference all;
  std::size_t differences = 0;
  for (std::size_t f = 0; f < kResults.size(); ++f) {
    for (std::size_t i = 0; i < wanted.fields[f].size(); ++i) {
      const Difference one = compare_word(wanted, f, i, seen.fields[f], counts);
      if (one.text.empty()) continue;
      all.is_unknown = all.is_unknown || one.is_unknown;
      if (++differences > kMostDifferences) continue;
      all.text += fmt::format("{}{}", all.text.empty() ? "" : "; ", one.text);
    }
  }
  if (differences > kMostDifferences) {
    all.text += fmt::format("; and {} words more", differences - kMostDifferences);
  }
  return all;
}

bool Score::observe(const Observed& seen) {
  message_.clear();
  const std::uint64_t number = counts_.observed++;
  if (queue_.empty()) {
    return tell(fmt::format("answer {} came without a question: {} were expected", number,
                            counts_.expected));
  }
  const Expected wanted = std::move(queue_.front());
  queue_.pop_front();
  const Difference difference = compare(wanted, seen, counts_);
  if (difference.text.empty()) return true;
  counts_.unknown += difference.is_unknown ? 1U : 0U;
  std::string text = fmt::format("MISMATCH record {}: {}", wanted.record, difference.text);
  ScoreCounts aside;
  if (!queue_.empty() && !difference.is_unknown &&
      compare(queue_.front(), seen, aside).text.empty()) {
    text += fmt::format("; this is the answer to record {}: one was lost", queue_.front().record);
  }
  text += fmt::format("; operands {}; model {}", wanted.operands, wanted.model);
  if (!wanted.context.empty()) text += "; " + wanted.context;
  return tell(std::move(text));
}

bool Score::finish() {
  message_.clear();
  std::string why;
  if (!error_.empty()) {
    why = error_;
  } else if (!queue_.empty()) {
    const Expected& next = queue_.front();
    why = fmt::format("{} answers never came, the first to record {}{}{}", queue_.size(),
                      next.record, next.context.empty() ? "" : ", ", next.context);
  } else if (counts_.compared == 0) {
    why = counts_.expected == 0 ? "nothing was asked" : "no word was compared";
  }
  if (counts_.wrong != 0) why += fmt::format("{}{}", why.empty() ? "first: " : "; first: ", first_);
  verdict_ = fmt::format(
      "{} {}: {} records expected, {} observed, {} wrong, {} with X or Z; {} words compared, {} "
      "open, {} unobserved{}{}",
      why.empty() ? "PASS" : "FAIL", name_, counts_.expected, counts_.observed, counts_.wrong,
      counts_.unknown, counts_.compared, counts_.open, counts_.unobserved, why.empty() ? "" : "; ",
      why);
  return why.empty();
}

}  // namespace mx::bridge
