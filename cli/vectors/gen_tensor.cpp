// Vectors from real tensors: blocks along the last axis, the last of a row filled up with +0.
#include <algorithm>
#include <cstring>

#include "cli/base/error.hpp"
#include "cli/text/names.hpp"
#include "cli/vectors/gen_plan.hpp"
#include "reference/number/philox.hpp"

namespace mx::cli {
namespace {

using golden::BlockBatch;
using golden::CvtBatch;
using golden::RandomWords;

std::uint64_t word_at(const Tensor& tensor, std::uint64_t element) {
  const auto bytes = static_cast<std::size_t>(tensor.format->storage_bits) / 8;
  std::uint64_t word = 0;
  std::memcpy(&word, tensor.data.data() + element * bytes, bytes);
  return word;
}

/// The rows of a tensor and the blocks along each.
struct Rows {
  std::uint64_t length = 1;
  std::uint64_t blocks_per_row = 1;
  std::uint64_t blocks = 0;
};

Rows rows_of(const Tensor& tensor, std::uint64_t k) {
  Rows rows;
  rows.length = tensor.shape.empty() ? 1 : tensor.shape.back();
  if (tensor.elements == 0) return rows;
  rows.blocks_per_row = rows.length / k + (rows.length % k != 0 ? 1 : 0);
  rows.blocks = tensor.elements / rows.length * rows.blocks_per_row;
  return rows;
}

/// Where the words of stochastic rounding come from: spec F9.4, `counter`.
struct Counter {
  std::uint64_t seed = 0;
  int bits = 0;
};

void fill_block(const Tensor& tensor, const Rows& rows, Counter counter, std::uint64_t block,
                std::size_t at, BlockBatch& batch) {
  const std::uint64_t k = batch.lanes();
  const std::uint64_t start = block % rows.blocks_per_row * k;
  const std::uint64_t first = block / rows.blocks_per_row * rows.length + start;
  const std::uint64_t kept = std::min(k, rows.length - start);
  const auto lanes = batch.source_of(at);
  const auto random = batch.random_of(at);
  for (std::uint64_t lane = 0; lane < kept; ++lane) {
    lanes[lane] = word_at(tensor, first + lane);
    if (!random.empty()) {
      random[lane] = counter_random(counter.seed, tensor.index, first + lane, counter.bits);
    }
  }
}

void add_blocks(const Tensor& tensor, const QuantizerConfig& config, const GenOptions& options,
                GenPlan& plan) {
  const Rows rows = rows_of(tensor, static_cast<std::uint64_t>(options.elements()));
  const std::uint32_t config_word = golden::config_word_of(config).value();
  const Counter counter{options.seed, config.element.random_bits};
  const int k = options.elements();
  const RandomWords words =
      is_stochastic(config.element.rounding) ? RandomWords::kPresent : RandomWords::kAbsent;
  plan.blocks.push_back(
      {rows.blocks, [=, &tensor, keep = plan.tensors]() -> VectorRun<BlockBatch>::Fill {
         return [=, &tensor](std::uint64_t first, std::uint64_t last, BlockBatch& batch) {
           batch.clear();
           batch.block_size = k;
           batch.random_words = words;
           batch.resize(static_cast<std::size_t>(last - first));
           for (std::uint64_t i = first; i < last; ++i) {
             const auto at = static_cast<std::size_t>(i - first);
             batch.config_word[at] = config_word;
             fill_block(tensor, rows, counter, i, at, batch);
           }
           static_cast<void>(keep);
         };
       }});
}

void add_conversions(const Tensor& tensor, const ConversionConfig& conversion, std::uint64_t seed,
                     GenPlan& plan) {
  const Counter counter{seed, conversion.policy.random_bits};
  const RandomWords words = plan.header.random_words;
  plan.conversions.push_back(
      {tensor.elements, [=, &tensor, keep = plan.tensors]() -> VectorRun<CvtBatch>::Fill {
         return [=, &tensor](std::uint64_t first, std::uint64_t last, CvtBatch& batch) {
           batch.clear();
           batch.random_words = words;
           batch.resize(static_cast<std::size_t>(last - first));
           for (std::uint64_t i = first; i < last; ++i) {
             const auto at = static_cast<std::size_t>(i - first);
             batch.source[at] = word_at(tensor, i);
             if (words == RandomWords::kPresent) {
               batch.random[at] = counter_random(counter.seed, tensor.index, i, counter.bits);
             }
           }
           static_cast<void>(keep);
         };
       }});
}

/// The tensors of one source format: --source, or that of all of them.
std::vector<const Tensor*> same_format(const GenOptions& options, const TensorFile& file) {
  std::vector<const Tensor*> tensors = select_tensors(file, options.tensor);
  if (options.sources.empty()) {
    const Tensor& first = *tensors.front();
    for (const Tensor* tensor : tensors) {
      if (tensor->format->name == first.format->name) continue;
      fail(Exit::kUsage,
           "{}: tensor {} is {}, tensor {} is {}; a vector file has one source format: choose it "
           "with --source, or one tensor with --tensor",
           options.input, printable(first.name), first.format->name, printable(tensor->name),
           tensor->format->name);
    }
    return tensors;
  }
  const ElementFormat& source =
      options.book->require_element("source format", one_source(options, ""));
  std::erase_if(tensors, [&](const Tensor* tensor) {
    const bool differs = tensor->format->name != source.name;
    if (differs) {
      fmt::print(stderr, "mxgold gen: tensor {} is {}, not {}: skipped\n", printable(tensor->name),
                 tensor->format->name, source.name);
    }
    return differs;
  });
  if (tensors.empty()) {
    fail(Exit::kUsage, "{}: no tensor is {}; choose another --source", options.input, source.name);
  }
  return tensors;
}

}  // namespace

void plan_tensors(const GenOptions& options, GenPlan& plan) {
  if (!options.suite.empty()) {
    fail(Exit::kUsage, "--suite and --input exclude each other: an input is its own stimulus");
  }
  plan.tensors = std::make_shared<const TensorFile>(TensorFile::open(options.input));
  const std::vector<const Tensor*> tensors = same_format(options, *plan.tensors);
  golden::VectorHeader& header = plan.header;
  header.suite = "tensor";
  header.source = *tensors.front()->format;
  std::uint64_t made = 0;
  if (header.op == golden::RecordKind::kCvt) {
    const ConversionConfig conversion = one_conversion(options, header.source);
    header.destination = conversion.destination;
    header.policy = conversion.policy;
    if (is_stochastic(conversion.policy.rounding)) header.random_words = RandomWords::kPresent;
    for (const Tensor* tensor : tensors) {
      add_conversions(*tensor, conversion, options.seed, plan);
      made += plan.conversions.back().size;
    }
  } else {
    for (const QuantizerConfig& config : block_configs(options, header.source, plan)) {
      announce(config, header);
      for (const Tensor* tensor : tensors) {
        add_blocks(*tensor, config, options, plan);
        made += plan.blocks.back().size;
      }
    }
  }
  plan.classes.push_back({"tensor", made});
}

}  // namespace mx::cli
