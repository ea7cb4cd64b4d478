// What there is, and what it looks like, over the C ABI.
#include <string_view>

#include "backend/abi/guard.hpp"
#include "backend/abi/objects.hpp"
#include "mxgold.h"
#include "reference/catalog/aliases.hpp"
#include "reference/catalog/definitions.hpp"
#include "reference/format/table.hpp"
#include "reference/policy/fields.hpp"
#include "reference/policy/integer.hpp"
#include "reference/policy/operation.hpp"
#include "reference/profiles/masks.hpp"
#include "reference/profiles/profile.hpp"
#include "reference/tensor/packing.hpp"
#include "reference/tensor/scale_layout.hpp"
#include "reference/tensor/tensor.hpp"
#include "reference/unit/unit.hpp"

namespace {

/// Names of tables are literals, so they end in NUL.
template <typename Rows>
const char* name_at(const Rows& rows, std::size_t index) {
  return index < rows.size() ? rows[index].name.data() : nullptr;
}

template <typename E>
const char* token_at(std::size_t index) {
  return index < mx::tokens<E>().size() ? mx::tokens<E>()[index].text.data() : nullptr;
}

const char* value_at(const mx::PolicyField& field, std::size_t index) {
  const std::vector<std::string_view> values = field.values();
  return index < values.size() ? values[index].data() : nullptr;
}

}  // namespace

extern "C" {

const char* mxgold_name(const char* list, size_t index) noexcept {
  if (list == nullptr) return nullptr;
  const std::string_view name = list;
  if (name == "formats") return name_at(mx::all_formats(), index);
  if (name == "blocks") return name_at(mx::all_block_formats(), index);
  if (name == "named_only") return name_at(mx::named_only_formats(), index);
  if (name == "profiles") return name_at(mx::all_profiles(), index);
  if (name == "masks") {
    return index < mx::kMaskFacts.size() ? mx::kMaskFacts[index].token.data() : nullptr;
  }
  if (name == "packings") return name_at(mx::packings(), index);
  if (name == "scale_layouts") return name_at(mx::scale_layouts(), index);
  if (name == "policies") return name_at(mx::policy_fields(), index);
  if (name == "systems") return mxgold_system(index);
  if (name == "units") return name_at(mx::matrix_units(), index);
  if (name == "operations") return token_at<mx::ArithmeticOperation>(index);
  if (name == "integers") return token_at<mx::IntegerType>(index);
  if (name == "out_of_range") return token_at<mx::OutOfRange>(index);
  const mx::PolicyField* field = mx::find_policy_field(name);
  if (field == nullptr) return nullptr;
  const char* value = nullptr;
  const mxgold_status status = mx::abi::guarded(__func__, [&]() -> mxgold_status {
    value = value_at(*field, index);
    return MXGOLD_OK;
  });
  return status == MXGOLD_OK ? value : nullptr;
}

const char* mxgold_name_here(const char* name, size_t index) noexcept {
  if (name == nullptr) return nullptr;
  const char* here = nullptr;
  const mxgold_status status = mx::abi::guarded(__func__, [&]() -> mxgold_status {
    here = mx::name_here(name, index).data();
    return MXGOLD_OK;
  });
  return status == MXGOLD_OK ? here : nullptr;
}

mxgold_status mxgold_canonical_format(const char* format, char* name, size_t name_size,
                                      char* message, size_t message_size) noexcept {
  using mx::abi::Message;
  return mx::abi::guarded(__func__, Message(message, message_size), [&]() -> mxgold_status {
    if (format == nullptr || name == nullptr) return MXGOLD_NULL_ARGUMENT;
    Message text(message, message_size);
    std::string found;
    mx::FormatCatalog book;
    if (const mx::BlockFormat* const block = book.find_block(format)) {
      found = mx::canonical_name(*block);
    } else if (const mx::ElementFormat* const element = book.find(format)) {
      found = mx::canonical_name(*element);
    } else {
      return mx::abi::unknown_format("format", format, text);
    }
    if (found.size() >= name_size) {
      text.write({"the name has ", std::to_string(found.size()), " characters"});
      return MXGOLD_BAD_SIZE;
    }
    Message(name, name_size).write({found});
    return MXGOLD_OK;
  });
}

mxgold_status mxgold_block(const mxgold_quantizer* quantizer, mxgold_block_info* info) noexcept {
  return mx::abi::guarded(__func__, [&]() -> mxgold_status {
    if (quantizer == nullptr || info == nullptr) return MXGOLD_NULL_ARGUMENT;
    const mx::BlockFormat& format = quantizer->quantizer.config().format;
    *info = {.element = format.element.name.data(),
             .scale = format.scale.name.data(),
             .extent = mx::token_of(format.extent).data(),
             .tensor_scale = mx::token_of(format.tensor_scale).data(),
             .block_size = static_cast<std::uint32_t>(format.block_size),
             .tile_lines = static_cast<std::uint32_t>(format.tile_lines),
             .element_bits = static_cast<std::uint32_t>(format.element.bits),
             .scale_bits = static_cast<std::uint32_t>(format.scale_bits()),
             .element_bytes = static_cast<std::uint32_t>(mx::storage_bytes(format.element)),
             .scale_bytes = static_cast<std::uint32_t>(mx::scale_bytes(format))};
    return MXGOLD_OK;
  });
}

int mxgold_takes_tensor_scale(const mxgold_quantizer* quantizer) noexcept {
  if (quantizer == nullptr) return 0;
  const mx::QuantizerConfig& config = quantizer->quantizer.config();
  const bool takes = config.format.tensor_scale != mx::TensorScale::kNone &&
                     mx::facts_of(config.block.rule).tensor == mx::RuleTensor::kScale;
  return takes ? 1 : 0;
}

}  // extern "C"
