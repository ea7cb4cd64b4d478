/* One program over the C interface, compiled as C11, C++17 and C++20: every function called, every
 * answer checked, every kind of error provoked. Returns 0 if all holds, else prints what does not.
 */
#ifndef MX_TESTS_ABI_PROGRAM_H
#define MX_TESTS_ABI_PROGRAM_H

#include <stdio.h>
#include <string.h>

#include "mxgold.h"

static int abi_failures = 0;

static void abi_expect(int holds, const char* what, int line) {
  if (holds) return;
  ++abi_failures;
  fprintf(stderr, "line %d: %s\n", line, what);
}
#define ABI_EXPECT(condition) abi_expect((condition) ? 1 : 0, #condition, __LINE__)

#include "tests/reference/abi/abi_questions.h"

static void abi_versions(void) {
  mxgold_format_info info;
  ABI_EXPECT(mxgold_abi_version() == MXGOLD_ABI_VERSION);
  ABI_EXPECT(strlen(mxgold_version()) >= 5);
  ABI_EXPECT(strlen(mxgold_status_text(MXGOLD_OK)) > 0);
  ABI_EXPECT(strlen(mxgold_status_text(MXGOLD_NO_MEMORY)) > 0);
  ABI_EXPECT(mxgold_format("e4m3fn", &info) == MXGOLD_OK);
  ABI_EXPECT(info.bits == 8 && info.storage_bytes == 1 && info.max_code == 0x7E);
  ABI_EXPECT(mxgold_format("fp64", &info) == MXGOLD_OK && info.storage_bytes == 8);
  ABI_EXPECT(mxgold_format("e4m3", &info) == MXGOLD_OK && info.max_code == 0x77);
  ABI_EXPECT(mxgold_format("binary8p4se", &info) == MXGOLD_OK && info.max_code == 0x7E);
  ABI_EXPECT(mxgold_format("e4m3fnu", &info) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_format(NULL, &info) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_format("e4m3fn", NULL) == MXGOLD_NULL_ARGUMENT);
}

