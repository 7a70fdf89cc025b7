// Like conv_backprop_input.glsl with QUADS, but a fragment computes four adjacent input pixels.
vec4 gradient(int pixel, int channel) {
    return pixel < 0 ? vec4(0) : dy_texel((pixel * out_c + channel) >> 2);
}

void tile(int i) {
    ivec2 at = tile_at(i, in_c >> 2);
    int ic = at.x * 4, pixel = tile_row(at.y, 0, spread);
    int group_in = in_c / groups;
    int group_out = out_c / groups;
    int group = ic / group_in;
    int first = group * group_out;
    int next = out_c >> 2;
    ivec4 at0 = padded_place(pixel), at1 = padded_place(pixel + 1);
    ivec4 at2 = padded_place(pixel + 2), at3 = padded_place(pixel + 3);
    Rows sum = Rows(V(0), V(0), V(0), V(0));
    EACH_TAP {
        int p0 = pixel_over(at0, fd, fh, fw), p1 = pixel_over(at1, fd, fh, fw);
        int p2 = pixel_over(at2, fd, fh, fw), p3 = pixel_over(at3, fd, fh, fw);
        if (max(max(p0, p1), max(p2, p3)) < 0) continue;
        int f = ((TAP * group_in + ic - group * group_in) * out_c + first) >> 2;
        for (int oc = first; oc < first + group_out; oc += 4) {
            Rows g = Rows(gradient(p0, oc), gradient(p1, oc), gradient(p2, oc), gradient(p3, oc));
            add_dots(sum, g, filter_texel(f), filter_texel(f + next), filter_texel(f + 2 * next),
                     filter_texel(f + 3 * next));
            f++;
        }
    }
    STORE_TILE(sum, sum);
}
