// Replays a golden .mem file (docs/vector-format.md, op block) through mx_quantizer or its netlist
// in a four-state simulator: every bit of every beat is compared with !==, handshakes must be known.
//
// Parameters: Lanes, BlockSize, InWidth (32 if the device has fp32, else 16), SourceWidth of the
// file's source format, HasRandom = 1 if its records have random words. InFmtMask goes to the
// device where that is RTL; with MX_NETLIST defined it is a netlist of exactly these parameters.
//
// Plusargs: +vec=FILE; +seed=N of the stalls; +stall=N pauses each side in N of 8 cycles;
// negative controls: +drop=N loses output beat N, +xbit=N makes a code bit of beat N unknown.
//
// Ends with "PASS <n> blocks" and exit status 0 only if as many blocks as the file announces were
// compared, at least one; everything else is $fatal. With MX_RTL defined the device is RTL and
// mx_quantizer_checker looks on.
`timescale 1ns / 1ps
`default_nettype none

module mx_replay_tb #(
    parameter int Lanes = 8,
    parameter int BlockSize = 32,
    parameter int InWidth = 16,
    parameter int SourceWidth = 16,
    parameter int HasRandom = 1,
    parameter int InFmtMask = 2
);

  localparam int Beats = BlockSize / Lanes;
  // Fields of a record, first field uppermost: tuser, source, random, scale, codes, flags.
  localparam int SrBits = 8;
  localparam int ResultBits = 8 + BlockSize * 8 + 8;
  localparam int RandomBits = HasRandom * BlockSize * SrBits;
  localparam int RecordBits = 32 + BlockSize * SourceWidth + RandomBits + ResultBits;
  localparam int MaxWords = 65536;
  localparam int IdleLimit = 400;
  localparam logic [31:0] HeadMagic = 32'h4D584756;
  localparam logic [31:0] TailMagic = 32'h4D584745;
  localparam logic [31:0] Schema = 32'd2;

  logic clk = 1'b0;
  logic rst_n = 1'b1;
  always #5 clk = ~clk;

  logic [Lanes*InWidth-1:0]   s_data = '0;
  logic [Lanes*InWidth/8-1:0] s_keep = '0;
  logic                       s_last = 1'b0, s_valid = 1'b0, m_ready = 1'b0;
  logic [31:0]                s_user = '0;
  logic [Lanes*SrBits-1:0]    rnd = '0;
  wire                        s_ready, rnd_ready, m_last, m_valid;
  wire  [Lanes*8-1:0]         m_data;
  wire  [Lanes-1:0]           m_keep;
  wire  [15:0]                m_user;

`ifdef MX_NETLIST
  mx_quantizer dut (
`else
  mx_quantizer #(
      .Lanes(Lanes),
      .BlockSize(BlockSize),
      .InFmtMask(InFmtMask)
  ) dut (
`endif
      .clk_i(clk),
      .rst_ni(rst_n),
      .s_axis_tdata(s_data),
      .s_axis_tkeep(s_keep),
      .s_axis_tlast(s_last),
      .s_axis_tuser(s_user),
      .s_axis_tvalid(s_valid),
      .s_axis_tready(s_ready),
      .rnd_i(rnd),
      .rnd_ready_o(rnd_ready),
      .m_axis_tdata(m_data),
      .m_axis_tkeep(m_keep),
      .m_axis_tlast(m_last),
      .m_axis_tuser(m_user),
      .m_axis_tvalid(m_valid),
      .m_axis_tready(m_ready)
  );

`ifdef MX_RTL
  // What leaves must be known in every cycle, compared or not; Icarus has no bind.
  mx_quantizer_checker #(
      .Lanes(Lanes),
      .BlockSize(BlockSize),
      .InFmtMask(InFmtMask),
      .InWidth(InWidth)
  ) u_checker (
      .clk_i(clk),
      .rst_ni(rst_n),
      .s_axis_tkeep(s_keep),
      .s_axis_tlast(s_last),
      .s_axis_tuser(s_user),
      .s_axis_tvalid(s_valid),
      .s_axis_tready(s_ready),
      .rnd_ready_o(rnd_ready),
      .m_axis_tdata(m_data),
      .m_axis_tkeep(m_keep),
      .m_axis_tlast(m_last),
      .m_axis_tuser(m_user),
      .m_axis_tvalid(m_valid),
      .m_axis_tready(m_ready),
      .exponents_s1(dut.u_core.exponents_s1),
      .nonzero_s1(dut.u_core.nonzero_s1),
      .carry_s1(dut.u_core.carry_s1),
      .exponent_s3(dut.u_core.u_block_scale.beat_exponent),
      .carry_s3(dut.u_core.u_block_scale.beat_carry),
      .take(dut.u_core.take[3:2])
  );
