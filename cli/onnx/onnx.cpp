// SPDX-License-Identifier: Apache-2.0
#include "cli/onnx/onnx.hpp"

#include <algorithm>
#include <set>

#include "cli/base/error.hpp"
#include "cli/onnx/tensor_proto.hpp"
#include "cli/onnx/wire.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

// Fields of ModelProto, GraphProto, NodeProto and TensorProto.
constexpr std::uint32_t kModelIrVersion = 1;
constexpr std::uint32_t kModelGraph = 7;
constexpr std::uint32_t kGraphNode = 1;
constexpr std::uint32_t kGraphInitializer = 5;
constexpr std::uint32_t kGraphSparseInitializer = 15;
constexpr std::uint32_t kNodeInput = 1;
constexpr std::uint32_t kNodeOpType = 4;
constexpr std::uint32_t kTensorDataType = 2;

/// What tells a tensor from a model, as far as the bytes are fields: a model has a text where a
/// tensor has the number of its type.
enum class OnnxMessage : std::uint8_t { kTensor, kModel, kNeither };

OnnxMessage message_of(std::span<const std::byte> bytes) {
  WireReader reader(bytes);
  bool has_version = false;
  bool has_graph = false;
  while (const auto field = reader.next()) {
    if (field->is(kTensorDataType, WireType::kVarint)) return OnnxMessage::kTensor;
    has_version = has_version || field->is(kModelIrVersion, WireType::kVarint);
    has_graph = has_graph || field->is(kModelGraph, WireType::kBytes);
  }
  // A model that was cut short is one still.
  return has_version && (has_graph || !reader.problem().empty()) ? OnnxMessage::kModel
                                                                 : OnnxMessage::kNeither;
}

class ModelReader {
 public:
  ModelReader(std::string_view file, std::span<const std::byte> bytes)
      : file_(file), bytes_(bytes) {}

  [[nodiscard]] TensorTable read() {
    each(bytes_, "model", [&](const WireField& field) {
      if (field.is(kModelGraph, WireType::kBytes)) read_graph(field.bytes);
    });
    for (const auto& [tensor, scale] : scales_) {
      if (names_.contains(tensor)) table_.metadata["onnx.scale." + tensor] = scale;
    }
    return std::move(table_);
  }

 private:
  template <typename Act>
  void each(std::span<const std::byte> message, std::string_view what, const Act& act) const {
    WireReader reader(message);
    while (const auto field = reader.next()) act(*field);
    if (reader.problem().empty()) return;
    fail(Exit::kBadInput,
         "{}: {}, byte {} of it: {}; the file is truncated or damaged, copy it again", file_, what,
         reader.at(), reader.problem());
  }

  void read_graph(std::span<const std::byte> graph) {
    each(graph, "graph", [&](const WireField& field) {
      if (field.is(kGraphInitializer, WireType::kBytes)) read_initializer(field.bytes);
      if (field.is(kGraphNode, WireType::kBytes)) read_node(field.bytes);
      if (field.is(kGraphSparseInitializer, WireType::kBytes)) {
        fail(Exit::kBadInput, "{}: sparse_initializer: sparse tensors are not read; save it dense",
             file_);
      }
    });
  }

  void read_initializer(std::span<const std::byte> message) {
    add_tensor_proto(file_, message, table_.tensors.size(), table_);
    const std::string& name = table_.tensors.back().name;
    if (!names_.insert(name).second) {
      fail(Exit::kBadInput, "{}: initializer {}: appears twice", file_, printable(name));
    }
  }

  /// DequantizeLinear takes what it multiplies first, then the scale.
  void read_node(std::span<const std::byte> message) {
    std::vector<std::string> inputs;
    bool dequantizes = false;
    each(message, "node", [&](const WireField& field) {
      if (field.is(kNodeInput, WireType::kBytes)) inputs.emplace_back(field.text());
      if (field.is(kNodeOpType, WireType::kBytes)) dequantizes = field.text() == "DequantizeLinear";
    });
    if (dequantizes && inputs.size() > 1) scales_[inputs[0]] = inputs[1];
  }

  std::string_view file_;
  std::span<const std::byte> bytes_;
  std::set<std::string> names_;
  std::map<std::string, std::string> scales_;
  TensorTable table_;
};

}  // namespace

TensorTable parse_onnx(std::string_view file, std::span<const std::byte> bytes) {
  switch (message_of(bytes)) {
    case OnnxMessage::kModel:
      return ModelReader(file, bytes).read();
    case OnnxMessage::kTensor: {
      TensorTable table;
      add_tensor_proto(file, bytes, 0, table);
      return table;
    }
    case OnnxMessage::kNeither:
      break;
  }
  fail(Exit::kBadInput,
       "{}: byte 0: neither a model of ONNX (ir_version and graph) nor a TensorProto (data_type); "
       "it is another kind of file, or damaged",
       file);
}

namespace {

/// Whole fields to the end, and those of one of the two messages among them. Text has no such tags.
bool is_onnx(std::span<const std::byte> bytes) {
  WireReader reader(bytes);
  bool has_type = false;
  bool has_version = false;
  bool has_graph = false;
  while (const auto field = reader.next()) {
    has_type = has_type || field->is(kTensorDataType, WireType::kVarint);
    has_version = has_version || field->is(kModelIrVersion, WireType::kVarint);
    has_graph = has_graph || field->is(kModelGraph, WireType::kBytes);
  }
  return reader.problem().empty() && (has_type || (has_version && has_graph));
}

}  // namespace

TensorFileKind onnx_file_kind() {
  return {"ONNX model or tensor", ".onnx .pb", is_onnx, parse_onnx};
}

}  // namespace mx::cli
