/* A device under test as a plugin in plain C: blocks of FP32 to MXFP4, one configuration.
 * docs/howto/plugin.md walks through it.
 *
 *   cc -std=c99 -shared -fPIC -I sim/plugin sim/examples/mxfp4_plugin.c -lm -o libmxfp4.so
 *   mxgold run --dut plugin:libmxfp4.so                  (blocks as records)
 *   mxgold run --dut plugin:libmxfp4.so:clocked          (the same behind a clock)
 *   mxgold run --dut plugin:libmxfp4.so:clocked,away     (with a defect: ties go away from zero)
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mxgold_device.h"

enum { LANES = 32, STAGES = 4 };

/* ---- the design: float arithmetic, exact here because a division by a power of two and a
 * comparison with seven constants round nothing ---- */

struct block {
  float source[LANES];
  uint64_t keep;
};

struct answer {
  uint32_t codes[LANES];
  uint32_t scale, flags;
  uint64_t keep;
  uint32_t last;
};

/* A code is the number of decision points below; a point itself belongs to the even code. */
static unsigned code_of(double magnitude, bool away) {
  static const double points[7] = {0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5};
  unsigned code = 0;
  for (unsigned i = 0; i < 7; ++i) {
    const bool is_reached = away || i % 2 == 1 ? magnitude >= points[i] : magnitude > points[i];
    code += is_reached ? 1 : 0;
  }
  return code;
}

static void quantize(const struct block* in, bool away, struct answer* out) {
  float amax = 0;
  memset(out->codes, 0, sizeof out->codes);
  out->flags = 0;
  for (unsigned i = 0; i < LANES; ++i) {
    if ((in->keep >> i & 1) == 0) continue;
    if (isinf(in->source[i])) out->flags |= 4;
    if (isnan(in->source[i])) out->flags |= 8;
    amax = fmaxf(amax, fabsf(in->source[i]));
  }
  out->scale = 0xFF;
  if (out->flags != 0) return;
  const int wanted = amax == 0 ? 0 : ilogbf(amax) + 127 - 2;
  const int scale = wanted < 0 ? 0 : wanted;
  out->scale = (uint32_t)scale;
  if (wanted < 0) out->flags |= 1;
  if (amax == 0) out->flags |= 2;
  for (unsigned i = 0; i < LANES; ++i) {
    if ((in->keep >> i & 1) == 0) continue;
    const double magnitude = ldexp(fabs((double)in->source[i]), 127 - scale);
    const unsigned code = code_of(magnitude, away);
    if (magnitude >= 7) out->flags |= 32;
    if (code == 0 && magnitude != 0) out->flags |= 16;
    out->codes[i] = signbit(in->source[i]) ? code | 8 : code;
  }
}

/* ---- the device: the design behind a pipeline of STAGES blocks ---- */

struct stage {
  struct answer answer;
  bool is_full;
};

struct mxgold_device {
  bool is_clocked, is_away;
  struct stage stages[STAGES]; /* the last one is the output */
};

static mxgold_device_status refuse(mxgold_device_message message, const char* why) {
  snprintf(message.text, message.size, "%s", why);
  return MXGOLD_DEVICE_BAD_ARGUMENTS;
}

static mxgold_device_status create(const char* arguments, mxgold_device** device,
                                   mxgold_device_message message) {
  struct mxgold_device made;
  memset(&made, 0, sizeof made);
  for (const char* word = arguments; *word != '\0';) {
    const size_t length = strcspn(word, ",");
    if (length == 7 && strncmp(word, "clocked", length) == 0) {
      made.is_clocked = true;
    } else if (length == 4 && strncmp(word, "away", length) == 0) {
      made.is_away = true;
    } else {
      return refuse(message, "give clocked, away, or both with a comma between");
    }
    word += length + (word[length] == ',' ? 1 : 0);
  }
  *device = malloc(sizeof made);
  if (*device == NULL) return MXGOLD_DEVICE_FAILED;
  **device = made;
  return MXGOLD_DEVICE_OK;
}

static void destroy(mxgold_device* device) { free(device); }

static mxgold_device_status facts(mxgold_device* device, mxgold_device_facts* out,
                                  mxgold_device_message message) {
  /* What is not said here any configuration may have: say all that would change an answer. */
  static const mxgold_device_field computes[] = {{"format", "mxfp4"},
                                                 {"source", "fp32"},
                                                 {"block_size", "32"},
                                                 {"rounding", "ties_to_even"},
                                                 {"overflow", "sat_finite"},
                                                 {"zero_sign", "keep"},
                                                 {"src_ftz", "keep"},
                                                 {"rule", "floor"},
                                                 {"scale_sat", "clamp_254"},
                                                 {"amax_over", "all"},
                                                 {"nan_block", "scale_nan"},
                                                 {"inf_block", "scale_nan"},
                                                 {"zero_block_scale", "code_00"},
                                                 {"elem_scaling", "exact"},
                                                 {"src_daz_block", "keep"}};
  (void)message;
  out->name = device->is_away ? "MXFP4 in C, ties away" : "MXFP4 in C";
  out->kind = device->is_clocked ? MXGOLD_DEVICE_CLOCKED : MXGOLD_DEVICE_RECORDS;
  out->lanes = device->is_clocked ? LANES : 0;
  out->operation = "block";
  out->configuration = computes;
  out->configuration_count = sizeof computes / sizeof computes[0];
  out->takes_short = 1;
  return MXGOLD_DEVICE_OK;
}

