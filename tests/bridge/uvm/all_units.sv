// SPDX-License-Identifier: Apache-2.0
// Every bench in one simulation, since UVM takes minutes to compile: +unit=NAME says which one runs,
// +mx_fault=N which fault the RTL has.
module all_units;
  loop_bench loop ();
  mx_quantizer_bench quantizer ();
  mx_dequantizer_bench dequantizer ();
  mx_dot_bench dot ();

  initial if ($value$plusargs("mx_fault=%d", mx_fault::chosen) == 0) mx_fault::chosen = 0;
endmodule
