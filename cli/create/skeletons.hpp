// SPDX-License-Identifier: Apache-2.0
// The files that mxgold new dut writes, as texts.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mx::cli {

struct NewText {
  std::string path;  ///< from the folder that is written to
  std::string text;
};

/// What a model computes, as it says of itself.
struct ModelFacts {
  std::string name;    ///< a word: "my_accel"
  std::string format;  ///< a block format: "mxfp4"
  std::string source;  ///< "fp32"
  unsigned block = 32;
};

/// A text with its @WORDS@ replaced.
[[nodiscard]] std::string replaced(std::string text,
                                   const std::vector<std::pair<std::string, std::string>>& words);

/// A plugin in C++ around a header of the user's; `prototypes` are the functions that it declares.
[[nodiscard]] NewText plugin_skeleton(const ModelFacts& facts, const std::string& header,
                                      const std::vector<std::string>& prototypes);
/// A program on a pipe, in Python.
[[nodiscard]] NewText pipe_skeleton(const ModelFacts& facts);

enum class CiService : std::uint8_t { kGithub, kGitlab };
/// A file that runs `command` every night; `build` are lines before it, "" for none.
[[nodiscard]] NewText ci_file(CiService service, const std::string& name,
                              const std::string& packages, const std::string& build,
                              const std::string& command);

/// The functions that a header of C or C++ declares, as they stand there.
[[nodiscard]] std::vector<std::string> prototypes_of(const std::string& header);

}  // namespace mx::cli
