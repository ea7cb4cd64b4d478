#include "golden/coverage/collectors.hpp"
#include "golden/coverpoints/block_shape_points.hpp"
#include "golden/coverpoints/source_points.hpp"

namespace mx::golden {
namespace {

/// Binades from a row's maximum down that have a bin each.
constexpr int kWidestSpread = 12;

/// Rows of an emulated system's cast: what the values are and which lanes hold what. A covergroup
/// is of one cast with all its policies, so that classes are crossed with them; of what systems
/// make of a row nothing is known without the system, so results have no bins.
class CastCollector final : public Collector {
 public:
  using Collector::sample;
  CastCollector(const ElementFormat& source, std::size_t lanes)
      : format_(source),
        source_(source),
        shape_(source, lanes, Lengths::kFull, lanes > 1 ? kWidestSpread : 0) {}

  void sample(const RecordBatch& batch, std::size_t i, const NotCompared&) override {
    const auto codes = batch.of(Field::kSource, i);
    values_.clear();
    for (const std::uint64_t code : codes) {
      values_.push_back(decode(format_, code));
      source_.sample(values_.back());
    }
    shape_.sample(codes, values_);
  }

  [[nodiscard]] std::vector<Coverpoint> points() const override {
    std::vector<Coverpoint> points;
    source_.append_to(points);
    shape_.append_to(points);
    return points;
  }

 private:
  ElementFormat format_;
  SourcePoints source_;
  BlockShapePoints shape_;
  std::vector<Unpacked> values_;
};

}  // namespace

std::unique_ptr<Collector> make_cast_collector(const CastCase& what, std::size_t lanes) {
  return std::make_unique<CastCollector>(systems::format_of(what.source), lanes);
}

}  // namespace mx::golden
