// Rows that threads share: LANES threads share a row, and a workgroup has ACROSS rows. HELD: fours per thread.

#if LANES
const LANES = $LANES;
const ACROSS = $ACROSS;
// Threads of a row that join the results of all: two barriers are faster than one per halving.
const JOINERS = min(LANES, 8);
#endif

#if HELD
const HELD = $HELD;
#endif

// A row, its number in the workgroup, and a thread's number among those that share the row.
struct RowShare {
    row: i32,
    across: i32,
    lane: i32,
}

fn row_share(group: vec3<u32>, groups: vec3<u32>, thread: u32) -> RowShare {
    let across = i32(thread) / LANES;
    return RowShare(i32(group.x + group.y * groups.x) * ACROSS + across, across, i32(thread) % LANES);
}

var<workgroup> row_parts: array<array<f32, LANES>, ACROSS>;

fn begin_row(share: RowShare, mine: f32) {
    workgroupBarrier();
    row_parts[share.across][share.lane] = mine;
    workgroupBarrier();
}

fn row_sum(share: RowShare, mine: f32) -> f32 {
    begin_row(share, mine);
    var sum = mine;
    if (LANES > JOINERS) {
        if (share.lane < JOINERS) {
            for (var i = share.lane + JOINERS; i < LANES; i += JOINERS) { sum += row_parts[share.across][i]; }
            row_parts[share.across][share.lane] = sum;
        }
        workgroupBarrier();
    }
    sum = row_parts[share.across][0];
    for (var i = 1; i < JOINERS; i++) { sum += row_parts[share.across][i]; }
    return sum;
}

fn row_maximum(share: RowShare, mine: f32) -> f32 {
    begin_row(share, mine);
    var most = mine;
    if (LANES > JOINERS) {
        if (share.lane < JOINERS) {
            for (var i = share.lane + JOINERS; i < LANES; i += JOINERS) { most = maximum(most, row_parts[share.across][i]); }
            row_parts[share.across][share.lane] = most;
        }
        workgroupBarrier();
    }
    most = row_parts[share.across][0];
    for (var i = 1; i < JOINERS; i++) { most = maximum(most, row_parts[share.across][i]); }
    return most;
}
