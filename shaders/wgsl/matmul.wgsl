// a [batch, m, k] (or [batch, k, m]) times b [batch, k, n] (or [batch, n, k]) -> [chunks, batch, m, n]:
// each chunk adds `chunk` terms along k. QUADS: a position is four columns (n counts texels). A_QUADS: a's
// texels are along k. DOT: adjacent elements of both sides are along k, with A_WHOLE, B_WHOLE in one texel.
#if DOT
fn a_run(i: i32) -> T4 {
#if A_WHOLE
    return a_texel(i >> 2u);
#else
    return a_four(i);
#endif
}

fn b_run(i: i32) -> T4 {
#if B_WHOLE
    return b_texel(i >> 2u);
#else
    return b_four(i);
#endif
}
#endif

fn value(i: i32) -> V {
    let block = i / p.n;
    let column = i - block * p.n;
    let slice = block / p.m;
    let row = block - slice * p.m;
    let part = slice / p.batch;
    let image = slice - part * p.batch;
    var j = part * p.chunk;
    let end = min(j + p.chunk, p.k);
    var sum = V(0);
#if DOT
    var a = image * p.a_batch_stride + row * p.k + j;
#if QUADS
    var b = image * p.b_batch_stride + column * 4 * p.k + j;
#else
    var b = image * p.b_batch_stride + column * p.k + j;
#endif
    for (; j + 4 <= end; j += 4) {
        let x = a_run(a);
#if QUADS
        sum += T4(dot(x, b_run(b)), dot(x, b_run(b + p.k)), dot(x, b_run(b + 2 * p.k)),
                  dot(x, b_run(b + 3 * p.k)));
#else
        sum += dot(x, b_run(b));
#endif
        a += 4;
        b += 4;
    }
    for (; j < end; j++) {
#if QUADS
        sum += a_at(a) * T4(b_at(b), b_at(b + p.k), b_at(b + 2 * p.k), b_at(b + 3 * p.k));
#else
        sum += a_at(a) * b_at(b);
#endif
        a += 1;
        b += 1;
    }
#else
#if A_QUADS
    var a = (image * p.a_batch_stride + row * p.k + j) >> 2u;
    var b = image * p.b_batch_stride + j * p.n + column;
    for (; j < end; j += 4) {
        let x = a_texel(a);
        sum += x.x * b_value(b) + x.y * b_value(b + p.n) + x.z * b_value(b + 2 * p.n) +
            x.w * b_value(b + 3 * p.n);
        a += 1;
        b += 4 * p.n;
    }
#else
#if TRANSPOSE_A_TRUE
    let a_next = p.m;
    var a = image * p.a_batch_stride + j * p.m + row;
#else
    let a_next = 1;
    var a = image * p.a_batch_stride + j + row * p.k;
#endif
#if TRANSPOSE_B_TRUE
    let b_next = 1;
    var b = image * p.b_batch_stride + j + column * p.k;
#else
    let b_next = p.n;
    var b = image * p.b_batch_stride + j * p.n + column;
#endif
    for (; j < end; j++) {
        sum += a_at(a) * b_value(b);
        a += a_next;
        b += b_next;
    }
#endif
#endif
    return sum;
}
