// SPDX-License-Identifier: Apache-2.0
// Two blocks in flight where a block takes several beats: bookkeeping of the stores in the lanes.
//
// Beats that leave S3 are written into one half of each store while the other half is read. A half
// becomes full when its block has ended (its record is then known) and free again when its last
// beat has left for S5. The front stalls only if the half it needs is still full, and that is known
// from registers: back-pressure never runs through combinationally. With full blocks both sides run
// at one beat each cycle.
//
// Latency: the first beat of a block can be read in the cycle after its last beat was written.
// Parameters: Lanes; Beats a power of two, 2 or more; RecordWidth.
//
// Example: Beats 4: beats of block 0 go to indices 0..3, of block 1 to 4..7, of block 2 to 0..3.
`default_nettype none

module mx_block_queue #(
    parameter int Lanes = 8,
    parameter int Beats = 4,
    parameter int IndexWidth = 3,
    parameter int RecordWidth = 73
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // Stage S3.
    input  logic                   valid_i,
    output logic                   ready_o,
    input  logic                   end_i,          // last beat of its block
    input  logic                   last_i,         // tlast
    input  logic [      Lanes-1:0] keep_i,
    input  logic [RecordWidth-1:0] record_i,       // of the block, valid with end_i
    output logic                   first_o,        // the beat at S3 begins a block
    output logic                   write_o,
    output logic [ IndexWidth-1:0] write_index_o,
    // Stage S4.
    output logic                   valid_o,
    input  logic                   en_i,
    output logic [ IndexWidth-1:0] read_index_o,
    output logic                   first_beat_o,
    output logic                   last_o,
    output logic [      Lanes-1:0] keep_o,
    output logic [RecordWidth-1:0] record_o
);

  localparam int BeatWidth = IndexWidth - 1;

  logic write_half_q, read_half_q;
  logic [BeatWidth-1:0] write_beat_q, read_beat_q;
  logic [1:0] full_q;
  logic [BeatWidth-1:0] end_beat_0_q, end_beat_1_q;
  logic [RecordWidth-1:0] record_0_q, record_1_q;
  logic [Lanes:0] flags[2*Beats];  // keep and last of each beat

  logic write_end, read, read_end;
  assign ready_o          = ~(valid_i & full_q[write_half_q]);
  assign write_o          = valid_i & ~full_q[write_half_q];
  assign write_end        = write_o & end_i;
  assign write_index_o    = {write_half_q, write_beat_q};
  assign first_o          = write_beat_q == '0;

  assign valid_o          = full_q[read_half_q];
  assign read             = valid_o & en_i;
  assign read_end         = read & (read_beat_q == (read_half_q ? end_beat_1_q : end_beat_0_q));
  assign read_index_o     = {read_half_q, read_beat_q};
  assign first_beat_o     = read_beat_q == '0;
  assign record_o         = read_half_q ? record_1_q : record_0_q;
  assign {last_o, keep_o} = flags[read_index_o];

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_half_q <= 1'b0;
      read_half_q  <= 1'b0;
      write_beat_q <= '0;
      read_beat_q  <= '0;
      full_q       <= 2'b00;
    end else begin
      if (write_o) begin
        write_half_q <= write_half_q ^ end_i;
        write_beat_q <= end_i ? '0 : write_beat_q + 1'b1;
      end
      if (read) begin
        read_half_q <= read_half_q ^ read_end;
        read_beat_q <= read_end ? '0 : read_beat_q + 1'b1;
      end
      full_q[0] <= (write_end & ~write_half_q) | (full_q[0] & ~(read_end & ~read_half_q));
      full_q[1] <= (write_end & write_half_q) | (full_q[1] & ~(read_end & read_half_q));
    end
  end

  always_ff @(posedge clk_i) begin
    if (write_o) begin
      flags[write_index_o] <= {last_i, keep_i};
    end
    if (write_end && !write_half_q) begin
      end_beat_0_q <= write_beat_q;
      record_0_q   <= record_i;
    end
    if (write_end && write_half_q) begin
      end_beat_1_q <= write_beat_q;
      record_1_q   <= record_i;
    end
  end

endmodule

`default_nettype wire
