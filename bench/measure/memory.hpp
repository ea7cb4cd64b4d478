// Arrays as measurements want them: whole pages, huge ones for long arrays, touched before use.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace mx::goals {

/// `count` zeros of a trivial type at an address that 64 divides.
template <class T>
class Array {
 public:
  explicit Array(std::size_t count);
  [[nodiscard]] T* data() const { return static_cast<T*>(memory_.get()); }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::span<T> span() const { return {data(), count_}; }
  [[nodiscard]] T& operator[](std::size_t i) const { return data()[i]; }
  [[nodiscard]] std::span<std::byte> bytes() const { return std::as_writable_bytes(span()); }

 private:
  std::shared_ptr<void> memory_;  ///< shared: the functions of a row's contestants hold it
  std::size_t count_;
};

/// Bytes that are there; huge pages are asked for from 4 MiB on.
[[nodiscard]] std::shared_ptr<void> touched_memory(std::size_t bytes);

template <class T>
Array<T>::Array(std::size_t count) : memory_(touched_memory(count * sizeof(T))), count_(count) {}

}  // namespace mx::goals
