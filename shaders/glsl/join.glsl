// x in tiles -> [batch, m, n]: adds the chunks. Each chunk has `tiles` tile numbers per image. Layer
// 4 * c + r has row r of each tile's texel c; the distance of a tile's texels is `columns`.
V value(int i) {
    int row = i / n;
    int column = i - row * n;
    int image = row / m;
    row -= image * m;
#ifdef QUADS
    int texel = column, texels = n;
#else
    int texel = column >> 2, texels = (n + 3) >> 2;
#endif
    int columns = (texels + COLUMNS - 1) / COLUMNS;
    int c = texel / columns;
    int low = row & ((1 << spread) - 1);
    int rest = ((row >> (spread + 1)) << spread) + low;
    int layer = 4 * c + (rest & 3);
    int number = image * tiles + (rest >> 2) * 2 + ((row >> spread) & 1);
    V sum = V(0);
    for (int chunk = 0; chunk < chunks; chunk++) {
        int at = tile_texel(texel - c * columns, number, columns, x_shift);
#ifdef QUADS
        sum += x_texel(layer, at);
#else
        sum += x_at(layer, 4 * at + (column & 3));
#endif
        number += batch * tiles;
    }
    return sum;
}
