// SPDX-License-Identifier: Apache-2.0
// Two blocks in flight where a block takes several beats.
//
// Beats that leave S3 are written into one half of the store while the other half is read. A half
// becomes full with the last beat of its block and free again when that beat has left for S4. The
// front stalls only if the half it needs is still full, and that is known from registers:
// back-pressure never runs through combinationally. With full blocks both sides run at one beat
// each cycle. A block's record is known in the cycle after its last beat was written, and its first
// beat may leave in that cycle. The store is read by a register (the caller's, with valid_o and
// ready_i), so synthesis can take a block RAM for it.
//
// Latency: the first beat of a block leaves in the cycle after its last beat was written.
// Parameters: BeatWidth of a beat's data; Beats a power of two, 2 or more; RecordWidth.
//
// Example: Beats 4: beats of block 0 go to places 0..3, of block 1 to 4..7, of block 2 to 0..3.
`default_nettype none

module mx_block_queue #(
    parameter int BeatWidth = 8,
    parameter int Beats = 4,
    parameter int RecordWidth = 73
) (
    input  logic                   clk_i,
    input  logic                   rst_ni,
    // Stage S3.
    input  logic                   valid_i,
    output logic                   ready_o,
    input  logic                   end_i,     // last beat of its block
    input  logic [  BeatWidth-1:0] beat_i,
    // In the cycle after the last beat of a block was written: of that block.
    input  logic [RecordWidth-1:0] record_i,
    // The next beat.
    output logic                   valid_o,
    input  logic                   ready_i,
    output logic                   first_o,   // it begins a block
    output logic [  BeatWidth-1:0] beat_o,
    output logic [RecordWidth-1:0] record_o
);

  localparam int PlaceWidth = $clog2(Beats);

  logic write_half_q, read_half_q;
  logic is_fresh_q;  // the other half than write_half_q was filled in the cycle before
  logic [PlaceWidth-1:0] write_place_q, read_place_q;
  logic [1:0] full_q;
  logic [PlaceWidth-1:0] end_place_0_q, end_place_1_q;
  logic [RecordWidth-1:0] record_0_q, record_1_q;
  logic [BeatWidth-1:0] store[2*Beats];

  logic write, write_end, read, read_end;
  assign ready_o   = ~full_q[write_half_q];
  assign write     = valid_i & ready_o;
  assign write_end = write & end_i;
  assign valid_o   = full_q[read_half_q];
  assign read      = valid_o & ready_i;
  assign read_end  = read & (read_place_q == (read_half_q ? end_place_1_q : end_place_0_q));
  assign first_o   = read_place_q == '0;
  assign beat_o    = store[{read_half_q, read_place_q}];
  always_comb begin
    if (is_fresh_q && read_half_q != write_half_q) begin
      record_o = record_i;
    end else begin
      record_o = read_half_q ? record_1_q : record_0_q;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_half_q  <= 1'b0;
      read_half_q   <= 1'b0;
      write_place_q <= '0;
      read_place_q  <= '0;
      full_q        <= 2'b00;
      is_fresh_q    <= 1'b0;
    end else begin
      if (write) begin
        write_half_q  <= write_half_q ^ end_i;
        write_place_q <= end_i ? '0 : write_place_q + 1'b1;
      end
      if (read) begin
        read_half_q  <= read_half_q ^ read_end;
        read_place_q <= read_end ? '0 : read_place_q + 1'b1;
      end
      is_fresh_q <= write_end;
      full_q[0]  <= (write_end & ~write_half_q) | (full_q[0] & ~(read_end & ~read_half_q));
      full_q[1]  <= (write_end & write_half_q) | (full_q[1] & ~(read_end & read_half_q));
    end
  end

  always_ff @(posedge clk_i) begin
    if (write) begin
      store[{write_half_q, write_place_q}] <= beat_i;
    end
    if (write_end && !write_half_q) begin
      end_place_0_q <= write_place_q;
    end
    if (write_end && write_half_q) begin
      end_place_1_q <= write_place_q;
    end
    if (is_fresh_q && write_half_q) begin
      record_0_q <= record_i;
    end
    if (is_fresh_q && !write_half_q) begin
      record_1_q <= record_i;
    end
  end

endmodule

`default_nettype wire
