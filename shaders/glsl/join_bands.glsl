// x in chunks (matmul_bands) -> [batch, m, n]: adds the splits. QUADS: a position is four columns, n
// counts texels.
V value(int i) {
    int row = i / n;
    int column = i - row * n;
    int image = row / m;
    row -= image * m;
#ifdef QUADS
    int texel = column;
#else
    int texel = column >> 2;
#endif
    int chunk = image * bands + (row >> 3);
    V sum = V(0);
    for (int split = 0; split < splits; split++) {
        int at = chunk_texel(texel, chunk, width, x_shift);
#ifdef QUADS
        sum += x_texel(row & 7, at);
#else
        sum += x_at(row & 7, 4 * at + (column & 3));
#endif
        chunk += batch * bands;
    }
    return sum;
}
