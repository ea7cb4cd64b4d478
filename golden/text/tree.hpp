// SPDX-License-Identifier: Apache-2.0
// What an answer says, as data: records of named parts in their order, lists, texts, whole numbers,
// truth values. It is written as JSON. The C library is built without a library of JSON, so its
// modules have this, which reads none.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mx::golden {

class Tree {
 public:
  struct Part;

  /// Nothing, JSON's null.
  Tree() = default;
  // NOLINTBEGIN(google-explicit-constructor): trees are written as nested lists of values.
  Tree(std::nullptr_t) {}
  Tree(std::string text) : kind_(Kind::kText), text_(std::move(text)) {}
  Tree(std::string_view text) : Tree(std::string(text)) {}
  Tree(const char* text) : Tree(std::string(text)) {}
  template <std::same_as<bool> Truth>
  Tree(Truth truth) : kind_(Kind::kTruth), number_(truth ? 1 : 0) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool> && !std::same_as<Number, char>) Tree(Number number)
      : kind_(Kind::kNumber),
        is_negative_(number < 0),
        number_(is_negative_ ? 0 - static_cast<std::uint64_t>(number)
                             : static_cast<std::uint64_t>(number)) {}
  template <typename Each>
  Tree(const std::vector<Each>& list) : Tree(std::span<const Each>(list)) {}
  template <typename Each>
  Tree(std::span<const Each> list) : kind_(Kind::kList), parts_(list.begin(), list.end()) {}
  /// A record: {{"code", "38"}, {"inexact", true}}.
  Tree(std::initializer_list<Part> parts);
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] static Tree list() { return Tree(Kind::kList); }
  [[nodiscard]] static Tree list(std::initializer_list<Tree> parts);
  [[nodiscard]] static Tree record() { return Tree(Kind::kRecord); }

  /// The part of a name, made where there is none; what was nothing becomes a record.
  Tree& operator[](std::string_view name);
  /// Adds to a list; what was nothing becomes one.
  void push_back(Tree part);
  /// Takes over the parts of another record.
  void update(const Tree& other);
  void erase(std::string_view name);

  [[nodiscard]] bool is_record() const { return kind_ == Kind::kRecord; }
  [[nodiscard]] bool is_text() const { return kind_ == Kind::kText; }
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// The part of a name. Throws std::out_of_range where there is none.
  [[nodiscard]] const Tree& at(std::string_view name) const;
  [[nodiscard]] const Tree& at(std::size_t index) const { return parts_.at(index); }
  [[nodiscard]] Tree& at(std::size_t index) { return parts_.at(index); }
  [[nodiscard]] Tree& back() { return parts_.back(); }
  /// Parts of a list or of a record.
  [[nodiscard]] std::size_t size() const { return parts_.size(); }
  [[nodiscard]] bool empty() const { return parts_.empty(); }
  [[nodiscard]] auto begin() const { return parts_.begin(); }
  [[nodiscard]] auto end() const { return parts_.end(); }
  /// The name of a record's part.
  [[nodiscard]] const std::string& name(std::size_t index) const { return names_.at(index); }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool truth() const { return number_ != 0; }
  /// Of a whole number of 0 or more.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  /// Of a list of texts.
  [[nodiscard]] std::vector<std::string> texts() const;
  /// The text or the truth of a part that may be missing.
  [[nodiscard]] std::string_view text_of(std::string_view name,
                                         std::string_view otherwise = {}) const;
  [[nodiscard]] bool truth_of(std::string_view name) const;

  /// As JSON: in one line, or with an indent of 2 for each level. Bytes that are no UTF-8 become
  /// U+FFFD.
  [[nodiscard]] std::string json() const;
  [[nodiscard]] std::string indented_json() const;

  bool operator==(const Tree&) const = default;

 private:
  enum class Kind : std::uint8_t { kNothing, kTruth, kNumber, kText, kList, kRecord };

  explicit Tree(Kind kind) : kind_(kind) {}
  [[nodiscard]] const Tree* find(std::string_view name) const;
  void write(std::string& json, std::optional<std::size_t> level) const;

  Kind kind_ = Kind::kNothing;
  bool is_negative_ = false;
  std::uint64_t number_ = 0;
  std::string text_;
  std::vector<std::string> names_;  ///< of a record's parts
  std::vector<Tree> parts_;
};

struct Tree::Part {
  std::string_view name;
  Tree value;
};

}  // namespace mx::golden
