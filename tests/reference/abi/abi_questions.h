/* SPDX-License-Identifier: Apache-2.0
 * The questions of the C interface, as part of abi_program.h. */
#ifndef MX_TESTS_ABI_QUESTIONS_H
#define MX_TESTS_ABI_QUESTIONS_H

/* An answer, whose JSON and text hold what is expected; it is thrown away. */
static void abi_answer(mxgold_status status, mxgold_answer** answer, int holds, const char* json,
                       const char* text, int line) {
  abi_expect(status == MXGOLD_OK && *answer != NULL, "an answer", line);
  if (*answer == NULL) return;
  abi_expect(mxgold_answer_holds(*answer) == holds, "the verdict", line);
  abi_expect(strstr(mxgold_answer_json(*answer), json) != NULL, json, line);
  abi_expect(strstr(mxgold_answer_text(*answer), text) != NULL, text, line);
  mxgold_answer_destroy(*answer);
  *answer = NULL;
}
#define ABI_ANSWER(call, holds, json, text) \
  abi_answer((call), &answer, (holds), (json), (text), __LINE__)

/* A refusal: no answer, and a message that holds what is expected. */
static void abi_refusal(mxgold_status status, mxgold_status wanted, mxgold_answer** answer,
                        const char* message, const char* words, int line) {
  abi_expect(status == wanted, "the status of a refusal", line);
  abi_expect(*answer == NULL, "no answer", line);
  abi_expect(strstr(message, words) != NULL, message, line);
}
#define ABI_REFUSAL(call, wanted, words) \
  abi_refusal((call), (wanted), &answer, message, (words), __LINE__)

