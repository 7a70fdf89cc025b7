// a [batch, m, k] (or [batch, k, m]) times b [batch, k, n] (or [batch, n, k]) -> [chunks, batch, m, n]:
// each chunk adds up `chunk` of the k. QUADS: a position is four columns (n counts texels). A_QUADS:
// a's texels run along k. DOT: so do both sides' texels.
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
    int a = (image * a_batch_stride + row * k + j) >> 2;
    int steps = k >> 2;
#ifdef QUADS
    int b = ((image * b_batch_stride + j) >> 2) + column * 4 * steps;
    for (; j < end; j += 4) {
        sum += inner_products(a_texel(a++), b_texel(b), b_texel(b + steps), b_texel(b + 2 * steps),
                              b_texel(b + 3 * steps));
        b++;
    }
#else
    int b = ((image * b_batch_stride + j) >> 2) + column * steps;
    for (; j < end; j += 4) sum += inner_product(a_texel(a++), b_texel(b++));
#endif
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
