#include "golden/identify/log_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>

#include "golden/bytes/error.hpp"
#include "golden/bytes/kept_input.hpp"
#include "golden/bytes/source.hpp"
#include "golden/files/jsonl.hpp"
#include "golden/files/vector_file.hpp"

namespace mx::golden {
namespace {

/// Of a log in words; one of more records is a vector file.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;

bool is_vector_file(std::string_view text) {
  return text.starts_with("# mxgold-vectors") || text.starts_with("// mxgold-vectors") ||
         text.starts_with("MXGOLDB1") || text.starts_with(kJsonlHead);
}

/// Is the named file one of vectors? One that cannot be read is none: reading it says why.
bool names_vector_file(const std::string& path) {
  std::string start(kJsonlHead.size(), '\0');  // the longest
  std::ifstream file(path, std::ios::binary);
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  return is_vector_file(start);
}

std::vector<std::uint64_t> words_of(const RecordBatch& batch, Field field, std::size_t i,
                                    std::size_t n) {
  const auto words = batch.of(field, i);
  return {words.begin(), words.begin() + static_cast<std::ptrdiff_t>(std::min(n, words.size()))};
}

/// The tensor's largest magnitude, by which a log knows its level; 0 for none.
std::uint32_t tensor_amax_of(const std::string& path, const Computation& what) {
  const auto* const config = std::get_if<QuantizerConfig>(&what);
  if (config == nullptr || config->format.tensor_scale == TensorScale::kNone) return 0;
  const TensorLevel& level = config->tensor;
  if (level.amax == 0 && level.scale != TensorLevel{}.scale) {
    throw VectorError(
        fmt::format("{}: a tensor scale {:08x} without tensor_amax; identify knows levels by the "
                    "tensor's largest "
                    "magnitude",
                    path, level.scale));
  }
  return level.amax;
}

void append(ImplementationLog& log, const RecordBatch& batch,
            const std::vector<std::uint32_t>& amax_of_config) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::size_t n = batch.elements(Field::kSource, i);
    LogRecord record{.input = {.lanes = words_of(batch, Field::kSource, i, n)},
                     .answer = {.scale = 0, .codes = words_of(batch, Field::kCode, i, n)},
                     .line = log.records.size() + 1};
    record.input.tensor_amax = amax_of_config[batch.config(i)];
    if (batch.has(Field::kScale)) record.answer.scale = batch.word(Field::kScale, i);
    for (const std::uint64_t word : words_of(batch, Field::kRandom, i, n)) {
      record.input.random.push_back(static_cast<std::uint32_t>(word));
    }
    log.records.push_back(std::move(record));
  }
}

/// Source and formats of every configuration; they must be the same.
Surface surface_of(const std::string& path, const VectorHeader& header) {
  Surface surface;
  for (std::size_t i = 0; i < header.configs.size(); ++i) {
    const Computation& what = header.configs[i].what;
    const Surface before = surface;
    if (const auto* const conversion = std::get_if<ConversionConfig>(&what)) {
      surface.source = conversion->source;
      surface.destination = conversion->destination;
    } else if (const auto* const config = std::get_if<QuantizerConfig>(&what)) {
      surface.source = config->source;
      surface.is_block = true;
      surface.block = config->format;
    } else {
      throw VectorError(
          fmt::format("{}: op {}; identify reads cvt, block, cast, dequantize and mma", path,
                      token_of(header.op)));
    }
    if (i != 0 && (before.source != surface.source || before.destination != surface.destination ||
                   before.block.name != surface.block.name)) {
      throw VectorError(path + ": several formats; identify one block format at a time");
    }
  }
  return surface;
}

ImplementationLog read_vectors(const std::string& path, casts::CastMaker casts) {
  VectorReader reader(path, casts, ReadMode::kAnswers);
  const VectorHeader& header = reader.header();
  ImplementationLog log;
  log.names = header.catalog;
  log.has_random = header.random_words == RandomWords::kPresent;
  log.surface = surface_of(path, header);
  RecordBatch batch;
  std::vector<std::uint32_t> amax_of_config;
  for (const Configuration& each : header.configs) {
    amax_of_config.push_back(tensor_amax_of(path, each.what));
  }
  while (reader.read(batch, 1024) != 0) append(log, batch, amax_of_config);
  return log;
}

}  // namespace

ImplementationLog read_log(const std::string& path, FormatCatalog& catalog) {
  const KeptInput input(path);
  try {
    if (names_vector_file(input.path())) return read_vectors(input.path(), catalog.cast_maker());
    return parse_log(input.name(),
                     whole_text(input.path(), {kMostBytes, "name a file of inputs and outputs"}),
                     catalog);
  } catch (const VectorError& error) {
    throw VectorError(input.renamed(error.what()));
  }
}

}  // namespace mx::golden