static void abi_explain(void) {
  static const char* const one[] = {"1.0625"};
  static const char* const bits[] = {"3F880000"};
  static const char* const block[] = {"480", "1"};
  static const char* const codes[] = {"38", "0x7E"};
  static const char* const words[] = {"one", NULL};
  static const mxgold_option away[] = {{"rounding", "ties_to_away"}};
  static const mxgold_option beside[] = {{"profiles", "te,torchao-0.18"}};
  static const mxgold_option mixed[] = {{"profile", "onnx-ref"}, {"blocks_as", "mxgold-default"}};
  static const mxgold_option drawn[] = {
      {"rounding", "stochastic_a"}, {"random_bits", "3"}, {"random", "7"}};
  static const mxgold_option scale[] = {{"scale", "7f"}, {"result", "bf16"}};
  static const mxgold_option wrong[] = {{"size", "3"}};
  static const mxgold_option wide[] = {{"block_size", "1025"}};
  static const mxgold_option lone[] = {{"variant", "rceil"}};
  static const mxgold_option empty[] = {{"rounding", NULL}};
  char message[200] = "";
  mxgold_answer* answer = NULL;
  char* const m = message;
  const size_t n = sizeof message;
  ABI_ANSWER(mxgold_explain(NULL, "e4m3fn", NULL, 0, one, 1, &answer, m, n), 1, "\"code\":\"38\"",
             "ties_to_even: at the midpoint");
  ABI_EXPECT(message[0] == '\0');
  ABI_ANSWER(mxgold_explain("fp32", "e4m3fn", away, 1, bits, 1, &answer, NULL, 0), 1,
             "\"changes\":\"rounding=ties_to_away\"", "code       39");
  ABI_ANSWER(mxgold_explain("fp32", "mxfp8_e4m3", beside, 1, block, 2, &answer, m, n), 1,
             "\"parts_at\":\"rule rceil -> floor\"", "torchao-0.18");
  ABI_ANSWER(mxgold_explain("fp32", "mxfp8_e4m3", mixed, 2, block, 2, &answer, m, n), 1,
             "\"profile\":\"onnx-ref:blocks-as=mxgold-default\"", "block of 32");
  ABI_ANSWER(mxgold_explain("fp32", "e4m3fn", drawn, 3, one, 1, &answer, m, n), 1,
             "\"code\":\"39\"", "R = 0x7");
  ABI_ANSWER(mxgold_explain(NULL, "mxfp8_e4m3", scale, 2, codes, 2, &answer, m, n), 1,
             "\"result\":\"bf16\"", "lane 0: 38 (1)");
  ABI_EXPECT(mxgold_explain(NULL, "mxfp8_e4m3", scale, 2, codes, 0, &answer, m, n) ==
             MXGOLD_BAD_SIZE);
  ABI_REFUSAL(mxgold_explain(NULL, "e4m3fx", NULL, 0, one, 1, &answer, m, n), MXGOLD_UNKNOWN_FORMAT,
              "did you mean 'e4m3fn'");
  ABI_REFUSAL(mxgold_explain("fp3", "e4m3fn", NULL, 0, one, 1, &answer, m, n),
              MXGOLD_UNKNOWN_FORMAT, "unknown source 'fp3'");
  ABI_REFUSAL(mxgold_explain(NULL, "e4m3fn", NULL, 0, words, 1, &answer, m, n), MXGOLD_BAD_VALUE,
              "input 'one' is neither");
  ABI_REFUSAL(mxgold_explain(NULL, "e4m3fn", wrong, 1, one, 1, &answer, m, n),
              MXGOLD_UNKNOWN_OPTION, "unknown policy 'size'");
  ABI_REFUSAL(mxgold_explain(NULL, "mxfp4", wide, 1, one, 1, &answer, m, n), MXGOLD_BAD_VALUE,
              "block_size '1025'");
  ABI_REFUSAL(mxgold_explain(NULL, "mxfp4", lone, 1, one, 1, &answer, m, n), MXGOLD_BAD_VALUE,
              "needs a profile");
  ABI_EXPECT(mxgold_explain(NULL, NULL, NULL, 0, one, 1, &answer, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_explain(NULL, "e4m3fn", NULL, 1, one, 1, &answer, m, n) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_explain(NULL, "e4m3fn", empty, 1, one, 1, &answer, m, n) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_explain(NULL, "e4m3fn", NULL, 0, NULL, 1, &answer, m, n) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_explain(NULL, "e4m3fn", NULL, 0, words, 2, &answer, m, n) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_explain(NULL, "e4m3fn", NULL, 0, one, 1, NULL, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(answer == NULL);
}

static void abi_questions(void) {
  static const mxgold_option te[] = {{"profile", "te"}};
  static const mxgold_option drawn[] = {{"seed", "1"}};
  static const mxgold_option bf16[] = {{"format", "e4m3fn"}, {"source", "bf16"}};
  static const mxgold_option lanes[] = {{"lanes", "4"}};
  char message[300] = "";
  mxgold_answer* answer = NULL;
  char* const m = message;
  const size_t n = sizeof message;
  ABI_ANSWER(mxgold_facts("formats", "e4m3fn", &answer, m, n), 1, "\"max_code\":\"7E\"", "448");
  ABI_ANSWER(mxgold_facts("codes", "e2m1fn", &answer, m, n), 1, "\"codes\":[{\"code\":\"0\"",
             "codes");
  ABI_ANSWER(mxgold_facts("blocks", "nvfp4", &answer, m, n), 1, "\"scale_format\":{", "element");
  ABI_ANSWER(mxgold_facts("profiles", "te", &answer, m, n), 1, "\"system\":", "block formats");
  ABI_REFUSAL(mxgold_facts("masks", "te", &answer, m, n), MXGOLD_BAD_VALUE, "no list with facts");
  ABI_REFUSAL(mxgold_facts("profiles", "tee", &answer, m, n), MXGOLD_BAD_VALUE, "mean 'te'");
  ABI_REFUSAL(mxgold_facts("formats", "msfp12", &answer, m, n), MXGOLD_UNKNOWN_FORMAT,
              "known by name only");
  ABI_EXPECT(mxgold_facts(NULL, "te", &answer, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_facts("formats", NULL, &answer, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_facts("formats", "fp32", NULL, m, n) == MXGOLD_NULL_ARGUMENT);

  ABI_ANSWER(mxgold_expanded("fp32", "mxfp8_e4m3", te, 1, &answer, m, n), 1,
             "{\"name\":\"rule\",\"value\":\"rceil\",\"default\":\"floor\"", "rceil");
  ABI_REFUSAL(mxgold_expanded("fp32", "mxfp4", te, 1, &answer, m, n), MXGOLD_BAD_VALUE,
              "te defines mxfp8_e4m3, mxfp8_e5m2, nvfp4, nvfp4_16x16: not mxfp4");
  ABI_REFUSAL(mxgold_expanded("fp32", "mxfp4", drawn, 1, &answer, m, n), MXGOLD_UNKNOWN_OPTION,
              "unknown option 'seed'");
  ABI_EXPECT(mxgold_expanded(NULL, "mxfp4", te, 1, &answer, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_expanded("fp32", NULL, te, 1, &answer, m, n) == MXGOLD_NULL_ARGUMENT);

  ABI_ANSWER(mxgold_diff("ocp-mx-1.0", "te", bf16, 2, &answer, m, n), 1, "\"differing_surfaces\":0",
             "bf16 -> e4m3fn");
  ABI_ANSWER(mxgold_diff("mxgold-default", "ml_dtypes-0.6", bf16, 2, &answer, m, n), 0,
             "\"differing_surfaces\":1", "1 of 1 common surfaces differ");
  ABI_REFUSAL(mxgold_diff("te", "tee", bf16, 2, &answer, m, n), MXGOLD_BAD_VALUE, "mean 'te'");
  ABI_REFUSAL(mxgold_diff("te", "te", lanes, 1, &answer, m, n), MXGOLD_UNKNOWN_OPTION, "'lanes'");
  ABI_EXPECT(mxgold_diff(NULL, "te", NULL, 0, &answer, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_diff("te", NULL, NULL, 0, &answer, m, n) == MXGOLD_NULL_ARGUMENT);

  ABI_ANSWER(mxgold_identify("fp32 e2m1fn\n3f400000 1\n3fa00000 2\n3fe00000 3\n40200000 4\n",
                             &answer, m, n),
             1, "\"profile\":\"ggml\"", "profiles that explain every record");
  ABI_ANSWER(mxgold_identify("bf16 e2m1fn\n3f80 1\n4080 1\n", &answer, m, n), 0, "\"classes\":[]",
             "no profile explains every record");
  ABI_REFUSAL(mxgold_identify("fp32 e2m1fn\n3f40000 1\n", &answer, m, n), MXGOLD_BAD_VALUE,
              "log:2: input: '3f40000' has 7 digits");
  ABI_REFUSAL(mxgold_identify("fp32 e2m1fn\n3f400000 x\n", &answer, m, n), MXGOLD_BAD_VALUE,
              "nothing to compare");
  ABI_REFUSAL(mxgold_identify("", &answer, m, n), MXGOLD_BAD_VALUE, "header: missing");
  ABI_EXPECT(mxgold_identify(NULL, &answer, m, n) == MXGOLD_NULL_ARGUMENT);

  ABI_ANSWER(mxgold_telling_inputs("bf16", "e2m1fn", 3, 0, &answer, m, n), 1, "\"inputs\":[",
             "bf16 e2m1fn\n");
  ABI_EXPECT(mxgold_telling_inputs("bf16", "e2m1fn", 0, 0, &answer, m, n) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_telling_inputs("bf16", "e2m1fn", 100001, 0, &answer, m, n) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(mxgold_telling_inputs(NULL, "e2m1fn", 3, 0, &answer, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_REFUSAL(mxgold_telling_inputs("bf16", "zz", 3, 0, &answer, m, n), MXGOLD_UNKNOWN_FORMAT,
              "unknown format 'zz'");
  ABI_EXPECT(mxgold_answer_json(NULL) == NULL && mxgold_answer_text(NULL) == NULL);
  ABI_EXPECT(mxgold_answer_holds(NULL) == 0);
  mxgold_answer_destroy(NULL);
}

static void abi_compared_values(void) {
  static const mxgold_option ocp[] = {{"profile", "ocp-mx-1.0"}};
  static const uint32_t source[] = {0x3F880000, 0x40400000, 0x7FC00000};
  static const uint8_t codes[] = {0x39, 0x44, 0x7F};
  static const uint8_t small[] = {2, 5, 0};
  static const uint8_t stray[] = {2, 5, 0x10};
  uint8_t marks[3] = {9, 9, 9};
  char message[300] = "";
  mxgold_answer* answer = NULL;
  mxgold_conversion* wide = NULL;
  mxgold_conversion* open = NULL;
  char* const m = message;
  const size_t n = sizeof message;
  ABI_EXPECT(mxgold_conversion_create("fp32", "e4m3fn", NULL, 0, &wide, NULL, 0) == MXGOLD_OK);
  ABI_EXPECT(mxgold_conversion_create("fp32", "e2m1fn", ocp, 1, &open, NULL, 0) == MXGOLD_OK);
  ABI_ANSWER(mxgold_compare_values(wide, source, 12, codes, 3, 0, 0, 9, marks, 3, &answer, m, n), 0,
             "{\"all\":3,\"agree\":2,\"differ\":1,\"open\":0,\"dont_care\":0}",
             "as with rounding ties_to_away for ties_to_even (1 of 1");
  ABI_EXPECT(marks[0] == MXGOLD_DIFFERS && marks[1] == MXGOLD_AGREES && marks[2] == MXGOLD_AGREES);
  ABI_ANSWER(
      mxgold_compare_values(wide, source + 1, 8, codes + 1, 2, 0, 0, 9, NULL, 0, &answer, NULL, 0),
      1, "\"differences\":[]", "0 of 2 codes differ, 2 agree");
  ABI_ANSWER(mxgold_compare_values(wide, source, 12, codes, 3, 0, 0, 0, NULL, 0, &answer, m, n), 0,
             "\"differences\":[]", "1 of 3 codes differ");
  ABI_ANSWER(mxgold_compare_values(wide, NULL, 0, NULL, 0, 0, 0, 9, NULL, 0, &answer, m, n), 0,
             "\"all\":0", "0 of 0 codes differ");
  ABI_ANSWER(mxgold_compare_values(open, source, 12, small, 3, 0, 0, 9, marks, 3, &answer, m, n), 1,
             "\"open\":1", "2 agree, 1 are open");
  ABI_EXPECT(marks[0] == MXGOLD_AGREES && marks[2] == MXGOLD_OPEN);
  ABI_ANSWER(
      mxgold_compare_values(open, source + 2, 4, small + 2, 1, 0, 0, 9, NULL, 0, &answer, m, n), 0,
      "\"agree\":0", "1 are open");
  ABI_REFUSAL(mxgold_compare_values(open, source, 12, stray, 3, 0, 0, 9, NULL, 0, &answer, m, n),
              MXGOLD_BAD_CODE, "bits above its format's width");
#define ABI_COMPARE(size, these, code_size, count, out) \
  mxgold_compare_values(wide, source, size, these, code_size, 0, 0, 9, marks, count, out, m, n)
  ABI_EXPECT(ABI_COMPARE(11, codes, 3, 3, &answer) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COMPARE(12, codes, 2, 3, &answer) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COMPARE(12, codes, 3, 2, &answer) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COMPARE(12, marks, 3, 3, &answer) == MXGOLD_OVERLAP);
  ABI_EXPECT(ABI_COMPARE(12, NULL, 3, 3, &answer) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(ABI_COMPARE(12, codes, 3, 3, NULL) == MXGOLD_NULL_ARGUMENT);
#undef ABI_COMPARE
  ABI_EXPECT(mxgold_compare_values(NULL, source, 12, codes, 3, 0, 0, 9, NULL, 0, &answer, m, n) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_compare_values(wide, NULL, 12, codes, 3, 0, 0, 9, NULL, 0, &answer, m, n) ==
             MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(answer == NULL);
  mxgold_conversion_destroy(wide);
  mxgold_conversion_destroy(open);
}

static void abi_compared_blocks(void) {
  static const uint64_t shape[] = {33};
  static const uint8_t codes[33] = {0};
  static const uint8_t scales[] = {0, 0xFF};
  static const uint8_t ones[] = {0x7F, 0xFF};
  const uint32_t nan = 0x7FC00000;
  float source[33] = {0};
  uint8_t marks[33];
  uint8_t scale_marks[2];
  char message[300] = "";
  mxgold_answer* answer = NULL;
  mxgold_quantizer* quantizer = NULL;
  char* const m = message;
  const size_t n = sizeof message;
  memcpy(source + 32, &nan, sizeof nan);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp8_e4m3", NULL, 0, &quantizer, NULL, 0) ==
             MXGOLD_OK);
#define ABI_COMPARE(rank, size, these_codes, code_size, these_scales, scale_size, count, out)     \
  mxgold_compare_blocks(quantizer, shape, rank, 0, source, size, these_codes, code_size,          \
                        these_scales, scale_size, 0, 0, 9, marks, 33, scale_marks, count, out, m, \
                        n)
  ABI_ANSWER(ABI_COMPARE(1, 132, codes, 33, scales, 2, 2, &answer), 1,
             "{\"all\":33,\"agree\":32,\"differ\":0,\"open\":0,\"dont_care\":1}", "0 of 2 scales");
  ABI_EXPECT(marks[0] == MXGOLD_AGREES && marks[32] == MXGOLD_DONT_CARE);
  ABI_EXPECT(scale_marks[0] == MXGOLD_AGREES && scale_marks[1] == MXGOLD_AGREES);
  ABI_ANSWER(ABI_COMPARE(1, 132, codes, 33, ones, 2, 2, &answer), 0, "\"block\":0",
             "as with zero_block_scale one for code_00");
  ABI_EXPECT(scale_marks[0] == MXGOLD_DIFFERS && scale_marks[1] == MXGOLD_AGREES);
  ABI_EXPECT(ABI_COMPARE(1, 131, codes, 33, scales, 2, 2, &answer) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COMPARE(1, 132, codes, 32, scales, 2, 2, &answer) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COMPARE(1, 132, codes, 33, scales, 1, 2, &answer) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COMPARE(1, 132, codes, 33, scales, 2, 1, &answer) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COMPARE(0, 132, codes, 33, scales, 2, 2, &answer) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COMPARE(1, 132, NULL, 33, scales, 2, 2, &answer) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(ABI_COMPARE(1, 132, codes, 33, NULL, 2, 2, &answer) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(ABI_COMPARE(1, 132, codes, 33, scales, 2, 2, NULL) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(ABI_COMPARE(1, 132, codes, 33, scale_marks, 2, 2, &answer) == MXGOLD_OVERLAP);
  ABI_EXPECT(ABI_COMPARE(1, 132, marks, 33, scales, 2, 2, &answer) == MXGOLD_OVERLAP);
#undef ABI_COMPARE
  ABI_EXPECT(mxgold_compare_blocks(NULL, shape, 1, 0, source, 132, codes, 33, scales, 2, 0, 0, 9,
                                   NULL, 0, NULL, 0, &answer, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(answer == NULL);
  mxgold_quantizer_destroy(quantizer);
}

static void abi_stray_scales(void) {
  static const uint64_t shape[] = {1};
  static const float one[] = {1};
  static const uint8_t code[] = {0x40};
  uint8_t scale[] = {0x1F};
  char message[100] = "";
  mxgold_answer* answer = NULL;
  mxgold_quantizer* quantizer = NULL;
  ABI_EXPECT(mxgold_quantizer_create("fp32", "tt_bfp8a", NULL, 0, &quantizer, NULL, 0) ==
             MXGOLD_OK);
  ABI_ANSWER(mxgold_compare_blocks(quantizer, shape, 1, 0, one, 4, code, 1, scale, 1, 0, 0, 9, NULL,
                                   0, NULL, 0, &answer, message, sizeof message),
             0, "\"scales\":", "scales differ");
  scale[0] = 0x3F;
  ABI_REFUSAL(mxgold_compare_blocks(quantizer, shape, 1, 0, one, 4, code, 1, scale, 1, 0, 0, 9,
                                    NULL, 0, NULL, 0, &answer, message, sizeof message),
              MXGOLD_BAD_CODE, "bits above its format's width");
  mxgold_quantizer_destroy(quantizer);
}

static void abi_covered(void) {
  static const uint64_t shape[] = {2, 32};
  static const uint8_t codes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0x10};
  static const float source[64] = {1};
  char message[300] = "";
  mxgold_answer* answer = NULL;
  mxgold_conversion* conversion = NULL;
  mxgold_quantizer* quantizer = NULL;
  char* const m = message;
  const size_t n = sizeof message;
  ABI_EXPECT(mxgold_conversion_create("e2m1fn", "e4m3fn", NULL, 0, &conversion, NULL, 0) ==
             MXGOLD_OK);
  ABI_EXPECT(mxgold_quantizer_create("fp32", "mxfp4", NULL, 0, &quantizer, NULL, 0) == MXGOLD_OK);
  ABI_ANSWER(mxgold_cover_values(conversion, codes, 16, 0, 0, &answer, m, n), 1,
             "\"percent\":\"100.00\"", "e2m1fn to e4m3fn, 16 samples");
  ABI_ANSWER(mxgold_cover_values(conversion, codes, 15, 0, 0, &answer, NULL, 0), 0,
             "\"holes\":[\"-max_normal\"]", "not hit: -max_normal");
  ABI_ANSWER(mxgold_cover_values(conversion, NULL, 0, 0, 0, &answer, m, n), 0, "\"hit\":0",
             "0 samples");
  ABI_REFUSAL(mxgold_cover_values(conversion, codes, 17, 0, 0, &answer, m, n), MXGOLD_BAD_CODE,
              "bits above its format's width");
  ABI_EXPECT(mxgold_cover_values(conversion, NULL, 1, 0, 0, &answer, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_cover_values(NULL, codes, 16, 0, 0, &answer, m, n) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(mxgold_cover_values(conversion, codes, 16, 0, 0, NULL, m, n) == MXGOLD_NULL_ARGUMENT);
#define ABI_COVER(quantizer, shape, axis, source, size) \
  mxgold_cover_blocks(quantizer, shape, 2, axis, source, size, 0, 0, &answer, m, n)
  ABI_ANSWER(ABI_COVER(quantizer, shape, 1, source, 256), 0, "\"samples\":2",
             "fp32 to mxfp4, 2 samples");
  ABI_ANSWER(ABI_COVER(quantizer, shape, 0, source, 256), 0, "\"samples\":32",
             "fp32 to mxfp4, 32 samples");
  ABI_EXPECT(ABI_COVER(quantizer, shape, 1, source, 255) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COVER(quantizer, shape, 2, source, 256) == MXGOLD_BAD_SIZE);
  ABI_EXPECT(ABI_COVER(quantizer, shape, 1, NULL, 256) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(ABI_COVER(quantizer, NULL, 1, source, 256) == MXGOLD_NULL_ARGUMENT);
  ABI_EXPECT(ABI_COVER(NULL, shape, 1, source, 256) == MXGOLD_NULL_ARGUMENT);
#undef ABI_COVER
  ABI_EXPECT(answer == NULL);
  mxgold_conversion_destroy(conversion);
  mxgold_quantizer_destroy(quantizer);
}

#endif
