// A call with too few arguments: the module says so before time 0, and nothing runs.
module few;
  integer status;
  initial begin
    status = $mxgold_block(1);
    $display("PASS few");
  end
endmodule
