// The same records through all three kinds of file, the protocol and the manifest.
#include <gmock/gmock.h>

#include "golden/answers/judge.hpp"
#include "golden/files/manifest.hpp"
#include "golden/vectors/protocol.hpp"
#include "tests/golden/golden_fixture.hpp"

namespace mx::golden {
namespace {

using ::testing::HasSubstr;

class RoundTrip : public GoldenFixture {};

constexpr FileKind kKinds[] = {FileKind::kTv, FileKind::kMem, FileKind::kBin};

template <typename Batch>
Batch read_all(const std::string& file, FileDigests& digests, VectorHeader& header) {
  VectorReader reader(file);
  header = reader.header();
  Batch batch;
  reader.read(batch, 1 << 20);
  Batch rest;
  EXPECT_EQ(reader.read(rest, 1), 0U);
  digests = reader.digests();
  return batch;
}

TEST_F(RoundTrip, BlocksOfEveryKind) {
  const BlockBatch blocks = answered_blocks();
  FileDigests first;
  for (const FileKind kind : kKinds) {
    FileDigests digests;
    VectorHeader header;
    const auto back = read_all<BlockBatch>(good_blocks(kind), digests, header);
    EXPECT_EQ(back.config_word, blocks.config_word);
    EXPECT_EQ(back.source, blocks.source);
    EXPECT_EQ(back.status, blocks.status);
    EXPECT_EQ(back.codes, blocks.codes);
    EXPECT_EQ(header.text(""), block_header(12).text(""));
    if (kind == FileKind::kTv) first = digests;
    EXPECT_EQ(digests, first) << "the content digests do not depend on the kind";
  }
}

TEST_F(RoundTrip, ConversionsOfEveryKind) {
  const CvtBatch cvts = answered_cvts();
  FileDigests first;
  for (const FileKind kind : kKinds) {
    FileDigests digests;
    VectorHeader header;
    const auto back = read_all<CvtBatch>(good_cvts(kind), digests, header);
    EXPECT_EQ(back.source, cvts.source);
    EXPECT_EQ(back.random, cvts.random);
    EXPECT_EQ(back.code, cvts.code);
    EXPECT_EQ(back.flags, cvts.flags);
    if (kind == FileKind::kTv) first = digests;
    EXPECT_EQ(digests, first);
  }
}

TEST_F(RoundTrip, BinaryRecordsAreTheDigestedStream) {
  const std::string binary = text_of(good_cvts(FileKind::kBin));
  const std::size_t bytes = cvt_header(40).layout().record_bytes() * 40;
  const std::string stream = binary.substr(binary.size() - 80 - bytes, bytes);
  FileDigests digests;
  VectorHeader header;
  read_all<CvtBatch>(good_cvts(FileKind::kTv), digests, header);
  EXPECT_EQ(sha256(stream), digests.records);
}

TEST_F(RoundTrip, EveryWidth) {
  for (const ElementFormat& source : all_formats()) {
    for (const ElementFormat& destination : {formats::fp64, formats::bf16, formats::e2m1fn}) {
      for (const int bits : {3, 12, 32}) {
        VectorHeader header;
        header.op = RecordKind::kCvt;
        header.source = source;
        header.destination = destination;
        header.policy.rounding = Rounding::kStochasticB;
        header.policy.random_bits = bits;
        header.random_words = RandomWords::kPresent;
        header.generator = "test";
        const ConversionConfig conversion{source, destination, header.policy};
        const CvtSuite suite({conversion, SuiteKind::kRandom, 9, 64});
        CvtBatch batch;
        suite.fill(0, 64, batch);
        fill_expected(batch, conversion);
        header.count = 64;
        VectorWriter writer(path("w.tv"), FileKind::kTv, header);
        writer.write(batch);
        const FileDigests written = writer.finish();
        FileDigests digests;
        VectorHeader back_header;
        const auto back = read_all<CvtBatch>(path("w.tv"), digests, back_header);
        EXPECT_EQ(back.source, batch.source) << source.name;
        EXPECT_EQ(back.random, batch.random) << source.name;
        EXPECT_EQ(back.code, batch.code) << source.name;
        EXPECT_EQ(digests, written) << source.name;
      }
    }
  }
}

TEST_F(RoundTrip, Protocol) {
  const BlockBatch blocks = answered_blocks();
  const VectorHeader header = block_header(12);
  const std::vector<std::string> lines = lines_of(text_of(good_blocks()));
  EXPECT_EQ(text_of(good_blocks()).rfind(protocol_header(header), 0), 0U);
  BlockBatch answers = blocks;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    std::string operands;
    std::string results;
    append_operands(header, blocks, i, operands);
    append_results(header, blocks, i, results);
    operands.back() = ' ';
    EXPECT_EQ(operands + results, lines[lines.size() - 3 - 12 + i] + "\n");
    answers.status[i] = 0;
    for (std::uint64_t& code : answers.codes_of(i)) code = 0;
    results.pop_back();
    EXPECT_EQ(parse_results(header, results, answers, i), "");
  }
  EXPECT_EQ(answers.status, blocks.status);
  EXPECT_EQ(answers.codes, blocks.codes);
  EXPECT_EQ(answers.source, blocks.source);
  EXPECT_THAT(parse_results(header, "", answers, 0), HasSubstr("field scale"));
  EXPECT_THAT(parse_results(header, "zz", answers, 0), HasSubstr("column 1"));
  EXPECT_THAT(parse_results(header, "7f\r", answers, 0), HasSubstr("CR LF"));
}

TEST_F(RoundTrip, ManifestAgreesAndNoticesDamage) {
  const std::string file = good_blocks();
  VectorReader reader(file);
  BlockBatch batch;
  while (reader.read(batch, 100) != 0) continue;
  ManifestFacts facts;
  facts.file = file_digest(file);
  facts.content = reader.digests();
  const std::string json = manifest_json(reader.header(), facts);
  const std::string manifest = write("m.json", json);
  EXPECT_NO_THROW(check_manifest(manifest, file));
  for (const std::string field :
       {"\"count\": 12", "\"schema\": \"1", "\"op\": \"block\"", "\"src_fmt\": \"bf16",
        "\"rule\": \"floor", "\"width\": 32", "\"sha256\": \"", "\"content_sha256\": \""}) {
    std::string damaged = json;
    const std::size_t at = damaged.find(field);
    ASSERT_NE(at, std::string::npos) << field;
    damaged[at + 1] = 'X';
    EXPECT_THROW(check_manifest(write("d.json", damaged), file), VectorError) << field;
  }
  EXPECT_THROW(check_manifest(write("d.json", "[1, 2"), file), VectorError);
  EXPECT_THROW(check_manifest(path("none.json"), file), VectorError);
}

/// A golden bit flipped and the digests computed anew: whole, but wrong.
TEST_F(RoundTrip, JudgeSeesAWrongGolden) {
  for (const bool wrong : {false, true}) {
    BlockBatch batch = answered_blocks();
    if (wrong) batch.codes[37] ^= 1;
    VectorWriter writer(path("w.bin"), FileKind::kBin, block_header(12));
    writer.write(batch);
    writer.finish();
    VectorReader reader(path("w.bin"));
    std::vector<std::unique_ptr<Judge>> judges;
    judges.push_back(reference_judge());
    const Verdict verdict = verify_goldens(reader, judges);
    EXPECT_EQ(verdict.count, 12U);
    EXPECT_EQ(verdict.disagreed, wrong ? 1U : 0U);
    EXPECT_EQ(verdict.first.empty(), !wrong);
  }
}

}  // namespace
}  // namespace mx::golden
