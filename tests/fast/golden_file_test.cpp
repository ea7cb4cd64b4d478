// The harness's goldens, through its files: the directed suite of each combination is answered by
// the reference, written as a .bin file, read back, and put to the backend. Judged by the file
// alone.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "fast/cuda/arithmetic.hpp"
#include "golden/answers/expected.hpp"
#include "golden/files/vector_file.hpp"
#include "golden/stimulus/stimulus.hpp"
#include "reference/format/table.hpp"
#include "tests/fast/backend.hpp"

namespace mx::fast::test {
namespace {

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
  golden::BlockSuiteOptions options;
  options.config = {.source = source, .format = format, .element = {}, .block = {}};
  options.kind = golden::SuiteKind::kDirected;
  const golden::BlockSuite suite(options);
  golden::BlockBatch batch;
  suite.fill(0, suite.size(), batch);
  golden::fill_expected(batch, suite.context());
  golden::VectorHeader header;
  header.source = source;
  header.context = suite.context();
  header.formats = {std::string(format.element.name)};
  header.roundings = {"ties_to_even"};
  header.rules = {"floor"};
  header.overflows = {"sat_finite"};
  header.generator = "fast tests";
  header.count = batch.size();
  golden::VectorWriter writer(path, golden::FileKind::kBin, header);
  writer.write(batch);
  writer.finish();
}

/// Puts every block of the goldens to the backend; the number of blocks that differ.
std::size_t count_mismatches(const golden::BlockBatch& goldens, const ElementFormat& source,
                             const ElementFormat& element) {
  const std::vector<std::uint32_t> words(goldens.source.begin(), goldens.source.end());
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
    bool same = status[i] == goldens.status[i] &&
                std::to_integer<unsigned>(scales[i]) == (goldens.status[i] & 0xFFu);
    for (std::size_t lane = 0; lane < goldens.lanes(); ++lane) {
      const std::uint64_t code = std::to_integer<std::uint64_t>(codes[i * goldens.lanes() + lane]);
      same = same && code == goldens.codes_of(i)[lane];
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
    if (format.block_size != kBlockSize || !is_supported(source, format.element)) continue;
    ++formats;
    const TemporaryFile file(fmt::format("fast_{}_{}_{}.bin", source.name, format.name, getpid()));
    write_goldens(file.path(), source, format);
    golden::VectorHeader header;
    golden::BlockBatch goldens = golden::read_blocks(file.path(), header);
    EXPECT_GT(goldens.size(), 100u) << format.name;
    EXPECT_EQ(count_mismatches(goldens, source, format.element), 0u) << format.name;

    // One bit of one golden is enough to be seen.
    goldens.codes[goldens.codes.size() / 2] ^= 1;
    EXPECT_EQ(count_mismatches(goldens, source, format.element), 1u) << format.name;
  }
  EXPECT_EQ(formats, 6u);
}

INSTANTIATE_TEST_SUITE_P(All, GoldenFile, ::testing::Values("fp32", "bf16", "fp16"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace mx::fast::test