static mxgold_device_status configure(mxgold_device* device, const mxgold_device_run* run,
                                      mxgold_device_message message) {
  (void)device;
  (void)run;
  (void)message;
  return MXGOLD_DEVICE_OK;
}

/* ---- with a clock ---- */

static mxgold_device_status reset(mxgold_device* device, const mxgold_device_reset* how,
                                  mxgold_device_message message) {
  (void)how;
  (void)message;
  for (unsigned i = 0; i < STAGES; ++i) device->stages[i].is_full = false;
  return MXGOLD_DEVICE_OK;
}

static bool moves(const mxgold_device* device, const mxgold_device_inputs* in) {
  return !device->stages[STAGES - 1].is_full || in->ready != 0;
}

/* What stands on the wires before the clock edge. */
static mxgold_device_status peek(mxgold_device* device, const mxgold_device_inputs* in,
                                 mxgold_device_outputs* out, mxgold_device_message message) {
  const struct stage* const last = &device->stages[STAGES - 1];
  (void)message;
  out->ready = moves(device, in) ? 1 : 0;
  out->valid = last->is_full ? 1 : 0;
  if (!last->is_full) return MXGOLD_DEVICE_OK;
  memcpy(out->codes, last->answer.codes, sizeof last->answer.codes);
  out->scale = last->answer.scale;
  out->flags = last->answer.flags;
  out->keep = last->answer.keep;
  out->last = last->answer.last;
  return MXGOLD_DEVICE_OK;
}

static mxgold_device_status tick(mxgold_device* device, const mxgold_device_inputs* in,
                                 mxgold_device_outputs* out, mxgold_device_message message) {
  struct stage* const first = &device->stages[0];
  peek(device, in, out, message);
  if (!moves(device, in)) return MXGOLD_DEVICE_OK;
  memmove(first + 1, first, (STAGES - 1) * sizeof *first);
  first->is_full = in->valid != 0;
  if (in->valid == 0) return MXGOLD_DEVICE_OK; /* the payload is noise */
  struct block block;
  memcpy(block.source, in->source, sizeof block.source);
  block.keep = in->keep;
  quantize(&block, device->is_away, &first->answer);
  first->answer.keep = in->keep;
  first->answer.last = in->last;
  return MXGOLD_DEVICE_OK;
}

/* ---- with records ---- */

static const uint64_t* operand(const mxgold_device_batch* batch, const char* name) {
  for (size_t i = 0; i < batch->operand_count; ++i) {
    if (strcmp(batch->operands[i].name, name) == 0) return batch->operands[i].words;
  }
  return NULL;
}

static uint64_t* result(const mxgold_device_batch* batch, const char* name) {
  for (size_t i = 0; i < batch->result_count; ++i) {
    if (strcmp(batch->results[i].name, name) == 0) return batch->results[i].words;
  }
  return NULL;
}

static mxgold_device_status answer(mxgold_device* device, const mxgold_device_batch* batch,
                                   mxgold_device_message message) {
  const uint64_t* const source = operand(batch, "source");
  const uint64_t* const elements = operand(batch, "elements");
  uint64_t* const scale = result(batch, "scale");
  uint64_t* const code = result(batch, "code");
  uint64_t* const flags = result(batch, "flags");
  if (source == NULL || scale == NULL || code == NULL || flags == NULL) {
    snprintf(message.text, message.size, "records without source, scale, code or flags");
    return MXGOLD_DEVICE_FAILED;
  }
  for (size_t i = 0; i < batch->count; ++i) {
    struct block block;
    struct answer out;
    const uint64_t lanes = elements == NULL ? LANES : elements[i];
    block.keep = ((uint64_t)1 << lanes) - 1;
    for (size_t lane = 0; lane < LANES; ++lane) {
      const uint32_t bits = (uint32_t)source[i * LANES + lane];
      memcpy(&block.source[lane], &bits, sizeof bits);
    }
    quantize(&block, device->is_away, &out);
    scale[i] = out.scale;
    flags[i] = out.flags;
    for (size_t lane = 0; lane < LANES; ++lane) code[i * LANES + lane] = out.codes[lane];
  }
  return MXGOLD_DEVICE_OK;
}

const mxgold_device_table* mxgold_device_entry(void) {
  static const mxgold_device_table table = {MXGOLD_DEVICE_ABI_VERSION,
                                            sizeof(mxgold_device_table),
                                            create,
                                            destroy,
                                            facts,
                                            NULL /* supports */,
                                            configure,
                                            reset,
                                            tick,
                                            peek,
                                            NULL /* end_of_input */,
                                            answer};
  return &table;
}
