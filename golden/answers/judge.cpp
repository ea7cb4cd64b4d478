#include "golden/answers/judge.hpp"

#include <fmt/format.h>

#include "golden/answers/expected.hpp"
#include "golden/vectors/protocol.hpp"

namespace mx::golden {
namespace {

constexpr std::size_t kPiece = 8192;

class ReferenceJudge : public Judge {
 public:
  [[nodiscard]] std::string_view name() const override { return "mx::reference"; }
  void answer(const VectorHeader& header, CvtBatch& batch) override {
    fill_expected(batch, ConversionConfig{header.source, header.destination, header.policy});
  }
  void answer(const VectorHeader& header, BlockBatch& batch) override {
    fill_expected(batch, header.context);
  }
};

std::string line_of(const VectorHeader& header, const auto& batch, std::size_t i) {
  std::string line;
  append_results(header, batch, i, line);
  line.pop_back();
  return line;
}

template <typename Batch>
Verdict verify(VectorReader& reader, std::span<const std::unique_ptr<Judge>> judges) {
  const VectorHeader& header = reader.header();
  Verdict verdict;
  Batch batch;
  while (reader.read(batch, kPiece) != 0) {
    std::vector<bool> wrong(batch.size());
    for (const std::unique_ptr<Judge>& judge : judges) {
      Batch judged = batch;
      judge->answer(header, judged);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::string golden = line_of(header, batch, i);
        const std::string answer = line_of(header, judged, i);
        if (golden == answer) continue;
        wrong[i] = true;
        if (!verdict.first.empty()) continue;
        std::string operands;
        append_operands(header, batch, i, operands);
        verdict.first = fmt::format("vector {}: operands {}  golden {}\n  {} {}\n",
                                    verdict.count + i, operands, golden, judge->name(), answer);
      }
    }
    for (const bool is_wrong : wrong) verdict.disagreed += is_wrong ? 1 : 0;
    verdict.count += batch.size();
  }
  verdict.digests = reader.digests();
  return verdict;
}

}  // namespace

std::unique_ptr<Judge> reference_judge() { return std::make_unique<ReferenceJudge>(); }

Verdict verify_goldens(VectorReader& reader, std::span<const std::unique_ptr<Judge>> judges) {
  return reader.header().op == RecordKind::kCvt ? verify<CvtBatch>(reader, judges)
                                                : verify<BlockBatch>(reader, judges);
}

}  // namespace mx::golden
