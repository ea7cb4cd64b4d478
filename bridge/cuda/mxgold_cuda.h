/* Quantization and dequantization on CUDA streams: device pointers in, device pointers out, bit for
 * bit what the reference computes. A plan is made of one line of text, as models are
 * (mxgold_model.h). Compiles as C11, C++17 and C++20, without CUDA's headers.
 *
 *   mxgold_cuda_plan* plan;
 *   char why[256];
 *   if (mxgold_cuda_open("format=mxfp4 source=bf16 rounding=ties_to_even", &plan, why, sizeof why))
 *     ...
 *   mxgold_cuda_layout layout = {rows, columns, 1, 0, 1, 0};
 *   mxgold_cuda_results results = {codes, scales, NULL};
 *   if (mxgold_cuda_quantize(plan, stream, &layout, source, &results, NULL, why, sizeof why)) ...
 *
 * A plan of the way back is opened with "op=dequantize format=mxfp4 result=bf16" and used by
 * mxgold_cuda_dequantize(). Plans of nvfp4 ("format=nvfp4 rule=nvfp4_te source=bf16",
 * "op=dequantize format=nvfp4 result=bf16") hold the tensor's number, or take it from device memory
 * by the functions *_scaled(). Plans of nvfp4 that draw ("format=nvfp4 rounding=stochastic_a
 * random_bits=16") take their words by mxgold_cuda_quantize() and by the functions *_drawn().
 *
 * No call on a stream allocates device memory, copies to the host or waits. No function prints,
 * aborts or lets an exception out. Plans may be used by several threads at once. Status codes are
 * those of mxgold.h; `message` (message_size bytes, may be NULL/0) takes a NUL-terminated reason.
 * No output may share memory with an input or another output, as in mxgold.h; it is not looked at.
 */
#ifndef MXGOLD_CUDA_H
#define MXGOLD_CUDA_H

#include "mxgold.h"

