// A device under the scoreboard of mxgold_scoreboard_pkg, every input: fp16 to e5m2, which is the upper byte of the
// fp16 code rounded to nearest even. +away rounds ties away from zero instead: the scoreboard names the first input.
module to_e5m2 (
    input  logic        away_i,
    input  logic [15:0] half_i,
    output logic [ 7:0] code_o
);
  logic is_nan, round_up;
  assign is_nan = half_i[14:10] == 5'h1F && half_i[9:0] != 10'd0;
  assign round_up = half_i[7] && (away_i || half_i[8] || half_i[6:0] != 7'd0);
  assign code_o = is_nan ? {half_i[15], 7'h7F} : half_i[15:8] + {7'd0, round_up};
endmodule

module score;
  import mxgold_pkg::*;
  import mxgold_scoreboard_pkg::*;

  chandle model;
  mxgold_scoreboard board;
  logic away;
  logic [15:0] half;
  logic [7:0] answer;
  longint unsigned code;
  byte unsigned flags;
  to_e5m2 dut (
      .away_i(away),
      .half_i(half),
      .code_o(answer)
  );

  initial begin
    away = $test$plusargs("away") != 0;
    model = mxgold_open("op=cvt source=fp16 destination=e5m2 overflow=none_inf_or_nan");
    if (mxgold_ok(model) == 0) $fatal(1, "%s", mxgold_error(model));
    board = new("name=to_e5m2 nan=any errors=1");
    board.observes("flags", 0);  // the device has none
    for (int i = 0; i < 65536; i++) begin
      half = i[15:0];
      #1;
      if (mxgold_cvt(model, {48'd0, half}, 0, code, flags) == 0) $fatal(1, "%s", mxgold_error(model));
      board.expected(model, $sformatf("at %0t", $time));
      void'(board.observed(64'd0, {2040'd0, answer}, 8'd0));
    end
    board.finish();
    $finish;
  end
endmodule
