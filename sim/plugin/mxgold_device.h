/* The C interface of devices under test: what `mxgold run --dut plugin:FILE.so[:ARGUMENTS]` loads.
 * Compiles as C99, C11, C++17 and C++20 and needs no other file of mxgold.
 * docs/howto/plugin.md walks through a whole plugin.
 *
 * A plugin is a shared library that exports mxgold_device_entry(). The table that it returns makes
 * devices, of one of two kinds:
 *   - clocked: inputs and outputs of one clock cycle at a time, blocks of 32 lanes with valid and
 *     ready on both sides, stalls and resets;
 *   - records: a batch of operands in, their results out; any operation, any shape.
 *
 * Rules:
 *   - The program makes a device for every thread, and others to ask them for facts. Functions of
 *     one device are never called at the same time; those of different devices are.
 *   - A result may depend on nothing but what the device was given since it was made: a failure is
 *     shown again by a new device in another process.
 *   - No exception leaves a function, no function ends the process, and none takes longer than the
 *     run's --time-out. Whatever does is reported, and the program ends with exit code 4.
 *   - What the program passes to a function is valid until the function returns, a run until the
 *     device is destroyed. What a plugin returns has to stay as it is: facts until the device is
 *     destroyed, the table for ever; a library is never unloaded.
 *   - Standard output belongs to the program. Say what you have to say on standard error.
 */
#ifndef MXGOLD_DEVICE_H
#define MXGOLD_DEVICE_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MXGOLD_DEVICE_EXPORT
#else
#define MXGOLD_DEVICE_EXPORT __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Raised by one when a function or structure changes incompatibly. */
#define MXGOLD_DEVICE_ABI_VERSION 1u

/* Lanes of a block on the streams of a clocked device. */
#define MXGOLD_DEVICE_LANES 32u

/* What became of a call. Every other value is an error of the plugin. */
typedef int32_t mxgold_device_status;
enum {
  MXGOLD_DEVICE_OK = 0,
  MXGOLD_DEVICE_BAD_ARGUMENTS = 1, /* create: not what this plugin takes; exit code 2 */
  MXGOLD_DEVICE_UNSUPPORTED = 2,   /* the device does not compute this; exit code 2 */
  MXGOLD_DEVICE_FAILED = 3         /* the device broke, hung or cannot be had; exit code 4 */
};

/* Where a function that fails says why: write a NUL-terminated line of at most `size` bytes. */
typedef struct mxgold_device_message {
  char* text;
  size_t size;
} mxgold_device_message;

/* A field of a configuration and its value, as the header of a vector file spells them
 * (docs/vector-format.md): {"rounding", "ties_to_even"}, {"block_size", "32"}. */
typedef struct mxgold_device_field {
  const char* name;
  const char* value;
} mxgold_device_field;

enum { MXGOLD_DEVICE_CLOCKED = 1, MXGOLD_DEVICE_RECORDS = 2 };

/* What a device is. The program sets every member to 0 before it asks. */
typedef struct mxgold_device_facts {
  const char* name; /* a line: what reports call the device */
  uint32_t kind;    /* MXGOLD_DEVICE_CLOCKED or MXGOLD_DEVICE_RECORDS */
  uint32_t lanes;   /* clocked: 32; records of dot, mma and cast: lanes of a record; else 0 */
  /* "cvt", "dot", "mma", "arith", "cast", "dequantize", or "block", all that a clocked device does.
   */
  const char* operation;
  /* What the device computes: values that fields of a configuration may have; a name that stands
   * several times has several. A field that is not named may have any value. */
  const mxgold_device_field* configuration;
  size_t configuration_count;
  /* What of an answer the device gives, names with commas between: "scale,code". NULL: everything.
   * Records: the result fields scale, code, flags; clocked: those, keep and last. The rest may be
   * anything; it is not compared and counts as unobserved in the verdict. */
  const char* observes;
  uint32_t takes_short;         /* records of blocks: 1 if blocks may be short (field elements) */
  uint32_t ready_is_registered; /* clocked: 1 if the input's ready depends on no ready of the same
                                   cycle; needs peek */
  uint64_t patience; /* clocked: cycles without progress before it counts as hung; 0: 4096 */
} mxgold_device_facts;

/* A configuration of a run, whole: every field under its name. */
typedef struct mxgold_device_configuration {
  const mxgold_device_field* fields;
  size_t field_count;
  uint32_t has_tuser; /* 1 if there is a word for it (docs/spec/rtl.md R5.6) */
  uint32_t tuser;
} mxgold_device_configuration;

/* A field of every record: `lanes` words, of which the low `bytes` bytes count. */
typedef struct mxgold_device_shape {
  const char* name; /* "source"; docs/pipe-protocol.md lists those of each operation */
  uint32_t lanes;
  uint32_t bytes;
  uint32_t is_result; /* 1: the device writes it */
} mxgold_device_shape;

/* What is true of a whole run. */
typedef struct mxgold_device_run {
  uint64_t seed; /* for devices with a random state at the start */
  const mxgold_device_configuration* configurations;
  size_t configuration_count;
  /* Records only: their fields, operands first, and how many there will be. */
  const mxgold_device_shape* fields;
  size_t field_count;
  uint64_t records;
} mxgold_device_run;

/* The pins of one clock cycle, as the clock edge at its end sees them. Where valid is 0, and in
 * reset, every member below ready is noise. */
