// a [batch, m, k] (or [batch, k, m]) times b [batch, k, n] (or [batch, n, k]) -> [batch, m, n].
// QUADS: a position is four columns. A_QUADS: a's texels run along k. DOT: so do both sides' texels.
T inner_product(T4 a, T4 b) {
    a *= b;
    return a.x + a.y + a.z + a.w;
}

V value(int i) {
    int block = i / n;
    int column = i - block * n;
    int batch = block / m;
    int row = block - batch * m;
    int a_start = batch * a_batch_stride;
    int b_start = batch * b_batch_stride;
    V sum = V(0);
#if defined(DOT)
    int a_at_texel = (a_start + row * k) >> 2;
    int steps = k >> 2;
#ifdef QUADS
    int b_at_texel = (b_start >> 2) + column * 4 * steps;
    for (int j = 0; j < steps; j++) {
        T4 a = a_texel(a_at_texel + j);
        sum += V(inner_product(a, b_texel(b_at_texel)), inner_product(a, b_texel(b_at_texel + steps)),
                 inner_product(a, b_texel(b_at_texel + 2 * steps)),
                 inner_product(a, b_texel(b_at_texel + 3 * steps)));
        b_at_texel++;
    }
#else
    int b_at_texel = (b_start >> 2) + column * steps;
    for (int j = 0; j < steps; j++) {
        sum += inner_product(a_texel(a_at_texel + j), b_texel(b_at_texel + j));
    }
#endif
#elif defined(A_QUADS)
    int a_at_texel = (a_start + row * k) >> 2;
    int b_position = b_start + column;
    for (int j = 0; j < k; j += 4) {
        T4 a = a_texel(a_at_texel++);
        sum += a.x * b_value(b_position) + a.y * b_value(b_position + n) +
               a.z * b_value(b_position + 2 * n) + a.w * b_value(b_position + 3 * n);
        b_position += 4 * n;
    }
#else
#ifdef TRANSPOSE_A_TRUE
    int a_position = a_start + row, a_step = m;
#else
    int a_position = a_start + row * k, a_step = 1;
#endif
#ifdef TRANSPOSE_B_TRUE
    int b_position = b_start + column * k, b_step = 1;
#else
    int b_position = b_start + column, b_step = n;
#endif
    for (int j = 0; j < k; j++) {
        sum += a_at(a_position) * b_value(b_position);
        a_position += a_step;
        b_position += b_step;
    }
#endif
    return sum;
}
