// Like conv_backprop_filter.glsl with QUADS, but a fragment computes four adjacent input channels.
void tile(int i) {
    ivec2 at = tile_at(i, out_c);
    int oc = at.x, block = at.y / tiles;
    int group_in = in_c / groups;
    int ic = tile_row(at.y - block * tiles, 0, spread) + oc / (out_c / groups) * group_in;
    Rows sum = Rows(V(0), V(0), V(0), V(0));
    EACH_PIXEL_OF_BLOCK(block) {
        add_product(sum, x_texel((under * in_c + ic) >> 2), dy_texel(pixel * out_c + oc));
    }
    STORE_TILE(sum, sum);
}
