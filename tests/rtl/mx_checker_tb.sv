// mx_quantizer_checker on its own, beside a model of the streams that can break one rule.
//
// Plusarg +fault=NAME: the rule that breaks, an assertion without its "_A"; none: the model keeps
// all of them, and the bench ends with "PASS <n> beats". Runs in Verilator and in Icarus.
`timescale 1ns / 1ps
`default_nettype none

`define BREAKS(RULE) (broken && fault == RULE)

module mx_checker_tb;

  localparam int Lanes = 16;
  localparam int Cycles = 400;
  localparam int Strike = 100;  // about when the rule breaks

  logic clk = 1'b0;
  logic rst_n = 1'b1;
  always #5 clk = ~clk;

  reg [8*32-1:0] fault;
  integer cycle = 0;
  integer beats, seed, draw, lane;

  // The input side, new at every falling edge unless a beat waits.
  logic                 s_valid = 1'b0, s_last = 1'b0, m_ready = 1'b0;
  logic [Lanes*4-1:0]   s_keep = '0;
  logic [31:0]          s_user = '0;
  logic [Lanes*9-1:0]   keys = '0;
  logic [Lanes*8+15:0]  fresh_payload = '0;

  // Four stages: keep and last of a beat, its payload, and the largest key at the third.
  logic [3:0]           valid_q = '0;
  logic [Lanes:0]       line_q[4];
  logic [Lanes*8+15:0]  payload_1_q, payload_2_q, payload_3_q, payload;
  logic [Lanes*9-1:0]   keys_q = '0;
  logic [8:0]           largest, max_2_q = '0, max_3_q = '0;
  logic                 freeze = 1'b0, drop_valid = 1'b0, flip = 1'b0, broken = 1'b0;
  logic                 advance_was = 1'b0, waited = 1'b0;  // in the cycle before
  wire                  advance = (m_ready | ~valid_q[3]) & ~freeze;

  // A key is {exponent, carry}.
  logic [Lanes*8-1:0]   exponents;
  logic [Lanes-1:0]     carries;
  always_comb begin
    largest = '0;
    for (int i = 0; i < Lanes; i++) begin
      if (keys_q[i*9+:9] > largest) largest = keys_q[i*9+:9];
      exponents[i*8+:8] = keys_q[i*9+1+:8];
      carries[i] = keys_q[i*9];
    end
  end
  always @(posedge clk or negedge rst_n) begin
    if (!rst_n) begin
      valid_q <= '0;
    end else if (advance) begin
      valid_q <= {valid_q[2:0], s_valid};
    end
  end
  always @(posedge clk) begin
    if (advance) begin
      line_q[0] <= {s_last, keep_of(s_keep)};
      payload_1_q <= fresh_payload;
      line_q[1] <= line_q[0];
      payload_2_q <= payload_1_q;
      line_q[2] <= line_q[1];
      payload_3_q <= payload_2_q;
      line_q[3] <= line_q[2];
      payload <= payload_3_q;
      keys_q <= keys;
      max_2_q <= largest;
      max_3_q <= max_2_q;
    end
  end

  function [Lanes-1:0] keep_of(input [Lanes*4-1:0] bytes);
    integer i;
    for (i = 0; i < Lanes; i = i + 1) keep_of[i] = bytes[i*4];
  endfunction

  // Codes that are no NaN, a scale, now and then a NaN block.
  task renew;
    begin
      // Not while a beat waits: a beat that changes breaks another rule.
      if (cycle >= Strike && !waited) broken = 1'b1;
      draw = $random(seed);
      if (!s_valid || advance_was) begin
        s_valid = draw[1:0] != 0;
        s_last = draw[2];
        s_user = 0;
        for (lane = 0; lane < Lanes; lane = lane + 1) begin
          draw = $random(seed);
          s_keep[lane*4+:4] = {4{draw[0]}};
          keys[lane*9+:9] = draw[10:2];
          fresh_payload[16+lane*8+:8] = {draw[12], 1'b0, draw[18:13]};
        end
        draw = $random(seed);
        fresh_payload[15:0] = draw[3:0] == 0 ? 16'h08FF : {8'h00, 1'b0, draw[10:4]};
      end
      m_ready = $random(seed) & 1;
      // A pause that no stall explains.
      freeze = `BREAKS("Latency") && ~freeze && ~valid_q[3] && valid_q[2];
      drop_valid = `BREAKS("ValidHeld") && waited;
      flip = ~flip;
    end
  endtask

  wire m_last = line_q[3][Lanes] ^ `BREAKS("BeatOrder");
  wire s_ready = advance;
  mx_quantizer_checker #(
      .Lanes(Lanes),
      .BlockSize(Lanes),
      .PipeLane(0)
  ) u_checker (
      .clk_i(clk),
      .rst_ni(rst_n),
      .s_axis_tkeep(s_keep ^ (`BREAKS("KeepBytesAgree") ? {{Lanes * 4 - 2{1'b0}}, 2'b10} : '0)),
      .s_axis_tlast(s_last),
      .s_axis_tuser(`BREAKS("LegalCode") ? 32'd6 : s_user),
      .s_axis_tvalid(s_valid),
      .s_axis_tready(s_ready),
      .rnd_ready_o((valid_q[2] & advance & (fault != "RandomTaken")) | (fault == "RandomOrder")),
      .m_axis_tdata(`BREAKS("NoNanCode") ? {Lanes{8'h7F}} :
                    payload[Lanes*8+15:16] ^ {{Lanes*8-1{1'b0}}, flip & `BREAKS("StablePayload")}),
      .m_axis_tkeep(line_q[3][Lanes-1:0]),
      .m_axis_tlast(m_last),
      // An unknown bit that no other rule looks at, before any beat waits.
      .m_axis_tuser(`BREAKS("ScaleOfNan") ? 16'h00FF :
                    fault == "OutputKnown" ? {1'bx, payload[14:0]} : payload[15:0]),
      .m_axis_tvalid(valid_q[3] & ~drop_valid),
      .m_axis_tready(m_ready),
      .exponents_s1(exponents),
      .nonzero_s1({Lanes{1'b1}}),
      .carry_s1(carries),
      .exponent_s3(max_3_q[8:1]),
      .carry_s3(max_3_q[0] ^ `BREAKS("MaximumAgrees")),
      .take({2{advance}})
  );

  initial begin
    if (!$value$plusargs("fault=%s", fault)) fault = "";
    seed = 1;
    beats = 0;
    #12 rst_n = 1'b0;
    #20 rst_n = 1'b1;
    for (cycle = 0; cycle < Cycles; cycle = cycle + 1) begin
      @(negedge clk);
      renew;
      #4;
      advance_was = advance;
      waited = valid_q[3] && !m_ready;
      if (valid_q[3] && m_ready) beats = beats + 1;
    end
    if (beats < Cycles / 4) $fatal(1, "FAIL only %0d beats", beats);
    $display("PASS %0d beats", beats);
    $finish;
  end

endmodule

`default_nettype wire
