// What intel_judge.py calls of the toolkit, after its file: `format` 0 is E5M2, 1 E4M3, 2 E3M4.
#pragma once

namespace {

constexpr int kStochastic = ROUND_STOCHASTIC;

#ifdef MX_CUDA
[[maybe_unused]] float sdata[1];  // of the kernels that normalize blocks, which are not called

void run_kernel(int format, int mode, const float* in, float* out, int size, float scale) {
  if (format == 0) E5M2_Kernel<float>(in, out, size, scale, false, 8, 5, mode);
  if (format == 1) E4M3_Kernel<float>(in, out, size, scale, false, 8, 4, mode);
  if (format == 2) E3M4_Kernel<float>(in, out, size, scale, false, 8, 3, mode);
}

std::uint32_t* state() { return s1; }
#else
void run_kernel(int format, int mode, const float* in, float* out, int size, float scale) {
  if (format == 0) E5M2_Kernel<float>(in, out, size, scale, false, 1, mode);
  if (format == 1) E4M3_Kernel<float>(in, out, size, scale, false, 1, mode);
  if (format == 2) E3M4_Kernel<float>(in, out, size, scale, false, 1, mode);
}

std::uint32_t* state() { return s1_; }
#endif

/// Its generator answers `word` next.
void set(std::uint32_t* generator, std::uint32_t word) {
  generator[0] = word;
  generator[1] = generator[2] = generator[3] = 0;
}

}  // namespace

extern "C" {

void intel_kernel(int format, int mode, const float* in, float* out, int size, float scale) {
  run_kernel(format, mode, in, out, size, scale);
}

/// Stochastic rounding one value after another, each with its own word of the generator.
void intel_words(int format, const std::uint32_t* words, const float* in, float* out, int size) {
  for (int i = 0; i < size; ++i) {
    set(state(), words[i]);
    run_kernel(format, kStochastic, in + i, out + i, 1, 1.0F);
  }
}

#ifndef MX_CUDA
/// By the name of a mode, as the toolkit's Python does.
void intel_mode(const char* mode, const float* in, float* out, int size, float scale) {
  const torch::Tensor input{std::vector<float>(in, in + size)};
  const auto output = fpemu_forward(input, mode, size, false, scale, false, 1);
  std::memcpy(out, output[0].values.data(), static_cast<std::size_t>(size) * sizeof(float));
}
#endif

#ifdef MX_AVX512
/// E4M3 and E3M4 in steps of 16 values, each step with four words of its generators.
void intel_steps(int format, const std::uint32_t* words, const float* in, float* out, int size) {
  for (int i = 0; i < size; i += 16) {
    for (int k = 0; k < 4; ++k) set(sptr_[k], words[i / 4 + k]);
    if (format == 1) cvt_fp32_e4m3_stochastic_intrinsic(in + i, out + i, 16, 1.0F);
    if (format == 2) cvt_fp32_e3m4_stochastic_intrinsic(in + i, out + i, 16, 1.0F);
  }
}
#endif

}  // extern "C"
