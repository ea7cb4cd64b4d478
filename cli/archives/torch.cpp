// SPDX-License-Identifier: Apache-2.0
// PyTorch's files: a zip archive with a pickle that says what lies where (data.pkl), and a file for
// each storage (data/0, ...). The pickle is read as data; nothing of it is run.
#include <algorithm>
#include <array>
#include <map>

#include "cli/archives/pickle.hpp"
#include "cli/archives/zip.hpp"
#include "cli/base/error.hpp"
#include "cli/files/strided.hpp"
#include "cli/files/tensor_header.hpp"
#include "cli/text/names.hpp"

namespace mx::cli {
namespace {

constexpr std::string_view kTorchPickle = "data.pkl";

/// A type as PyTorch calls it and its storage; `name` is ours, or PyTorch's where we have none.
struct TorchType {
  std::string_view dtype;
  std::string_view storage;  ///< "" for those of UntypedStorage alone
  std::string_view name;
  std::size_t size;  ///< bytes
};

constexpr std::array kTorchTypes = {
    TorchType{"torch.float32", "torch.FloatStorage", "F32", 4},
    TorchType{"torch.float64", "torch.DoubleStorage", "F64", 8},
    TorchType{"torch.float16", "torch.HalfStorage", "F16", 2},
    TorchType{"torch.bfloat16", "torch.BFloat16Storage", "BF16", 2},
    TorchType{"torch.uint8", "torch.ByteStorage", "U8", 1},
    TorchType{"torch.int8", "torch.CharStorage", "I8", 1},
    TorchType{"torch.int16", "torch.ShortStorage", "I16", 2},
    TorchType{"torch.int32", "torch.IntStorage", "I32", 4},
    TorchType{"torch.int64", "torch.LongStorage", "I64", 8},
    TorchType{"torch.bool", "torch.BoolStorage", "BOOL", 1},
    TorchType{"torch.complex64", "torch.ComplexFloatStorage", "C64", 8},
    TorchType{"torch.complex128", "torch.ComplexDoubleStorage", "complex128", 16},
    TorchType{"torch.complex32", "", "complex32", 4},
    TorchType{"torch.uint16", "", "U16", 2},
    TorchType{"torch.uint32", "", "U32", 4},
    TorchType{"torch.uint64", "", "U64", 8},
    TorchType{"torch.float8_e4m3fn", "", "F8_E4M3", 1},
    TorchType{"torch.float8_e5m2", "", "F8_E5M2", 1},
    TorchType{"torch.float8_e4m3fnuz", "", "F8_E4M3FNUZ", 1},
    TorchType{"torch.float8_e5m2fnuz", "", "F8_E5M2FNUZ", 1},
    TorchType{"torch.float8_e8m0fnu", "", "F8_E8M0", 1},
    TorchType{"torch.float4_e2m1fn_x2", "", "float4_e2m1fn_x2", 1}};

/// Everything else that a file of tensors names.
constexpr std::array<std::string_view, 18> kTorchNames = {
    "torch._tensor._rebuild_from_type_v2",
    "torch._utils._rebuild_wrapper_subclass",
    "torch.serialization._get_layout",
    "torchao.*",
    "collections.OrderedDict",
    "torch._utils._rebuild_tensor",
    "torch._utils._rebuild_tensor_v2",
    "torch._utils._rebuild_tensor_v3",
    "torch._utils._rebuild_parameter",
    "torch._utils._rebuild_parameter_with_state",
    "torch.storage.UntypedStorage",
    "torch.UntypedStorage",
    "torch.Size",
    "torch.device",
    "builtins.set",
    "__builtin__.set",
    "torch.strided",
    "_codecs.encode"};

std::vector<std::string_view> global_names() {
  std::vector<std::string_view> names(kTorchNames.begin(), kTorchNames.end());
  for (const TorchType& type : kTorchTypes) {
    names.push_back(type.dtype);
    if (!type.storage.empty()) names.push_back(type.storage);
  }
  return names;
}

class TorchFile {
 public:
  TorchFile(std::string_view file, std::span<const std::byte> bytes)
      : file_(file), file_bytes_(bytes.size()), globals_(global_names()) {
    const std::vector<ZipEntry> list = read_zip(file, bytes);
    for (const ZipEntry& entry : list) entries_.emplace(entry.name, entry);
    for (const ZipEntry& entry : list) {
      if (!is_pickle(entry.name)) continue;
      if (!root_.empty() || !pickle_.values.empty()) refuse("two pickles ({})", kTorchPickle);
      root_ = entry.name.substr(0, entry.name.size() - kTorchPickle.size());
      check_byte_order();
      pickle_ = read_pickle(fmt::format("{}: entry {}", file, printable(entry.name)),
                            contents_of(file, entry, table_.owned), globals_);
    }
    if (pickle_.values.empty()) refuse("no {} inside", kTorchPickle);
  }

