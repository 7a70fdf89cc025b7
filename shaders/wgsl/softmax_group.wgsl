// As softmax.wgsl: LANES threads share a row and hold HELD texels of it each, so that it is read once; a
// workgroup computes ACROSS rows.
const LANES = $LANES;
const ACROSS = $ACROSS;
const HELD = $HELD;

var<workgroup> parts: array<array<f32, LANES>, ACROSS>;

@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let lane = i32(thread) % LANES;
    let across = i32(thread) / LANES;
    let row = i32(id.x + id.y * count.x) * ACROSS + across;
    let first = row * p.n;
    var x: array<vec4<f32>, HELD>;
    var most = vec4<f32>(-infinity());
    for (var h = 0; h < HELD; h++) {
        let at = lane + h * LANES;
        x[h] = select(vec4<f32>(-infinity()), x_texel(first + at), at < p.n);
        most = maximum4(most, x[h]);
    }
    parts[across][lane] = maximum(maximum(most.x, most.y), maximum(most.z, most.w));
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) { parts[across][lane] = maximum(parts[across][lane], parts[across][lane + half]); }
        workgroupBarrier();
    }
    let top = parts[across][0];
    workgroupBarrier();
    var sum = vec4<f32>(0);
    for (var h = 0; h < HELD; h++) {
        x[h] -= top;
        let power = exponential4(x[h]);
        sum += power;
#if !LOGARITHM
        x[h] = power;
#endif
    }
    parts[across][lane] = sum.x + sum.y + sum.z + sum.w;
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) { parts[across][lane] += parts[across][lane + half]; }
        workgroupBarrier();
    }
    if (row >= p.rows) { return; }
    let total = parts[across][0];
    for (var h = 0; h < HELD; h++) {
        let at = lane + h * LANES;
        if (at >= p.n) { break; }
#if LOGARITHM
        store(first + at, x[h] - logarithm(total));
#else
        store(first + at, x[h] / total);
#endif
    }
}
