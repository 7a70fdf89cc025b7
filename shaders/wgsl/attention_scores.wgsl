// q, k -> scores [outer, inner, m, n]: products of rows, times the factor, scaled, and the mask. QUADS:
// a position is four keys. DOT: texels of q and k run along the depth. Strides are those of the batch's
// two dimensions, of rows and of columns.
fn keys_at(at: i32) -> V {
#if QUADS
    let step = p.k_strides[2].x;
    return V(k_at(at), k_at(at + step), k_at(at + 2 * step), k_at(at + 3 * step));
#else
    return k_at(at);
#endif
}

#if MASKED_TRUE
fn masks_at(at: i32) -> V {
#if QUADS
    let step = p.mask_strides[3].x;
    return V(mask_at(at), mask_at(at + step), mask_at(at + 2 * step), mask_at(at + 3 * step));
#else
    return mask_at(at);
#endif
}
#endif

fn value(i: i32) -> V {
    var row = i / p.n;
    var key = i - row * p.n;
#if QUADS
    key *= 4;
#endif
    let matrix = row / p.m;
    row -= matrix * p.m;
    let outer = matrix / p.inner;
    let inner = matrix - outer * p.inner;
    var a = outer * p.q_strides[0].x + inner * p.q_strides[1].x + row * p.q_strides[2].x;
    var b = outer * p.k_strides[0].x + inner * p.k_strides[1].x + key * p.k_strides[2].x;
    var sum = V(0);
#if DOT
    a >>= 2u;
    b >>= 2u;
    let next = p.k_strides[2].x >> 2u;
    for (var d = 0; d < p.depth; d += 4) {
        let x = q_texel(a);
#if QUADS
        sum += V(dot(x, k_texel(b)), dot(x, k_texel(b + next)), dot(x, k_texel(b + 2 * next)),
                 dot(x, k_texel(b + 3 * next)));
#else
        sum += dot(x, k_texel(b));
#endif
        a += 1;
        b += 1;
    }
#else
    for (var d = 0; d < p.depth; d++) {
        sum += q_at(a) * keys_at(b);
        a += p.q_strides[3].x;
        b += p.k_strides[3].x;
    }
#endif
    sum *= bitcast<f32>(p.factor_bits);
#if SCALING_MULTIPLY
    sum *= scale_at(0);
#endif
#if SCALING_DIVIDE
    sum /= scale_at(0);
#endif
#if MASKED_TRUE
    sum += masks_at(outer * p.mask_strides[0].x + inner * p.mask_strides[1].x +
                    row * p.mask_strides[2].x + key * p.mask_strides[3].x);
#endif
    return sum;
}
