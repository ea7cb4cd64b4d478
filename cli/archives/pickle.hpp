// SPDX-License-Identifier: Apache-2.0
// Pickles of Python as data: what the opcodes build, without a call of anything. A class or
// function is a name; only those of a list are taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mx::cli {

enum class PickleKind : std::uint8_t {
  kOther,       ///< None, floats, bytes, whole numbers beyond 64 bits
  kNumber,      ///< a whole number; True and False, too
  kText,        ///< text
  kList,        ///< items: lists, tuples and sets
  kDict,        ///< items: key, value, key, value; OrderedDict, too
  kGlobal,      ///< number: its place in the list of names
  kCall,        ///< items: function, arguments. Nothing was called
  kPersistent,  ///< items: the identity of what lies beside the pickle
};

/// An index into Pickle::values.
using PickleIndex = std::uint32_t;

struct PickleValue {
  PickleKind kind = PickleKind::kOther;
  std::int64_t number = 0;
  std::string_view text;
  std::vector<PickleIndex> items;
};

/// All values that a pickle makes. Items may lead in circles.
struct Pickle {
  std::deque<PickleValue> values;
  PickleIndex root = 0;

  [[nodiscard]] const PickleValue& operator[](PickleIndex index) const { return values[index]; }
};

/// Reads a pickle of protocol 2 to 5. `globals` are the names that it may use, as "module.name", or
/// "package.*" for all of a package;
/// the call of the one called "collections.OrderedDict" is a dictionary. `file` is for messages.
/// Throws Error kBadInput, also for any other name, which it tells.
[[nodiscard]] Pickle read_pickle(std::string_view file, std::span<const std::byte> bytes,
                                 std::span<const std::string_view> globals);

}  // namespace mx::cli
