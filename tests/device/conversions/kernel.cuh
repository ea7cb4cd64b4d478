// How a struct with a function `of`, from a word to a word, becomes a form.
#pragma once

#include <cuda_runtime.h>

#include <cstring>
#include <string>
#include <utility>

#include "tests/device/conversions/part.hpp"

namespace mx::device {

#ifdef __CUDA_ARCH__
inline constexpr int kArchitecture = __CUDA_ARCH__ / 10;
#else
inline constexpr int kArchitecture = 0;
#endif

template <class Function, class Word>
__global__ void convert_each(Inputs inputs, Word* words) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= inputs.count) return;
  const Code input = inputs.words == nullptr ? inputs.first + i : inputs.words[i];
  words[i] = static_cast<Word>(Function::of(input));
}

template <class Function, class Word>
void convert_on_device(const Inputs& inputs, void* words, void* stream) {
  constexpr unsigned kThreads = 256;
  const auto blocks = static_cast<unsigned>((inputs.count + kThreads - 1) / kThreads);
  convert_each<Function, Word><<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      inputs, static_cast<Word*>(words));
}

template <class Function, class Word>
void convert_on_host(const Inputs& inputs, void* words) {
  for (std::size_t i = 0; i < inputs.count; ++i) {
    const Code input = inputs.words == nullptr ? inputs.first + i : inputs.words[i];
    static_cast<Word*>(words)[i] = static_cast<Word>(Function::of(input));
  }
}

/// A form that devices alone have.
template <class Function, class Word>
Form device_form(std::string name, Clamp clamp = Clamp::kNone) {
  return {std::move(name), clamp, sizeof(Word), convert_on_device<Function, Word>, nullptr};
}

/// A form of both.
template <class Function, class Word>
Form both_form(std::string name) {
  return {std::move(name), Clamp::kNone, sizeof(Word), convert_on_device<Function, Word>,
          convert_on_host<Function, Word>};
}

}  // namespace mx::device
