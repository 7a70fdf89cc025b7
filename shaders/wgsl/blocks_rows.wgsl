// x W^T for few rows (ROWS) of x and a matrix W [n, k] in blocks of SIZE values, where VALUES values have the same scale.
// LANES threads share a row of W, and a workgroup has ACROSS rows.
const ROWS = $ROWS;
const SIZE = $SIZE;
const VALUES = $VALUES;

$NUMBERS

@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let share = row_share(id, groups, thread);
    let first = min(share.row, p.n - 1) * p.k;
    var sums: array<f32, ROWS>;
    for (var at = VALUES * share.lane; at < p.k; at += VALUES * LANES) {
        let b = (first + at) / SIZE;
        let begin = (first + at) % SIZE;
        // Chromium's compiler sets variables to zero only before the loop, unless they have an initial value.
        var products = array<f32, ROWS>();
        var minimums = array<f32, ROWS>();
        for (var i = 0; i < VALUES; i += 4) {
            let numbers = numbers_at(b, begin + i);
            for (var r = 0; r < ROWS; r++) {
                let x = vec4<f32>(x_texel((r * p.k + at + i) >> 2u));
                products[r] += dot(x, numbers);
#if MINIMUM
                minimums[r] += dot(x, vec4<f32>(1.0));
#endif
            }
        }
        let scale = $SCALE(b, begin / VALUES);
        for (var r = 0; r < ROWS; r++) { sums[r] += scale.x * products[r] + scale.y * minimums[r]; }
    }
    for (var r = 0; r < ROWS; r++) {
        let sum = row_sum(share, sums[r]);
        if (share.lane == 0 && share.row < p.n) { store(r * p.n + share.row, T(sum)); }
    }
}
