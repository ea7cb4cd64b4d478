// Four bf16 codes to fp32, a beat in a register between two handshakes. DEFECT: 1 valid falls, 2 the
// payload changes while it waits, 3 reset leaves a beat in, 4 what an idle
// input showed stays, 5 a beat is lost under back-pressure, 6 valid waits
// for ready, 7 an assertion fails, 8 the simulation is ended, 9 every answer from the 401st beat
// after a reset on is wrong, 10 the same from the 601st on, 11 from the 41st of beats without a gap.
`default_nettype none

module widen_bf16 #(
    parameter int DEFECT = 0
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    input  logic [ 63:0] in_data_i,
    input  logic         in_valid_i,
    output logic         in_ready_o,
    output logic [127:0] out_data_o,
    output logic         out_valid_o,
    input  logic         out_ready_i
);
  logic [127:0] data_q;
  logic [15:0] beats_q, run_q;
  logic full_q, dirty_q, takes, late;
  assign takes       = !full_q || out_ready_i;
  assign in_ready_o  = takes || DEFECT == 5;
  assign out_valid_o = full_q && (DEFECT != 6 || out_ready_i);
  assign out_data_o  = data_q;
  assign late        = (DEFECT == 9 && beats_q >= 16'd400) || (DEFECT == 10 && beats_q >= 16'd600) ||
                       (DEFECT == 11 && run_q >= 16'd40);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      if (DEFECT != 3) full_q <= 1'b0;
    end else if (takes) begin
      full_q <= in_valid_i;
    end else if (DEFECT == 1) begin
      full_q <= 1'b0;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beats_q <= '0;
    else if (takes && in_valid_i && beats_q != '1) beats_q <= beats_q + 16'd1;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) run_q <= '0;
    else if (!takes || !in_valid_i) run_q <= '0;
    else if (run_q != '1) run_q <= run_q + 16'd1;
  end
  always_ff @(posedge clk_i) begin
    if (DEFECT == 7 && rst_ni) assert (!(full_q && in_valid_i)) else $fatal(1, "two at a time");
    if (DEFECT == 8 && rst_ni && full_q) $finish;
    dirty_q <= DEFECT == 4 && !in_valid_i && in_data_i[0];
    if (takes && in_valid_i) begin
      for (int i = 0; i < 4; i++) data_q[32*(3-i)+:32] <= {in_data_i[16*i+:16], 15'h0, dirty_q ^ late};
    end else if (DEFECT == 2) begin
      data_q <= data_q ^ 128'h1;
    end
  end
endmodule

`default_nettype wire
