// As matmul.glsl, but a fragment computes four columns of four rows, one row for each target.
// A_QUADS: a's texels run along k. A_ROWS: along m (a is transposed). DOT: a's and b's along k.
T inner_product(T4 a, T4 b) {
    a *= b;
    return a.x + a.y + a.z + a.w;
}

T4 products(T4 a, T4 b0, T4 b1, T4 b2, T4 b3) {
    return T4(inner_product(a, b0), inner_product(a, b1), inner_product(a, b2), inner_product(a, b3));
}

void rows(int i, out V r0, out V r1, out V r2, out V r3) {
    int block = i / n;
    int column = i - block * n;
    int row_blocks = (m + 3) >> 2;
    int batch = block / row_blocks;
    int row = (block - batch * row_blocks) * 4;
    int a_start = batch * a_batch_stride;
    int b_start = batch * b_batch_stride;
    r0 = r1 = r2 = r3 = V(0);
#if defined(DOT)
    int steps = k >> 2;
    int a = (a_start >> 2) + row * steps;
    int b = (b_start >> 2) + column * 4 * steps;
    for (int j = 0; j < steps; j++) {
        T4 b0 = b_texel(b), b1 = b_texel(b + steps);
        T4 b2 = b_texel(b + 2 * steps), b3 = b_texel(b + 3 * steps);
        r0 += products(a_texel(a), b0, b1, b2, b3);
        r1 += products(a_texel(a + steps), b0, b1, b2, b3);
        r2 += products(a_texel(a + 2 * steps), b0, b1, b2, b3);
        r3 += products(a_texel(a + 3 * steps), b0, b1, b2, b3);
        a++;
        b++;
    }
#elif defined(A_QUADS)
    int steps = k >> 2;
    int a = (a_start >> 2) + row * steps;
    int b = b_start + column;
    for (int j = 0; j < steps; j++) {
        T4 a0 = a_texel(a), a1 = a_texel(a + steps);
        T4 a2 = a_texel(a + 2 * steps), a3 = a_texel(a + 3 * steps);
        T4 b0 = b_texel(b), b1 = b_texel(b + n), b2 = b_texel(b + 2 * n), b3 = b_texel(b + 3 * n);
        r0 += a0.x * b0 + a0.y * b1 + a0.z * b2 + a0.w * b3;
        r1 += a1.x * b0 + a1.y * b1 + a1.z * b2 + a1.w * b3;
        r2 += a2.x * b0 + a2.y * b1 + a2.z * b2 + a2.w * b3;
        r3 += a3.x * b0 + a3.y * b1 + a3.z * b2 + a3.w * b3;
        a++;
        b += 4 * n;
    }
#else
    int b = b_start + column;
#ifdef A_ROWS
    int a = (a_start + row) >> 2;
    for (int j = 0; j < k; j++) {
        T4 x = a_texel(a);
        a += m >> 2;
#else
#ifdef TRANSPOSE_A_TRUE
    int a = a_start + row, next_row = 1, next = m;
#else
    int a = a_start + row * k, next_row = k, next = 1;
#endif
    for (int j = 0; j < k; j++) {
        T4 x = T4(a_at(a), a_at(a + next_row), a_at(a + 2 * next_row), a_at(a + 3 * next_row));
        a += next;
#endif
        T4 y = b_texel(b);
        b += n;
        r0 += x.x * y;
        r1 += x.y * y;
        r2 += x.z * y;
        r3 += x.w * y;
    }
#endif
}
