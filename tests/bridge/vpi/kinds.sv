// A call with an argument of the wrong kind: +define says which. It is refused before time 0 by its
// place, and the simulator ends with an error.
module kinds;
  integer model, status;
  integer array[0:3];
  real number;
  string text;
  event happens;
  reg [63:0] code;
  reg [7:0] flags;
  initial begin
    model = $mxgold_open("op=cvt destination=e4m3fn");
`ifdef LITERAL
    status = $mxgold_cvt(model, 1.5, 0, code, flags);
`elsif REAL
    status = $mxgold_cvt(model, number, 0, code, flags);
`elsif STRING
    status = $mxgold_cvt(model, text, 0, code, flags);
`elsif ARRAY
    status = $mxgold_cvt(model, array, 0, code, flags);
`elsif CALL
    status = $mxgold_cvt(model, $time, 0, code, flags);
`elsif MODULE
    status = $mxgold_cvt(model, kinds, 0, code, flags);
`elsif EVENT
    status = $mxgold_cvt(model, happens, 0, code, flags);
`elsif CONSTANT_RESULT
    status = $mxgold_cvt(model, 1, 0, 5, flags);
`elsif REAL_RESULT
    status = $mxgold_cvt(model, 1, 0, number, flags);
`elsif STRING_RESULT
    status = $mxgold_cvt(model, 1, 0, text, flags);
`elsif REAL_TEXT
    status = $mxgold_error(model, number);
`endif
    $display("PASS kinds");
    $finish;
  end
endmodule
