#include "cli/identify/operation.hpp"

#include "emulators/casts/casts.hpp"
#include "golden/files/vector_file.hpp"

namespace mx::cli {

std::optional<golden::Operation> operation_in(const std::string& path) {
  if (path.empty()) return std::nullopt;
  try {
    return golden::VectorReader(path, emulators::make_cast, golden::ReadMode::kAnswers).header().op;
  } catch (const golden::VectorError&) {
    return std::nullopt;
  }
}

}  // namespace mx::cli
