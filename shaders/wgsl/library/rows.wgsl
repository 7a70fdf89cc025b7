// Rows that threads share: LANES of them have a row, a workgroup has ACROSS rows. HELD: fours of it that each holds.

#if LANES
const LANES = $LANES;
const ACROSS = $ACROSS;
#endif

#if HELD
const HELD = $HELD;
#endif

// A row, its number in the workgroup, and the number of a thread among those that share it.
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
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (share.lane < half) { row_parts[share.across][share.lane] += row_parts[share.across][share.lane + half]; }
        workgroupBarrier();
    }
    return row_parts[share.across][0];
}

fn row_maximum(share: RowShare, mine: f32) -> f32 {
    begin_row(share, mine);
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (share.lane < half) {
            let other = row_parts[share.across][share.lane + half];
            row_parts[share.across][share.lane] = maximum(row_parts[share.across][share.lane], other);
        }
        workgroupBarrier();
    }
    return row_parts[share.across][0];
}
