// Like softmax.wgsl, but threads share a row and keep its elements (library/rows.wgsl), so that it is read once.
@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let share = row_share(id, count, thread);
    let first = share.row * p.n;
    var x: array<vec4<f32>, HELD>;
    var most = vec4<f32>(-infinity());
    for (var h = 0; h < HELD; h++) {
        let at = share.lane + h * LANES;
        x[h] = select(vec4<f32>(-infinity()), x_texel(first + at), at < p.n);
        most = maximum4(most, x[h]);
    }
    let top = row_maximum(share, maximum(maximum(most.x, most.y), maximum(most.z, most.w)));
    var sum = vec4<f32>(0);
    for (var h = 0; h < HELD; h++) {
        x[h] -= top;
        let power = exponential4(x[h]);
        sum += power;
#if !LOGARITHM
        x[h] = power;
#endif
    }
    let total = row_sum(share, sum.x + sum.y + sum.z + sum.w);
    if (share.row >= p.rows) { return; }
    for (var h = 0; h < HELD; h++) {
        let at = share.lane + h * LANES;
        if (at >= p.n) { break; }
#if LOGARITHM
        store(first + at, x[h] - logarithm(total));
#else
        store(first + at, x[h] / total);
#endif
    }
}
