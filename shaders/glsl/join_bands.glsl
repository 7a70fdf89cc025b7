// x in parts (matmul_bands) -> [batch, m, n]: adds up the chunks. QUADS: a position is four columns, n
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
    int part = image * bands + (row >> 3);
    V sum = V(0);
    for (int chunk = 0; chunk < chunks; chunk++) {
        int at = part_texel(texel, part, width, x_shift);
#ifdef QUADS
        sum += x_texel(row & 7, at);
#else
        sum += x_at(row & 7, 4 * at + (column & 3));
#endif
        part += batch * bands;
    }
    return sum;
}
