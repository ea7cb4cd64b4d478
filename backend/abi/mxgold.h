/* The C interface of the reference model. Compiles as C11, C++17 and C++20.
 *
 * Formats, roundings, rules and policies are named by the tokens of the documentation; no numeric
 * encoding of them crosses this interface. Codes travel as uint64_t, one a word, in the low bits.
 * Every function that can fail returns a status; functions that make an object also write a
 * message. No function keeps state, prints, aborts or lets an exception out: what is thrown inside,
 * a failed allocation too, becomes a status; objects are immutable
 * after creation and may be shared between threads. All buffers belong to the caller.
 *
 * No output buffer may share a byte with an input or with another output, not even where both begin
 * at one address: threads and vectors write before others have read. Functions of arrays, blocks
 * and tensors refuse it with MXGOLD_OVERLAP and write nothing. Inputs may share memory.
 */
#ifndef MXGOLD_H
#define MXGOLD_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MXGOLD_API
#else
#define MXGOLD_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#define MXGOLD_NOEXCEPT noexcept
#else
#define MXGOLD_NOEXCEPT
#endif

/* Raised by one when a function or structure changes incompatibly. */
#define MXGOLD_ABI_VERSION 1u

/* The MXGOLD_ABI_VERSION the library was built with: compare it before any other call. */
MXGOLD_API uint32_t mxgold_abi_version(void) MXGOLD_NOEXCEPT;
/* The library's version, "0.1.0". */
MXGOLD_API const char* mxgold_version(void) MXGOLD_NOEXCEPT;

typedef enum mxgold_status {
  MXGOLD_OK = 0,
  MXGOLD_NULL_ARGUMENT = 1,  /* a required pointer is NULL */
  MXGOLD_UNKNOWN_FORMAT = 2, /* a format name is not known */
  MXGOLD_UNKNOWN_OPTION = 3, /* an option name is not known */
  MXGOLD_BAD_VALUE = 4,      /* an option value or a configuration is not legal */
  MXGOLD_BAD_CODE = 5,       /* a code has bits above its format's width */
  MXGOLD_BAD_SIZE = 6,       /* a count, shape, axis or buffer size does not fit */
  MXGOLD_NO_MEMORY = 7,
  MXGOLD_INTERNAL_ERROR = 8, /* a defect of the library */
  MXGOLD_OVERLAP = 9         /* an output shares memory with an input or another output */
} mxgold_status;

/* A sentence for a status; never NULL. */
MXGOLD_API const char* mxgold_status_text(mxgold_status status) MXGOLD_NOEXCEPT;

/* One setting by name: {"rounding", "ties_to_away"}, {"block_size", "16"}, {"random_bits", "8"}.
 * Names are those of the policy fields, and "profile" with "variant" ("nosat", several joined by
 * "+"): the policies of a named profile, which the other options then override. "blocks_as" names
 * the profile whose block rules stand around the profile's conversions: a profile answers for
 * nothing that it has no rows for, and a mixture is asked for. It and block_size concern quantizers
 * only. "backend" says who computes arrays and tensors, never a bit of them: "auto" (the
 * processor's vectors where they are proven for the configuration, once a few thousand structured
 * values agree with the reference: MXGOLD_INTERNAL_ERROR where they do not), "reference", or, with
 * MXGOLD_BAD_VALUE where it cannot, "cpu" (the vectors), "cuda" (blocks by a CUDA device, memory of
 * the host copied there and back) or "cuda-host" (the same arithmetic on the host). */
typedef struct mxgold_option {
  const char* name;
  const char* value;
} mxgold_option;

/* Facts about a format: a name of the table ("e4m3fn"), of a family ("e5m10", "binary8p4se",
 * "fixed8.4"), or its definition, the fields of docs/format-tables.md
 * ("exp_bits=3,man_bits=4,bias=5"), which stands wherever a name does. One of blocks has a field
 * `element`, and a definition within it stands in parentheses:
 * "element=(exp_bits=2,man_bits=2),block_size=16". */
typedef struct mxgold_format_info {
  uint32_t bits;          /* significant code bits */
  uint32_t storage_bytes; /* bytes of one stored code: 1, 2, 4 or 8 */
  uint64_t max_code;      /* magnitude code of the largest finite value */
} mxgold_format_info;

MXGOLD_API mxgold_status mxgold_format(const char* name, mxgold_format_info* info) MXGOLD_NOEXCEPT;

/* The canonical name of a format, or of one of blocks: a row's of the table where its facts are a
 * row's, else a family's, else the fewest fields that say it. Two definitions are of one format
 * where it is the same. MXGOLD_BAD_SIZE where name_size bytes do not hold it with its NUL;
 * `message` (message_size bytes, may be NULL/0) holds a NUL-terminated reason: field, value, what
 * to do. */
MXGOLD_API mxgold_status mxgold_canonical_format(const char* format, char* name, size_t name_size,
                                                 char* message,
                                                 size_t message_size) MXGOLD_NOEXCEPT;

