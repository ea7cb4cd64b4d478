// SPDX-License-Identifier: Apache-2.0
// Random words for stochastic rounding: Galois LFSRs of 32 bits, a default source for rnd_i.
//
// One generator for each 32 bits of the word, each with its own seed: one generator fanned out to
// all lanes would correlate their roundings. A generator makes 32 steps at a time, so that
// consecutive words share no bits. Polynomial x^32 + x^22 + x^2 + x + 1 (taps 80200003h), period
// 2^32 - 1 words.
// Goldens are replayed by driving rnd_i from outside instead.
//
// Latency: data_o is valid from reset and changes in the cycle after ready_i. Reset: the seeds.
//
// Parameters: Width of the word; Seed of the first generator, not 0; the k-th has
// Seed + k * 9E3779B9h, replaced by 1 where that is 0.
//
// Example: Width 32, Seed 1: words 00000001, then the state after 32 steps, ...
`default_nettype none

module mx_lfsr #(
    parameter int Width = 256,
    parameter logic [31:0] Seed = 32'h1
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             ready_i,
    output logic [Width-1:0] data_o
);

  localparam int Generators = (Width + 31) / 32;
  localparam logic [31:0] Taps = 32'h80200003;
  localparam logic [31:0] Golden = 32'h9E3779B9;

  generate
    if (Width < 1 || Seed == 32'd0) begin : g_parameters
      mx_lfsr_needs_width_1_or_more_and_a_seed_other_than_0 u_stop ();
    end
  endgenerate

  logic [Generators*32-1:0] state;
  generate
    for (genvar k = 0; k < Generators; k++) begin : g_generator
      localparam logic [31:0] Own = Seed + Golden * k;
      localparam logic [31:0] Start = Own == 32'd0 ? 32'd1 : Own;
      logic [31:0] state_d, state_q;
      always_comb begin
        state_d = state_q;
        for (int step = 0; step < 32; step++) begin
          state_d = {1'b0, state_d[31:1]} ^ ({32{state_d[0]}} & Taps);
        end
      end
      always_ff @(posedge clk_i or negedge rst_ni) begin
        if (!rst_ni) begin
          state_q <= Start;
        end else if (ready_i) begin
          state_q <= state_d;
        end
      end
      assign state[k*32+:32] = state_q;
    end
  endgenerate
  assign data_o = state[Width-1:0];

  generate
    if (Width % 32 != 0) begin : g_rest
      logic unused_state;
      assign unused_state = ^state[Generators*32-1:Width];
    end
  endgenerate

endmodule

`default_nettype wire
