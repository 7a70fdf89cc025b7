// As conv_backprop_filter.glsl with QUADS, but a fragment computes four neighbouring input channels.
void tile(int i) {
    ivec2 at = tile_at(i, out_c);
    int oc = at.x, block = at.y / tiles;
    int group_in = in_c / groups;
    int ic = tile_row(at.y - block * tiles, 0, spread) + oc / (out_c / groups) * group_in;
    ivec3 tap = tap_of(block % TAPS);
    int pixel = block / TAPS * chunk;
    int end = min(pixel + chunk, PIXELS);
    ivec4 place = output_place(pixel);
    Rows sum = Rows(V(0), V(0), V(0), V(0));
    for (; pixel < end; pixel++) {
        int p = pixel_under(window_of(place), tap.x, tap.y, tap.z);
        if (p >= 0) add_product(sum, x_texel((p * in_c + ic) >> 2), dy_texel(pixel * out_c + oc));
        place = next_output(place);
    }
    STORE_TILE(sum, sum);
}
