// SPDX-License-Identifier: Apache-2.0
// What iDMA's MX modules need of its idma_pkg, which itself needs the AXI package.
package idma_pkg;
  localparam int unsigned MxBlockElems = 32;
  localparam int unsigned MxBlockBytes = 33;
  localparam int unsigned MxFp32BlockBytes = 128;
  localparam int unsigned MxFp16BlockBytes = 64;
  typedef enum logic [0:0] {
    MX_FMT_FP32,
    MX_FMT_FP16
  } mx_fmt_e;
endpackage