/* The name at an index of a list: "formats" (those of the table; families have more), "blocks",
 * "named_only" (formats of blocks whose bits no text defines: every function refuses them),
 * "profiles", "masks" (why a profile leaves an answer open, in the order of their bits),
 * "packings", "scale_layouts", "policies", "systems", "operations", "integers", "out_of_range",
 * "units", or by the name of a policy its values ("rounding"). NULL beyond the last, and where
 * there is no such list. */
MXGOLD_API const char* mxgold_name(const char* list, size_t index) MXGOLD_NOEXCEPT;

/* What a name elsewhere is here: "RNE" is "ties_to_even", "float8_e4m3fn" is "e4m3fn", in any case
 * and with dashes or underscores. "fp8" may be several; NULL beyond the last, and where there is no
 * such name. A name that mxgold_name() lists is its own. */
MXGOLD_API const char* mxgold_name_here(const char* name, size_t index) MXGOLD_NOEXCEPT;

/* Flags of a conversion. */
enum {
  MXGOLD_INEXACT = 1,
  MXGOLD_OVERFLOW = 2,
  MXGOLD_SATURATED = 4,
  MXGOLD_UNDERFLOW = 8,
  MXGOLD_INVALID = 16,
  MXGOLD_TO_ZERO = 32,        /* a finite nonzero input became a zero code */
  MXGOLD_DIVIDE_BY_ZERO = 64, /* of operations: an exact infinity from finite operands */
  /* Flags of a block, above the OR of its elements' flags. */
  MXGOLD_SCALE_CLAMPED = 1 << 8,
  MXGOLD_ZERO_BLOCK = 1 << 9,
  MXGOLD_HAS_INF = 1 << 10,
  MXGOLD_HAS_NAN = 1 << 11,
  MXGOLD_NAN_SCALE = 1 << 12,
  MXGOLD_CODES_MASKED = 1 << 13 /* element codes are don't-care */
};

/* ---- single values ---- */

typedef struct mxgold_conversion mxgold_conversion;

/* Makes a conversion from one element format to another. Without the option "overflow" it is IEEE
 * 754's where the destination has infinities, and saturates where it has none. On failure *out is
 * NULL and `message` (message_size bytes, may be NULL/0) holds a NUL-terminated reason. */
