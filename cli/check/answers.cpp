// SPDX-License-Identifier: Apache-2.0
#include "cli/check/answers.hpp"

#include <filesystem>
#include <memory>

#include "cli/check/arrays.hpp"
#include "cli/run/usage.hpp"
#include "emulators/casts/casts.hpp"
#include "golden/bytes/kept_input.hpp"
#include "golden/bytes/source.hpp"
#include "golden/files/vector_file.hpp"
#include "sim/answers/text.hpp"

namespace mx::cli {

sim::GivenAnswers answers_of_file(const std::string& path, const golden::VectorHeader& header,
                                  const Names& fields) {
  if (has_array_suffix(path)) return answers_of_arrays(TensorFile::open(path), header, fields);
  const std::string remedy = fmt::format("give a line for each of the {} records of the vectors",
                                         golden::with_commas(header.count));
  const std::string text = golden::whole_text(path, {sim::most_answer_bytes(header), remedy});
  return sim::parse_answers(text, path == "-" ? "standard input" : path, header, fields);
}

Exit check_answers(RunCommand command, const std::string& path) {
  if (path == "-" && command.vectors == "-") {
    fail(Exit::kUsage, "-: one of vectors and answers can be standard input");
  }
  const golden::KeptInput vectors(command.vectors);
  command.vectors_path = vectors.path();
  try {
    const golden::VectorReader reader(command.vectors_path, emulators::make_cast);
    command.answers = std::make_shared<const sim::GivenAnswers>(
        answers_of_file(path, reader.header(), command.answer_fields));
    command.dut = path;
    command.compare = "normative";  // a file promises nothing of codes under a NaN scale
    if (command.errors == 0) command.errors = ~std::size_t{0};
    check_usage(command);
    sim::DutKind kind;
    kind.name = "answers";
    return run_over_records(command, kind);
  } catch (const golden::VectorError& error) {
    throw golden::VectorError(vectors.renamed(error.what()));
  }
}

}  // namespace mx::cli
