#include "cli/quantize/cast.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "cli/base/error.hpp"
#include "cli/base/progress.hpp"
#include "cli/files/safetensors_writer.hpp"
#include "cli/files/tensor_file.hpp"
#include "cli/tensors/origin.hpp"
#include "cli/text/names.hpp"
#include "golden/bytes/json_text.hpp"
#include "reference/casts/operands.hpp"
#include "reference/casts/pieces.hpp"
#include "reference/number/philox.hpp"

namespace mx::cli {
namespace {

using casts::CastInput;
using casts::TensorView;

/// The safetensors type of a result.
std::string dtype_of(TensorType type) {
  switch (type) {
    case TensorType::kFp32:
      return "F32";
    case TensorType::kBf16:
      return "BF16";
    case TensorType::kFp16:
      return "F16";
    case TensorType::kFp64:
      return "F64";
    case TensorType::kUint8:
      return "U8";
    case TensorType::kInt8:
      return "I8";
    case TensorType::kInt32:
      return "I32";
    case TensorType::kInt64:
      return "I64";
  }
  return {};
}

TensorView view_of(const CastJob& job, const Tensor& tensor, std::string_view name) {
  const auto type = tensor.format == nullptr ? std::nullopt : tensor_type(tensor.format->name);
  if (!type) {
    fail(Exit::kBadInput, "{}: tensor {}: systems cast floats, not {}", job.input,
         printable(tensor.name), tensor.dtype);
  }
  return {name, *type, {tensor.shape.begin(), tensor.shape.end()}, tensor.data};
}

/// The operands that --operand names, and the tensors that are one.
struct Operands {
  std::vector<TensorView> views;
  std::vector<const Tensor*> tensors;
};

/// Refuses what the cast does not read before a tensor is looked for.
void check_operands(const CastJob& job, const casts::Cast& cast) {
  std::vector<std::string_view> names;
  for (const std::string& text : job.operands) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      fail(Exit::kUsage, "--operand {}: give NAME=TENSOR, as in scale=w_scale", printable(text));
    }
    names.push_back(std::string_view(text).substr(0, equals));
    const std::string problem = casts::operand_problem(cast, names);
    if (!problem.empty()) fail(Exit::kUsage, "--operand {}: {}", printable(text), problem);
  }
}

/// Operands whose names are checked.
Operands find_operands(const CastJob& job, const TensorFile& file) {
  Operands found;
  for (const std::string& text : job.operands) {
    const std::size_t equals = text.find('=');
    const Tensor* const tensor = file.find(text.substr(equals + 1));
    if (tensor == nullptr) {
      fail(Exit::kUsage, "--operand {}: {} has no tensor of that name", printable(text), job.input);
    }
    found.views.push_back(view_of(job, *tensor, std::string_view(text).substr(0, equals)));
    found.tensors.push_back(tensor);
  }
  return found;
}

std::vector<casts::Tensor> cast_one(const CastJob& job, const casts::Cast& cast,
                                    const Tensor& tensor, const Operands& operands) {
  CastInput input{
      .tensor = view_of(job, tensor, "values"), .operands = operands.views, .axis = job.axis};
  const auto refuse = [&](std::string_view why) {
    fail(Exit::kUsage, "{}: tensor {}: {}", job.input, printable(tensor.name), why);
  };
  const auto words = cast.random_words(input);
  if (!words) refuse(words.problem());
  std::vector<std::uint32_t> random(*words);
  for (std::size_t i = 0; i < random.size(); ++i) {
    random[i] = counter_random(job.seed, tensor.index, i, 32);
  }
  input.random = random;
  input.threads = job.threads;
  auto results = casts::apply_on_threads(cast, input);
  if (!results) refuse(results.problem());
  return *std::move(results);
}

/// A tensor and what it became.
struct Casted {
  const Tensor* tensor = nullptr;
  std::vector<casts::Tensor> results;
};

std::map<std::string, std::string> metadata_of(const CastJob& job, const casts::Cast& cast,
                                               const std::vector<Casted>& all) {
  const std::string system = job.cast.substr(0, job.cast.find(':'));
  std::map<std::string, std::string> metadata = {
      {"mxgold.cast", system + ":" + cast.text()},
      {"mode", job.system.mode},
      {"platform", job.system.platform},
      {"axis", job.axis ? std::to_string(*job.axis) : "system"},
      {"seed", std::to_string(job.seed)},
      {"operands", fmt::format("{}", fmt::join(job.operands, ","))}};
  for (const Casted& each : all) {
    metadata["source_dtype." + each.tensor->name] = each.tensor->dtype;
  }
  return metadata;
}

void write_all(const CastJob& job, const std::map<std::string, std::string>& metadata,
               const std::vector<Casted>& all) {
  std::vector<OutputTensor> outputs;
  for (const Casted& each : all) {
    for (const casts::Tensor& result : each.results) {
      outputs.push_back({each.tensor->name + "." + result.name,
                         dtype_of(result.type),
                         {result.shape.begin(), result.shape.end()}});
    }
  }
  SafetensorsWriter writer(job.output, outputs, metadata);
  for (const Casted& each : all) {
    for (const casts::Tensor& result : each.results) {
      std::ranges::copy(result.bytes, writer.data(each.tensor->name + "." + result.name).begin());
    }
  }
  writer.commit();
}

void report(const CastJob& job, const std::map<std::string, std::string>& metadata,
            const std::vector<Casted>& all) {
  std::uint64_t values = 0;
  auto tensors = nlohmann::ordered_json::array();
  for (const Casted& each : all) {
    values += each.tensor->elements;
    auto results = nlohmann::ordered_json::array();
    for (const casts::Tensor& result : each.results) {
      results.push_back(
          {{"name", result.name}, {"dtype", dtype_of(result.type)}, {"shape", result.shape}});
    }
    tensors.push_back({{"name", each.tensor->name},
                       {"source", each.tensor->format->name},
                       {"shape", each.tensor->shape},
                       {"results", results}});
  }
  if (job.is_json) {
    const nlohmann::ordered_json result = {
        {"output", job.output}, {"metadata", metadata}, {"elements", values}, {"tensors", tensors}};
    fmt::print("{}\n", golden::dumped(result, 2));
    return;
  }
  fmt::print(report_stream(job.output), "cast {} tensors, {} values by {} ({}): {}\n", all.size(),
             values, metadata.at("mxgold.cast"),
             job.system.mode == "compat" ? "compat, " + job.system.platform : job.system.mode,
             job.output);
}

}  // namespace

void quantize_by_cast(const CastJob& job) {
  const casts::CastPointer cast = require_cast(job.cast, job.system.mode, job.system.platform);
  check_operands(job, *cast);
  const TensorFile file = TensorFile::open(job.input);
  const Origin values = origin_of_values(job.input, file.metadata());
  refuse_transformed(values, "casts of systems");
  const Operands operands = find_operands(job, file);
  std::vector<Casted> all;
  for (const Tensor* tensor : select_tensors(file, job.tensor)) {
    if (job.tensor == "all" &&
        std::ranges::find(operands.tensors, tensor) != operands.tensors.end())
      continue;
    all.push_back({tensor, cast_one(job, *cast, *tensor, operands)});
    file.release(tensor->data);
  }
  if (all.empty()) fail(Exit::kBadInput, "{}: no tensor besides the operands", job.input);
  std::map<std::string, std::string> metadata = metadata_of(job, *cast, all);
  tell_open("quantize", values);
  add_open_input(values, metadata);
  write_all(job, metadata, all);
  report(job, metadata, all);
}

}  // namespace mx::cli
