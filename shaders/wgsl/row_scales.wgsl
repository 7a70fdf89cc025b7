// For each row of n numbers: the power of 2 by which they are multiplied so that the largest is 2^14 or more, and less
// than 2^15; or 0 if a number is not finite. WHOLE: rows are whole texels.
@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let share = row_share(group, groups, thread);
    let first = min(share.row, p.rows - 1) * p.n;
    var mine = 0.0;
#if WHOLE
    for (var i = share.lane * 4; i < p.n; i += LANES * 4) {
        let x = abs(x_texel((first + i) >> 2u));
        mine = maximum(mine, maximum(maximum(x.x, x.y), maximum(x.z, x.w)));
    }
#else
    for (var i = share.lane; i < p.n; i += LANES) { mine = maximum(mine, abs(x_at(first + i))); }
#endif
    let exponent = i32(bitcast<u32>(row_maximum(share, mine)) >> 23u) - 127;
    if (share.lane > 0 || share.row >= p.rows) { return; }
    store(share.row, select(power_of_two(clamp(14 - exponent, -100, 100)), 0.0, exponent == 128));
}
