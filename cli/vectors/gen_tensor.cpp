// Vectors from real tensors: blocks along an axis, the last ones as short as the tensor ends them.
#include <algorithm>

#include "cli/base/error.hpp"
#include "cli/configs/operations.hpp"
#include "cli/tensors/level.hpp"
#include "cli/text/names.hpp"
#include "cli/vectors/gen_plan.hpp"
#include "reference/number/philox.hpp"
#include "reference/number/word_bytes.hpp"
#include "reference/tensor/tensor.hpp"

namespace mx::cli {
namespace {

using golden::Configuration;
using golden::Field;
using golden::RecordBatch;

std::uint64_t tensor_word(const Tensor& tensor, std::uint64_t element) {
  const auto bytes = static_cast<std::size_t>(tensor.format->storage_bits) / 8;
  return load_word(tensor.data.data() + element * bytes, bytes);
}

/// The vectors of one tensor under one configuration.
struct TensorRun {
  const Tensor* tensor = nullptr;
  std::size_t config = 0;
  BlockedShape shape;       ///< blocks; conversions have blocks of one element
  std::uint64_t start = 0;  ///< number of its first vector
};

class TensorVectors {
 public:
  TensorVectors(const GenOptions& options, std::shared_ptr<golden::VectorHeader> header)
      : header_(std::move(header)),
        seed_(options.seed),
        input_(options.input),
        axis_(options.axis),
        file_(TensorFile::open(options.input)),
        tensors_(same_format(options)) {
    for (const Tensor* const tensor : tensors_) add_tensor(options, *tensor);
    finish_header(options);
  }

  [[nodiscard]] std::uint64_t size() const { return total_; }

  void fill(std::uint64_t first, std::uint64_t last, RecordBatch& batch) const {
    batch = RecordBatch(header_->shape(), static_cast<std::size_t>(last - first));
    const std::vector<std::uint32_t> words = header_->config_words();
    std::vector<std::uint64_t> places;
    for (std::uint64_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i - first);
      const TensorRun& run = *std::prev(std::ranges::upper_bound(runs_, i, {}, &TensorRun::start));
      if (batch.has(Field::kConfig)) batch.word(Field::kConfig, at) = run.config;
      if (batch.has(Field::kTuser)) batch.word(Field::kTuser, at) = words[run.config];
      block_indices(run.shape, i - run.start, places);
      if (batch.has(Field::kElements)) batch.word(Field::kElements, at) = places.size();
      fill_lanes(run, places, batch, at);
    }
  }

 private:
  std::vector<const Tensor*> same_format(const GenOptions& options) const;

  void add_tensor(const GenOptions& options, const Tensor& tensor) {
    if (tensor.elements == 0) return;
    for (Configuration configuration : configurations(options.configs, *tensor.format)) {
      if (options.configs.tensor_amax.empty() && !take_own_level(tensor, configuration)) continue;
      const BlockedShape shape = shape_of(tensor, configuration);
      runs_.push_back({&tensor, enter(configuration), shape, total_});
      total_ += shape.scales;
    }
  }

  /// Of the levels that a suite would have, a tensor has one: its own. False for the others.
  bool take_own_level(const Tensor& tensor, Configuration& configuration) const {
    const auto* const config = std::get_if<QuantizerConfig>(&configuration.what);
    if (config == nullptr || config->format.tensor_scale == TensorScale::kNone) return true;
    Configuration first = configuration;
    set_tensor_amax(first, unpack_integer(false, 2688, 0));
    if (std::get<QuantizerConfig>(first.what).tensor != config->tensor) return false;
    refuse_specials(file_, tensor, tensor.data, configuration.origin.profile);
    set_tensor_amax(configuration, tensor_amax(*tensor.format, config->element, tensor.data));
    return true;
  }

  /// Neighbouring tensors share a configuration unless their levels differ.
  std::size_t enter(const Configuration& configuration) {
    const auto same = [&](const Configuration& other) {
      const auto* const a = std::get_if<QuantizerConfig>(&configuration.what);
      const auto* const b = std::get_if<QuantizerConfig>(&other.what);
      if (a == nullptr || b == nullptr) return true;
      return a->format.name == b->format.name && a->element == b->element && a->block == b->block &&
             a->tensor == b->tensor;
    };
    const auto found = std::ranges::find_if(header_->configs, same);
    if (found != header_->configs.end()) {
      return static_cast<std::size_t>(found - header_->configs.begin());
    }
    header_->configs.push_back(configuration);
    return header_->configs.size() - 1;
  }

