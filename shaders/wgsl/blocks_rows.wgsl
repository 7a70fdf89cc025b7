// x W^T for few rows (ROWS) of x and a matrix W [n, k] in blocks of SIZE values, where VALUES values have the same scale.
// LANES threads share HELD adjacent rows of W, so that each thread uses the values of x that it reads several times. A
// workgroup has ACROSS times HELD rows of W.
const ROWS = $ROWS;
const SUMS = ROWS * HELD;
const SIZE = $SIZE;
const VALUES = $VALUES;

$NUMBERS

var<workgroup> parts: array<array<f32, LANES * ACROSS>, SUMS>;

@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let share = row_share(id, groups, thread);
    let first = min(share.row * HELD, p.n - HELD) * p.k;
    var sums: array<f32, SUMS>;
    for (var at = VALUES * share.lane; at < p.k; at += VALUES * LANES) {
        // Chromium's compiler sets variables to zero only before the loop, unless they have an initial value.
        var products = array<f32, SUMS>();
        var totals = array<f32, ROWS>();
        for (var i = 0; i < VALUES; i += 4) {
            var x = array<vec4<f32>, ROWS>();
            for (var r = 0; r < ROWS; r++) {
                x[r] = vec4<f32>(x_texel((r * p.k + at + i) >> 2u));
#if MINIMUM
                totals[r] += dot(x[r], vec4<f32>(1.0));
#endif
            }
            for (var h = 0; h < HELD; h++) {
                let place = first + h * p.k + at + i;
                let numbers = numbers_at(place / SIZE, place % SIZE);
                for (var r = 0; r < ROWS; r++) { products[h * ROWS + r] += dot(x[r], numbers); }
            }
        }
        for (var h = 0; h < HELD; h++) {
            let place = first + h * p.k + at;
            let scale = $SCALE(place / SIZE, place % SIZE / VALUES);
            for (var r = 0; r < ROWS; r++) {
                sums[h * ROWS + r] += scale.x * products[h * ROWS + r] + scale.y * totals[r];
            }
        }
    }
    for (var s = 0; s < SUMS; s++) { parts[s][thread] = sums[s]; }
    for (var step = LANES / 2; step > 0; step /= 2) {
        workgroupBarrier();
        if (share.lane < step) {
            for (var s = 0; s < SUMS; s++) { parts[s][thread] += parts[s][i32(thread) + step]; }
        }
    }
    if (share.lane > 0 || share.row * HELD >= p.n) { return; }
    for (var h = 0; h < HELD; h++) {
        for (var r = 0; r < ROWS; r++) { store(r * p.n + share.row * HELD + h, T(parts[h * ROWS + r][thread])); }
    }
}
