/* A device as a plugin that answers records by models over mxgold_model.h: blocks and dot products,
 * as many configurations as a run has.
 *
 *   mxgold run --dut 'plugin:libmodel_plugin.so:[lanes=L] [fault=FAULT] [LINE]'
 *
 * LINE is the model (docs/model-line.md), L the lanes of records of dot products; without a LINE
 * the models are those of the run's configuration words. FAULT: flip (a bit of the first code of
 * record 100), wide (a word there of more bits than the field has), lost (that record gets no
 * answer), empty (none does).
 */
#include <mxgold_model.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mxgold_device.h"

enum { FAULTY = 100, WHY = 256, TEXT = 256, WIDE = 0x100 };

struct mxgold_device {
  char line[TEXT];
  char fault[16];
  uint32_t lanes;
  mxgold_model** models;
  size_t model_count;
};

static mxgold_device_status fails(mxgold_device_message message, const char* why) {
  snprintf(message.text, message.size, "%s", why);
  return MXGOLD_DEVICE_FAILED;
}

static mxgold_device_status create(const char* arguments, mxgold_device** device,
                                   mxgold_device_message message) {
  mxgold_device* const made = calloc(1, sizeof *made);
  if (made == NULL) return fails(message, "no memory");
  if (sscanf(arguments, "lanes=%u", &made->lanes) == 1) arguments += strcspn(arguments, " ");
  arguments += strspn(arguments, " ");
  if (sscanf(arguments, "fault=%15[a-z]", made->fault) == 1) arguments += strcspn(arguments, " ");
  arguments += strspn(arguments, " ");
  snprintf(made->line, TEXT, "%s", arguments);
  *device = made;
  return MXGOLD_DEVICE_OK;
}

static void destroy(mxgold_device* device) {
  for (size_t i = 0; i < device->model_count; ++i) mxgold_model_close(device->models[i]);
  free(device->models);
  free(device);
}

static mxgold_device_status facts(mxgold_device* device, mxgold_device_facts* out,
                                  mxgold_device_message message) {
  (void)message;
  out->name = "models over mxgold_model.h";
  out->kind = MXGOLD_DEVICE_RECORDS;
  out->operation = device->lanes != 0 ? "dot" : "block";
  out->lanes = device->lanes;
  out->takes_short = 1;
  return MXGOLD_DEVICE_OK;
}

static mxgold_device_status configure(mxgold_device* device, const mxgold_device_run* run,
                                      mxgold_device_message message) {
  device->models = calloc(run->configuration_count, sizeof *device->models);
  if (device->models == NULL) return fails(message, "no memory");
  for (size_t i = 0; i < run->configuration_count; ++i) {
    mxgold_model** const model = &device->models[i];
    const uint32_t tuser = run->configurations[i].tuser;
    const mxgold_status status =
        device->line[0] != '\0'
            ? mxgold_model_open(device->line, model, message.text, message.size)
            : mxgold_model_open_word(tuser, "", model, message.text, message.size);
    if (status != MXGOLD_OK) return MXGOLD_DEVICE_FAILED;
    device->model_count = i + 1;
    if (device->lanes != 0 && mxgold_model_set_lanes(*model, device->lanes) != MXGOLD_OK) {
      return fails(message, "the model has no records of so many lanes");
    }
  }
  return MXGOLD_DEVICE_OK;
}

static const mxgold_device_operand* operand(const mxgold_device_batch* batch, const char* name) {
  for (size_t i = 0; i < batch->operand_count; ++i) {
    if (strcmp(batch->operands[i].name, name) == 0) return &batch->operands[i];
  }
  return NULL;
}

static const mxgold_device_result* result(const mxgold_device_batch* batch, const char* name) {
  for (size_t i = 0; i < batch->result_count; ++i) {
    if (strcmp(batch->results[i].name, name) == 0) return &batch->results[i];
  }
  return NULL;
}

static uint64_t word_of(const mxgold_device_operand* field, size_t record) {
  return field == NULL ? 0 : field->words[record * field->lanes];
}

static mxgold_device_status answer_one(const mxgold_device* device,
                                       const mxgold_device_batch* batch, size_t i,
                                       mxgold_device_message message) {
  mxgold_model* const model = device->models[word_of(operand(batch, "config"), i)];
  mxgold_model_facts facts;
  mxgold_model_describe(model, &facts);
  mxgold_record record;
  memset(&record, 0, sizeof record);
  record.elements = (uint32_t)word_of(operand(batch, "elements"), i);
  for (size_t f = 0; f < MXGOLD_FIELDS; ++f) {
    const mxgold_model_field* const field = &facts.fields[f];
    if (field->words == 0) continue;
    if (field->is_result != 0) {
      const mxgold_device_result* const out = result(batch, field->name);
      if (out == NULL) return fails(message, "a result that the model has is not asked for");
      record.results[f - MXGOLD_FIELD_SCALE] = out->words + i * out->lanes;
    } else {
      const mxgold_device_operand* const in = operand(batch, field->name);
      if (in == NULL) return fails(message, "an operand that the model needs is not given");
      record.operands[f] = in->words + i * in->lanes;
    }
  }
  return mxgold_model_answer(model, &record, NULL, message.text, message.size) == MXGOLD_OK
             ? MXGOLD_DEVICE_OK
             : MXGOLD_DEVICE_FAILED;
}

static mxgold_device_status answer(mxgold_device* device, const mxgold_device_batch* batch,
                                   mxgold_device_message message) {
  const mxgold_device_result* const code = result(batch, "code");
  if (strcmp(device->fault, "empty") == 0) return MXGOLD_DEVICE_OK;
  for (size_t i = 0; i < batch->count; ++i) {
    const bool is_faulty = batch->first + i == FAULTY;
    if (is_faulty && strcmp(device->fault, "lost") == 0) continue;
    const mxgold_device_status status = answer_one(device, batch, i, message);
    if (status != MXGOLD_DEVICE_OK) return status;
    if (is_faulty && strcmp(device->fault, "flip") == 0) code->words[i * code->lanes] ^= 1;
    if (is_faulty && strcmp(device->fault, "wide") == 0) code->words[i * code->lanes] = WIDE;
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
                                            NULL /* reset */,
                                            NULL /* tick */,
                                            NULL /* peek */,
                                            NULL /* end_of_input */,
                                            answer};
  return &table;
}
