#include "sim/stimulus/vector_source.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "golden/files/vector_file.hpp"

namespace mx::sim {
namespace {

constexpr std::size_t kPiece = 4096;

void convert(const golden::RecordBatch& batch, std::size_t i, BlockIn& block, BlockOut& answer) {
  using golden::Field;
  const auto source = batch.of(Field::kSource, i);
  const auto codes = batch.of(Field::kCode, i);
  const std::size_t count = batch.elements(Field::kSource, i);
  block.config = static_cast<std::uint32_t>(batch.config(i));
  block.keep = count >= kLanes ? kAllLanes : (1U << count) - 1;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    block.source[lane] = static_cast<std::uint32_t>(source[lane]);
    answer.codes[lane] = static_cast<std::uint8_t>(codes[lane]);
    if (batch.has(Field::kRandom)) {
      block.random[lane] = static_cast<std::uint32_t>(batch.of(Field::kRandom, i)[lane]);
    }
  }
  answer.status =
      static_cast<std::uint16_t>(batch.word(Field::kFlags, i) << 8 | batch.word(Field::kScale, i));
  answer.keep = block.keep;
}

}  // namespace

std::string VectorSource::problem(const golden::VectorHeader& header) {
  if (header.op != golden::Operation::kBlock) {
    return fmt::format("holds op {}; a block device needs block vectors (mxgold gen --op block)",
                       token_of(header.op));
  }
  const golden::RecordShape shape = header.shape();
  const auto bytes = [&](golden::Field field) { return shape.find(field)->bytes; };
  if (header.lanes != kLanes || bytes(golden::Field::kCode) != 1 ||
      bytes(golden::Field::kScale) != 1 || bytes(golden::Field::kSource) > 4) {
    return fmt::format("blocks of {} lanes, {} bytes a code; this device takes {} lanes of bytes",
                       header.lanes, bytes(golden::Field::kCode), kLanes);
  }
  return {};
}

VectorSource::VectorSource(const std::string& path, std::string name) : path_(std::move(name)) {
  golden::VectorReader reader(path);
  header_ = reader.header();
  if (const std::string why = problem(header_); !why.empty()) {
    throw StimulusError(fmt::format("{}: {}", path, why));
  }
  golden::RecordBatch batch;
  while (const std::size_t count = reader.read(batch, kPiece)) {
    const std::size_t first = blocks_.size();
    blocks_.resize(first + count);
    answers_.resize(first + count);
    for (std::size_t i = 0; i < count; ++i) {
      convert(batch, i, blocks_[first + i], answers_[first + i]);
    }
  }
}

void VectorSource::fill(std::uint64_t first, std::span<BlockIn> blocks) const {
  std::ranges::copy(std::span(blocks_).subspan(first, blocks.size()), blocks.begin());
}

bool VectorSource::answers(std::uint64_t first, std::span<BlockOut> out) const {
  std::ranges::copy(std::span(answers_).subspan(first, out.size()), out.begin());
  return true;
}

std::string VectorSource::describe(std::uint64_t index) const {
  return fmt::format("{}, vector {}", path_, index);
}

}  // namespace mx::sim
