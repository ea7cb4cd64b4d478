#include "tests/device/conversions/lane.hpp"

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>

namespace mx::device {

void require(int error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(static_cast<cudaError_t>(error)));
  // Other threads still run; nothing of theirs is worth saving.
  std::_Exit(1);
}

Lane::Lane(Where where, std::size_t bytes) : where_(where) {
  if (where_ == Where::kHost) {
    own_words_ = std::make_unique<std::uint8_t[]>(bytes * kChunk);
    host_words_ = own_words_.get();
    return;
  }
  cudaStream_t stream = nullptr;
  require(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreate");
  stream_ = stream;
  void* words = nullptr;
  require(cudaMalloc(&words, bytes * kChunk), "cudaMalloc");
  device_words_ = static_cast<std::uint8_t*>(words);
  require(cudaMalloc(&device_inputs_, sizeof(Code) * kChunk), "cudaMalloc");
  require(cudaMallocHost(&words, bytes * kChunk), "cudaMallocHost");
  host_words_ = static_cast<std::uint8_t*>(words);
}

Lane::~Lane() {
  if (where_ == Where::kHost) return;
  cudaFreeHost(host_words_);
  cudaFree(device_inputs_);
  cudaFree(device_words_);
  cudaStreamDestroy(static_cast<cudaStream_t>(stream_));
}

void Lane::start(const Part& part, const Inputs& inputs) {
  auto* const stream = static_cast<cudaStream_t>(stream_);
  Inputs given = inputs;
  if (where_ == Where::kDevice && inputs.words != nullptr) {
    require(cudaMemcpyAsync(device_inputs_, inputs.words, inputs.count * sizeof(Code),
                            cudaMemcpyHostToDevice, stream),
            "inputs");
    given.words = static_cast<const Code*>(device_inputs_);
  }
  started_.clear();
  std::size_t offset = 0;
  for (const Form& form : part.forms) {
    std::uint8_t* const words = host_words_ + offset;
    if (where_ == Where::kHost) {
      form.on_host(given, words);
    } else {
      // Words that no kernel writes are those of no answer, not those of the chunk before.
      const std::size_t bytes = inputs.count * form.bytes;
      require(cudaMemsetAsync(device_words_ + offset, 0xA5, bytes, stream), "cudaMemset");
      form.on_device(given, device_words_ + offset, stream_);
      require(cudaGetLastError(), form.name.c_str());
      require(cudaMemcpyAsync(words, device_words_ + offset, bytes, cudaMemcpyDeviceToHost, stream),
              form.name.c_str());
    }
    started_.push_back(words);
    offset += kChunk * form.bytes;
  }
}

std::vector<const std::uint8_t*> Lane::finish() {
  if (where_ == Where::kDevice) {
    require(cudaStreamSynchronize(static_cast<cudaStream_t>(stream_)), "conversions");
  }
  return started_;
}

}  // namespace mx::device
