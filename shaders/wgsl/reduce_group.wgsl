// Like reduce.wgsl, but LANES threads share the elements of an output, and a workgroup computes ACROSS outputs.
#if PROLOGUE
const AT_ONCE = 1;
#else
const AT_ONCE = 4;
#endif

#if CONTIGUOUS
alias Part = T4;

fn joined(a: Part, b: Part) -> Part { return combine4(a, b); }
#else
alias Part = V;

fn joined(a: Part, b: Part) -> Part { return combine(a, b); }
#endif

var<workgroup> parts: array<array<Part, ACROSS>, LANES>;

@compute @workgroup_size(LANES * ACROSS)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let t = i32(thread);
    let group = i32(id.x + id.y * count.x);
    var result: array<Part, AT_ONCE>;
    for (var u = 0; u < AT_ONCE; u++) { result[u] = Part(identity()); }
#if CONTIGUOUS
    let lane = t % LANES;
    let across = t / LANES;
    let i = group * ACROSS + across;
    let row = i / p.chunks;
    let first = row * p.n + (i - row * p.chunks) * p.chunk;
    let end = select(first, min(first + p.chunk, (row + 1) * p.n), i < p.positions);
    for (var at = (first >> 2u) + lane; at * 4 < end; at += AT_ONCE * LANES) {
        for (var u = 0; u < AT_ONCE; u++) {
            let texel = at + u * LANES;
            result[u] = joined(result[u], masked(x_texel(texel), texel, first, end, identity()));
        }
    }
#else
    let lane = t / ACROSS;
    let across = t % ACROSS;
    let blocks = (p.inner + ACROSS - 1) / ACROSS;
    let line = group / blocks;
    let column = (group - line * blocks) * ACROSS + across;
    let i = select(p.positions, line * p.inner + column, column < p.inner);
    let row = line / p.chunks;
    let first = (line - row * p.chunks) * p.chunk;
    let end = select(first, min(first + p.chunk, p.n), i < p.positions);
    for (var j = first + lane; j < end; j += AT_ONCE * LANES) {
        for (var u = 0; u < AT_ONCE; u++) {
            let k = j + u * LANES;
            let x = x_value((row * p.n + k) * p.inner + column);
            result[u] = joined(result[u], select(Part(identity()), x, k < end));
        }
    }
#endif
    for (var u = 1; u < AT_ONCE; u++) { result[0] = joined(result[0], result[u]); }
    parts[lane][across] = result[0];
    workgroupBarrier();
    for (var half = LANES / 2; half > 0; half /= 2) {
        if (lane < half) { parts[lane][across] = joined(parts[lane][across], parts[lane + half][across]); }
        workgroupBarrier();
    }
    if (lane > 0 || i >= p.positions) { return; }
    let total = parts[0][across];
#if CONTIGUOUS
    store(i, combine1(combine1(total.x, total.y), combine1(total.z, total.w)));
#else
    store(i, total);
#endif
}
