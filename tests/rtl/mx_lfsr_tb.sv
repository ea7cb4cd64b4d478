// Prints what mx_lfsr gives: a line "ready reset word" for each clock edge, as the edge finds them.
`default_nettype none

module mx_lfsr_tb #(
    parameter int Width = 72,
    parameter logic [31:0] Seed = 32'h1
);

  logic clk = 1'b0, rst_n = 1'b1, ready = 1'b0;
  wire [Width-1:0] word;
  mx_lfsr #(
      .Width(Width),
      .Seed (Seed)
  ) dut (
      .clk_i  (clk),
      .rst_ni (rst_n),
      .ready_i(ready),
      .data_o (word)
  );

  integer cycle, seed;
  initial begin
    seed = 1;
    for (cycle = 0; cycle < 400; cycle = cycle + 1) begin
      // Two resets, the second in mid-flight and between two edges.
      rst_n = cycle > 2;
      if (cycle == 200) begin
        rst_n = 1'b0;
        #1 rst_n = 1'b1;
      end
      ready = $random(seed);
      #1 $display("%b %b %h", ready, rst_n & (cycle != 200), word);
      clk = 1'b1;
      #1 clk = 1'b0;
      #1;
    end
    $finish;
  end

endmodule

`default_nettype wire
