// SPDX-License-Identifier: Apache-2.0
// The one reader of JSON: both kinds of values, from a text and from a file.
#include <nlohmann/json.hpp>

#include "golden/bytes/error.hpp"
#include "golden/bytes/json_text.hpp"
#include "golden/bytes/source.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

Outcome json(std::string_view input) {
  nlohmann::ordered_json ordered;
  nlohmann::json sorted;
  const auto problem = golden::parse_json(input, ordered);
  require(problem.has_value() == golden::parse_json(input, sorted).has_value(),
          "both kinds of values have a problem or none", input);
  const MemoryFile file(input);
  return read_or_refuse<golden::VectorError>(input, [&] {
    const nlohmann::ordered_json read =
        golden::read_json(file.path(), {std::uint64_t{1} << 30, "give less"});
    require(!problem && read == ordered, "a file is read as its text is", input);
    require(golden::json_of_text(golden::dumped(read)) == read, "a value comes back", input);
  });
}

std::vector<std::string> json_seeds() {
  return {R"({"a": [1, -2, 0.5, 1e300, true, null], "b": {"c": "\u00e9\n", "d": []}})", "[[[[]]]]",
          "18446744073709551615"};
}

}  // namespace

Target json_target() { return {"json", json, json_seeds}; }

}  // namespace mx::fuzz