  static bool is_pickle(std::string_view name) {
    return name == kTorchPickle || name.ends_with("/data.pkl");
  }

  TensorTable read() {
    visit(pickle_.root, "", 0);
    std::vector<std::string_view> names;
    for (const Tensor& tensor : table_.tensors) names.push_back(tensor.name);
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) refuse("two tensors are called {}", printable(*twice));
    return std::move(table_);
  }

 private:
  /// The storage of a tensor, its type where the file says it, and how many bytes are its.
  struct Storage {
    const TorchType* type = nullptr;
    std::span<const std::byte> data;
  };

  template <typename... Args>
  [[noreturn]] void refuse(fmt::format_string<Args...> format, Args&&... args) const {
    fail(Exit::kBadInput, "{}: {}", file_, fmt::format(format, std::forward<Args>(args)...));
  }

  void check_byte_order() {
    const auto order = entries_.find(root_ + "byteorder");
    if (order == entries_.end()) return;  // before it was written, all were little
    const std::string_view text = text_of(contents_of(file_, order->second, table_.owned));
    if (text != "little")
      refuse("entry byteorder: {}; save it on a little-endian host", printable(text));
  }

  [[nodiscard]] std::string_view global(PickleIndex index) const {
    const PickleValue& value = pickle_[index];
    return value.kind == PickleKind::kGlobal ? globals_[static_cast<std::size_t>(value.number)]
                                             : "";
  }

  /// Goes through dictionaries and lists; `name` is the way there.
  void visit(PickleIndex index, const std::string& name, int depth) {
    constexpr int kDeepest = 64;
    if (depth == kDeepest)
      refuse("{}: lists within lists deeper than {}", printable(name), kDeepest);
    if (++visited_ > 2 * pickle_.values.size() + 1000) {
      refuse("its lists stand for one another without end; save the tensors alone");
    }
    const PickleValue& value = pickle_[index];
    const auto joined = [&](const std::string& key) {
      return name.empty() ? key : name + "." + key;
    };
    if (value.kind == PickleKind::kDict) {
      for (std::size_t i = 0; i + 1 < value.items.size(); i += 2) {
        visit(value.items[i + 1], joined(key_of(value.items[i], i / 2)), depth + 1);
      }
    } else if (value.kind == PickleKind::kList) {
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        visit(value.items[i], joined(std::to_string(i)), depth + 1);
      }
    } else if (value.kind == PickleKind::kCall) {
      take_call(value, name, depth);
    }
  }

  /// The text of a key; one that is neither text nor number has its place.
  [[nodiscard]] std::string key_of(PickleIndex index, std::size_t place) const {
    const PickleValue& key = pickle_[index];
    if (key.kind == PickleKind::kText) return std::string(key.text);
    return std::to_string(key.kind == PickleKind::kNumber ? key.number
                                                          : static_cast<std::int64_t>(place));
  }

  void take_call(const PickleValue& call, const std::string& name, int depth) {
    const std::string_view function = global(call.items.front());
    const PickleValue& arguments = pickle_[call.items.at(1)];
    if (arguments.kind != PickleKind::kList)
      refuse("{}: a call without arguments", printable(name));
    if (function.starts_with("torch._utils._rebuild_parameter")) {
      if (arguments.items.empty()) refuse("{}: a parameter of nothing", printable(name));
      visit(arguments.items.front(), name, depth + 1);
    } else if (function == "torch._tensor._rebuild_from_type_v2") {
      take_wrapped(arguments.items, name, depth);
    } else if (function.starts_with("torch._utils._rebuild_tensor")) {
      table_.tensors.push_back(
          tensor_of(arguments.items, name.empty() ? "data" : name, function.ends_with("_v3")));
    }
  }