MXGOLD_API mxgold_status mxgold_conversion_create(const char* source, const char* destination,
                                                  const mxgold_option* options, size_t option_count,
                                                  mxgold_conversion** out, char* message,
                                                  size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_conversion_destroy(mxgold_conversion* conversion) MXGOLD_NOEXCEPT;

/* Converts `count` codes. `random` (count words below 2^random_bits) is needed for stochastic
 * roundings only; `flags` (count words) may be NULL. On MXGOLD_BAD_CODE nothing is written. */
MXGOLD_API mxgold_status mxgold_convert(const mxgold_conversion* conversion, const uint64_t* source,
                                        const uint32_t* random, size_t count, uint64_t* codes,
                                        uint32_t* flags) MXGOLD_NOEXCEPT;

/* Converts an array of words in each format's storage width and the host's byte order, on all
 * threads of the machine. The random bits of a stochastic rounding come from (seed, tensor_index,
 * element index) through Philox4x32-10. `flags`, the OR over all elements, may be NULL.
 * MXGOLD_BAD_SIZE where source and codes are not the same number of elements, MXGOLD_BAD_CODE, and
 * nothing written, where a word has bits above its format's width. */
MXGOLD_API mxgold_status mxgold_convert_array(const mxgold_conversion* conversion,
                                              const void* source, uint64_t source_bytes,
                                              uint64_t seed, uint32_t tensor_index, void* codes,
                                              uint64_t code_bytes, uint32_t* flags) MXGOLD_NOEXCEPT;

/* Which answers of mxgold_convert_array the profile of the conversion leaves open: there its source
 * is silent, or the policies cannot express it, and the code is one choice of several (spec F23.1).
 * open[i] is 1 where the code of element i is open, else 0; `count` is that of the elements.
 * `masks`, the reasons as bits whose names are those of the list "masks", may be NULL. A conversion
 * without a profile leaves nothing open. */
MXGOLD_API mxgold_status mxgold_open_values(const mxgold_conversion* conversion, const void* source,
                                            uint64_t source_bytes, uint8_t* open, uint64_t count,
                                            uint32_t* masks) MXGOLD_NOEXCEPT;

/* ---- blocks ---- */

typedef struct mxgold_quantizer mxgold_quantizer;

/* Makes a quantizer from source codes to a block format ("mxfp8_e4m3"). */
MXGOLD_API mxgold_status mxgold_quantizer_create(const char* source, const char* block_format,
                                                 const mxgold_option* options, size_t option_count,
                                                 mxgold_quantizer** out, char* message,
                                                 size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_quantizer_destroy(mxgold_quantizer* quantizer) MXGOLD_NOEXCEPT;

/* The tensor-wide level of two-level formats (nvfp4), as binary32 patterns: the largest finite
 * magnitude of the tensor (0: unknown) and the scale that is stored with it. */
typedef struct mxgold_tensor_level {
  uint32_t amax;
  uint32_t scale;
} mxgold_tensor_level;

/* Finds the level of a whole tensor under a quantizer's rule. Where the format has one level the
 * scale is 1. MXGOLD_BAD_CODE for a source word with bits above its format's width,
 * MXGOLD_BAD_VALUE under a profile where the tensor of a two-level format holds an infinity or a
 * NaN: what the system makes of its level is not modelled. */
MXGOLD_API mxgold_status mxgold_find_tensor_level(const mxgold_quantizer* quantizer,
                                                  const void* source, uint64_t source_bytes,
                                                  mxgold_tensor_level* level) MXGOLD_NOEXCEPT;

/* Makes a quantizer that differs from another in its level: one that was found, or one that is
 * given (MXGOLD_BAD_VALUE where it is no positive finite scale). A new quantizer has amax 0 and
 * scale 1. Rules that begin with the maximum quantize by amax alone, whatever scale is given. */
MXGOLD_API mxgold_status mxgold_quantizer_at_level(const mxgold_quantizer* quantizer,
                                                   const mxgold_tensor_level* level,
                                                   mxgold_quantizer** out) MXGOLD_NOEXCEPT;

/* 1 where the quantizer's rule quantizes by a tensor scale that is given without its maximum, 0
 * where it begins with the maximum or the format has one level. */
MXGOLD_API int mxgold_takes_tensor_scale(const mxgold_quantizer* quantizer) MXGOLD_NOEXCEPT;

/* Elements of a whole block. */
MXGOLD_API size_t mxgold_block_size(const mxgold_quantizer* quantizer) MXGOLD_NOEXCEPT;

/* Facts about a quantizer's blocks. The texts live as long as the quantizer. */
typedef struct mxgold_block_info {
  const char* element; /* the format of the elements, and of the scale */
  const char* scale;
  const char* extent;       /* "elements", "axis" or "tensor": how far a block reaches */
  const char* tensor_scale; /* "none" or "fp32" */
  uint32_t block_size;      /* elements along the axis, where the extent is "elements" */
  uint32_t tile_lines;      /* lines of a tile, along the dimension before the axis; else 1 */
  uint32_t element_bits;    /* significant bits of a code */
  uint32_t scale_bits;
  uint32_t element_bytes; /* stored bytes of a code: 1, 2, 4 or 8 */
  uint32_t scale_bytes;
} mxgold_block_info;

MXGOLD_API mxgold_status mxgold_block(const mxgold_quantizer* quantizer,
                                      mxgold_block_info* info) MXGOLD_NOEXCEPT;

/* Quantizes one block of 1 .. block size elements (fewer: the missing ones count as +0). */
MXGOLD_API mxgold_status mxgold_quantize_block(const mxgold_quantizer* quantizer,
                                               const uint64_t* source, const uint32_t* random,
                                               size_t count, uint64_t* scale_code, uint64_t* codes,
                                               uint32_t* flags) MXGOLD_NOEXCEPT;

/* Dequantizes one block into codes of `output`, a format name. */
MXGOLD_API mxgold_status mxgold_dequantize_block(const mxgold_quantizer* quantizer,
                                                 uint64_t scale_code, const uint64_t* codes,
                                                 size_t count, const char* output,
                                                 uint64_t* values) MXGOLD_NOEXCEPT;

/* ---- tensors: C order, words in each format's storage width and the host's byte order ---- */

typedef struct mxgold_tensor_sizes {
  uint64_t elements;
  uint64_t scales;
  uint64_t source_bytes;
  uint64_t code_bytes;
  uint64_t scale_bytes;
} mxgold_tensor_sizes;

/* Sizes for a shape (rank 0 counts as one element) blocked along `axis` (negative counts from the
 * end); the last block of the axis may be short. */
MXGOLD_API mxgold_status mxgold_sizes(const mxgold_quantizer* quantizer, const uint64_t* shape,
                                      size_t rank, int64_t axis,
                                      mxgold_tensor_sizes* sizes) MXGOLD_NOEXCEPT;

/* Quantizes a tensor, on all threads of the machine, with bounded memory beside the buffers however
 * long its blocks are. MXGOLD_BAD_CODE, and nothing written, where a source word has bits above its
 * format's width. The random bits of a stochastic rounding come from (seed, tensor_index,
 * element index) through Philox4x32-10. Buffer sizes must equal those of mxgold_sizes. `flags`, the
 * OR over all blocks, may be NULL. */
MXGOLD_API mxgold_status mxgold_quantize_tensor(
    const mxgold_quantizer* quantizer, const uint64_t* shape, size_t rank, int64_t axis,
    const void* source, uint64_t source_bytes, uint64_t seed, uint32_t tensor_index, void* codes,
    uint64_t code_bytes, void* scales, uint64_t scale_bytes, uint32_t* flags) MXGOLD_NOEXCEPT;

/* Which answers of mxgold_quantize_tensor, of the same source, seed and tensor_index, the profile
 * of the quantizer leaves open, as mxgold_open_values says it of single values: codes[i] is 1 where
 * the code of element i is open, scales[j] where the scale of block j is, else 0; the counts are
 * those of mxgold_sizes. Each block is quantized again by the reference, on all threads; one that
 * is a whole tensor takes memory many times its elements. */
MXGOLD_API mxgold_status mxgold_open_blocks(const mxgold_quantizer* quantizer,
                                            const uint64_t* shape, size_t rank, int64_t axis,
                                            const void* source, uint64_t source_bytes,
                                            uint64_t seed, uint32_t tensor_index, uint8_t* codes,
                                            uint64_t code_count, uint8_t* scales,
                                            uint64_t scale_count, uint32_t* masks) MXGOLD_NOEXCEPT;

/* Dequantizes a tensor into words of `output`, a format name; value_bytes = elements * its storage.
 * MXGOLD_BAD_CODE, and nothing written, where a code or a scale has bits above its width. */
MXGOLD_API mxgold_status mxgold_dequantize_tensor(const mxgold_quantizer* quantizer,
                                                  const uint64_t* shape, size_t rank, int64_t axis,
                                                  const void* codes, uint64_t code_bytes,
                                                  const void* scales, uint64_t scale_bytes,
                                                  const char* output, void* values,
                                                  uint64_t value_bytes) MXGOLD_NOEXCEPT;

/* ---- layouts of codes and scales in memory: docs/spec/formats.md F5 ---- */

/* Bytes that `count` codes of a format take in a packing, one of the list "packings"
 * ("nibble_low_first", "dense6"); spare bits of the last byte are zero. split_half packs group
 * after group of `group` codes, a block each: an even number that divides the count, 0 for one
 * group of all (MXGOLD_BAD_SIZE); other packings do not read it. MXGOLD_BAD_VALUE for an unknown
 * packing, and for one that holds codes of another width. `message` (message_size bytes, may be
 * NULL/0) holds a NUL-terminated reason. */
MXGOLD_API mxgold_status mxgold_packed_bytes(const char* packing, const char* format,
                                             uint64_t group, uint64_t count, uint64_t* bytes,
                                             char* message, size_t message_size) MXGOLD_NOEXCEPT;

/* Codes, one a byte, to packed bytes, on all threads of the machine. code_bytes is their count,
 * packed_bytes that of mxgold_packed_bytes. MXGOLD_BAD_CODE, and nothing written, where a code has
 * bits above its format's width. */
MXGOLD_API mxgold_status mxgold_pack(const char* packing, const char* format, uint64_t group,
                                     const void* codes, uint64_t code_bytes, void* packed,
                                     uint64_t packed_bytes) MXGOLD_NOEXCEPT;

/* The way back. Spare bits of the last byte are not read; MXGOLD_BAD_CODE, and nothing written,
 * where a byte of byte_padded has bits above the format's width. */
MXGOLD_API mxgold_status mxgold_unpack(const char* packing, const char* format, uint64_t group,
                                       const void* packed, uint64_t packed_bytes, void* codes,
                                       uint64_t code_bytes) MXGOLD_NOEXCEPT;

/* Bytes that scales of one byte take in a layout, one of the list "scale_layouts" ("plane": C
 * order; "swizzle_128x4": tiles of 128 x 4, as cuBLAS takes them, slots beyond the matrix zero).
 * `rows` counts all rows of elements, `blocks` the scales of a row. MXGOLD_BAD_VALUE for an unknown
 * layout. */
MXGOLD_API mxgold_status mxgold_scale_layout_bytes(const char* layout, uint64_t rows,
                                                   uint64_t blocks,
                                                   uint64_t* bytes) MXGOLD_NOEXCEPT;

/* Scales in C order (plane_bytes = rows * blocks) to a layout, and back, on all threads of the
 * machine. Slots beyond the matrix are not read on the way back. */
MXGOLD_API mxgold_status mxgold_lay_out_scales(const char* layout, uint64_t rows, uint64_t blocks,
                                               const void* plane, uint64_t plane_bytes,
                                               void* laid_out,
                                               uint64_t laid_out_bytes) MXGOLD_NOEXCEPT;
MXGOLD_API mxgold_status mxgold_bring_back_scales(const char* layout, uint64_t rows,
                                                  uint64_t blocks, const void* laid_out,
                                                  uint64_t laid_out_bytes, void* plane,
                                                  uint64_t plane_bytes) MXGOLD_NOEXCEPT;

/* ---- Hadamard transforms of groups of 16: docs/spec/formats.md F25 ---- */

/* The mask of signs that a seed draws. */
MXGOLD_API uint16_t mxgold_hadamard_mask(uint64_t seed) MXGOLD_NOEXCEPT;

/* Transforms words of `source` ("fp32", "bf16", "fp16") into binary32 words, in groups of 16 along
 * an axis whose length is a multiple of 16 (MXGOLD_BAD_SIZE); quantize them as "fp32". Bit i of the
 * mask is the sign of element i; signs_last 0: y = H D x / 4, 1: y = D H x / 4, either of which
 * undoes the other. value_bytes = 4 * elements. MXGOLD_BAD_VALUE for another source. */
MXGOLD_API mxgold_status mxgold_hadamard_tensor(const char* source, const uint64_t* shape,
                                                size_t rank, int64_t axis, uint16_t mask,
                                                int signs_last, const void* words,
                                                uint64_t word_bytes, void* values,
                                                uint64_t value_bytes) MXGOLD_NOEXCEPT;

/* ---- exact values ---- */

/* A value, exact: significand * 2^exponent. `kind` is one of the four below; zeros, infinities and
 * NaNs do not read the other two. is_cut: the magnitude lies strictly between this significand,
 * whose top bit is then set, and the next one. */
typedef struct mxgold_number {
  uint64_t significand;
  int32_t exponent;
  uint8_t kind;
  uint8_t is_negative;
  uint8_t is_signaling; /* of a NaN */
  uint8_t is_cut;
} mxgold_number;

enum { MXGOLD_ZERO = 0, MXGOLD_FINITE = 1, MXGOLD_INFINITE = 2, MXGOLD_NAN = 3 };

/* The values of `count` codes of a format, of odd significands where they are finite. On
 * MXGOLD_BAD_CODE nothing is written. */
MXGOLD_API mxgold_status mxgold_values(const char* format, const uint64_t* codes, size_t count,
                                       mxgold_number* values) MXGOLD_NOEXCEPT;

/* Rounds `count` values once, as a conversion rounds the values of its source; its source is not
 * read. `random` and `flags` as mxgold_convert's. MXGOLD_BAD_VALUE, and nothing written, for a
 * value that is none (an unknown kind; a finite one of significand 0; an exponent outside -2^24 ..
 * 2^24), for a conversion that flushes subnormals of its source, and for a cut one where the
 * destination has more than 62 bits of precision. */
MXGOLD_API mxgold_status mxgold_round(const mxgold_conversion* conversion,
                                      const mxgold_number* values, const uint32_t* random,
                                      size_t count, uint64_t* codes,
                                      uint32_t* flags) MXGOLD_NOEXCEPT;

/* ---- operations of IEEE 754 ---- */

typedef struct mxgold_operation mxgold_operation;

/* Makes an operation of the list "operations" ("add", "fma", "compare_quiet_less"): operands of
 * floating-point formats of their own, the exact result rounded once to `result`. An operand of
 * from_integer and the result of to_integer are of the list "integers" ("i32"); a comparison gives
 * bytes of 0 and 1, and `result` is NULL.
 *
 * Options: the policies of elements, but for stochastic roundings, staging and src_ftz, and
 * "out_of_range" of to_integer. Without "overflow" it is IEEE 754's in every format: an infinity,
 * and a NaN where there is none. MXGOLD_BAD_SIZE for another number of operands. On failure *out is
 * NULL and `message` (message_size bytes, may be NULL/0) holds a NUL-terminated reason. */
MXGOLD_API mxgold_status mxgold_operation_create(const char* operation, const char* const* operands,
                                                 size_t operand_count, const char* result,
                                                 const mxgold_option* options, size_t option_count,
                                                 mxgold_operation** out, char* message,
                                                 size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_operation_destroy(mxgold_operation* operation) MXGOLD_NOEXCEPT;

/* Words of one operand in its storage width and the host's byte order. */
typedef struct mxgold_words {
  const void* data;
  uint64_t bytes;
} mxgold_words;

/* results[i] = the operation of element i of each operand, for `count` elements, on all threads of
 * the machine; an operand of one word stands for as many. `each`, the flags of every element
 * (`count` bytes), and `flags`, the OR over them, may be NULL. MXGOLD_BAD_SIZE where an operand has
 * another number of words, MXGOLD_BAD_CODE where one has bits above its format's width; nothing is
 * written then. */
MXGOLD_API mxgold_status mxgold_operate(const mxgold_operation* operation,
                                        const mxgold_words* operands, size_t operand_count,
                                        uint64_t count, void* results, uint64_t result_bytes,
                                        uint8_t* each, uint32_t* flags) MXGOLD_NOEXCEPT;

/* ---- dot products ---- */

typedef struct mxgold_dot mxgold_dot;

/* Makes dot products of blocks as two quantizers give them, their formats and tensor levels.
 * Options: mode, result, rounding, overflow, addend (a format), and for mode accumulator alone
 * (MXGOLD_BAD_VALUE beside another) group, align_bits, align_rounding, order, carry, align,
 * normalize, acc_format, acc_rounding, acc_overflow, acc_ftz, acc_zero_sign. */
MXGOLD_API mxgold_status mxgold_dot_create(const mxgold_quantizer* a, const mxgold_quantizer* b,
                                           const mxgold_option* options, size_t option_count,
                                           mxgold_dot** out, char* message,
                                           size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_dot_destroy(mxgold_dot* dot) MXGOLD_NOEXCEPT;

/* Rows of blocks along their last axis: codes and scales in storage width, as
 * mxgold_quantize_tensor writes them for shape rows x length, axis 1. */
typedef struct mxgold_rows {
  const void* codes;
  uint64_t code_bytes;
  const void* scales;
  uint64_t scale_bytes;
  uint64_t rows;
} mxgold_rows;

/* results[i][j] = addends[i][j] + a.row(i) * b.row(j), each row of `length` elements, at least one,
 * on all threads of the machine. Addends are words of the addend format, NULL for none. `flags`,
 * the OR over all results, may be NULL. */
MXGOLD_API mxgold_status mxgold_dot_rows(const mxgold_dot* dot, uint64_t length,
                                         const mxgold_rows* a, const mxgold_rows* b,
                                         const void* addends, uint64_t addend_bytes, void* results,
                                         uint64_t result_bytes, uint32_t* flags) MXGOLD_NOEXCEPT;

/* ---- matrix units of devices: docs/spec/accumulators.md ---- */

typedef struct mxgold_unit mxgold_unit;

/* What a unit of the list "units" ("h100_f16") multiplies. */
typedef struct mxgold_unit_operands {
  const char* a; /* the format of the elements of each side */
  const char* b;
  const char* scale;   /* of the scales of their blocks, NULL where the unit takes none */
  uint32_t block_size; /* elements of such a block; 0 without scales */
  const char* result;  /* of C and D: "fp32" or "fp16" */
} mxgold_unit_operands;

/* Makes the products of a unit. The unit sums `chunk` products at a time, each chunk from +0, and
 * the sums are added in the result's format, as kernels do; 0: all in one chain of instructions.
 * MXGOLD_BAD_VALUE for a unit that there is not, or that does not take these operands or chunks. On
 * failure *out is NULL and `message` (message_size bytes, may be NULL/0) holds a NUL-terminated
 * reason. */
MXGOLD_API mxgold_status mxgold_unit_create(const char* unit, const mxgold_unit_operands* operands,
                                            uint64_t chunk, mxgold_unit** out, char* message,
                                            size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_unit_destroy(mxgold_unit* unit) MXGOLD_NOEXCEPT;

/* D = C + A * B as mxgold_dot_rows: results[i][j] of a.row(i) and b.row(j), each of `length`
 * elements, on all threads of the machine; with is_paired not 0 results[i] of row i of both, which
 * have equally many. Rows of operands without scales have none (NULL, 0 bytes). Addends and results
 * are words of the result's format; addends NULL are +0, and have to be with a chunk
 * (MXGOLD_BAD_VALUE). MXGOLD_BAD_SIZE for a length of 0, or one of which the unit's tree of sums
 * has no whole groups. */
MXGOLD_API mxgold_status mxgold_unit_multiply(const mxgold_unit* unit, uint64_t length,
                                              const mxgold_rows* a, const mxgold_rows* b,
                                              int is_paired, const void* addends,
                                              uint64_t addend_bytes, void* results,
                                              uint64_t result_bytes) MXGOLD_NOEXCEPT;

/* ---- casts of the emulated systems ---- */

/* A tensor by name: words in the host's byte order, C order. `type` is fp32, bf16, fp16, fp64,
 * uint8, int8, int32 or int64; rank 0 is one element; data may be NULL where bytes is 0. */
typedef struct mxgold_tensor {
  const char* name;
  const char* type;
  const uint64_t* shape;
  size_t rank;
  const void* data;
  uint64_t bytes;
} mxgold_tensor;

/* The system at an index ("dmx"), NULL beyond the last. */
MXGOLD_API const char* mxgold_system(size_t index) MXGOLD_NOEXCEPT;

typedef struct mxgold_cast mxgold_cast;

/* Makes a cast from a text "system:body" ("dmx:MXFP8[E4M3]{32}"). `mode` is "strict" (what the
 * system's documentation says) or "compat" (the bits of the named version); `platform`, which
 * compat reads, "x86", "aarch64" or "cuda"; NULL stands for strict, x86. The message of a refusal
 * begins with the class of the exception that the system raises: "ValueError: ...". */
MXGOLD_API mxgold_status mxgold_cast_create(const char* text, const char* mode,
                                            const char* platform, mxgold_cast** out, char* message,
                                            size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_cast_destroy(mxgold_cast* cast) MXGOLD_NOEXCEPT;

/* The canonical text without the system's name; it lives as long as the cast. */
MXGOLD_API const char* mxgold_cast_text(const mxgold_cast* cast) MXGOLD_NOEXCEPT;

/* A fact that the system tells of the format: its name and how the system prints it, or, where it
 * raises, an empty text and the problem "AttributeError: ...". */
typedef struct mxgold_cast_fact {
  const char* name;
  const char* text;
  const char* problem;
} mxgold_cast_fact;

/* The fact at an index; all are NULL beyond the last. They live as long as the cast. */
MXGOLD_API mxgold_cast_fact mxgold_cast_property(const mxgold_cast* cast,
                                                 size_t index) MXGOLD_NOEXCEPT;

/* How many random words the cast of these tensors reads; 0 where it is deterministic. */
MXGOLD_API mxgold_status mxgold_cast_random_words(const mxgold_cast* cast,
                                                  const mxgold_tensor* tensors, size_t tensor_count,
                                                  const int64_t* axis, uint64_t* words,
                                                  char* message,
                                                  size_t message_size) MXGOLD_NOEXCEPT;

typedef struct mxgold_results mxgold_results;

/* Casts tensors[0]; the others are operands by name ("scale", "gradient"). `axis` NULL is the
 * system's default. `random`: the words of stochastic roundings in the order in which the system
 * draws them, exactly as many as mxgold_cast_random_words says, or none where the cast draws none
 * (MXGOLD_BAD_SIZE). On all threads that the process may use where pieces of a tensor can be cast
 * alone; the results are the same. */
MXGOLD_API mxgold_status mxgold_cast_apply(const mxgold_cast* cast, const mxgold_tensor* tensors,
                                           size_t tensor_count, const int64_t* axis,
                                           const uint32_t* random, uint64_t random_count,
                                           mxgold_results** out, char* message,
                                           size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_results_destroy(mxgold_results* results) MXGOLD_NOEXCEPT;

/* The result at an index, "values" first; its name is NULL beyond the last. It lives as long as the
 * results. */
MXGOLD_API mxgold_tensor mxgold_result(const mxgold_results* results, size_t index) MXGOLD_NOEXCEPT;

/* ---- questions: why, where systems part, and which of them it was ---- */

/* What a question gets: data as JSON, the same for people, and a verdict. */
typedef struct mxgold_answer mxgold_answer;

/* A JSON text in one line, the data of `mxgold NAME --json`, and lines of text with their line
 * feeds. They live as long as the answer. */
MXGOLD_API const char* mxgold_answer_json(const mxgold_answer* answer) MXGOLD_NOEXCEPT;
MXGOLD_API const char* mxgold_answer_text(const mxgold_answer* answer) MXGOLD_NOEXCEPT;
/* 1 or 0, as the question says. */
MXGOLD_API int mxgold_answer_holds(const mxgold_answer* answer) MXGOLD_NOEXCEPT;
MXGOLD_API void mxgold_answer_destroy(mxgold_answer* answer) MXGOLD_NOEXCEPT;

/* Says step by step why inputs get their codes: neighbours, midpoint, the policy that decided. An
 * input is a number ("1.0625", "-3e-5", "0x1.8p-3", "inf", "nan"), rounded once, ties_to_even, into
 * the source, or its bits: "0x3F880000", or all its hexadecimal digits where `source` is given.
 * `source` NULL stands for fp32. With a block format the inputs are one block, missing elements +0,
 * and the whole tensor unless "tensor_amax" or "tensor_scale", numbers, say otherwise.
 * Options: those of conversions and quantizers but "backend"; "profiles", in place of "profile",
 * names several to be laid side by side ("te,torchao-0.18:rceil", "all"); "random", R of stochastic
 * roundings, decimal, one or one for each input ("6,7"), or "seed", or "random_source" with
 * "rbits", hexadecimal words (spec F9.4); "scale", hexadecimal bits under which the inputs are
 * codes, and "result", the format that those become. */
MXGOLD_API mxgold_status mxgold_explain(const char* source, const char* format,
                                        const mxgold_option* options, size_t option_count,
                                        const char* const* inputs, size_t input_count,
                                        mxgold_answer** out, char* message,
                                        size_t message_size) MXGOLD_NOEXCEPT;

/* The facts of a name of a list: "formats" or "blocks" (bits, bias, special codes, largest and
 * smallest values; of blocks also rule, element and scale), "codes" (the same with the value of
 * every code of up to 8 bits), "profiles" (what its system defines, under which policies, and what
 * is open). */
MXGOLD_API mxgold_status mxgold_facts(const char* list, const char* name, mxgold_answer** out,
                                      char* message, size_t message_size) MXGOLD_NOEXCEPT;

/* What options, those of mxgold_conversion_create and mxgold_quantizer_create but "backend", come
 * to: every policy with its value, that of mxgold-default, and whether it can decide anything. */
MXGOLD_API mxgold_status mxgold_expanded(const char* source, const char* format,
                                         const mxgold_option* options, size_t option_count,
                                         mxgold_answer** out, char* message,
                                         size_t message_size) MXGOLD_NOEXCEPT;

/* Where two profiles, "torchao-0.18:rceil", part: on each surface, a source and a target that both
 * speak of, the smallest input for every set of settings that makes a difference, what both answer,
 * and how agreement is known. The verdict is 1 where they agree on all. Options: "format" and
 * "source", lists ("e4m3fn,mxfp4"; semicolons between definitions) of what to compare on; all by
 * default. Computed on all threads of the machine. */
MXGOLD_API mxgold_status mxgold_diff(const char* a, const char* b, const mxgold_option* options,
                                     size_t option_count, mxgold_answer** out, char* message,
                                     size_t message_size) MXGOLD_NOEXCEPT;

/* Which profiles, or which with one or two policies changed, explain what an implementation did.
 * `log` is the text form of docs/identify.md: a line SOURCE TARGET, then a line for each record,
 * "3f880000 38", "40e0 3f80 | 7f | 7 2". The verdict is 1 where something explains every record.
 * The text is an answer of at most five lines, an empty line, and all that was found.
 * MXGOLD_BAD_VALUE for a malformed log, and where nothing in it could be compared. */
MXGOLD_API mxgold_status mxgold_identify(const char* log, mxgold_answer** out, char* message,
                                         size_t message_size) MXGOLD_NOEXCEPT;

/* Inputs, at most `count` (1 to 100000), that tell the profiles of a surface and their deviations
 * in one policy apart: the text is a log without outputs. `stochastic` 1: also stochastic
 * roundings, with random words. */
MXGOLD_API mxgold_status mxgold_telling_inputs(const char* source, const char* format, size_t count,
                                               int stochastic, mxgold_answer** out, char* message,
                                               size_t message_size) MXGOLD_NOEXCEPT;

/* What a configuration file says (docs/howto/configuration-file.md): the file that `mxgold -c`
 * takes. JSON {"path": ..., "settings": {"rounding": "ties_to_even", ...}, "keys": {"lanes": ["8"],
 * ...}}: `settings` by the names of options of this library, with format, source and op, names of
 * values as this library spells them; `keys` is all of it, as written. MXGOLD_BAD_VALUE with file,
 * line and key for what is none. */
MXGOLD_API mxgold_status mxgold_configuration(const char* path, mxgold_answer** out, char* message,
                                              size_t message_size) MXGOLD_NOEXCEPT;

/* What is said of a word that an implementation gave. */
enum {
  MXGOLD_AGREES = 0,
  MXGOLD_DIFFERS = 1,
  MXGOLD_OPEN = 2,     /* the profile leaves it open, so it is not compared */
  MXGOLD_DONT_CARE = 3 /* a code under a NaN scale, which means nothing */
};

/* What an implementation's codes do otherwise than mxgold_convert_array of the same arguments: how
 * many differ, are open or agree, the first `most` differences with input, expected and seen code,
 * flags and the step that decided, and the policies or profiles that would give what was seen.
 * marks[i], one of the marks above, is said of element i; marks may be NULL, else `count` is that
 * of the elements. The verdict is 1 where nothing differs and something was compared. Statuses are
 * those of mxgold_convert_array, MXGOLD_OVERLAP where marks lie in what is read. */
MXGOLD_API mxgold_status mxgold_compare_values(const mxgold_conversion* conversion,
                                               const void* source, uint64_t source_bytes,
                                               const void* codes, uint64_t code_bytes,
                                               uint64_t seed, uint32_t tensor_index, size_t most,
                                               uint8_t* marks, uint64_t count, mxgold_answer** out,
                                               char* message, size_t message_size) MXGOLD_NOEXCEPT;

/* The same of the codes and scales of a tensor, beside mxgold_quantize_tensor; differences are
 * those of blocks. Blocks are quantized again by the reference where a profile leaves anything
 * open. */
MXGOLD_API mxgold_status mxgold_compare_blocks(
    const mxgold_quantizer* quantizer, const uint64_t* shape, size_t rank, int64_t axis,
    const void* source, uint64_t source_bytes, const void* codes, uint64_t code_bytes,
    const void* scales, uint64_t scale_bytes, uint64_t seed, uint32_t tensor_index, size_t most,
    uint8_t* code_marks, uint64_t code_count, uint8_t* scale_marks, uint64_t scale_count,
    mxgold_answer** out, char* message, size_t message_size) MXGOLD_NOEXCEPT;

/* Which bins of docs/spec/verification.md V10 an array hits as the stimulus of a conversion, or a
 * tensor as that of a quantizer: the coverpoints with their bins, and those that nothing hit. What
 * a profile leaves open covers nothing. The verdict is 1 where no bin is missing that any input can
 * hit. */
MXGOLD_API mxgold_status mxgold_cover_values(const mxgold_conversion* conversion,
                                             const void* source, uint64_t source_bytes,
                                             uint64_t seed, uint32_t tensor_index,
                                             mxgold_answer** out, char* message,
                                             size_t message_size) MXGOLD_NOEXCEPT;
MXGOLD_API mxgold_status mxgold_cover_blocks(const mxgold_quantizer* quantizer,
                                             const uint64_t* shape, size_t rank, int64_t axis,
                                             const void* source, uint64_t source_bytes,
                                             uint64_t seed, uint32_t tensor_index,
                                             mxgold_answer** out, char* message,
                                             size_t message_size) MXGOLD_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#undef MXGOLD_NOEXCEPT

#endif
