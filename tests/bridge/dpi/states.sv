// What mxgold_pkg finds unknown in vectors and numbers.
module states;
  import mxgold_pkg::*;

  logic [2047:0] value;
  int i;

  task must(input bit is_right, input string what);
    if (!is_right) begin
      $display("states: %0s", what);
      $fatal(1, "states");
    end
  endtask

  initial begin
    value = '0;
    must(mxgold_first_unknown(value) == -1, "nothing is unknown");
    value = '1;
    must(mxgold_first_unknown(value) == -1, "ones are known");
    for (i = 0; i < 2048; i = i + 37) begin
      value = '0;
      value[2047] = 1'bx;
      value[i] = i % 2 == 0 ? 1'bx : 1'bz;
      must(mxgold_first_unknown(value) == i, $sformatf("at bit %0d", i));
    end
    must(mxgold_unknown_text("tuser", 64'bz00) == "operand tuser: bit 2 is X or Z", "a number");
    $display("PASS states");
    $finish;
  end
endmodule
