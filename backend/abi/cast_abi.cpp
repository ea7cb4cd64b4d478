// Casts of the emulated systems over the C ABI.
#include <memory>
#include <vector>

#include "backend/abi/guard.hpp"
#include "emulators/casts/casts.hpp"
#include "mxgold.h"
#include "reference/casts/cast.hpp"
#include "reference/casts/operands.hpp"
#include "reference/casts/pieces.hpp"
#include "reference/parallel/threads.hpp"

struct mxgold_cast {
  mx::casts::CastPointer cast;
  std::string text;
  std::vector<mx::casts::Property> properties;
};

struct mxgold_results {
  struct Result {
    mx::casts::Tensor tensor;
    std::vector<std::uint64_t> shape;
  };
  std::vector<Result> all;
};

namespace {

using mx::abi::guarded;
using mx::abi::Message;

mxgold_status read_tensor(const mxgold_tensor& given, mx::casts::TensorView& tensor,
                          Message& message) {
  if (given.name == nullptr || given.type == nullptr ||
      (given.shape == nullptr && given.rank > 0) || (given.data == nullptr && given.bytes > 0)) {
    return MXGOLD_NULL_ARGUMENT;
  }
  const auto type = mx::parse_token<mx::TensorType>(given.type);
  if (!type) {
    message.write({"ValueError: tensor '", given.name, "': unknown type '", given.type, "'"});
    return MXGOLD_BAD_VALUE;
  }
  // Elements are counted within the bytes that are there, so that no product overflows.
  const std::uint64_t width = mx::casts::width_of(*type);
  bool is_empty = false;
  for (std::size_t i = 0; i < given.rank; ++i) is_empty |= given.shape[i] == 0;
  std::uint64_t elements = is_empty ? 0 : 1;
  for (std::size_t i = 0; i < given.rank && !is_empty; ++i) {
    if (given.shape[i] > given.bytes / elements) return MXGOLD_BAD_SIZE;
    elements *= given.shape[i];
  }
  if (given.bytes % width != 0 || given.bytes / width != elements) {
    message.write({"ValueError: tensor '", given.name, "': the bytes do not fit the shape"});
    return MXGOLD_BAD_SIZE;
  }
  mx::casts::Shape shape(given.shape, given.shape + given.rank);
  tensor = {given.name,
            *type,
            std::move(shape),
            {static_cast<const std::byte*>(given.data), static_cast<std::size_t>(given.bytes)}};
  return MXGOLD_OK;
}

mxgold_status read_input(const mx::casts::Cast& cast, const mxgold_tensor* tensors,
                         std::size_t count, const std::int64_t* axis, mx::casts::CastInput& input,
                         Message& message) {
  if (tensors == nullptr || count == 0) return MXGOLD_NULL_ARGUMENT;
  mxgold_status status = read_tensor(tensors[0], input.tensor, message);
  for (std::size_t i = 1; i < count && status == MXGOLD_OK; ++i) {
    status = read_tensor(tensors[i], input.operands.emplace_back(), message);
  }
  if (status != MXGOLD_OK) return status;
  std::vector<std::string_view> names;
  for (const mx::casts::TensorView& each : input.operands) names.push_back(each.name);
  if (const std::string problem = mx::casts::operand_problem(cast, names); !problem.empty()) {
    message.write({problem});
    return MXGOLD_BAD_VALUE;
  }
  if (axis != nullptr) input.axis = *axis;
  return status;
}

/// The setting of a mode and a platform by name, each of which may be absent.
mxgold_status read_setting(const char* mode, const char* platform, mx::casts::Setting& setting,
                           Message& message) {
  if (mode != nullptr) {
    const auto found = mx::parse_token<mx::SystemMode>(mode);
    if (!found) {
      message.write({"ValueError: mode '", mode, "' is neither strict nor compat"});
      return MXGOLD_BAD_VALUE;
    }
    setting.mode = *found;
  }
  if (platform != nullptr) {
    const auto found = mx::parse_token<mx::Platform>(platform);
    if (!found) {
      message.write({"ValueError: platform '", platform, "' is none of x86, aarch64, cuda"});
      return MXGOLD_BAD_VALUE;
    }
    setting.platform = *found;
  }
  return MXGOLD_OK;
}

}  // namespace

