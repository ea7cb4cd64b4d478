#include "emulators/common/call.hpp"

#include <charconv>

namespace mx::emulators {
namespace {

constexpr std::string_view kBlanks = " \t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_name(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!is_letter && (c < '0' || c > '9')) return false;
  }
  return true;
}

Problem at(std::size_t position, std::string_view what) {
  return {"ValueError: position " + std::to_string(position) + ": " + std::string(what)};
}

}  // namespace

Checked<Call> Call::read(std::string_view text) {
  Call call;
  const std::size_t open = text.find('(');
  call.name_ = trimmed(text.substr(0, open));
  if (!is_name(call.name_)) return at(0, "a function name is expected, as in name(key=value)");
  if (open == std::string_view::npos) return call;
  const std::size_t close = text.find_last_not_of(kBlanks);
  if (text[close] != ')' || close < open) return at(text.size(), "')' is missing at the end");
  std::size_t first = open + 1;
  if (trimmed(text.substr(first, close - first)).empty()) return call;
  while (first <= close) {
    // Values may hold commas within parentheses: tuples.
    std::size_t end = first;
    int depth = 0;
    for (; end < close && depth >= 0 && (depth > 0 || text[end] != ','); ++end) {
      depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    }
    if (depth != 0) return at(first, "the parentheses do not match");
    const std::string_view part = text.substr(first, end - first);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) return at(first, "key=value is expected");
    const std::string_view key = trimmed(part.substr(0, equals));
    const std::string_view value = trimmed(part.substr(equals + 1));
    if (!is_name(key)) return at(first, "a parameter name is expected before '='");
    if (value.empty()) return at(first + equals + 1, "a value is expected after '='");
    if (call.has(key)) return at(first, "parameter '" + std::string(key) + "' stands twice");
    call.arguments_.push_back({std::string(key), std::string(value), first});
    first = end + 1;
  }
  call.taken_.assign(call.arguments_.size(), false);
  return call;
}

bool Call::has(std::string_view key) const {
  for (const Argument& each : arguments_) {
    if (each.key == key) return true;
  }
  return false;
}

const Argument* Call::take(std::string_view key) {
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].key != key) continue;
    taken_[i] = true;
    return &arguments_[i];
  }
  return nullptr;
}

void Call::refuse(std::string_view key, std::string_view why) {
  if (!problem_.empty()) return;
  std::size_t position = 0;
  for (const Argument& each : arguments_) {
    if (each.key == key) position = each.position;
  }
  problem_ =
      at(position, name_ + ": parameter '" + std::string(key) + "' " + std::string(why)).text;
}

std::int64_t Call::integer(std::string_view key, std::optional<std::int64_t> fallback,
                           std::int64_t least, std::int64_t most) {
  const Argument* const argument = take(key);
  if (argument == nullptr) {
    if (!fallback) refuse(key, "is missing");
    return fallback.value_or(least);
  }
  std::string_view digits = argument->value;
  if (digits.size() > 1 && digits[0] == '+') digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) {
    refuse(key, "must be an integer, not '" + argument->value + "'");
    return least;
  }
  if (value < least || value > most) {
    refuse(key, "must lie in " + std::to_string(least) + ".." + std::to_string(most) + ", not " +
                    argument->value);
    return least;
  }
  return value;
}

bool Call::boolean(std::string_view key, std::optional<bool> fallback) {
  const Argument* const argument = take(key);
  if (argument == nullptr) {
    if (!fallback) refuse(key, "is missing");
    return fallback.value_or(false);
  }
  const std::string& text = argument->value;
  if (text == "True" || text == "true" || text == "1") return true;
  if (text != "False" && text != "false" && text != "0") refuse(key, "must be True or False");
  return false;
}

std::string Call::word(std::string_view key, std::optional<std::string_view> fallback) {
  const Argument* const argument = take(key);
  if (argument != nullptr) return argument->value;
  if (!fallback) refuse(key, "is missing");
  return std::string(fallback.value_or(""));
}

std::string Call::problem() const {
  if (!problem_.empty()) return problem_;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (!taken_[i]) {
      return at(arguments_[i].position, name_ + " has no parameter '" + arguments_[i].key + "'")
          .text;
    }
  }
  return {};
}

}  // namespace mx::emulators
