// The harness's goldens, through its files: the directed suite of each combination is answered by
// the reference, written as a .bin file, read back, and put to the backend. Judged by the file
// alone.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "golden/answers/answers.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/format/table.hpp"
#include "tests/fast/backend.hpp"

namespace mx::fast::test {
namespace {

using golden::Field;

/// A file that is gone when the test is over; the process id keeps parallel tests apart.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& name) : path_(::testing::TempDir() + name) {}
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_goldens(const std::string& path, const ElementFormat& source,
                   const BlockFormat& format) {
  golden::VectorHeader header;
  header.configs = {{QuantizerConfig{source, format, {}, {}}, {}}};
  header.lanes = format.block_size;
  header.suite = token_of(golden::SuiteKind::kDirected);
  header.generator = "fast tests";
  const golden::Stimulus stimulus(header);
  header.count = stimulus.size();
  golden::RecordBatch batch;
  stimulus.fill(0, header.count, batch);
  golden::ReferenceAnswerer(header).answer(batch, 0, batch.size());
  golden::VectorWriter writer(path, golden::FileKind::kBin, header);
  writer.write(batch);
  writer.finish();
}

/// Puts every block of the goldens to the backend; the number of blocks that differ.
std::size_t count_mismatches(const golden::RecordBatch& goldens, const ElementFormat& source,
                             const ElementFormat& element) {
  const auto sources = goldens.all(Field::kSource);
  const std::vector<std::uint32_t> words(sources.begin(), sources.end());
  std::vector<std::byte> codes(words.size());
  std::vector<std::byte> scales(goldens.size());
  std::vector<std::uint16_t> status(goldens.size());
  const Status outcome =
      backend()(source, element, to_bytes(source, words), {codes, scales, status});
  if (!outcome) {
    ADD_FAILURE() << outcome.detail;
    return goldens.size();
  }
  std::size_t mismatches = 0;
  for (std::size_t i = 0; i < goldens.size(); ++i) {
    const std::uint64_t scale = goldens.word(Field::kScale, i);
    bool same = status[i] == (goldens.word(Field::kFlags, i) << 8 | scale) &&
                std::to_integer<std::uint64_t>(scales[i]) == scale;
    const auto expected = goldens.of(Field::kCode, i);
    for (std::size_t lane = 0; lane < expected.size(); ++lane) {
      same = same &&
             std::to_integer<std::uint64_t>(codes[i * expected.size() + lane]) == expected[lane];
    }
    if (!same) ++mismatches;
  }
  return mismatches;
}

class GoldenFile : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenFile, IsReproducedInEveryElementFormat) {
  const ElementFormat& source = *find_format(GetParam());
  std::size_t formats = 0;
  for (const BlockFormat& format : mx_block_formats()) {
    if (format.block_size != kBlockSize) continue;
    ++formats;
    const TemporaryFile file(fmt::format("fast_{}_{}_{}.bin", source.name, format.name, getpid()));
    write_goldens(file.path(), source, format);
    golden::VectorHeader header;
    golden::RecordBatch goldens = golden::read_records(file.path(), header);
    EXPECT_GT(goldens.size(), 100u) << format.name;
    EXPECT_EQ(count_mismatches(goldens, source, format.element), 0u) << format.name;

    // One bit of one golden is enough to be seen.
    const auto all_codes = goldens.all(Field::kCode);
    all_codes[all_codes.size() / 2] ^= 1;
    EXPECT_EQ(count_mismatches(goldens, source, format.element), 1u) << format.name;
  }
  EXPECT_EQ(formats, 6u);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenFile, ::testing::Values("fp32", "bf16", "fp16"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace mx::fast::test