  /// A tensor of another class: (function, class, arguments, attributes). The tensors of one that
  /// only wraps others stand in its attributes, with what says how they lie.
  void take_wrapped(const std::vector<PickleIndex>& items, const std::string& name, int depth) {
    if (items.size() < 4) refuse("{}: a tensor without its class", printable(name));
    const PickleValue& attributes = pickle_[items[3]];
    if (global(items[0]) != "torch._utils._rebuild_wrapper_subclass") {
      PickleValue call;
      call.kind = PickleKind::kCall;
      call.items = {items[0], items[2]};
      return take_call(call, name, depth);
    }
    visit(items[3], name, depth + 1);
    if (attributes.kind != PickleKind::kDict) return;
    for (std::size_t i = 0; i + 1 < attributes.items.size(); i += 2) {
      const PickleValue& value = pickle_[attributes.items[i + 1]];
      if (value.kind != PickleKind::kNumber && value.kind != PickleKind::kGlobal) continue;
      table_.metadata[name + "." + key_of(attributes.items[i], i / 2)] =
          value.kind == PickleKind::kNumber ? std::to_string(value.number)
                                            : std::string(global(attributes.items[i + 1]));
    }
  }

  [[nodiscard]] std::vector<std::uint64_t> lengths(PickleIndex index, const std::string& name,
                                                   std::string_view what) const {
    const PickleValue* list = &pickle_[index];
    if (list->kind == PickleKind::kCall && global(list->items.front()) == "torch.Size") {
      list = &pickle_[list->items.at(1)];
      if (list->kind == PickleKind::kList && list->items.size() == 1)
        list = &pickle_[list->items[0]];
    }
    std::vector<std::uint64_t> found;
    if (list->kind == PickleKind::kList) {
      for (const PickleIndex each : list->items) found.push_back(count_of(each, name, what));
      constexpr std::size_t kMostAxes = 64;  // PyTorch's own limit
      if (found.size() <= kMostAxes) return found;
    }
    refuse("tensor {}: its {} is no list of at most 64 numbers", printable(name), what);
  }

  [[nodiscard]] std::uint64_t count_of(PickleIndex index, const std::string& name,
                                       std::string_view what) const {
    const PickleValue& value = pickle_[index];
    if (value.kind == PickleKind::kNumber && value.number >= 0) {
      return static_cast<std::uint64_t>(value.number);
    }
    refuse("tensor {}: its {} is no whole number of 0 or more", printable(name), what);
  }

  /// ('storage', class, key, device, count of elements)
  [[nodiscard]] Storage storage_of(PickleIndex index, const std::string& name) {
    const PickleValue& persistent = pickle_[index];
    const bool is_one = persistent.kind == PickleKind::kPersistent;
    const PickleValue& id = is_one ? pickle_[persistent.items.front()] : persistent;
    if (!is_one || id.kind != PickleKind::kList || id.items.size() != 5 ||
        pickle_[id.items[0]].text != "storage" || pickle_[id.items[2]].kind != PickleKind::kText) {
      refuse("tensor {}: names no storage", printable(name));
    }
    Storage storage;
    const std::string_view type = global(id.items[1]);
    for (const TorchType& each : kTorchTypes) {
      if (!each.storage.empty() && each.storage == type) storage.type = &each;
    }
    if (storage.type == nullptr && !type.ends_with("UntypedStorage")) {
      refuse("tensor {}: no class of a storage", printable(name));
    }
    const std::string_view key = pickle_[id.items[2]].text;
    const std::uint64_t count = count_of(id.items[4], name, "storage's length");
    const std::size_t size = storage.type == nullptr ? 1 : storage.type->size;
    const std::span<const std::byte> held = bytes_of(key, name);
    if (count > held.size() / size) {
      refuse(
          "tensor {}: {} bytes in storage {}, {} elements of {} are announced; it is truncated, "
          "copy it again",
          printable(name), held.size(), printable(key), count, size);
    }
    storage.data = held.first(count * size);
    return storage;
  }

