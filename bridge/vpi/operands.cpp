#include "bridge/vpi/operands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace mx::bridge::vpi {

using golden::Field;
using golden::Operation;

std::string take_number(const Arguments& in, std::size_t i, std::string_view name, int bits,
                        std::uint64_t& value) {
  const Vector vector = in.vector(i);
  if (const int bit = vector.unknown_below(vector.unknown.size() * 32); bit >= 0) {
    return fmt::format("operand {}: bit {} is X or Z", name, bit);
  }
  for (std::size_t at = static_cast<std::size_t>(bits); at < vector.value.size() * 32; at += 32) {
    if (read_bits(vector.value, at, 32) != 0) {
      return fmt::format("operand {}: more than {} bits", name, bits);
    }
  }
  value = read_bits(vector.value, 0, bits);
  return {};
}

void set_number(const Arguments& in, std::size_t i, std::uint64_t value) {
  const std::array words = {static_cast<std::uint32_t>(value),
                            static_cast<std::uint32_t>(value >> 32)};
  in.set(i, words);
}

bool known(Handle& model, const Arguments& in, std::size_t i, std::string_view name,
           std::uint64_t& value) {
  std::string why = take_number(in, i, name, 64, value);
  return why.empty() || model.refuse(std::move(why));
}

bool put(Handle& model, Field field, const Arguments& in, std::size_t i) {
  if (model.words(field) == 0) return true;
  const Vector vector = in.vector(i);
  const std::size_t used =
      model.model().used_words(field) * static_cast<std::size_t>(model.lane_bits(field));
  if (!model.known(field, vector.unknown_below(used))) return false;
  if (static_cast<std::size_t>(vector.bits) < used) {
    return model.refuse(fmt::format("operand {}: {} bits, but the record has {}", token_of(field),
                                    vector.bits, used));
  }
  return model.put(field, vector.value);
}

bool put_number(Handle& model, Field field, const Arguments& in, std::size_t i) {
  std::uint64_t value = 0;
  if (model.words(field) == 0) return true;
  return known(model, in, i, token_of(field), value) && model.put_word(field, value);
}

bool get(Handle& model, Field field, const Arguments& in, std::size_t i) {
  const std::size_t wanted = model.words(field) * static_cast<std::size_t>(model.lane_bits(field));
  if (static_cast<std::size_t>(in.bits(i)) < wanted) {
    return model.refuse(fmt::format("result {}: {} bits, but the answer has {}", token_of(field),
                                    in.bits(i), wanted));
  }
  std::vector<std::uint32_t> bus((wanted + 31) / 32);
  if (!model.get(field, bus)) return false;
  in.set(i, bus);
  return true;
}

bool start(Handle& model, Operation operation, const Arguments& in) {
  std::uint64_t elements = 0;
  return model.is_open() && known(model, in, 1, "elements", elements) &&
         model.start(operation, static_cast<std::uint32_t>(
                                    std::min<std::uint64_t>(elements, golden::kMaxLanes + 1)));
}

}  // namespace mx::bridge::vpi