  [[nodiscard]] BlockedShape shape_of(const Tensor& tensor,
                                      const Configuration& configuration) const {
    const auto* const config = std::get_if<QuantizerConfig>(&configuration.what);
    const auto shape = config == nullptr ? BlockedShape::make(tensor.shape, -1, 1)
                                         : BlockedShape::make(tensor.shape, axis_, config->format);
    if (!shape) {
      fail(Exit::kUsage, "{}: tensor {} has no axis {}; its shape is [{}]", input_,
           printable(tensor.name), axis_, fmt::join(tensor.shape, ", "));
    }
    const std::uint64_t lanes =
        std::min(shape->block_size, shape->length) * std::min(shape->tile_lines, shape->lines);
    if (lanes > static_cast<std::uint64_t>(golden::kMaxLanes)) {
      fail(Exit::kUsage, "{}: tensor {}: a block of {} elements is more than a record holds ({})",
           input_, printable(tensor.name), lanes, golden::kMaxLanes);
    }
    return *shape;
  }

  void finish_header(const GenOptions& options) {
    golden::VectorHeader& header = *header_;
    if (runs_.empty()) fail(Exit::kBadInput, "{}: no tensor has an element", input_);
    header.suite = "tensor";
    header.lanes = golden::block_elements(header.configs.front());
    std::uint64_t longest = 1;
    bool is_full = true;
    for (const TensorRun& run : runs_) {
      const BlockedShape& s = run.shape;
      longest =
          std::max(longest, std::min(s.block_size, s.length) * std::min(s.tile_lines, s.lines));
      is_full = is_full && s.length % s.block_size == 0 && s.lines % s.tile_lines == 0;
    }
    if (header.lanes == 0) {
      header.lanes = static_cast<int>(longest);
      is_full = runs_.size() == 1;
    }
    header.lengths = is_full ? golden::Lengths::kFull : golden::Lengths::kVary;
    const bool draws = std::ranges::any_of(header.configs, golden::takes_random);
    header.random_words = draws ? golden::RandomWords::kPresent : golden::RandomWords::kAbsent;
    if (const std::string problem = header.problem(); !problem.empty()) {
      fail(Exit::kUsage, "{}: {}", options.input, problem);
    }
  }

  void fill_lanes(const TensorRun& run, const std::vector<std::uint64_t>& places,
                  RecordBatch& batch, std::size_t at) const {
    const auto source = batch.of(Field::kSource, at);
    const auto random = batch.of(Field::kRandom, at);
    const Configuration& configuration = header_->configs[run.config];
    const bool draws = golden::takes_random(configuration);
    const int bits = golden::random_bits_of(configuration);
    for (std::size_t lane = 0; lane < places.size(); ++lane) {
      source[lane] = tensor_word(*run.tensor, places[lane]);
      // spec F9.4, `counter`.
      if (draws) random[lane] = counter_random(seed_, run.tensor->index, places[lane], bits);
    }
  }

  std::shared_ptr<golden::VectorHeader> header_;
  std::uint64_t seed_;
  std::string input_;
  std::int64_t axis_;
  TensorFile file_;
  std::vector<const Tensor*> tensors_;
  std::vector<TensorRun> runs_;
  std::uint64_t total_ = 0;
};

/// The tensors of one source format: --source, or that of all of them.
std::vector<const Tensor*> TensorVectors::same_format(const GenOptions& options) const {
  std::vector<const Tensor*> tensors = select_tensors(file_, options.tensor);
  if (options.configs.sources.empty()) {
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
      options.configs.book->require_element("source format", one_source(options.configs, ""));
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

std::uint64_t plan_tensors(const GenOptions& options, GenPlan& plan) {
  if (!options.suite.empty()) {
    fail(Exit::kUsage, "--suite and --input exclude each other: an input is its own stimulus");
  }
  const golden::Operation op = plan.header->op;
  if (op != golden::Operation::kCvt && op != golden::Operation::kBlock) {
    fail(Exit::kUsage,
         "--input: tensors are stimulus of --op cvt and block; mxgold dot multiplies "
         "whole tensors");
  }
  const auto vectors = std::make_shared<const TensorVectors>(options, plan.header);
  plan.fill = [vectors](std::uint64_t first, std::uint64_t last, RecordBatch& batch) {
    vectors->fill(first, last, batch);
  };
  plan.classes.push_back({"tensor", vectors->size()});
  return vectors->size();
}

}  // namespace mx::cli