static void abi_definitions(void) {
  static const char* const blocks = "element=(exp_bits=2,man_bits=2),block_size=8";
  mxgold_format_info info;
  mxgold_conversion* conversion = NULL;
  mxgold_quantizer* quantizer = NULL;
  mxgold_block_info block;
  char name[64];
  char message[160];
  uint64_t code = 0;
  const uint64_t one = 0x3F800000;
  ABI_EXPECT(mxgold_format("exp_bits=3,man_bits=4,bias=5", &info) == MXGOLD_OK);
  ABI_EXPECT(info.bits == 8 && info.storage_bytes == 1 && info.max_code == 0x7F);
  ABI_EXPECT(mxgold_format("exp_bits=17,man_bits=4", &info) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_format(blocks, &info) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_canonical_format("man_bits=4, exp_bits=3, bias=5, has_subnormal=false", name,
                                     sizeof name, message, sizeof message) == MXGOLD_OK);
  ABI_EXPECT(strcmp(name, "exp_bits=3,man_bits=4,bias=5,has_subnormal=false") == 0);
  ABI_EXPECT(message[0] == '\0');
  ABI_EXPECT(mxgold_canonical_format("e5m10", name, 5, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(strcmp(name, "fp16") == 0);
  ABI_EXPECT(mxgold_canonical_format("e5m10", name, 4, message, sizeof message) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(strstr(message, "4 characters") != NULL);
  ABI_EXPECT(mxgold_canonical_format("element=e2m1fn", name, sizeof name, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(strcmp(name, "mxfp4") == 0);
  ABI_EXPECT(mxgold_canonical_format("exp_bits=17,man_bits=4", name, sizeof name, message,
                                     sizeof message) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(strstr(message, "field 'exp_bits', value '17'") != NULL);
  ABI_EXPECT(strstr(message, "give 0..16") != NULL);
  ABI_EXPECT(mxgold_canonical_format("nobody", name, 64, NULL, 0) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_canonical_format(NULL, name, 64, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_canonical_format("fp32", NULL, 64, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_conversion_create("fp32", "exp_bits=3,man_bits=4,bias=5", NULL, 0, &conversion,
                                      NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_convert(conversion, &one, NULL, 1, &code, NULL) == MXGOLD_OK && code == 0x50);
  mxgold_conversion_destroy(conversion);
  ABI_EXPECT(mxgold_conversion_create("fp32", blocks, NULL, 0, &conversion, message,
                                      sizeof message) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(strstr(message, "a format of blocks") != NULL);
  ABI_EXPECT(mxgold_quantizer_create("fp32", blocks, NULL, 0, &quantizer, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_block(quantizer, &block) == MXGOLD_OK && block.block_size == 8);
  ABI_EXPECT(strcmp(block.element, "e2m2fin") == 0 && strcmp(block.scale, "e8m0") == 0);
  mxgold_quantizer_destroy(quantizer);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "exp_bits=3,man_bits=4", NULL, 0, &quantizer, message,
                                     sizeof message) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(strstr(message, "a format of single values") != NULL);
}

static void abi_conversion(void) {
  static const mxgold_option options[] = {{"rounding", "ties_to_away"},
                                          {"overflow", "none_inf_or_nan"}};
  static const uint64_t source[] = {0x40080000, 0x43E80000, 0x43E80001, 0x80000000};
  uint64_t codes[4] = {0, 0, 0, 0};
  uint32_t flags[4] = {0, 0, 0, 0};
  char message[64];
  mxgold_conversion* conversion = NULL;
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", options, 2, &conversion, message,
                                      sizeof message) == MXGOLD_OK);
  ABI_EXPECT(conversion != NULL && message[0] == '\0');
  ABI_EXPECT(mxgold_convert(conversion, source, NULL, 4, codes, flags) == MXGOLD_OK);
  ABI_EXPECT(codes[0] == 0x41 && codes[1] == 0x7F && codes[2] == 0x7F && codes[3] == 0x80);
  ABI_EXPECT(flags[0] == MXGOLD_INEXACT);
  ABI_EXPECT(flags[1] == (MXGOLD_INEXACT | MXGOLD_OVERFLOW) && flags[3] == 0);
  ABI_EXPECT(mxgold_convert(conversion, source, NULL, 4, codes, NULL) == MXGOLD_OK);
  ABI_EXPECT(mxgold_convert(conversion, NULL, NULL, 0, NULL, NULL) == MXGOLD_OK);
  ABI_EXPECT(mxgold_convert(NULL, source, NULL, 4, codes, flags) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_convert(conversion, NULL, NULL, 4, codes, flags) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_convert(conversion, source, NULL, 4, NULL, flags) == MXGOLD_NULL_ARGUMENT);
  mxgold_conversion_destroy(conversion);
  mxgold_conversion_destroy(NULL);
}

static void abi_conversion_errors(void) {
  static const mxgold_option unknown[] = {{"roundness", "ties_to_away"}};
  static const mxgold_option bad_value[] = {{"rounding", "ties_to_nothing"}};
  static const mxgold_option bad_bits[] = {{"random_bits", "33"}};
  static const mxgold_option null_value[] = {{"rounding", NULL}};
  static const mxgold_option stochastic[] = {{"rounding", "stochastic_a"}, {"random_bits", "8"}};
  char message[256];
  char shorter[6] = "xxxxx";
  mxgold_conversion* out = NULL;
  uint64_t source[2] = {0x3F800000, 0x100000000u};
  uint64_t codes[2] = {77, 77};
  uint32_t words[2] = {255, 256};
  ABI_EXPECT(mxgold_conversion_create("fp31", "e4m3fn", NULL, 0, &out, message, sizeof message) ==
             MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(out == NULL && strstr(message, "fp31") != NULL);
  ABI_EXPECT(mxgold_conversion_create("fp31", "e4m3fn", NULL, 0, &out, shorter, sizeof shorter) ==
             MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(shorter[5] == '\0' && strlen(shorter) == 5);
  ABI_EXPECT(mxgold_conversion_create("fp31", "e4m3fn", NULL, 0, &out, NULL, 0) ==
             MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", unknown, 1, &out, message,
                                      sizeof message) == MXGOLD_UNKNOWN_OPTION);
  ABI_EXPECT(strstr(message, "roundness") != NULL);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", bad_value, 1, &out, message,
                                      sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(strstr(message, "ties_to_nothing") != NULL);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", bad_bits, 1, &out, message,
                                      sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", null_value, 1, &out, message,
                                      sizeof message) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", NULL, 1, &out, message, sizeof message) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_conversion_create(NULL, "e4m3fn", NULL, 0, &out, message, sizeof message) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_conversion_create("fp32", NULL, NULL, 0, &out, message, sizeof message) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", NULL, 0, NULL, message, sizeof message) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", stochastic, 2, &out, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_convert(out, source, NULL, 1, codes, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_convert(out, source, words, 2, codes, NULL) == MXGOLD_BAD_VALUE);
  words[1] = 0;
  ABI_EXPECT(mxgold_convert(out, source, words, 2, codes, NULL) == MXGOLD_BAD_CODE);
  ABI_EXPECT(codes[0] == 77 && codes[1] == 77);
  ABI_EXPECT(mxgold_convert(out, source, words, 1, codes, NULL) == MXGOLD_OK && codes[0] == 0x38);
  mxgold_conversion_destroy(out);
}

static void abi_blocks(void) {
  static const mxgold_option options[] = {{"block_size", "16"}, {"rule", "ceil"}};
  static const mxgold_option too_big[] = {{"block_size", "1025"}};
  static const mxgold_option not_a_number[] = {{"block_size", "16x"}};
  static const uint64_t source[] = {0x3F900000, 0x80000000};
  uint64_t codes[17];
  uint64_t many[17];
  uint64_t values[2];
  uint64_t scale = 0;
  uint32_t flags = 0;
  char message[128];
  mxgold_quantizer* quantizer = NULL;
  memset(many, 0, sizeof many);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp8_e4m3", options, 2, &quantizer, message,
                                     sizeof message) == MXGOLD_OK);
  ABI_EXPECT(mxgold_block_size(quantizer) == 16 && mxgold_block_size(NULL) == 0);
  ABI_EXPECT(mxgold_quantize_block(quantizer, source, NULL, 2, &scale, codes, &flags) == MXGOLD_OK);
  ABI_EXPECT(scale == 0x78 && codes[0] == 0x71 && codes[1] == 0x80 && flags == 0);
  ABI_EXPECT(mxgold_dequantize_block(quantizer, scale, codes, 2, "fp32", values) == MXGOLD_OK);
  ABI_EXPECT(values[0] == 0x3F900000 && values[1] == 0x80000000);
  ABI_EXPECT(mxgold_dequantize_block(quantizer, scale, codes, 2, "fp33", values) ==
             MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_dequantize_block(quantizer, 256, codes, 2, "fp32", values) == MXGOLD_BAD_CODE);
  codes[1] = 256;
  ABI_EXPECT(mxgold_dequantize_block(quantizer, scale, codes, 2, "fp32", values) ==
             MXGOLD_BAD_CODE);
  ABI_EXPECT(mxgold_dequantize_block(NULL, scale, codes, 2, "fp32", values) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_dequantize_block(quantizer, scale, codes, 2, NULL, values) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_quantize_block(quantizer, many, NULL, 17, &scale, codes, &flags) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_quantize_block(quantizer, many, NULL, 0, &scale, codes, &flags) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_quantize_block(quantizer, many, NULL, 16, &scale, codes, NULL) == MXGOLD_OK);
  ABI_EXPECT(mxgold_quantize_block(quantizer, NULL, NULL, 2, &scale, codes, &flags) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_quantize_block(quantizer, source, NULL, 2, NULL, codes, &flags) ==
             MXGOLD_NULL_ARGUMENT);
  many[3] = (uint64_t)1 << 32;
  ABI_EXPECT(mxgold_quantize_block(quantizer, many, NULL, 16, &scale, codes, &flags) ==
             MXGOLD_BAD_CODE);
  mxgold_quantizer_destroy(quantizer);
  mxgold_quantizer_destroy(NULL);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp9", NULL, 0, &quantizer, message,
                                     sizeof message) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(quantizer == NULL && strstr(message, "mxfp9") != NULL);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp4", too_big, 1, &quantizer, message,
                                     sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp4", not_a_number, 1, &quantizer, message,
                                     sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(strstr(message, "16x") != NULL);
}

static void abi_tensors(void) {
  static const uint64_t shape[] = {2, 3};
  static const uint64_t huge[] = {(uint64_t)1 << 40, (uint64_t)1 << 40};
  static const float source[] = {1.0F, 2.0F, 3.0F, -4.0F, 0.5F, 6.0F};
  float back[6];
  uint8_t codes[6];
  uint8_t scales[2];
  uint32_t flags = 0;
  mxgold_tensor_sizes sizes;
  mxgold_quantizer* q = NULL;
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp4", NULL, 0, &q, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_sizes(q, shape, 2, -1, &sizes) == MXGOLD_OK);
  ABI_EXPECT(sizes.elements == 6 && sizes.scales == 2 && sizes.source_bytes == 24 &&
             sizes.code_bytes == 6 && sizes.scale_bytes == 2);
  ABI_EXPECT(mxgold_sizes(q, NULL, 0, 0, &sizes) == MXGOLD_OK && sizes.elements == 1);
  ABI_EXPECT(mxgold_sizes(q, shape, 2, 2, &sizes) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_sizes(q, huge, 2, 0, &sizes) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_sizes(q, NULL, 2, 0, &sizes) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_sizes(q, shape, 2, 0, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_quantize_tensor(q, shape, 2, -1, source, sizeof source, 0, 0, codes, 6, scales,
                                    2, &flags) == MXGOLD_OK);
  ABI_EXPECT(scales[0] == 0x7E && scales[1] == 0x7F);
  ABI_EXPECT(codes[0] == 4 && codes[1] == 6 && codes[2] == 7 && codes[3] == 14 && codes[4] == 1 &&
             codes[5] == 7);
  ABI_EXPECT(flags == 0);
  ABI_EXPECT(mxgold_dequantize_tensor(q, shape, 2, -1, codes, 6, scales, 2, "fp32", back,
                                      sizeof back) == MXGOLD_OK);
  ABI_EXPECT(memcmp(back, source, sizeof back) == 0);
  ABI_EXPECT(mxgold_quantize_tensor(q, shape, 2, -1, source, 23, 0, 0, codes, 6, scales, 2, NULL) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_quantize_tensor(q, shape, 2, -1, source, 24, 0, 0, codes, 5, scales, 2, NULL) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_quantize_tensor(q, shape, 2, -1, source, 24, 0, 0, codes, 6, scales, 3, NULL) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_quantize_tensor(q, shape, 2, -1, NULL, 24, 0, 0, codes, 6, scales, 2, NULL) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_dequantize_tensor(q, shape, 2, -1, codes, 6, scales, 2, "fp16", back,
                                      sizeof back) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_dequantize_tensor(q, shape, 2, -1, codes, 6, scales, 2, "fp15", back, 24) ==
             MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_dequantize_tensor(q, shape, 2, -1, codes, 6, scales, 2, NULL, back, 24) ==
             MXGOLD_NULL_ARGUMENT);
  mxgold_quantizer_destroy(q);
}

/* nvfp4: amax 1344 gives the tensor scale 1344 / 2688 = 1/2, so the block of 6 the scale 2. */
static void abi_tensor_level(void) {
  static const float tensor[] = {1344.0F, -1.0F, 6.0F, 0.0F};
  static const uint32_t infinity[] = {0x3F800000u, 0xFF800000u};
  static const uint32_t nan[] = {0x7FC00000u, 0x3F800000u};
  static const mxgold_option torchao[] = {{"profile", "torchao-0.18"}};
  static const uint64_t block[] = {0x40C00000, 0xBF800000};
  mxgold_tensor_level level = {1, 2};
  mxgold_tensor_level bad = {0, 0xBF800000u};
  uint64_t codes[2] = {0, 0};
  uint64_t values[2] = {0, 0};
  uint64_t scale = 0;
  mxgold_quantizer* one = NULL;
  mxgold_quantizer* two = NULL;
  ABI_EXPECT(mxgold_quantizer_create("fp32", "nvfp4", NULL, 0, &one, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_find_tensor_level(one, tensor, sizeof tensor, &level) == MXGOLD_OK);
  ABI_EXPECT(level.amax == 0x44A80000u && level.scale == 0x3F000000u);
  ABI_EXPECT(mxgold_quantizer_at_level(one, &level, &two) == MXGOLD_OK);
  ABI_EXPECT(mxgold_quantize_block(two, block, NULL, 2, &scale, codes, NULL) == MXGOLD_OK);
  ABI_EXPECT(scale == 0x40 && codes[0] == 7 && codes[1] == 0xA);
  ABI_EXPECT(mxgold_dequantize_block(two, scale, codes, 2, "fp32", values) == MXGOLD_OK);
  ABI_EXPECT(values[0] == block[0] && values[1] == block[1]);
  mxgold_quantizer_destroy(two);
  ABI_EXPECT(mxgold_quantizer_at_level(one, &bad, &two) == MXGOLD_BAD_VALUE && two == NULL);
  ABI_EXPECT(mxgold_quantizer_at_level(one, NULL, &two) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_quantizer_at_level(NULL, &level, &two) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_quantizer_at_level(one, &level, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_find_tensor_level(one, tensor, 3, &level) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_find_tensor_level(one, NULL, 4, &level) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_find_tensor_level(one, tensor, 4, NULL) == MXGOLD_NULL_ARGUMENT);
  mxgold_quantizer_destroy(one);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp4", NULL, 0, &one, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_find_tensor_level(one, tensor, sizeof tensor, &level) == MXGOLD_OK);
  ABI_EXPECT(level.amax == 0 && level.scale == 0x3F800000u);
  mxgold_quantizer_destroy(one);
  /* What torchao makes of the level of an infinity or a NaN is not modelled; of numbers it is, and
   * the default takes the finite ones. */
  ABI_EXPECT(mxgold_quantizer_create("fp32", "nvfp4", torchao, 1, &one, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_find_tensor_level(one, tensor, sizeof tensor, &level) == MXGOLD_OK);
  ABI_EXPECT(mxgold_find_tensor_level(one, infinity, 8, &level) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_find_tensor_level(one, nan, 8, &level) == MXGOLD_BAD_VALUE);
  mxgold_quantizer_destroy(one);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "nvfp4", NULL, 0, &one, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_find_tensor_level(one, infinity, 8, &level) == MXGOLD_OK);
  ABI_EXPECT(level.amax == 0x3F800000u);
  mxgold_quantizer_destroy(one);
}

static void abi_arrays(void) {
  static const uint32_t source[] = {0x40080000, 0x43E80001, 0x7FC00000};
  static const mxgold_option stochastic[] = {{"rounding", "stochastic_a"}, {"random_bits", "8"}};
  uint8_t codes[3] = {0, 0, 0};
  uint8_t again[3] = {0, 0, 0};
  uint32_t values[3] = {0, 0, 0};
  uint32_t flags = 0;
  mxgold_conversion* conversion = NULL;
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", NULL, 0, &conversion, NULL, 0) ==
             MXGOLD_OK);
  ABI_EXPECT(mxgold_convert_array(conversion, source, 12, 0, 0, codes, 3, &flags) == MXGOLD_OK);
  ABI_EXPECT(codes[0] == 0x40 && codes[1] == 0x7E && codes[2] == 0x7F);
  ABI_EXPECT(flags == (MXGOLD_INEXACT | MXGOLD_OVERFLOW | MXGOLD_SATURATED));
  ABI_EXPECT(mxgold_convert_array(conversion, source, 12, 0, 0, codes, 2, NULL) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_convert_array(conversion, source, 11, 0, 0, codes, 3, NULL) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_convert_array(conversion, NULL, 0, 0, 0, NULL, 0, NULL) == MXGOLD_OK);
  ABI_EXPECT(mxgold_convert_array(conversion, NULL, 12, 0, 0, codes, 3, NULL) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_convert_array(NULL, source, 12, 0, 0, codes, 3, NULL) == MXGOLD_NULL_ARGUMENT);
  mxgold_conversion_destroy(conversion);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", stochastic, 2, &conversion, NULL, 0) ==
             MXGOLD_OK);
  ABI_EXPECT(mxgold_convert_array(conversion, source, 12, 7, 1, codes, 3, NULL) == MXGOLD_OK);
  ABI_EXPECT(mxgold_convert_array(conversion, source, 12, 7, 1, again, 3, NULL) == MXGOLD_OK);
  ABI_EXPECT(memcmp(codes, again, 3) == 0 && (codes[0] == 0x40 || codes[0] == 0x41));
  mxgold_conversion_destroy(conversion);
  ABI_EXPECT(mxgold_conversion_create("e2m1fn", "fp32", NULL, 0, &conversion, NULL, 0) ==
             MXGOLD_OK);
  codes[1] = 0x10;
  ABI_EXPECT(mxgold_convert_array(conversion, codes, 3, 0, 0, values, 12, NULL) == MXGOLD_BAD_CODE);
  mxgold_conversion_destroy(conversion);
}

static void abi_names(void) {
  char message[200];
  mxgold_block_info info;
  mxgold_quantizer* quantizer = NULL;
  ABI_EXPECT(strcmp(mxgold_name("formats", 0), "fp64") == 0);
  ABI_EXPECT(strcmp(mxgold_name("blocks", 0), "mxfp8_e4m3") == 0);
  ABI_EXPECT(mxgold_quantizer_create("fp32", mxgold_name("named_only", 0), NULL, 0, &quantizer,
                                     message, sizeof message) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(strstr(message, "is known by name only (") != NULL);
  ABI_EXPECT(strcmp(mxgold_name("profiles", 0), "mxgold-default") == 0);
  ABI_EXPECT(strcmp(mxgold_name("policies", 0), "rounding") == 0);
  ABI_EXPECT(strcmp(mxgold_name("rounding", 0), "ties_to_even") == 0);
  ABI_EXPECT(mxgold_name("random_bits", 0) == NULL && mxgold_name("rounding", 99) == NULL);
  ABI_EXPECT(mxgold_name("nothing", 0) == NULL && mxgold_name(NULL, 0) == NULL);
  ABI_EXPECT(strcmp(mxgold_name_here("Float8_E4M3FN", 0), "e4m3fn") == 0);
  ABI_EXPECT(mxgold_name_here("RNE", 1) == NULL && mxgold_name_here("e4m3fn", 0) == NULL);
  ABI_EXPECT(strcmp(mxgold_name_here("fp8", 2), "e4m3fnuz") == 0 &&
             mxgold_name_here("fp8", 3) == NULL);
  ABI_EXPECT(mxgold_name_here("", 0) == NULL && mxgold_name_here(NULL, 0) == NULL);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "nvfp4_16x16", NULL, 0, &quantizer, NULL, 0) ==
             MXGOLD_OK);
  ABI_EXPECT(mxgold_block(quantizer, &info) == MXGOLD_OK);
  ABI_EXPECT(strcmp(info.element, "e2m1fn") == 0 && strcmp(info.scale, "ue4m3") == 0);
  ABI_EXPECT(strcmp(info.extent, "elements") == 0 && strcmp(info.tensor_scale, "fp32") == 0);
  ABI_EXPECT(info.block_size == 16 && info.tile_lines == 16);
  ABI_EXPECT(info.element_bits == 4 && info.scale_bits == 7);
  ABI_EXPECT(info.element_bytes == 1 && info.scale_bytes == 1);
  ABI_EXPECT(mxgold_block(quantizer, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_block(NULL, &info) == MXGOLD_NULL_ARGUMENT);
  mxgold_quantizer_destroy(quantizer);
}

static void abi_open(void) {
  static const mxgold_option profile[] = {{"profile", "ocp-mx-1.0"}};
  static const mxgold_option te[] = {{"rule", "nvfp4_te"}};
  static const uint32_t source[] = {0x7FC00000, 0x3F800000, 0x3F800000}; /* NaN, 1, 1 */
  static const uint64_t shape[] = {3};
  static const mxgold_option sized[] = {{"block_size", "2"}, {"profile", "ocp-mx-1.0"}};
  uint8_t codes[3] = {9, 9, 9};
  uint8_t scales[2] = {9, 9};
  uint32_t masks = 0;
  mxgold_conversion* conversion = NULL;
  mxgold_quantizer* quantizer = NULL;
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp8_e4m3", sized, 2, &quantizer, NULL, 0) ==
             MXGOLD_OK);
  ABI_EXPECT(mxgold_open_blocks(quantizer, shape, 1, 0, source, 12, 0, 0, codes, 3, scales, 2,
                                &masks) == MXGOLD_OK);
  ABI_EXPECT(codes[0] == 1 && codes[1] == 1 && codes[2] == 0 && scales[0] == 1 && scales[1] == 0);
  ABI_EXPECT(masks == 1u << 15 && strcmp(mxgold_name("masks", 15), "nan_block") == 0);
  ABI_EXPECT(mxgold_open_blocks(quantizer, shape, 1, 0, source, 12, 0, 0, codes, 3, scales, 1,
                                NULL) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_open_blocks(quantizer, shape, 1, 0, source, 12, 0, 0, NULL, 3, scales, 2,
                                NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_takes_tensor_scale(quantizer) == 0 && mxgold_takes_tensor_scale(NULL) == 0);
  mxgold_quantizer_destroy(quantizer);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "nvfp4", te, 1, &quantizer, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_takes_tensor_scale(quantizer) == 0);
  mxgold_quantizer_destroy(quantizer);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "nvfp4", NULL, 0, &quantizer, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_takes_tensor_scale(quantizer) == 1);
  mxgold_quantizer_destroy(quantizer);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", te, 1, &conversion, NULL, 0) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", profile, 1, &conversion, NULL, 0) ==
             MXGOLD_OK);
  ABI_EXPECT(mxgold_open_values(conversion, source, 12, codes, 3, &masks) == MXGOLD_OK);
  ABI_EXPECT(mxgold_open_values(conversion, source, 12, codes, 2, &masks) == MXGOLD_BAD_SIZE);
  mxgold_conversion_destroy(conversion);
}

static void abi_dots(void) {
  static const uint8_t codes[] = {0x38, 0x40, 0x44, 0x48}; /* 1, 2, 3, 4 */
  static const uint8_t scales[] = {127, 128};
  static const uint32_t addends[] = {0x3F800000, 0, 0, 0};
  static const mxgold_option wrong_name[] = {{"modes", "exact_once"}};
  static const mxgold_option wrong_value[] = {{"mode", "twice"}};
  static const mxgold_option unused[] = {{"align_bits", "10"}, {"mode", "fp32_seq"}};
  char message[100];
  mxgold_rows rows;
  uint32_t results[4] = {0, 0, 0, 0};
  uint32_t flags = 1;
  mxgold_quantizer* quantizer = NULL;
  mxgold_quantizer* tiles = NULL;
  mxgold_dot* dot = NULL;
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp8_e4m3", NULL, 0, &quantizer, NULL, 0) ==
             MXGOLD_OK);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "nvfp4_16x16", NULL, 0, &tiles, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_dot_create(quantizer, tiles, NULL, 0, &dot, NULL, 0) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_dot_create(quantizer, quantizer, wrong_name, 1, &dot, NULL, 0) ==
             MXGOLD_UNKNOWN_OPTION);
  ABI_EXPECT(mxgold_dot_create(quantizer, quantizer, wrong_value, 1, &dot, NULL, 0) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_dot_create(quantizer, quantizer, unused, 2, &dot, message, sizeof message) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(strcmp(message, "option 'align_bits' goes with mode accumulator, not 'fp32_seq'") ==
             0);
  ABI_EXPECT(mxgold_dot_create(quantizer, NULL, NULL, 0, &dot, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(dot == NULL);
  ABI_EXPECT(mxgold_dot_create(quantizer, quantizer, NULL, 0, &dot, NULL, 0) == MXGOLD_OK);
  rows.codes = codes;
  rows.code_bytes = 4;
  rows.scales = scales;
  rows.scale_bytes = 2;
  rows.rows = 2;
  /* Rows (1, 2) and 2 * (3, 4): products 5, 22, 22 and 100. */
  ABI_EXPECT(mxgold_dot_rows(dot, 2, &rows, &rows, addends, 16, results, 16, &flags) == MXGOLD_OK);
  ABI_EXPECT(results[0] == 0x40C00000 && results[1] == 0x41B00000 && results[2] == 0x41B00000);
  ABI_EXPECT(results[3] == 0x42C80000 && flags == 0);
  ABI_EXPECT(mxgold_dot_rows(dot, 2, &rows, &rows, NULL, 0, results, 16, NULL) == MXGOLD_OK);
  ABI_EXPECT(results[0] == 0x40A00000);
  ABI_EXPECT(mxgold_dot_rows(dot, 0, &rows, &rows, NULL, 0, results, 16, NULL) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_dot_rows(dot, 2, &rows, &rows, NULL, 0, results, 12, NULL) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_dot_rows(dot, 2, &rows, &rows, addends, 12, results, 16, NULL) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_dot_rows(dot, 2, &rows, NULL, NULL, 0, results, 16, NULL) ==
             MXGOLD_NULL_ARGUMENT);
  rows.rows = 3;
  ABI_EXPECT(mxgold_dot_rows(dot, 2, &rows, &rows, NULL, 0, results, 16, NULL) == MXGOLD_BAD_SIZE);
  mxgold_dot_destroy(dot);
  mxgold_quantizer_destroy(tiles);
  mxgold_quantizer_destroy(quantizer);
}

static void abi_layouts(void) {
  static const uint8_t codes[] = {1, 2, 15};
  static const uint8_t stray[] = {1, 16, 15};
  static const uint8_t scales[] = {5, 6, 7, 8, 9};
  uint8_t packed[4] = {0, 0, 0, 0};
  uint8_t back[3] = {0, 0, 0};
  uint8_t tile[1024];
  uint8_t plane[5];
  uint64_t bytes = 0;
  char message[128];
  const char* const low = "nibble_low_first";
  ABI_EXPECT(strcmp(mxgold_name("packings", 0), low) == 0);
  ABI_EXPECT(strcmp(mxgold_name("packings", 4), "byte_padded") == 0);
  ABI_EXPECT(mxgold_name("packings", 5) == NULL);
  ABI_EXPECT(strcmp(mxgold_name("scale_layouts", 1), "swizzle_128x4") == 0);
  ABI_EXPECT(mxgold_name("scale_layouts", 2) == NULL);
  ABI_EXPECT(mxgold_packed_bytes(low, "e2m1fn", 0, 3, &bytes, NULL, 0) == MXGOLD_OK && bytes == 2);
  ABI_EXPECT(mxgold_packed_bytes("dense6", "e2m3fn", 0, 3, &bytes, NULL, 0) == MXGOLD_OK &&
             bytes == 3);
  ABI_EXPECT(mxgold_packed_bytes("dense6", "e2m1fn", 0, 3, &bytes, NULL, 0) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_packed_bytes("dense6", "e2m1fn", 0, 3, &bytes, message, sizeof message) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(strcmp(message, "layout dense6 holds codes of 6 bits; those of e2m1fn have 4") == 0);
  ABI_EXPECT(mxgold_packed_bytes("split_half", "e2m1fn", 4, 6, &bytes, message, sizeof message) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(strstr(message, "6 codes are no groups of 4") != NULL);
  ABI_EXPECT(mxgold_packed_bytes("nibbles", "e2m1fn", 0, 3, &bytes, NULL, 0) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_packed_bytes(low, "e2m1", 0, 3, &bytes, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_packed_bytes(low, "nobody", 0, 3, &bytes, NULL, 0) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_packed_bytes("split_half", "e2m1fn", 0, 3, &bytes, NULL, 0) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_packed_bytes("split_half", "e2m1fn", 4, 6, &bytes, NULL, 0) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_packed_bytes("split_half", "e2m1fn", 2, 6, &bytes, NULL, 0) == MXGOLD_OK &&
             bytes == 3);
  ABI_EXPECT(mxgold_packed_bytes(NULL, "e2m1fn", 0, 3, &bytes, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_packed_bytes(low, NULL, 0, 3, &bytes, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_packed_bytes(low, "e2m1fn", 0, 3, NULL, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_pack(low, "e2m1fn", 0, codes, 3, packed, 2) == MXGOLD_OK);
  ABI_EXPECT(packed[0] == 0x21 && packed[1] == 0x0F);
  ABI_EXPECT(mxgold_pack(low, "e2m1fn", 0, stray, 3, packed + 2, 2) == MXGOLD_BAD_CODE);
  ABI_EXPECT(packed[2] == 0 && packed[3] == 0);
  ABI_EXPECT(mxgold_pack(low, "e2m1fn", 0, codes, 3, packed, 1) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_pack(low, "e2m1fn", 0, codes, 3, packed, 3) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_pack(low, "e2m1fn", 0, NULL, 3, packed, 2) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_pack(low, "e2m1fn", 0, NULL, 0, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_pack(low, "e2m1fn", 0, packed, 3, packed + 2, 2) == MXGOLD_OVERLAP);
  ABI_EXPECT(mxgold_unpack(low, "e2m1fn", 0, packed, 2, back, 3) == MXGOLD_OK);
  ABI_EXPECT(memcmp(back, codes, 3) == 0);
  packed[1] = 0xEF; /* the spare bits */
  ABI_EXPECT(mxgold_unpack(low, "e2m1fn", 0, packed, 2, back, 3) == MXGOLD_OK && back[2] == 15);
  ABI_EXPECT(mxgold_unpack(low, "e2m1fn", 0, packed, 3, back, 3) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_unpack(low, "e2m1fn", 0, packed, 2, packed + 1, 3) == MXGOLD_OVERLAP);
  ABI_EXPECT(mxgold_unpack(low, "e2m1fn", 0, packed, 2, NULL, 3) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_unpack("byte_padded", "e2m1fn", 0, stray, 3, back, 3) == MXGOLD_BAD_CODE);
  ABI_EXPECT(mxgold_unpack("byte_padded", "e2m1fn", 0, codes, 3, back, 3) == MXGOLD_OK);
  ABI_EXPECT(mxgold_scale_layout_bytes("plane", 129, 5, &bytes) == MXGOLD_OK && bytes == 645);
  ABI_EXPECT(mxgold_scale_layout_bytes("swizzle_128x4", 129, 5, &bytes) == MXGOLD_OK);
  ABI_EXPECT(bytes == 256 * 8);
  ABI_EXPECT(mxgold_scale_layout_bytes("swizzle", 129, 5, &bytes) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_scale_layout_bytes("plane", 1ULL << 62, 2, &bytes) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_scale_layout_bytes("plane", 1, 1, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_scale_layout_bytes(NULL, 1, 1, &bytes) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_lay_out_scales("swizzle_128x4", 1, 5, scales, 5, tile, 1024) == MXGOLD_OK);
  ABI_EXPECT(tile[0] == 5 && tile[3] == 8 && tile[4] == 0 && tile[512] == 9 && tile[513] == 0);
  ABI_EXPECT(mxgold_bring_back_scales("swizzle_128x4", 1, 5, tile, 1024, plane, 5) == MXGOLD_OK);
  ABI_EXPECT(memcmp(plane, scales, 5) == 0);
  ABI_EXPECT(mxgold_lay_out_scales("plane", 1, 5, scales, 5, tile, 5) == MXGOLD_OK);
  ABI_EXPECT(memcmp(tile, scales, 5) == 0);
  ABI_EXPECT(mxgold_lay_out_scales("plane", 1, 5, scales, 4, tile, 5) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_lay_out_scales("plane", 1, 5, tile, 5, tile + 4, 5) == MXGOLD_OVERLAP);
  ABI_EXPECT(mxgold_lay_out_scales("plane", 1, 5, NULL, 5, tile, 5) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_bring_back_scales("swizzle_128x4", 1, 5, tile, 1023, plane, 5) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_bring_back_scales("plane", 1, 5, tile, 5, tile, 5) == MXGOLD_OVERLAP);
}

static void abi_numbers(void) {
  static const uint64_t codes[] = {0x00, 0x39, 0x81, 0x7F, 0x7E};
  static const uint64_t stray[] = {0x100};
  static const mxgold_option flush[] = {{"src_ftz", "flush"}};
  static const mxgold_option random_b[] = {{"rounding", "stochastic_b"}, {"random_bits", "4"}};
  static const uint32_t words[] = {15, 16};
  static const char* const fixed[] = {"kind=twos_compl_fixed,bits=63,frac_bits=0",
                                      "kind=twos_compl_fixed,bits=64,frac_bits=0"};
  mxgold_number values[5];
  uint64_t back[5];
  uint32_t flags[5];
  mxgold_conversion* convert = NULL;
  mxgold_conversion* drawn = NULL;
  mxgold_conversion* flushed = NULL;
  mxgold_conversion* wide = NULL;
  int i;
  ABI_EXPECT(sizeof(mxgold_number) == 16);
  ABI_EXPECT(mxgold_values("e4m3fn", codes, 5, values) == MXGOLD_OK);
  ABI_EXPECT(values[0].kind == MXGOLD_ZERO && values[0].significand == 0);
  ABI_EXPECT(values[1].significand == 9 && values[1].exponent == -3); /* 1.125 */
  ABI_EXPECT(values[2].significand == 1 && values[2].exponent == -9 && values[2].is_negative == 1);
  ABI_EXPECT(values[3].kind == MXGOLD_NAN && values[3].is_cut == 0);
  ABI_EXPECT(values[4].significand == 7 && values[4].exponent == 6); /* 448 */
  ABI_EXPECT(mxgold_values("e4m3fn", stray, 1, values) == MXGOLD_BAD_CODE);
  ABI_EXPECT(mxgold_values("nobody", codes, 1, values) == MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_values(NULL, codes, 1, values) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_values("e4m3fn", codes, 1, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_values("e4m3fn", NULL, 0, NULL) == MXGOLD_OK);
  ABI_EXPECT(mxgold_values("e4m3fn", (const uint64_t*)(const void*)values, 0, values) == MXGOLD_OK);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", NULL, 0, &convert, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_round(convert, values, NULL, 5, back, flags) == MXGOLD_OK);
  for (i = 0; i < 5; ++i) ABI_EXPECT(back[i] == codes[i] && flags[i] == 0);
  values[0].kind = MXGOLD_FINITE; /* 17 / 16 is a tie, and above it is none */
  values[0].significand = 0x8800000000000000u;
  values[0].exponent = -63;
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, back, flags) == MXGOLD_OK);
  ABI_EXPECT(back[0] == 0x38 && flags[0] == MXGOLD_INEXACT);
  values[0].is_cut = 1;
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, back, NULL) == MXGOLD_OK && back[0] == 0x39);
  values[0].exponent = 1 << 24;
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, back, NULL) == MXGOLD_OK && back[0] == 0x7E);
  values[0].exponent = -(1 << 24);
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, back, NULL) == MXGOLD_OK && back[0] == 0);
  back[0] = 77;
  values[0].exponent = -(1 << 24) - 1;
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, back, NULL) == MXGOLD_BAD_VALUE);
  values[0].exponent = (1 << 24) + 1;
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, back, NULL) == MXGOLD_BAD_VALUE);
  values[0].exponent = 0;
  values[0].significand >>= 1; /* a cut one needs its top bit */
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, back, NULL) == MXGOLD_BAD_VALUE);
  values[0].is_cut = 0;
  values[0].significand = 0;
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, back, NULL) == MXGOLD_BAD_VALUE);
  values[0].kind = 4;
  values[0].significand = 1;
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, back, NULL) == MXGOLD_BAD_VALUE);
  values[0] = values[1];
  values[1].kind = 4; /* the whole array is looked at first */
  ABI_EXPECT(mxgold_round(convert, values, NULL, 2, back, NULL) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(back[0] == 77);
  values[1] = values[0];
  ABI_EXPECT(mxgold_round(NULL, values, NULL, 1, back, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_round(convert, NULL, NULL, 1, back, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, NULL, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_round(convert, NULL, NULL, 0, NULL, NULL) == MXGOLD_OK);
  ABI_EXPECT(mxgold_round(convert, values, NULL, 1, (uint64_t*)(void*)values, NULL) ==
             MXGOLD_OVERLAP);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", random_b, 2, &drawn, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_round(drawn, values, NULL, 2, back, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_round(drawn, values, words, 2, back, NULL) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_round(drawn, values, words, 1, back, NULL) == MXGOLD_OK && back[0] == 0x39);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", flush, 1, &flushed, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_round(flushed, values, NULL, 1, back, NULL) == MXGOLD_BAD_VALUE);
  for (i = 0; i < 2; ++i) { /* of 62 bits of precision and of 63 */
    ABI_EXPECT(mxgold_conversion_create("fp32", fixed[i], NULL, 0, &wide, NULL, 0) == MXGOLD_OK);
    values[0].is_cut = 0;
    ABI_EXPECT(mxgold_round(wide, values, NULL, 1, back, NULL) == MXGOLD_OK);
    values[0].significand = 1ULL << 63;
    values[0].exponent = -63;
    values[0].is_cut = 1;
    ABI_EXPECT(mxgold_round(wide, values, NULL, 1, back, NULL) ==
               (i == 0 ? MXGOLD_OK : MXGOLD_BAD_VALUE));
    mxgold_conversion_destroy(wide);
  }
  mxgold_conversion_destroy(flushed);
  mxgold_conversion_destroy(drawn);
  mxgold_conversion_destroy(convert);
}

static void abi_operations(void) {
  static const char* const two[] = {"e4m3fn", "fp16"};
  static const char* const blocks[] = {"e4m3fn", "mxfp4"};
  static const char* const none[] = {"e4m3fn", NULL};
  static const char* const whole[] = {"i16"};
  static const char* const half[] = {"fp16"};
  static const uint8_t eights[] = {0x38, 0x40, 0x7E, 0x7F}; /* 1, 2, 448, NaN */
  static const uint16_t sixteens[] = {0x3C00, 0x0000, 0x6000, 0x7C00};
  static const uint16_t wholes[] = {0xFFFF, 7};
  static const mxgold_option up[] = {{"rounding", "toward_positive"}};
  static const mxgold_option range[] = {{"out_of_range", "indefinite"}};
  static const mxgold_option profile[] = {{"profile", "te"}};
  static const mxgold_option drawn[] = {{"rounding", "stochastic_b"}};
  mxgold_words given[2];
  mxgold_operation* add = NULL;
  mxgold_operation* made = NULL;
  uint8_t sums[8];
  uint8_t each[8];
  int16_t integers[2];
  uint32_t flags = 0;
  char message[160];
  ABI_EXPECT(strcmp(mxgold_name("operations", 0), "add") == 0);
  ABI_EXPECT(strcmp(mxgold_name("operations", 23), "from_integer") == 0);
  ABI_EXPECT(mxgold_name("operations", 24) == NULL);
  ABI_EXPECT(strcmp(mxgold_name("integers", 7), "u64") == 0 && mxgold_name("integers", 8) == NULL);
  ABI_EXPECT(strcmp(mxgold_name("out_of_range", 2), "indefinite") == 0);
  ABI_EXPECT(mxgold_operation_create("add", two, 2, "e4m3fn", NULL, 0, &add, message,
                                     sizeof message) == MXGOLD_OK);
  given[0].data = eights;
  given[0].bytes = 4;
  given[1].data = sixteens;
  given[1].bytes = 8;
  ABI_EXPECT(mxgold_operate(add, given, 2, 4, sums, 4, each, &flags) == MXGOLD_OK);
  ABI_EXPECT(sums[0] == 0x40 && sums[1] == 0x40 && sums[2] == 0x7F && sums[3] == 0x7F);
  ABI_EXPECT(each[0] == 0 && each[2] == (MXGOLD_OVERFLOW | MXGOLD_INEXACT) && each[3] == 0);
  ABI_EXPECT(flags == (MXGOLD_OVERFLOW | MXGOLD_INEXACT));
  given[1].bytes = 2; /* one word stands for all: x + 1 */
  ABI_EXPECT(mxgold_operate(add, given, 2, 4, sums, 4, NULL, NULL) == MXGOLD_OK);
  ABI_EXPECT(sums[0] == 0x40 && sums[1] == 0x44 && sums[2] == 0x7E && sums[3] == 0x7F);
  given[1].bytes = 4;
  ABI_EXPECT(mxgold_operate(add, given, 2, 4, sums, 4, NULL, NULL) == MXGOLD_BAD_SIZE);
  given[1].bytes = 3;
  ABI_EXPECT(mxgold_operate(add, given, 2, 1, sums, 1, NULL, NULL) == MXGOLD_BAD_SIZE);
  given[1].bytes = 8;
  ABI_EXPECT(mxgold_operate(add, given, 1, 4, sums, 4, NULL, NULL) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_operate(add, given, 2, 4, sums, 5, NULL, NULL) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_operate(add, given, 2, 4, NULL, 4, NULL, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_operate(NULL, given, 2, 4, sums, 4, NULL, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_operate(add, NULL, 2, 4, sums, 4, NULL, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_operate(add, given, 2, 4, sums, 4, sums + 3, NULL) == MXGOLD_OVERLAP);
  memcpy(sums, eights, 4);
  given[0].data = sums;
  ABI_EXPECT(mxgold_operate(add, given, 2, 4, sums, 4, NULL, NULL) == MXGOLD_OVERLAP);
  ABI_EXPECT(mxgold_operate(add, given, 2, 4, each, 4, sums + 3, NULL) == MXGOLD_OVERLAP);
  given[0].bytes = given[1].bytes = 0;
  ABI_EXPECT(mxgold_operate(add, given, 2, 0, NULL, 0, NULL, &flags) == MXGOLD_OK && flags == 0);
  mxgold_operation_destroy(add);
  ABI_EXPECT(mxgold_operation_create("add", two, 2, "e2m1fn", up, 1, &add, NULL, 0) == MXGOLD_OK);
  mxgold_operation_destroy(add);
  ABI_EXPECT(mxgold_operation_create("compare_quiet_less", two, 2, NULL, NULL, 0, &made, NULL, 0) ==
             MXGOLD_OK);
  given[0].data = eights;
  given[0].bytes = 4;
  given[1].bytes = 8;
  ABI_EXPECT(mxgold_operate(made, given, 2, 4, sums, 4, NULL, NULL) == MXGOLD_OK);
  ABI_EXPECT(sums[0] == 0 && sums[1] == 0 && sums[2] == 1 && sums[3] == 0);
  mxgold_operation_destroy(made);
  ABI_EXPECT(mxgold_operation_create("from_integer", whole, 1, "e4m3fn", NULL, 0, &made, NULL, 0) ==
             MXGOLD_OK);
  given[0].data = wholes;
  ABI_EXPECT(mxgold_operate(made, given, 1, 2, sums, 2, NULL, NULL) == MXGOLD_OK);
  ABI_EXPECT(sums[0] == 0xB8 && sums[1] == 0x4E);
  mxgold_operation_destroy(made);
  ABI_EXPECT(mxgold_operation_create("to_integer", half, 1, "i16", range, 1, &made, NULL, 0) ==
             MXGOLD_OK);
  given[0].data = sixteens + 2;
  ABI_EXPECT(mxgold_operate(made, given, 1, 2, integers, 4, each, NULL) == MXGOLD_OK);
  ABI_EXPECT(integers[0] == 512 && integers[1] == -32768 && each[1] == MXGOLD_INVALID);
  mxgold_operation_destroy(made);
  made = NULL;
  ABI_EXPECT(mxgold_operation_create("adds", two, 2, "fp16", NULL, 0, &made, message,
                                     sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(strcmp(message, "unknown operation 'adds'") == 0);
  ABI_EXPECT(mxgold_operation_create("fma", two, 2, "fp16", NULL, 0, &made, message,
                                     sizeof message) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(strcmp(message, "fma takes 3 operands, not 2") == 0);
  ABI_EXPECT(mxgold_operation_create("add", blocks, 2, "fp16", NULL, 0, &made, NULL, 0) ==
             MXGOLD_UNKNOWN_FORMAT);
  ABI_EXPECT(mxgold_operation_create("add", two, 2, "int8", NULL, 0, &made, message,
                                     sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(strcmp(message, "add of e4m3fn and fp16 to int8: arithmetic takes floats") == 0);
  ABI_EXPECT(mxgold_operation_create("add", two, 2, "fp16", range, 1, &made, message,
                                     sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(strcmp(message, "option 'out_of_range' goes with to_integer, not 'add'") == 0);
  ABI_EXPECT(mxgold_operation_create("add", two, 2, "fp16", profile, 1, &made, message,
                                     sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_operation_create("add", two, 2, "fp16", drawn, 1, &made, message,
                                     sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(strstr(message, ": arithmetic takes no stochastic rounding") != NULL);
  ABI_EXPECT(mxgold_operation_create("compare_quiet_less", two, 2, "fp16", NULL, 0, &made, NULL,
                                     0) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_operation_create("to_integer", half, 1, "fp16", NULL, 0, &made, message,
                                     sizeof message) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(strstr(message, "unknown integer 'fp16'") != NULL);
  ABI_EXPECT(mxgold_operation_create("add", two, 2, NULL, NULL, 0, &made, NULL, 0) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_operation_create("add", none, 2, "fp16", NULL, 0, &made, NULL, 0) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_operation_create(NULL, two, 2, "fp16", NULL, 0, &made, NULL, 0) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_operation_create("add", two, 2, "fp16", NULL, 0, NULL, NULL, 0) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(made == NULL);
}

static void abi_units(void) {
  static const uint16_t codes[] = {0x3C00, 0x4000, 0x4200, 0x4400}; /* 1, 2, 3, 4 */
  static const uint8_t fours[64] = {2, 2, 2, 2}; /* 1, four times of two rows of 32 */
  static const uint8_t scales[] = {127, 128};
  static const uint32_t addends[] = {0x3F800000, 0, 0, 0};
  mxgold_unit_operands of = {"fp16", "fp16", NULL, 0, "fp32"};
  mxgold_unit_operands mxfp4 = {"e2m1fn", "e2m1fn", "e8m0", 32, "fp32"};
  mxgold_rows rows;
  mxgold_unit* unit = NULL;
  mxgold_unit* other = NULL;
  uint32_t results[4] = {0, 0, 0, 0};
  char message[160];
  ABI_EXPECT(strcmp(mxgold_name("units", 0), "v100_f16") == 0 && mxgold_name("units", 99) == NULL);
  ABI_EXPECT(mxgold_unit_create("h100_f16", &of, 0, &unit, NULL, 0) == MXGOLD_OK);
  rows.codes = codes;
  rows.code_bytes = 8;
  rows.scales = NULL;
  rows.scale_bytes = 0;
  rows.rows = 2;
  ABI_EXPECT(mxgold_unit_multiply(unit, 2, &rows, &rows, 0, addends, 16, results, 16) == MXGOLD_OK);
  ABI_EXPECT(results[0] == 0x40C00000 && results[1] == 0x41300000 && results[3] == 0x41C80000);
  ABI_EXPECT(mxgold_unit_multiply(unit, 2, &rows, &rows, 1, NULL, 0, results, 8) == MXGOLD_OK);
  ABI_EXPECT(results[0] == 0x40A00000 && results[1] == 0x41C80000); /* 5 and 25 */
  ABI_EXPECT(mxgold_unit_multiply(unit, 2, &rows, &rows, 0, NULL, 0, results, 8) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_unit_multiply(unit, 0, &rows, &rows, 0, NULL, 0, results, 16) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_unit_multiply(unit, 3, &rows, &rows, 0, NULL, 0, results, 16) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_unit_multiply(unit, 2, &rows, &rows, 0, addends, 12, results, 16) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_unit_multiply(unit, 2, &rows, NULL, 0, NULL, 0, results, 16) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_unit_multiply(unit, 2, &rows, &rows, 0, results, 16, results, 16) ==
             MXGOLD_OVERLAP);
  rows.scale_bytes = 2; /* the unit takes none */
  rows.scales = scales;
  ABI_EXPECT(mxgold_unit_multiply(unit, 2, &rows, &rows, 0, NULL, 0, results, 16) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_unit_create("b200_mxf4", &mxfp4, 0, &other, NULL, 0) == MXGOLD_OK);
  rows.codes = fours;
  rows.code_bytes = 64;
  ABI_EXPECT(mxgold_unit_multiply(other, 32, &rows, &rows, 0, NULL, 0, results, 16) == MXGOLD_OK);
  ABI_EXPECT(results[0] == 0x40800000 && results[1] == 0 && results[3] == 0); /* 4 */
  mxgold_unit_destroy(other);
  other = NULL;
  ABI_EXPECT(mxgold_unit_create("b200_mxf4", &mxfp4, 16, &other, message, sizeof message) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(strcmp(message, "b200_mxf4 in chunks of 16: a chunk has whole blocks of scales") == 0);
  mxfp4.block_size = 64;
  ABI_EXPECT(mxgold_unit_create("b200_mxf4", &mxfp4, 0, &other, message, sizeof message) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(strcmp(message, "no unit takes scales of 'e8m0' for blocks of 64") == 0);
  of.a = "bf16";
  ABI_EXPECT(mxgold_unit_create("h100_f16", &of, 0, &other, message, sizeof message) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(strcmp(message, "h100_f16: this unit multiplies operands of one format") == 0);
  of.a = "nobody";
  ABI_EXPECT(mxgold_unit_create("h100_f16", &of, 0, &other, NULL, 0) == MXGOLD_UNKNOWN_FORMAT);
  of.a = NULL;
  ABI_EXPECT(mxgold_unit_create("h100_f16", &of, 0, &other, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  of.a = "fp16";
  ABI_EXPECT(mxgold_unit_create("h200", &of, 0, &other, message, sizeof message) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(strcmp(message, "unknown unit 'h200'") == 0);
  ABI_EXPECT(mxgold_unit_create("h100_f16", NULL, 0, &other, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(other == NULL);
  ABI_EXPECT(mxgold_unit_create("h100_f16", &of, 1, &other, NULL, 0) == MXGOLD_OK);
  rows.codes = codes;
  rows.code_bytes = 8;
  rows.scale_bytes = 0;
  ABI_EXPECT(mxgold_unit_multiply(other, 2, &rows, &rows, 0, addends, 16, results, 16) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_unit_multiply(other, 2, &rows, &rows, 0, NULL, 0, results, 16) == MXGOLD_OK);
  ABI_EXPECT(results[3] == 0x41C80000);
  mxgold_unit_destroy(other);
  mxgold_unit_destroy(unit);
}

static void abi_casts(void) {
  static const float values[] = {0.1F, 460.0F, -0.0F};
  static const uint64_t shape[] = {3};
  static const uint64_t huge[] = {1ULL << 40, 1ULL << 40};
  mxgold_tensor tensor;
  mxgold_tensor wrong;
  mxgold_cast* cast = NULL;
  mxgold_results* results = NULL;
  uint64_t words = 1;
  char message[128] = "";
  const char* const text = "qtorch:float_quantize(exp=4,man=3,rounding=nearest)";
  ABI_EXPECT(mxgold_system(0) != NULL && mxgold_system(1000) == NULL);
  ABI_EXPECT(mxgold_cast_create("nosuch:x", NULL, NULL, &cast, message, sizeof message) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(cast == NULL && strncmp(message, "ValueError: ", 12) == 0);
  ABI_EXPECT(mxgold_cast_create(text, "both", NULL, &cast, NULL, 0) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_cast_create(text, NULL, "vax", &cast, NULL, 0) == MXGOLD_BAD_VALUE);
  ABI_EXPECT(mxgold_cast_create(NULL, NULL, NULL, &cast, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_cast_create(text, NULL, NULL, NULL, NULL, 0) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_cast_create(text, "compat", "x86", &cast, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(strncmp(mxgold_cast_text(cast), "float_quantize(", 15) == 0);
  ABI_EXPECT(mxgold_cast_text(NULL) == NULL);
  ABI_EXPECT(mxgold_cast_property(cast, 1000).name == NULL);
  tensor.name = "values";
  tensor.type = "fp32";
  tensor.shape = shape;
  tensor.rank = 1;
  tensor.data = values;
  tensor.bytes = sizeof values;
  ABI_EXPECT(mxgold_cast_random_words(cast, &tensor, 1, NULL, &words, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(words == 0);
  ABI_EXPECT(mxgold_cast_apply(cast, &tensor, 1, NULL, NULL, 0, &results, NULL, 0) == MXGOLD_OK);
  {
    const mxgold_tensor made = mxgold_result(results, 0);
    const uint32_t expected[] = {0x3DD00000, 0x43E00000, 0};
    ABI_EXPECT(strcmp(made.name, "values") == 0 && strcmp(made.type, "fp32") == 0);
    ABI_EXPECT(made.rank == 1 && made.shape[0] == 3 && made.bytes == 12);
    ABI_EXPECT(memcmp(made.data, expected, 12) == 0);
  }
  ABI_EXPECT(mxgold_result(results, 1).name == NULL && mxgold_result(NULL, 0).name == NULL);
  mxgold_results_destroy(results);
  wrong = tensor;
  wrong.type = "e4m3fn";
  ABI_EXPECT(mxgold_cast_apply(cast, &wrong, 1, NULL, NULL, 0, &results, NULL, 0) ==
             MXGOLD_BAD_VALUE);
  ABI_EXPECT(results == NULL);
  wrong = tensor;
  wrong.bytes = 11;
  ABI_EXPECT(mxgold_cast_apply(cast, &wrong, 1, NULL, NULL, 0, &results, NULL, 0) ==
             MXGOLD_BAD_SIZE);
  wrong = tensor;
  wrong.shape = huge;
  wrong.rank = 2;
  ABI_EXPECT(mxgold_cast_apply(cast, &wrong, 1, NULL, NULL, 0, &results, NULL, 0) ==
             MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_cast_apply(cast, NULL, 0, NULL, NULL, 0, &results, NULL, 0) ==
             MXGOLD_NULL_ARGUMENT);
  mxgold_cast_destroy(cast);
  ABI_EXPECT(mxgold_cast_create("qtorch:float_quantize(exp=4,man=3)", NULL, NULL, &cast, NULL, 0) ==
             MXGOLD_OK);
  ABI_EXPECT(mxgold_cast_random_words(cast, &tensor, 1, NULL, &words, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(words == 3);
  ABI_EXPECT(mxgold_cast_apply(cast, &tensor, 1, NULL, NULL, 0, &results, message,
                               sizeof message) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(strstr(message, "3 random words") != NULL);
  mxgold_cast_destroy(cast);
}

static int abi_program(const char* standard) {
  abi_versions();
  abi_definitions();
  abi_conversion();
  abi_conversion_errors();
  abi_blocks();
  abi_tensors();
  abi_tensor_level();
  abi_arrays();
  abi_names();
  abi_open();
  abi_dots();
  abi_layouts();
  abi_numbers();
  abi_operations();
  abi_units();
  abi_casts();
  abi_explain();
  abi_questions();
  abi_compared_values();
  abi_compared_blocks();
  abi_stray_scales();
  abi_covered();
  printf("%s: %d failures\n", standard, abi_failures);
  return abi_failures == 0 ? 0 : 1;
}

#endif