typedef struct mxgold_device_inputs {
  uint32_t valid;  /* a block is offered */
  uint32_t ready;  /* an answer, if there is one, is taken in this cycle */
  uint32_t lanes;  /* 32 */
  uint32_t config; /* number of the block's configuration among the run's; never beyond them */
  uint32_t tuser;  /* its word, 0 where it has none */
  uint32_t last;   /* 0 or 1, comes back with the answer */
  uint64_t keep;   /* bit i: lane i takes part; the others count as +0, and their code is 0 */
  const uint32_t* source; /* a source code for each lane, in the low bits */
  const uint32_t* random; /* a random word for each lane, where the rounding is stochastic */
} mxgold_device_inputs;

/* What stands on the wires just before that edge. The device sets ready and valid to 0 or 1 in
 * every cycle, and where valid is 1 all that it observes. */
typedef struct mxgold_device_outputs {
  uint32_t ready; /* a block that is offered is taken in this cycle */
  uint32_t valid; /* an answer is there */
  uint32_t lanes; /* 32 */
  uint32_t scale; /* the scale code, 8 bits */
  uint32_t flags; /* bit 0 scale clamped, 1 zero block, 2 Inf present, 3 NaN present, 4 underflow,
                     5 saturated */
  uint32_t last;
  uint64_t keep;
  uint32_t* codes; /* an element code for each lane, 8 bits */
} mxgold_device_outputs;

/* A reset. A device forgets every block in flight; none of them may come out afterwards. */
typedef struct mxgold_device_reset {
  uint64_t blocks; /* how many follow, unless another reset comes in between */
  uint32_t edges; /* rising clock edges while it is active. 0: a pulse between two edges, of which a
                     device whose reset is synchronous takes one */
  /* The pins meanwhile: valid may be 1, the payload is noise. */
  const mxgold_device_inputs* inputs;
} mxgold_device_reset;

/* A field of a batch of records: record i has words [i * lanes, (i + 1) * lanes). */
typedef struct mxgold_device_operand {
  const char* name;
  uint32_t lanes;
  uint32_t bytes;
  const uint64_t* words;
} mxgold_device_operand;

typedef struct mxgold_device_result {
  const char* name;
  uint32_t lanes;
  uint32_t bytes;
  uint64_t* words; /* to be written; bits above `bytes` are 0 */
} mxgold_device_result;

/* Records one after the other. The fields are those of the run, in its order. Field config, where
 * there is one, is the number of the record's configuration; without it there is one only. */
typedef struct mxgold_device_batch {
  uint64_t first; /* how many records went before */
  size_t count;
  const mxgold_device_operand* operands;
  size_t operand_count;
  const mxgold_device_result* results;
  size_t result_count;
} mxgold_device_batch;

/* A device; what it is, the plugin alone knows. */
typedef struct mxgold_device mxgold_device;

/* The functions of a plugin. Those that a kind needs must be there, the others may be NULL. */
typedef struct mxgold_device_table {
  uint32_t abi_version; /* MXGOLD_DEVICE_ABI_VERSION */
  uint32_t table_bytes; /* sizeof(mxgold_device_table) */

  /* Makes a device. `arguments` is what follows the second colon of --dut, "" where nothing does.
   */
  mxgold_device_status (*create)(const char* arguments, mxgold_device** device,
                                 mxgold_device_message message);
  void (*destroy)(mxgold_device* device);
  /* May be asked at any time. */
  mxgold_device_status (*facts)(mxgold_device* device, mxgold_device_facts* facts,
                                mxgold_device_message message);
  /* Optional. MXGOLD_DEVICE_OK if the device computes a configuration that its facts allow,
   * MXGOLD_DEVICE_UNSUPPORTED and the reason if not: a suite leaves it out, a file is refused. */
  mxgold_device_status (*supports)(mxgold_device* device,
                                   const mxgold_device_configuration* configuration,
                                   mxgold_device_message message);
  /* Once, before the first reset or batch. */
  mxgold_device_status (*configure)(mxgold_device* device, const mxgold_device_run* run,
                                    mxgold_device_message message);

  /* Clocked devices. */
  mxgold_device_status (*reset)(mxgold_device* device, const mxgold_device_reset* reset,
                                mxgold_device_message message);
  mxgold_device_status (*tick)(mxgold_device* device, const mxgold_device_inputs* inputs,
                               mxgold_device_outputs* outputs, mxgold_device_message message);
  /* Optional. What the outputs of this cycle would be under other inputs, without the clock edge:
   * the harness looks for outputs that follow an input at once. */
  mxgold_device_status (*peek)(mxgold_device* device, const mxgold_device_inputs* inputs,
                               mxgold_device_outputs* outputs, mxgold_device_message message);
  /* Optional. No further block will be offered before the next reset. */
  mxgold_device_status (*end_of_input)(mxgold_device* device, mxgold_device_message message);

  /* Devices of records. */
  mxgold_device_status (*answer)(mxgold_device* device, const mxgold_device_batch* batch,
                                 mxgold_device_message message);
} mxgold_device_table;

/* The one function that a plugin exports. The table lives as long as the process. */
MXGOLD_DEVICE_EXPORT const mxgold_device_table* mxgold_device_entry(void);

#ifdef __cplusplus
}
#endif

#endif
