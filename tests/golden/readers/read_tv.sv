// Reads a .tv file of blocks with $fscanf. Parameters: SourceBits, and HasElements = 0 for records
// without the field elements (gen --lengths full). Plusarg: +vec=FILE.
module read_tv;
  parameter int SourceBits = 16;
  parameter int HasElements = 1;
  localparam int Lanes = 32;

  reg [8*256-1:0] file;
  reg [8*32-1:0] key;
  reg [8*8192-1:0] line;  // the longest header line
  reg [Lanes*SourceBits-1:0] tdata;
  reg [63:0] value;
  reg [31:0] tuser;
  reg [7:0] scale;
  reg [Lanes*8-1:0] codes;
  reg [7:0] flags;
  reg [31:0] sum;
  integer fd, count, elements, ended, i, lane, ok;

  initial begin
    if ($value$plusargs("vec=%s", file) == 0) $fatal(1, "+vec=FILE is missing");
    fd = $fopen(file, "r");
    if (fd == 0) $fatal(1, "the file cannot be opened");
    // Header: up to the line with the count. The rest of every other line is skipped.
    count = 0;
    while (count == 0) begin
      if ($fscanf(fd, " # %s", key) != 1) $fatal(1, "no header");
      if (key == "count") ok = $fscanf(fd, "%d", count);
      else if ($fgets(line, fd) == 0) $fatal(1, "no header");
    end
    sum = 0;
    for (i = 0; i < count; i = i + 1) begin
      ok = $fscanf(fd, "%h", tuser);
      elements = Lanes;
      if (HasElements != 0) begin
        if ($fscanf(fd, "%h", elements) != 1) $fatal(1, "record %0d has no elements", i);
      end
      if (elements < 1 || elements > Lanes) $fatal(1, "record %0d: %0d elements", i, elements);
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        ok = ok + $fscanf(fd, "%h", value);
        tdata[lane*SourceBits+:SourceBits] = value[SourceBits-1:0];
      end
      ok = ok + $fscanf(fd, "%h", scale);
      for (lane = 0; lane < Lanes; lane = lane + 1) begin
        ok = ok + $fscanf(fd, "%h", value);
        codes[lane*8+:8] = value[7:0];
      end
      ok = ok + $fscanf(fd, "%h", flags);
      if (ok != 2 * Lanes + 3) $fatal(1, "record %0d of %0d is not whole", i, count);
      sum = sum + tuser + elements + scale + flags + codes[31*8+:8] + tdata[SourceBits-1:0];
    end
    ended = 0;
    if ($fscanf(fd, " # end %d", ended) != 1 || ended != count) $fatal(1, "no trailer");
    $display("PASS %0d records, sum %08h", count, sum);
    $finish;
  end
endmodule
