// x in tiles -> [batch, m, n]: adds up the chunks, which are blocks of `rows` rows of tiles. Layer
// 4 * c + r holds row r of each tile's texel c; a tile's texels are `columns` apart.
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
    int layer = 4 * c + (row & 3);
    int tile_row = image * ((m + 3) >> 2) + (row >> 2);
    V sum = V(0);
    for (int chunk = 0; chunk < chunks; chunk++) {
        int at = tile_texel(texel - c * columns, tile_row, columns, x_shift);
#ifdef QUADS
        sum += x_texel(layer, at);
#else
        sum += x_at(layer, 4 * at + (column & 3));
#endif
        tile_row += rows;
    }
    return sum;
}
