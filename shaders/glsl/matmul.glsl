// a [batch, m, k] (or [batch, k, m]) times b [batch, k, n] (or [batch, n, k]) -> [chunks, batch, m, n]:
// each chunk adds `chunk` terms along k. QUADS: a position is four columns (n counts texels). A_QUADS: a's
// texels are along k. DOT: the texels of both sides are.
V value(int i) {
    int block = i / n;
    int column = i - block * n;
    int image = block / m;
    int row = block - image * m;
    int part = image / batch;
    image -= part * batch;
    int j = part * chunk, end = min(j + chunk, k);
    V sum = V(0);
#if defined(DOT)
    int a = image * a_batch_stride + row * k + j;
#ifdef QUADS
    int b = image * b_batch_stride + column * 4 * k + j;
#else
    int b = image * b_batch_stride + column * k + j;
#endif
    int b_row = B_UNIT(k);
    for (; j + 4 <= end; j += 4) {
#ifdef QUADS
        int b4 = B_UNIT(b);
        sum += inner_products(A_FOUR(A_UNIT(a)), B_FOUR(b4), B_FOUR(b4 + b_row),
                              B_FOUR(b4 + 2 * b_row), B_FOUR(b4 + 3 * b_row));
#else
        sum += inner_product(A_FOUR(A_UNIT(a)), B_FOUR(B_UNIT(b)));
#endif
        a += 4;
        b += 4;
    }
    for (; j < end; j++) {
#ifdef QUADS
        sum += a_at(a) * T4(b_at(b), b_at(b + k), b_at(b + 2 * k), b_at(b + 3 * k));
#else
        sum += a_at(a) * b_at(b);
#endif
        a++;
        b++;
    }
#elif defined(A_QUADS)
    int a = (image * a_batch_stride + row * k + j) >> 2;
    int b = image * b_batch_stride + j * n + column;
    for (; j < end; j += 4) {
        T4 x = a_texel(a++);
        sum += x.x * b_value(b) + x.y * b_value(b + n) + x.z * b_value(b + 2 * n) +
               x.w * b_value(b + 3 * n);
        b += 4 * n;
    }
#else
#ifdef TRANSPOSE_A_TRUE
    int a_next = m, a = image * a_batch_stride + j * m + row;
#else
    int a_next = 1, a = image * a_batch_stride + j + row * k;
#endif
#ifdef TRANSPOSE_B_TRUE
    int b_next = 1, b = image * b_batch_stride + j + column * k;
#else
    int b_next = n, b = image * b_batch_stride + j * n + column;
#endif
    for (; j < end; j++) {
        sum += a_at(a) * b_value(b);
        a += a_next;
        b += b_next;
    }
#endif
    return sum;
}
