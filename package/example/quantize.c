/* A block of bfloat16 to MXFP4, by a model of one line of text and by the tensor interface. */
#include <stdio.h>
#include <string.h>

#include "mxgold_model.h"

enum { LANES = 32 };

static int by_model(const uint64_t* source, uint64_t* scale, uint64_t* codes) {
  char why[256];
  mxgold_model* model = NULL;
  if (mxgold_model_open("format=mxfp4 source=bf16", &model, why, sizeof why) != MXGOLD_OK) {
    fprintf(stderr, "%s\n", why);
    return 0;
  }
  mxgold_record record = {0};
  record.operands[MXGOLD_FIELD_SOURCE] = source;
  record.results[0] = scale;
  record.results[1] = codes;
  const mxgold_status status = mxgold_model_answer(model, &record, NULL, why, sizeof why);
  if (status != MXGOLD_OK) fprintf(stderr, "%s\n", why);
  mxgold_model_close(model);
  return status == MXGOLD_OK;
}

static int by_tensor(const uint64_t* source, uint8_t* scale, uint8_t* codes) {
  uint16_t tensor[LANES];
  const uint64_t shape[] = {LANES};
  mxgold_quantizer* quantizer = NULL;
  char why[256];
  for (int i = 0; i < LANES; ++i) tensor[i] = (uint16_t)source[i];
  if (mxgold_quantizer_create("bf16", "mxfp4", NULL, 0, &quantizer, why, sizeof why) != MXGOLD_OK) {
    fprintf(stderr, "%s\n", why);
    return 0;
  }
  const mxgold_status status = mxgold_quantize_tensor(
      quantizer, shape, 1, -1, tensor, sizeof tensor, 0, 0, codes, LANES, scale, 1, NULL);
  mxgold_quantizer_destroy(quantizer);
  return status == MXGOLD_OK;
}

int main(void) {
  uint64_t source[LANES];
  uint64_t codes[LANES];
  uint64_t scale = 0;
  uint8_t packed_codes[LANES];
  uint8_t packed_scale = 0;
  if (mxgold_abi_version() != MXGOLD_ABI_VERSION) return 1;
  if (mxgold_model_abi_version() != MXGOLD_MODEL_ABI_VERSION) return 1;
  for (int i = 0; i < LANES; ++i) source[i] = 0x3F80u + 8u * (unsigned)i; /* 1.0 and up */
  if (!by_model(source, &scale, codes) || !by_tensor(source, &packed_scale, packed_codes)) return 1;
  printf("scale %02x codes", (unsigned)scale);
  for (int i = 0; i < LANES; ++i) printf(" %x", (unsigned)codes[i]);
  printf("\n");
  for (int i = 0; i < LANES; ++i) {
    if (codes[i] != packed_codes[i]) return 1;
  }
  return scale == packed_scale ? 0 : 1;
}
