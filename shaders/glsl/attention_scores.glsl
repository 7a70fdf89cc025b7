// q, k -> scores [outer, inner, m, n]: products of rows, times the factor, scaled, plus the mask. QUADS:
// a position is four keys. DOT: texels of q and k are along the depth. Strides are for the batch's two
// dimensions, rows and columns.
#define START(strides) (outer * strides[0] + inner_at * strides[1])
#ifdef QUADS
#define FOUR(read, at, step) V(read(at), read((at) + (step)), read((at) + 2 * (step)), read((at) + 3 * (step)))
#else
#define FOUR(read, at, step) read(at)
#endif

V value(int i) {
    int row = i / n;
    int key = i - row * n;
#ifdef QUADS
    key *= 4;
#endif
    int matrix = row / m;
    row -= matrix * m;
    int outer = matrix / inner, inner_at = matrix - outer * inner;
    int a = START(q_strides) + row * q_strides[2];
    int b = START(k_strides) + key * k_strides[2];
    V sum = V(0);
#ifdef DOT
    a >>= 2;
    b >>= 2;
    int next = k_strides[2] >> 2;
    for (int d = 0; d < depth; d += 4) {
        vec4 x = q_texel(a++);
#ifdef QUADS
        sum += inner_products(x, k_texel(b), k_texel(b + next), k_texel(b + 2 * next), k_texel(b + 3 * next));
#else
        sum += inner_product(x, k_texel(b));
#endif
        b++;
    }
#else
    for (int d = 0; d < depth; d++) {
        sum += q_at(a) * FOUR(k_at, b, k_strides[2]);
        a += q_strides[3];
        b += k_strides[3];
    }
#endif
    sum *= intBitsToFloat(factor_bits);
#ifdef SCALING_MULTIPLY
    sum *= scale_at(0);
#endif
#ifdef SCALING_DIVIDE
    sum /= scale_at(0);
#endif
#ifdef MASKED_TRUE
    int at = START(mask_strides) + row * mask_strides[2] + key * mask_strides[3];
    sum += FOUR(mask_at, at, mask_strides[3]);
#endif
    return sum;
}
