// Configuration files: what is read is written again as the same, and every reader reads it.
#include <array>

#include "backend/abi/mxgold.h"
#include "golden/names/config_file.hpp"
#include "golden/text/flat_toml.hpp"
#include "tests/fuzz/target.hpp"

namespace mx::fuzz {
namespace {

/// The entries again, each text in quotes.
std::string written(const std::vector<golden::TomlEntry>& entries) {
  std::string text;
  for (const golden::TomlEntry& entry : entries) {
    text += golden::toml_quoted(entry.key) + " = [";
    for (const golden::TomlValue& value : entry.values) {
      const bool is_text = value.kind == golden::TomlKind::kText;
      text += (is_text ? golden::toml_quoted(value.text) : value.text) + ",";
    }
    text += "]\n";
  }
  return text;
}

/// The same file by the C interface.
bool is_read_by_library(std::string_view input) {
  const MemoryFile file(input);
  std::array<char, 512> why{};
  mxgold_answer* answer = nullptr;
  const mxgold_status status =
      mxgold_configuration(file.path().c_str(), &answer, why.data(), why.size());
  require((status == MXGOLD_OK) == (answer != nullptr), "an answer, or none", input);
  if (status != MXGOLD_OK) require_words(why.data(), input);
  mxgold_answer_destroy(answer);
  return status == MXGOLD_OK;
}

Outcome config_file(std::string_view input) {
  const auto entries = golden::parse_flat_toml(input);
  if (!entries) {
    require_words(entries.problem(), input);
    require(!is_read_by_library(input), "what is no TOML is no file", input);
    return Outcome::kRefused;
  }
  const std::string text = written(*entries);
  const auto again = golden::parse_flat_toml(text);
  require(static_cast<bool>(again), "its own text is read", text);
  require(written(*again) == text, "its own text stays", text);
  return read_or_refuse<golden::Refusal>(input, [&] {
    const golden::ConfigFile file = golden::ConfigFile::parse_config(input, "fuzz");
    const MemoryFile stored(input);
    const golden::ConfigFile same = golden::ConfigFile::read_config(stored.path());
    require(file.entries().size() == same.entries().size(), "a file says what its text says",
            input);
    static_cast<void>(golden::model_settings(file));
    require(is_read_by_library(input), "a model's file is a library's", input);
  });
}

std::vector<std::string> config_file_seeds() {
  return {"# mine\nformat = \"mxfp4\"\nrounding = 'RNE'\n",
          "lanes = 0x1_F\nsrc_ftz=\"ke\\u0065p\"\r\ntime-out = 1.5e+1 # s\n",
          "format = [\n  \"mxfp4\",\n]\nprofile = \"te\"\nblock-size = +32\nseed = -0",
          "waivers = 'known deviations.json'\nobserve = [\"scale\", \"code\"]\n"};
}

}  // namespace

Target config_files_target() { return {"config_files", config_file, config_file_seeds}; }

}  // namespace mx::fuzz