extern "C" {

const char* mxgold_system(size_t index) noexcept {
  const std::string_view name = mx::emulators::package_name(index);
  return name.empty() ? nullptr : name.data();
}

mxgold_status mxgold_cast_create(const char* text, const char* mode, const char* platform,
                                 mxgold_cast** out, char* message, size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (text == nullptr) return MXGOLD_NULL_ARGUMENT;
    Message words(message, message_size);
    mx::casts::Setting setting;
    const mxgold_status status = read_setting(mode, platform, setting, words);
    if (status != MXGOLD_OK) return status;
    auto made = mx::emulators::make_cast(text, setting);
    if (!made) {
      words.write({made.problem()});
      return MXGOLD_BAD_VALUE;
    }
    mx::casts::CastPointer cast = *made;
    std::string spelling = cast->text();
    auto properties = cast->properties();
    mxgold_cast whole{std::move(cast), std::move(spelling), std::move(properties)};
    *out = std::make_unique<mxgold_cast>(std::move(whole)).release();
    return MXGOLD_OK;
  });
}

void mxgold_cast_destroy(mxgold_cast* cast) noexcept { delete cast; }

const char* mxgold_cast_text(const mxgold_cast* cast) noexcept {
  return cast == nullptr ? nullptr : cast->text.c_str();
}

mxgold_cast_fact mxgold_cast_property(const mxgold_cast* cast, size_t index) noexcept {
  if (cast == nullptr || index >= cast->properties.size()) return {};
  const mx::casts::Property& property = cast->properties[index];
  return {property.name.c_str(), property.text.c_str(), property.problem.c_str()};
}

mxgold_status mxgold_cast_random_words(const mxgold_cast* cast, const mxgold_tensor* tensors,
                                       size_t tensor_count, const int64_t* axis, uint64_t* words,
                                       char* message, size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (cast == nullptr || words == nullptr) return MXGOLD_NULL_ARGUMENT;
    Message text(message, message_size);
    mx::casts::CastInput input;
    const mxgold_status status = read_input(*cast->cast, tensors, tensor_count, axis, input, text);
    if (status != MXGOLD_OK) return status;
    const auto count = cast->cast->random_words(input);
    if (!count) {
      text.write({count.problem()});
      return MXGOLD_BAD_VALUE;
    }
    *words = *count;
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_cast_apply(const mxgold_cast* cast, const mxgold_tensor* tensors,
                                size_t tensor_count, const int64_t* axis, const uint32_t* random,
                                uint64_t random_count, mxgold_results** out, char* message,
                                size_t message_size) noexcept {
  return guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (out == nullptr) return MXGOLD_NULL_ARGUMENT;
    *out = nullptr;
    if (cast == nullptr || (random == nullptr && random_count > 0)) return MXGOLD_NULL_ARGUMENT;
    Message text(message, message_size);
    mx::casts::CastInput input;
    const mxgold_status status = read_input(*cast->cast, tensors, tensor_count, axis, input, text);
    if (status != MXGOLD_OK) return status;
    input.random = {random, static_cast<std::size_t>(random_count)};
    input.threads = mx::machine_threads();
    const auto needed = cast->cast->random_words(input);
    if (needed && *needed != random_count) {
      text.write({"ValueError: the cast reads ", std::to_string(*needed), " random words, not ",
                  std::to_string(random_count)});
      return MXGOLD_BAD_SIZE;
    }
    auto made = mx::casts::apply_on_threads(*cast->cast, input);
    if (!made) {
      text.write({made.problem()});
      return MXGOLD_BAD_VALUE;
    }
    std::vector<mx::casts::Tensor> tensors_made = *std::move(made);
    auto results = std::make_unique<mxgold_results>();
    for (mx::casts::Tensor& each : tensors_made) {
      std::vector<std::uint64_t> shape(each.shape.begin(), each.shape.end());
      results->all.push_back({std::move(each), std::move(shape)});
    }
    *out = results.release();
    return MXGOLD_OK;
  });
}

void mxgold_results_destroy(mxgold_results* results) noexcept { delete results; }

mxgold_tensor mxgold_result(const mxgold_results* results, size_t index) noexcept {
  if (results == nullptr || index >= results->all.size()) return {};
  const mxgold_results::Result& result = results->all[index];
  return {result.tensor.name.c_str(), mx::token_of(result.tensor.type).data(),
          result.shape.data(),        result.shape.size(),
          result.tensor.bytes.data(), result.tensor.bytes.size()};
}

}  // extern "C"
