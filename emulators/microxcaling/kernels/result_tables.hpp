// 16-bit tensors have so few words that under a scale which many blocks share the result of every
// word is looked up.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emulators/microxcaling/kernels/ieee_type.hpp"

namespace mx::emulators::microxcaling {

/// Tables by the key that a kernel gives its plans, -1 for none. A kernel is one of
/// block_kernels.hpp on a 16-bit type, and deterministic.
template <typename Kernel>
class ResultTables {
 public:
  /// How many elements under one scale pay for its table.
  static constexpr std::size_t kWorth = 1 << 17;

  /// The tables that a tensor is worth, whose blocks hold `block` elements each.
  ResultTables(const Kernel& kernel, std::span<const typename Kernel::Plan> plans,
               std::size_t block) {
    if (plans.size() * block < kWorth) return;
    std::array<std::size_t, kKeys> counts{};
    for (const auto& plan : plans) {
      const int key = kernel.key(plan);
      if (key < 0 || key >= kKeys) continue;
      std::size_t& count = counts[static_cast<std::size_t>(key)];
      count += block;
      if (count >= kWorth && count - block < kWorth) make(kernel, plan, key);
    }
  }

  /// The results under a plan, by word; nullptr where there is no table.
  [[nodiscard]] const std::uint16_t* of(int key) const {
    if (key < 0 || key >= kKeys || tables_.empty()) return nullptr;
    const std::vector<std::uint16_t>& table = tables_[static_cast<std::size_t>(key)];
    return table.empty() ? nullptr : table.data();
  }

 private:
  static constexpr int kKeys = 1024;

  void make(const Kernel& kernel, const typename Kernel::Plan& plan, int key) {
    tables_.resize(kKeys);
    std::vector<std::uint16_t>& table = tables_[static_cast<std::size_t>(key)];
    table.resize(1 << 16);
    for (std::size_t word = 0; word < table.size(); ++word) {
      table[word] = static_cast<std::uint16_t>(kernel.apply(plan, word, 0));
    }
  }

  std::vector<std::vector<std::uint16_t>> tables_;
};

}  // namespace mx::emulators::microxcaling
