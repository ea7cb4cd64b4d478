// SPDX-License-Identifier: Apache-2.0
#include "golden/text/tree.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "golden/text/filled.hpp"

namespace mx::golden {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

/// What may follow a first byte of UTF-8.
struct Sequence {
  unsigned char first_low, first_high;    ///< range of the first byte,
  unsigned char second_low, second_high;  ///< of the second,
  std::size_t length;                     ///< and bytes in all
};
constexpr std::array<Sequence, 9> kSequences = {{{0x00, 0x7F, 0x80, 0xBF, 1},
                                                 {0xC2, 0xDF, 0x80, 0xBF, 2},
                                                 {0xE0, 0xE0, 0xA0, 0xBF, 3},
                                                 {0xE1, 0xEC, 0x80, 0xBF, 3},
                                                 {0xED, 0xED, 0x80, 0x9F, 3},
                                                 {0xEE, 0xEF, 0x80, 0xBF, 3},
                                                 {0xF0, 0xF0, 0x90, 0xBF, 4},
                                                 {0xF1, 0xF3, 0x80, 0xBF, 4},
                                                 {0xF4, 0xF4, 0x80, 0x8F, 4}}};

/// Bytes of a text that belong together: a character, or what begins one and is cut off.
struct Character {
  std::size_t length = 1;
  bool is_whole = false;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto* const sequence = std::ranges::find_if(kSequences, [&](const Sequence& each) {
    return byte(0) >= each.first_low && byte(0) <= each.first_high;
  });
  if (sequence == kSequences.end()) return {};
  for (std::size_t i = 1; i < sequence->length; ++i) {
    const unsigned char low = i == 1 ? sequence->second_low : 0x80;
    const unsigned char high = i == 1 ? sequence->second_high : 0xBF;
    if (i >= text.size() || byte(i) < low || byte(i) > high) return {i, false};
  }
  return {sequence->length, true};
}

void write_byte(char byte, std::string& json) {
  constexpr std::string_view kEscaped = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const std::size_t at = kEscaped.find(byte);
  if (at != std::string_view::npos) {
    json += '\\';
    json += kLetters[at];
  } else if (static_cast<unsigned char>(byte) < 0x20) {
    json += filled("\\u{:04x}", static_cast<unsigned>(byte));
  } else {
    json += byte;
  }
}

void write_text(std::string_view text, std::string& json) {
  json += '"';
  while (!text.empty()) {
    const Character character = first_character(text);
    if (!character.is_whole) {
      json += kReplacement;
    } else if (character.length == 1) {
      write_byte(text.front(), json);
    } else {
      json += text.substr(0, character.length);
    }
    text.remove_prefix(character.length);
  }
  json += '"';
}

void new_line(std::optional<std::size_t> level, std::string& json) {
  if (!level) return;
  json += '\n';
  json.append(2 * *level, ' ');
}

}  // namespace

Tree::Tree(std::initializer_list<Part> parts) : kind_(Kind::kRecord) {
  for (const Part& part : parts) (*this)[part.name] = part.value;
}

Tree Tree::list(std::initializer_list<Tree> parts) {
  Tree tree(Kind::kList);
  tree.parts_ = parts;
  return tree;
}

const Tree* Tree::find(std::string_view name) const {
  const auto at = std::ranges::find(names_, name);
  return at == names_.end() ? nullptr : &parts_[static_cast<std::size_t>(at - names_.begin())];
}

Tree& Tree::operator[](std::string_view name) {
  if (kind_ == Kind::kNothing) kind_ = Kind::kRecord;
  const auto at = static_cast<std::size_t>(std::ranges::find(names_, name) - names_.begin());
  if (at == names_.size()) {
    names_.emplace_back(name);
    parts_.emplace_back();
  }
  return parts_[at];
}

void Tree::push_back(Tree part) {
  if (kind_ == Kind::kNothing) kind_ = Kind::kList;
  parts_.push_back(std::move(part));
}

void Tree::update(const Tree& other) {
  for (std::size_t i = 0; i < other.size(); ++i) (*this)[other.names_[i]] = other.parts_[i];
}

void Tree::erase(std::string_view name) {
  const auto at = std::ranges::find(names_, name) - names_.begin();
  if (at == static_cast<std::ptrdiff_t>(names_.size())) return;
  names_.erase(names_.begin() + at);
  parts_.erase(parts_.begin() + at);
}

const Tree& Tree::at(std::string_view name) const {
  const Tree* const part = find(name);
  if (part == nullptr) throw std::out_of_range(filled("an answer without '{}'", name));
  return *part;
}

std::vector<std::string> Tree::texts() const {
  std::vector<std::string> texts;
  for (const Tree& part : parts_) texts.push_back(part.text_);
  return texts;
}

std::string_view Tree::text_of(std::string_view name, std::string_view otherwise) const {
  const Tree* const part = find(name);
  return part == nullptr ? otherwise : std::string_view(part->text_);
}

bool Tree::truth_of(std::string_view name) const {
  const Tree* const part = find(name);
  return part != nullptr && part->truth();
}

void Tree::write(std::string& json, std::optional<std::size_t> level) const {
  switch (kind_) {
    case Kind::kNothing:
      json += "null";
      return;
    case Kind::kTruth:
      json += truth() ? "true" : "false";
      return;
    case Kind::kNumber:
      json += filled("{}{}", is_negative_ ? "-" : "", number_);
      return;
    case Kind::kText:
      return write_text(text_, json);
    case Kind::kList:
    case Kind::kRecord:
      break;
  }
  json += is_record() ? '{' : '[';
  const std::optional<std::size_t> below = level ? std::optional(*level + 1) : std::nullopt;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (i != 0) json += ',';
    new_line(below, json);
    if (is_record()) {
      write_text(names_[i], json);
      json += level ? ": " : ":";
    }
    parts_[i].write(json, below);
  }
  if (!parts_.empty()) new_line(level, json);
  json += is_record() ? '}' : ']';
}

std::string Tree::json() const {
  std::string json;
  write(json, std::nullopt);
  return json;
}

std::string Tree::indented_json() const {
  std::string json;
  write(json, 0);
  return json;
}

}  // namespace mx::golden
