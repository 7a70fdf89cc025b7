// Like matmul.wgsl for few rows of a (ROWS), so that b is read once. Each thread multiplies four columns of b, or with
// TRANSPOSE_B_TRUE rows of b, interleaved with other threads. LANES threads share an output, and a workgroup has ACROSS
// fours of columns (TRANSPOSE_B_TRUE: columns). Sizes along k are multiples of four, and so is n if adjacent elements
// of b are along columns.
const ROWS = $ROWS;

#if TRANSPOSE_B_TRUE
alias Sum = f32;
#else
alias Sum = vec4<f32>;
#endif

var<workgroup> parts: array<array<Sum, ACROSS>, LANES>;

fn total(lane: i32, across: i32, sum: Sum) -> Sum {
    workgroupBarrier();
    parts[lane][across] = sum;
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) { parts[lane][across] += parts[lane + half][across]; }
        workgroupBarrier();
    }
    return parts[0][across];
}

@compute @workgroup_size(LANES * ACROSS)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) thread: u32) {
    let t = i32(thread);
    let image = i32(id.z);
    let a = image * p.a_batch_stride;
    var sums: array<vec4<f32>, ROWS>;
#if TRANSPOSE_B_TRUE
    let lane = t % LANES;
    let across = t / LANES;
    let column = (i32(id.x) + i32(id.y) * p.across) * ACROSS + across;
    let b = image * p.b_batch_stride + column * p.k;
    for (var k = lane * 4; k < p.k; k += LANES * 4) {
        let y = b_texel((b + k) >> 2u);
        for (var r = 0; r < ROWS; r++) { sums[r] = fma(a_texel((a + r * p.k + k) >> 2u), y, sums[r]); }
    }
#else
    let lane = t / ACROSS;
    let across = t % ACROSS;
    let column = ((i32(id.x) + i32(id.y) * p.across) * ACROSS + across) * 4;
    let b = image * p.b_batch_stride + column;
    for (var k = lane * 4; k < p.k; k += LANES * 4) {
        var y: array<vec4<f32>, 4>;
        for (var j = 0; j < 4; j++) { y[j] = b_texel((b + (k + j) * p.n) >> 2u); }
        for (var r = 0; r < ROWS; r++) {
            let x = a_texel((a + r * p.k + k) >> 2u);
            for (var j = 0; j < 4; j++) { sums[r] = fma(vec4<f32>(x[j]), y[j], sums[r]); }
        }
    }
#endif
    for (var r = 0; r < ROWS; r++) {
        let at = (image * ROWS + r) * p.n + column;
#if TRANSPOSE_B_TRUE
        let sum = total(lane, across, dot(sums[r], vec4<f32>(1)));
        if (lane == 0 && column < p.n) { store(at, sum); }
#else
        let sum = total(lane, across, sums[r]);
        if (lane == 0 && column < p.n) { store(at >> 2u, sum); }
#endif
    }
}