`endif

  reg [RecordBits-1:0] words[0:MaxWords-1];
  reg [8*1024-1:0]     path;
  integer              blocks, beats, stall, seed, drop, xbit;
  integer              sent, taken, received, cycles, idle, lane, pauses;

  // Beat k of the file: fields of lane l count from the left.
  function [SourceWidth-1:0] source_of(input integer beat, input integer l);
    source_of = words[1+beat/Beats][RecordBits-33-((beat%Beats)*Lanes+l)*SourceWidth-:SourceWidth];
  endfunction
  function [SrBits-1:0] random_of(input integer beat, input integer l);
    random_of = $random(seed);
    if (HasRandom != 0) begin
      random_of = words[1+beat/Beats][ResultBits+(BlockSize-1-(beat%Beats)*Lanes-l)*SrBits+:SrBits];
    end
  endfunction
  function [7:0] code_of(input integer beat, input integer l);
    code_of = words[1+beat/Beats][8+BlockSize*8-1-((beat%Beats)*Lanes+l)*8-:8];
  endfunction
  function [15:0] status_of(input integer beat);
    status_of = {words[1+beat/Beats][7:0], words[1+beat/Beats][8+BlockSize*8+:8]};
  endfunction

  task open_vectors;
    begin
      if (!$value$plusargs("vec=%s", path)) $fatal(1, "FAIL no +vec=FILE");
      if (!$value$plusargs("seed=%d", seed)) seed = 1;
      if (!$value$plusargs("stall=%d", stall)) stall = 0;
      if (!$value$plusargs("drop=%d", drop)) drop = -1;
      if (!$value$plusargs("xbit=%d", xbit)) xbit = -1;
      $readmemh(path, words);
      blocks = words[0][31:0];
      if (words[0][127:64] !== {HeadMagic, Schema} || ^words[0][63:0] === 1'bx) begin
        $fatal(1, "FAIL no .mem head word");
      end
      if (blocks < 1 || blocks > MaxWords - 2) $fatal(1, "FAIL %0d blocks", blocks);
      if (words[1+blocks][127:64] !== {TailMagic, Schema} || words[1+blocks][31:0] !== blocks) begin
        $fatal(1, "FAIL the tail word is not at its place");
      end
      beats = blocks * Beats;
    end
  endtask

  task compare;
    reg [Lanes*8-1:0] data;
    begin
      data = m_data;
      if (received == xbit) data[received%(Lanes*8)] = 1'bx;
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        if (data[lane*8+:8] !== code_of(received, lane)) begin
          $fatal(1, "FAIL block %0d beat %0d lane %0d: code %h, expected %h", received / Beats,
                 received % Beats, lane, data[lane*8+:8], code_of(received, lane));
        end
      end
      // Bits 12 and 13 are complete in the last beat of a block.
      if ((m_user & (received % Beats == Beats - 1 ? 16'hFFFF : 16'hCFFF)) !==
          (status_of(received) & (received % Beats == Beats - 1 ? 16'hFFFF : 16'hCFFF))) begin
        $fatal(1, "FAIL block %0d beat %0d: status %h, expected %h", received / Beats,
               received % Beats, m_user, status_of(received));
      end
      if (m_keep !== {Lanes{1'b1}} || m_last !== (received % Beats == Beats - 1)) begin
        $fatal(1, "FAIL block %0d beat %0d: tkeep %h, tlast %b", received / Beats,
               received % Beats, m_keep, m_last);
      end
    end
  endtask

  initial begin
    open_vectors;
    sent = 0;
    taken = 0;
    received = 0;
    cycles = 0;
    idle = 0;
    // A reset that is declared 0 has no falling edge.
    #12 rst_n = 1'b0;
    #20 rst_n = 1'b1;
    while (received < beats) begin
      @(negedge clk);
      if (!s_valid) begin
        pauses = $random(seed);
        s_valid = sent < beats && (pauses & 7) >= stall;
        s_user = $random(seed);  // ignored after the first beat of a block
        if (s_valid && sent % Beats == 0) s_user = words[1+sent/Beats][RecordBits-1-:32];
        s_last = s_valid ? sent % Beats == Beats - 1 : $random(seed);
        for (lane = 0; lane < Lanes * InWidth / 8; lane = lane + 1) begin
          s_keep[lane] = s_valid ? 1'b1 : $random(seed);
        end
        for (lane = 0; lane < Lanes; lane = lane + 1) begin
          s_data[lane*InWidth+:InWidth] = $random(seed);
          if (s_valid) s_data[lane*InWidth+:SourceWidth] = source_of(sent, lane);
        end
      end
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        rnd[lane*SrBits+:SrBits] = random_of(taken < beats ? taken : 0, lane);
      end
      pauses = $random(seed);
      m_ready = (pauses & 7) >= stall;
      #4;
      if (^{s_ready, rnd_ready, m_valid} === 1'bx) begin
        $fatal(1, "FAIL cycle %0d: unknown handshake", cycles);
      end
      if (rnd_ready) taken = taken + 1;
      if (m_valid && m_ready) begin
        if (received == drop) begin
          drop = -1;  // this beat never arrives
        end else begin
          compare;
          received = received + 1;
          idle = 0;
        end
      end
      @(posedge clk);
      #1;
      if (s_valid && was_ready) begin
        sent = sent + 1;
        s_valid = 1'b0;
      end
      cycles = cycles + 1;
      idle = idle + 1;
      if (idle > IdleLimit) begin
        $fatal(1, "FAIL %0d of %0d beats, then none for %0d cycles", received, beats, idle);
      end
    end
    if (taken != beats) $fatal(1, "FAIL %0d random words for %0d beats", taken, beats);
    $display("PASS %0d blocks", received / Beats);
    $finish;
  end

  reg was_ready;
  always @(posedge clk) was_ready <= s_ready;

endmodule

`default_nettype wire
