// As conv3d_backprop_filter.glsl with QUADS, but a fragment computes four neighbouring input
// channels, one for each target.
void tile(int i) {
    ivec2 at = tile_at(i, out_c);
    int oc = at.x, block = at.y / tiles;
    int ic = tile_row(at.y - block * tiles, 0, spread) >> 2;
    int fw = block % filter_w;
    block /= filter_w;
    int fh = block % filter_h;
    block /= filter_h;
    int fd = block % filter_d;
    int pixel = block / filter_d * chunk;
    int end = min(pixel + chunk, batch * out_d * out_h * out_w);
    V r0 = V(0), r1 = r0, r2 = r0, r3 = r0;
    for (; pixel < end; pixel++) {
        int line = pixel / out_w;
        int plane = line / out_h;
        int image = plane / out_d;
        int id = (plane - image * out_d) * stride_d - pad_front + fd * dilation_d;
        int ih = (line - plane * out_h) * stride_h - pad_top + fh * dilation_h;
        int iw = (pixel - line * out_w) * stride_w - pad_left + fw * dilation_w;
        if (id < 0 || id >= in_d || ih < 0 || ih >= in_h || iw < 0 || iw >= in_w) continue;
        vec4 x = x_texel((((image * in_d + id) * in_h + ih) * in_w + iw) * (in_c >> 2) + ic);
        vec4 g = dy_texel(pixel * out_c + oc);
        r0 += x.x * g;
        r1 += x.y * g;
        r2 += x.z * g;
        r3 += x.w * g;
    }
    result0 = r0;
    result1 = r1;
    result2 = r2;
    result3 = r3;
}
