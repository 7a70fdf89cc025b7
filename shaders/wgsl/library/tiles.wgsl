// Products in tiles: a workgroup computes 4 TM TY rows of 4 TN TX columns, a thread 4 TM rows of 4 TN columns. The
// workgroup's memory holds 4 DEPTH of k at a time. PARTS threads share the depth of a tile. Tiles have numbers of
// type Item, sums are fours of type Four.

#if PARTS
const TM = $TM;
const TN = $TN;
const TX = $TX;
const TY = $TY;
const DEPTH = $DEPTH;
const PARTS = $PARTS;
const A_FOURS = TM * TY;
const B_FOURS = TN * TX;
const THREADS = TX * TY * PARTS;
const A_LOADS = 4 * DEPTH * A_FOURS / THREADS;
const B_LOADS = 4 * DEPTH * B_FOURS / THREADS;
const SUMS = 4 * TM * TN;
const HALF = SUMS / 2;
// Number of a warp's threads along a row: a warp that is not a single row of threads reads less of both tiles.
const SIDE = min(8, TX);

// The padding makes the threads of a warp write to different banks.
struct APanel {
    rows: array<array<vec4<Item>, A_FOURS>, 4>,
    padding: array<vec4<Item>, 2>,
}

struct BPanel {
    rows: array<array<vec4<Item>, B_FOURS>, 4>,
    padding: array<vec4<Item>, 2>,
}

var<workgroup> a_tile: array<array<APanel, DEPTH>, 2>;

var<workgroup> b_tile: array<array<BPanel, DEPTH>, 2>;

// Returns the place of a thread's sum s in tiles of width `fours`: stage, panel, row and column.
fn place_of_sum(s: i32, thread: i32, fours: i32) -> vec4<i32> {
    let at = s * TX * TY + thread;
    let panel = at / (4 * fours);
    return vec4<i32>(panel / DEPTH, panel % DEPTH, at / fours % 4, at % fours);
}

// Adds the sums of the threads that share the depth to those of the first part, through the tiles' memory. (A loop
// with a barrier is not unrolled, so it must not index `sums`, which would then leave the registers.)
fn join_sums(t: i32, part: i32, sums: ptr<function, array<Four, SUMS>>) {
    let thread = t % (TX * TY);
    for (var other = 1; other < PARTS; other++) {
        workgroupBarrier();
        if (part == other) {
            for (var s = 0; s < HALF; s++) {
                let a = place_of_sum(s, thread, A_FOURS);
                a_tile[a.x][a.y].rows[a.z][a.w] = bitcast<vec4<Item>>((*sums)[s]);
                let b = place_of_sum(s, thread, B_FOURS);
                b_tile[b.x][b.y].rows[b.z][b.w] = bitcast<vec4<Item>>((*sums)[HALF + s]);
            }
        }
        workgroupBarrier();
        if (part == 0) {
            for (var s = 0; s < HALF; s++) {
                let a = place_of_sum(s, thread, A_FOURS);
                (*sums)[s] += bitcast<Four>(a_tile[a.x][a.y].rows[a.z][a.w]);
                let b = place_of_sum(s, thread, B_FOURS);
                (*sums)[HALF + s] += bitcast<Four>(b_tile[b.x][b.y].rows[b.z][b.w]);
            }
        }
    }
}
#endif

// Stores those of four adjacent results of a product that are inside.
fn store_four(slice: i32, row: i32, column: i32, sum: T4) {
    if (row >= p.m || column >= p.n) { return; }
    let at = (slice * p.m + row) * p.n + column;
#if QUADS
    store(at >> 2u, sum);
#else
    // Not a loop: with an unknown length it would index the thread's sums, which would then leave the registers.
    store(at, sum.x);
    if (column + 1 < p.n) { store(at + 1, sum.y); }
    if (column + 2 < p.n) { store(at + 2, sum.z); }
    if (column + 3 < p.n) { store(at + 3, sum.w); }
#endif
}