  [[nodiscard]] std::span<const std::byte> bytes_of(std::string_view key, const std::string& name) {
    const auto known = storages_.find(key);
    if (known != storages_.end()) return known->second;
    const std::string path = root_ + "data/" + std::string(key);
    const auto entry = entries_.find(path);
    if (entry == entries_.end()) {
      refuse("tensor {}: no entry {}; it is truncated, copy it again", printable(name),
             printable(path));
    }
    return storages_.emplace(key, contents_of(file_, entry->second, table_.owned)).first->second;
  }

  /// (storage, offset, shape, strides, requires_grad, hooks[, dtype, metadata])
  [[nodiscard]] Tensor tensor_of(const std::vector<PickleIndex>& arguments, const std::string& name,
                                 bool has_type) {
    constexpr std::size_t kTypeAt = 6;
    if (arguments.size() < (has_type ? kTypeAt + 1 : 4)) {
      refuse("tensor {}: {} arguments are too few", printable(name), arguments.size());
    }
    Storage storage = storage_of(arguments[0], name);
    if (has_type) {
      storage.type = nullptr;
      for (const TorchType& each : kTorchTypes) {
        if (each.dtype == global(arguments[kTypeAt])) storage.type = &each;
      }
    }
    if (storage.type == nullptr) refuse("tensor {}: of no type", printable(name));
    const TorchType& type = *storage.type;
    const StridedView view{lengths(arguments[2], name, "shape"),
                           lengths(arguments[3], name, "strides"),
                           count_of(arguments[1], name, "offset"), type.size};
    const auto count = element_count(view.shape, static_cast<int>(8 * type.size));
    const auto held =
        view.strides.size() == view.shape.size() ? view.within(storage.data) : std::nullopt;
    if (!count || !held) {
      refuse(
          "tensor {}: shape [{}], strides [{}] and offset {} do not lie in its storage of {} bytes",
          printable(name), fmt::join(view.shape, ", "), fmt::join(view.strides, ", "), view.offset,
          storage.data.size());
    }
    Tensor tensor;
    tensor.name = name;
    tensor.dtype = type.name;
    tensor.shape = view.shape;
    tensor.elements = *count;
    tensor.data = *held;
    if (!view.is_contiguous()) tensor.data = copied(view, storage.data, *count, name);
    take_type(view, tensor);
    return tensor;
  }

  [[nodiscard]] std::span<const std::byte> copied(const StridedView& view,
                                                  std::span<const std::byte> storage,
                                                  std::uint64_t count, const std::string& name) {
    const std::uint64_t most = std::max<std::uint64_t>(8 * file_bytes_, 1U << 26);
    if (count > (most - copied_) / view.size) {
      refuse("tensor {}: shape [{}] repeats a storage of {} bytes too often; save its contiguous()",
             printable(name), fmt::join(view.shape, ", "), storage.size());
    }
    copied_ += count * view.size;
    return table_.owned.emplace_back(view.gathered(storage, count));
  }

  /// Two codes of E2M1 a byte are two elements; where the bytes of a row are no neighbours they
  /// stay of a type that we have not.
  static void take_type(const StridedView& view, Tensor& tensor) {
    if (tensor.dtype == "float4_e2m1fn_x2" && !view.shape.empty() &&
        (view.strides.back() == 1 || view.shape.back() <= 1)) {
      tensor.dtype = "F4";
      tensor.shape.back() *= 2;
      tensor.elements *= 2;
    }
    const DType* const known = find_dtype(tensor.dtype);
    if (known != nullptr) tensor.format = known->format;
  }

  std::string_view file_;
  std::uint64_t file_bytes_;
  std::vector<std::string_view> globals_;
  std::map<std::string, ZipEntry, std::less<>> entries_;
  std::map<std::string_view, std::span<const std::byte>> storages_;
  std::string root_;  ///< what the names of all entries begin with: "archive/"
  TensorTable table_;
  Pickle pickle_;
  std::size_t visited_ = 0;
  std::uint64_t copied_ = 0;
};

bool is_torch(std::span<const std::byte> bytes) { return zip_holds(bytes, kTorchPickle); }

}  // namespace

TensorTable parse_torch(std::string_view file, std::span<const std::byte> bytes) {
  return TorchFile(file, bytes).read();
}

TensorFileKind torch_file_kind() { return {kTorchKind, ".pt .pth .bin", is_torch, parse_torch}; }

}  // namespace mx::cli
