// The effect of a mask on each block of ROWS rows and KEYS keys of the scores in attention_tile.wgsl,
// [outer, inner, rows, keys] in blocks: 0 if it hides all scores, 1 if it changes nothing, otherwise 2. A
// workgroup reads one block, as texels with MASK_WHOLE.
const ROWS = $ROWS;
const KEYS = $KEYS;
const THREADS = 256;
// Largest mask value that hides a key; scores are far from it.
const HIDDEN = -1e9;
const SEEN = 1u;
const CHANGED = 2u;

var<workgroup> found: atomic<u32>;

fn bits_of(x: f32) -> u32 { return select(SEEN, 0u, x <= HIDDEN) | select(CHANGED, 0u, x == 0.0); }

@compute @workgroup_size(THREADS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = i32(id.x + id.y * count.x);
    let line = number / p.blocks;
    let matrix = line / p.tiles;
    let outer = matrix / p.inner;
    if (outer >= p.outer) { return; }
    let first_row = line % p.tiles * ROWS;
    let first_key = number % p.blocks * KEYS;
    let start = outer * p.mask_strides[0].x + matrix % p.inner * p.mask_strides[1].x;
    let t = i32(thread);
    var bits = 0u;
#if MASK_WHOLE
    for (var i = t; i < ROWS * KEYS / 4; i += THREADS) {
        let row = first_row + i / (KEYS / 4);
        let key = first_key + i % (KEYS / 4) * 4;
        if (row < p.m && key < p.n) {
            let x = mask_texel((start + row * p.mask_strides[2].x + key) >> 2u);
            bits |= bits_of(x.x) | bits_of(x.y) | bits_of(x.z) | bits_of(x.w);
        }
    }
#else
    for (var i = t; i < ROWS * KEYS; i += THREADS) {
        let row = first_row + i / KEYS;
        let key = first_key + i % KEYS;
        if (row < p.m && key < p.n) {
            bits |= bits_of(mask_at(start + row * p.mask_strides[2].x + key * p.mask_strides[3].x));
        }
    }
#endif
    atomicOr(&found, bits);
    workgroupBarrier();
    if (t == 0) {
        let all = atomicLoad(&found);
        store(number, select(select(2, 1, (all & CHANGED) == 0u), 0, (all & SEEN) == 0u));
    }
}