#ifdef __cplusplus
extern "C" {
#define MXGOLD_NOEXCEPT noexcept
#else
#define MXGOLD_NOEXCEPT
#endif

/* Raised by one when a function or structure changes incompatibly. */
#define MXGOLD_CUDA_ABI_VERSION 1u
MXGOLD_API uint32_t mxgold_cuda_abi_version(void) MXGOLD_NOEXCEPT;

/* Why nothing can run on a device here: no device code in this build, no driver, no device. ""
 * where it can. The text lives as long as the library. */
MXGOLD_API const char* mxgold_cuda_problem(void) MXGOLD_NOEXCEPT;

typedef struct mxgold_cuda_plan mxgold_cuda_plan;

/* Makes a plan of blocks, there or back; works without a device. On failure *out is NULL and the
 * message names the word, or what has no plan: MXGOLD_BAD_VALUE. */
MXGOLD_API mxgold_status mxgold_cuda_open(const char* text, mxgold_cuda_plan** out, char* message,
                                          size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_cuda_close(mxgold_cuda_plan* plan) MXGOLD_NOEXCEPT;

/* Makes a plan of another one of nvfp4 that quantizes: groups of 16 go through a Hadamard transform
 * first (docs/spec/formats.md F25), under a mask whose bit i is the sign of element i; signs_last
 * 0: H D x / 4, 1: D H x / 4. Blocks are of 16, whole along their axis, and the tensor's number is
 * one of transformed values. On failure *out is NULL: MXGOLD_BAD_VALUE, and why. */
MXGOLD_API mxgold_status mxgold_cuda_transformed(const mxgold_cuda_plan* plan, uint16_t mask,
                                                 int signs_last, mxgold_cuda_plan** out,
                                                 char* message,
                                                 size_t message_size) MXGOLD_NOEXCEPT;

/* Where a tensor's elements, codes and scales lie. */
typedef struct mxgold_cuda_layout {
  uint64_t outer; /* the source, or the words of the way back: outer x length x inner in C order,
                     blocks along length */
  uint64_t length;
  uint64_t inner;
  uint32_t
      blocks_last;   /* 1: codes and scales as outer x inner x length (columns come transposed) */
  uint32_t packed;   /* 1: 4-bit codes two a byte, 6-bit codes four in three, first in low bits */
  uint32_t swizzled; /* 1: scales in tiles of 128 x 4, slots beyond zero */
} mxgold_cuda_layout;

typedef struct mxgold_cuda_sizes {
  uint64_t source_bytes; /* of the way back: of the words */
  uint64_t code_bytes;
  uint64_t scale_bytes;
  uint64_t status_words; /* of the way back: 0 */
} mxgold_cuda_sizes;

/* What the buffers of a layout hold; MXGOLD_BAD_SIZE and why for one that the plan does not take.
 */
MXGOLD_API mxgold_status mxgold_cuda_describe(const mxgold_cuda_plan* plan,
                                              const mxgold_cuda_layout* layout,
                                              mxgold_cuda_sizes* sizes, char* message,
                                              size_t message_size) MXGOLD_NOEXCEPT;

/* Device pointers; status may be NULL. */
typedef struct mxgold_cuda_results {
  void* codes;
  void* scales;
  uint16_t* status; /* a word for each block: scale code in 7:0, then clamped, zero block, has Inf,
                       has NaN, underflow, saturated */
} mxgold_cuda_results;

/* Random words of stochastic roundings: a device pointer to one for each element, or NULL: those of
 * Philox4x32-10 under seed and tensor, by the element's index. */
typedef struct mxgold_cuda_random {
  const uint32_t* words;
  uint64_t seed;
  uint32_t tensor;
} mxgold_cuda_random;

/* Starts a kernel on a stream (a cudaStream_t; NULL: the default stream). `random` may be NULL:
 * seed 0. MXGOLD_BAD_SIZE for a layout, MXGOLD_NULL_ARGUMENT for a pointer that is null or not
 * aligned, MXGOLD_BAD_VALUE where CUDA refuses, as it does without a device. */
MXGOLD_API mxgold_status mxgold_cuda_quantize(const mxgold_cuda_plan* plan, void* stream,
                                              const mxgold_cuda_layout* layout, const void* source,
                                              const mxgold_cuda_results* results,
                                              const mxgold_cuda_random* random, char* message,
                                              size_t message_size) MXGOLD_NOEXCEPT;

/* Both directions of a matrix from one read: blocks along the rows, and down the columns,
 * transposed. Rows and columns are multiples of 32, the block size is 32, source and codes are
 * aligned to 16 bytes; status for both or none. Plans of nvfp4: blocks of 16, multiples of 16, and
 * both directions under the plan's number. MXGOLD_BAD_VALUE for a plan that draws. */
MXGOLD_API mxgold_status mxgold_cuda_quantize_both(
    const mxgold_cuda_plan* plan, void* stream, uint64_t rows, uint64_t columns, uint32_t packed,
    uint32_t swizzled, const void* source, const mxgold_cuda_results* along_rows,
    const mxgold_cuda_results* down_columns, char* message, size_t message_size) MXGOLD_NOEXCEPT;

/* mxgold_cuda_quantize() on the host: host pointers, the same arithmetic, one thread. Neither the
 * rounding mode nor the flushing of the caller's floating point changes a bit. */
MXGOLD_API mxgold_status mxgold_cuda_quantize_on_host(
    const mxgold_cuda_plan* plan, const mxgold_cuda_layout* layout, const void* source,
    const mxgold_cuda_results* results, const mxgold_cuda_random* random, char* message,
    size_t message_size) MXGOLD_NOEXCEPT;

/* Starts a kernel that makes words of codes and scales, laid out as mxgold_cuda_quantize() writes
 * them. The plan is one of op=dequantize; MXGOLD_BAD_VALUE for others, as theirs are there. Bits
 * above a code's width are not read; a scale with bits that its format forbids makes its block NaN.
 */
MXGOLD_API mxgold_status mxgold_cuda_dequantize(const mxgold_cuda_plan* plan, void* stream,
                                                const mxgold_cuda_layout* layout, const void* codes,
                                                const void* scales, void* words, char* message,
                                                size_t message_size) MXGOLD_NOEXCEPT;

/* mxgold_cuda_dequantize() on the host: host pointers, the same arithmetic, one thread. */
MXGOLD_API mxgold_status mxgold_cuda_dequantize_on_host(const mxgold_cuda_plan* plan,
                                                        const mxgold_cuda_layout* layout,
                                                        const void* codes, const void* scales,
                                                        void* words, char* message,
                                                        size_t message_size) MXGOLD_NOEXCEPT;

/* mxgold_cuda_quantize() of an nvfp4 plan whose tensor number, a binary32, lies at a device
 * pointer: for nvfp4_te and nvfp4_4over6 the tensor's largest finite magnitude, for others its
 * scale. MXGOLD_BAD_VALUE for a plan that draws. */
MXGOLD_API mxgold_status mxgold_cuda_quantize_scaled(const mxgold_cuda_plan* plan, void* stream,
                                                     const mxgold_cuda_layout* layout,
                                                     const void* source,
                                                     const mxgold_cuda_results* results,
                                                     const uint32_t* tensor, char* message,
                                                     size_t message_size) MXGOLD_NOEXCEPT;

/* mxgold_cuda_quantize_scaled() of an nvfp4 plan that draws; `tensor` may be NULL: the plan's
 * number counts. Words are those of mxgold_cuda_quantize(), `random` is not NULL. */
MXGOLD_API mxgold_status mxgold_cuda_quantize_drawn(
    const mxgold_cuda_plan* plan, void* stream, const mxgold_cuda_layout* layout,
    const void* source, const mxgold_cuda_results* results, const uint32_t* tensor,
    const mxgold_cuda_random* random, char* message, size_t message_size) MXGOLD_NOEXCEPT;

/* mxgold_cuda_quantize_both() by two nvfp4 plans of one source, `along` for the rows and `down` for
 * the columns; a number that is not NULL lies on the device and counts instead of its plan's.
 * MXGOLD_BAD_VALUE for plans that draw. Plans that are coded in different ways, as one that draws
 * and one that does not, take a kernel each and read the source twice. */
MXGOLD_API mxgold_status mxgold_cuda_quantize_both_scaled(
    const mxgold_cuda_plan* along, const mxgold_cuda_plan* down, void* stream, uint64_t rows,
    uint64_t columns, uint32_t packed, uint32_t swizzled, const void* source,
    const mxgold_cuda_results* along_rows, const mxgold_cuda_results* down_columns,
    const uint32_t* rows_tensor, const uint32_t* columns_tensor, char* message,
    size_t message_size) MXGOLD_NOEXCEPT;

/* mxgold_cuda_quantize_both_scaled() with random words of directions that draw, by the place of an
 * element in the source: of one that draws not NULL (MXGOLD_NULL_ARGUMENT), of others not read.
 * Blocks under power-of-two scales: `along` and `down` are one plan, the numbers NULL. */
MXGOLD_API mxgold_status mxgold_cuda_quantize_both_drawn(
    const mxgold_cuda_plan* along, const mxgold_cuda_plan* down, void* stream, uint64_t rows,
    uint64_t columns, uint32_t packed, uint32_t swizzled, const void* source,
    const mxgold_cuda_results* along_rows, const mxgold_cuda_results* down_columns,
    const uint32_t* rows_tensor, const uint32_t* columns_tensor,
    const mxgold_cuda_random* rows_random, const mxgold_cuda_random* columns_random, char* message,
    size_t message_size) MXGOLD_NOEXCEPT;

/* mxgold_cuda_dequantize() of an nvfp4 plan with the tensor scale at a device pointer. */
MXGOLD_API mxgold_status mxgold_cuda_dequantize_scaled(const mxgold_cuda_plan* plan, void* stream,
                                                       const mxgold_cuda_layout* layout,
                                                       const void* codes, const void* scales,
                                                       void* words, const uint32_t* tensor,
                                                       char* message,
                                                       size_t message_size) MXGOLD_NOEXCEPT;

#undef MXGOLD_NOEXCEPT
#ifdef __cplusplus
}
#endif

#endif
