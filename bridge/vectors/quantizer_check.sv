// A quantizer on AXI streams judged by vectors: ask() offers a block, the answers are compared as
// they come, finish() says the verdict and which device it is of. One beat a block. Replace the instance `dut` by a device
// of yours. docs/howto/block-bench.md.
//
// Runs under Icarus 11 and Verilator 5.006. Every comparison is !==, so that an X is a mismatch.
module quantizer_check #(
    parameter int Lanes = 32,
    parameter int SourceBits = 32,   // of a source word of the vectors
    parameter int SrBits = 8,        // of a random word, as the device was built
    parameter int MostQueued = 64    // blocks that the device may hold
);
  localparam int InBits = 32;        // of a slot of tdata: 32 where the device takes fp32

  logic clk = 0;
  logic rst_n = 0;
  logic [Lanes*InBits-1:0] s_tdata;
  logic [Lanes*InBits/8-1:0] s_tkeep;
  logic s_tlast, s_tready;
  logic s_tvalid = 0;
  logic [31:0] s_tuser;
  logic [Lanes*SrBits-1:0] rnd;
  logic rnd_ready;
  logic [Lanes*8-1:0] m_tdata;
  logic [Lanes-1:0] m_tkeep;
  logic m_tlast, m_tvalid;
  logic [15:0] m_tuser;
  logic m_tready = 0;

  mx_quantizer #(
      .Lanes(Lanes),
      .BlockSize(Lanes),
      .SrBits(SrBits)
  ) dut (
      .clk_i(clk),
      .rst_ni(rst_n),
      .s_axis_tdata(s_tdata),
      .s_axis_tkeep(s_tkeep),
      .s_axis_tlast(s_tlast),
      .s_axis_tuser(s_tuser),
      .s_axis_tvalid(s_tvalid),
      .s_axis_tready(s_tready),
      .rnd_i(rnd),
      .rnd_ready_o(rnd_ready),
      .m_axis_tdata(m_tdata),
      .m_axis_tkeep(m_tkeep),
      .m_axis_tlast(m_tlast),
      .m_axis_tuser(m_tuser),
      .m_axis_tvalid(m_tvalid),
      .m_axis_tready(m_tready)
  );

  always #5 clk = ~clk;

  // Random words go their own way: the device takes one a block, in order, when it rounds.
  logic [Lanes*SrBits-1:0] words[MostQueued];
  integer drawn = 0;

  // The expected answers of blocks in flight.
  logic [Lanes*8-1:0] want_codes[MostQueued];
  logic [Lanes-1:0] want_keep[MostQueued];
  logic [15:0] want_status[MostQueued];
  integer asked = 0;
  integer answered = 0;
  integer wrong = 0;
  integer quiet = 0;  // cycles since the last answer
  integer taken;
  integer seed = 1;
  integer i;

  // Noise on every idle input. Pins are set as a whole, at the falling edge.
  task automatic idle;
    integer k;
    logic [Lanes*InBits-1:0] noise;
    logic [Lanes*InBits/8-1:0] kept;
    begin
      for (k = 0; k < Lanes; k = k + 1) begin
        noise[k*InBits+:InBits] = $random(seed);
        kept[k*(InBits/8)+:InBits/8] = $random(seed);
      end
      s_tvalid <= 0;
      s_tdata <= noise;
      s_tkeep <= kept;
      s_tuser <= $random(seed);
      s_tlast <= $random(seed);
    end
  endtask

  initial begin
    if ($value$plusargs("seed=%d", seed) == 0) seed = 1;
    idle;
    repeat (3) @(posedge clk);
    @(negedge clk) rst_n = 1;
  end

  // Offers a block with its expected answer and returns when it was taken. Lane i is word i.
  task automatic ask(input logic [31:0] tuser, input integer elements,
                     input logic [Lanes*SourceBits-1:0] source,
                     input logic [Lanes*SrBits-1:0] random, input logic [7:0] scale,
                     input logic [Lanes*8-1:0] codes, input logic [7:0] flags);
    integer k;
    logic [Lanes*InBits-1:0] slots;
    logic [Lanes*InBits/8-1:0] kept;
    logic [Lanes-1:0] lanes;
    begin
      wait (rst_n);
      for (k = 0; k < Lanes; k = k + 1) begin
        slots[k*InBits+:InBits] = {{InBits{1'b0}}, source[k*SourceBits+:SourceBits]};
        kept[k*(InBits/8)+:InBits/8] = {InBits / 8{k < elements}};
        lanes[k] = k < elements;
      end
      @(negedge clk);
      while (asked - answered >= MostQueued || ($random(seed) & 3) == 0) begin
        idle;
        @(negedge clk);
      end
      want_codes[asked%MostQueued] = codes;
      want_status[asked%MostQueued] = {flags, scale};
      want_keep[asked%MostQueued] = lanes;
      words[asked%MostQueued] = random;
      s_tvalid <= 1;
      s_tdata <= slots;
      s_tkeep <= kept;
      s_tuser <= tuser;
      s_tlast <= asked[0];
      taken = 0;
      while (taken == 0) begin
        @(posedge clk);
        if (s_tready === 1'b1) taken = 1;
      end
      asked = asked + 1;
    end
  endtask

  always @(negedge clk) begin
    m_tready <= ($random(seed) & 3) != 0;
    rnd <= words[drawn%MostQueued];
  end

  always @(posedge clk) begin
    if (rst_n) begin
      quiet = quiet + 1;
      if (rnd_ready) drawn = drawn + 1;
      if ((^{s_tready, m_tvalid}) === 1'bx) $fatal(1, "X on s_axis_tready or m_axis_tvalid");
      if (m_tvalid && m_tready) begin
        quiet = 0;
        if (answered >= asked) $fatal(1, "an answer to no block");
        i = answered % MostQueued;
        if (m_tuser !== want_status[i] || m_tdata !== want_codes[i] || m_tkeep !== want_keep[i] ||
            m_tlast !== answered[0]) begin
          wrong = wrong + 1;
          if (wrong <= 5) begin
            $display("vector %0d: scale %h status %h, expected %h %h", answered, m_tuser[7:0],
                     m_tuser[15:8], want_status[i][7:0], want_status[i][15:8]);
            $display("  codes %h\n  expected %h", m_tdata, want_codes[i]);
            if ((^{m_tuser, m_tdata, m_tkeep, m_tlast}) === 1'bx) $display("  bits are X or Z");
            i = (answered + 1) % MostQueued;
            if (answered + 1 < asked && m_tuser === want_status[i] && m_tdata === want_codes[i]) begin
              $display("  this is the answer to vector %0d: one was lost", answered + 1);
            end
          end
        end
        answered = answered + 1;
      end
      if (asked != answered && quiet > 4096) begin
        $fatal(1, "FAIL %0d answers never came: none for 4096 cycles", asked - answered);
      end
    end
  end

  // Waits for what is in flight and says the verdict of `count` vectors.
  task automatic finish(input integer count);
    begin
      @(negedge clk) idle;
      repeat (100) @(posedge clk);
      while (answered < asked) @(posedge clk);
      repeat (100) @(posedge clk);
      if (count < 1) $fatal(1, "FAIL nothing was compared: there are no vectors");
      if (asked != count || answered != count) begin
        $fatal(1, "FAIL %0d vectors, %0d asked, %0d answered", count, asked, answered);
      end
      if (wrong != 0) $fatal(1, "FAIL %0d of %0d vectors differ", wrong, count);
      $display("PASS %0d vectors: mx_quantizer, Lanes %0d, BlockSize %0d, SrBits %0d", count, Lanes, Lanes,
               SrBits);
      $finish;
    end
  endtask
endmodule
