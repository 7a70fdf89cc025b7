// As conv2d_backprop_filter.glsl with QUADS, but a fragment computes four neighbouring input
// channels, one for each target.
void tile(int i) {
    ivec2 at = tile_at(i, out_c);
    int oc = at.x, block = at.y / tiles;
    int group_in = in_c / groups;
    int ic = tile_row(at.y - block * tiles, 0, spread) + oc / (out_c / groups) * group_in;
    int fw = block % filter_w;
    block /= filter_w;
    int fh = block % filter_h;
    int pixel = block / filter_h * chunk;
    int end = min(pixel + chunk, batch * out_h * out_w);
    int line = pixel / out_w;
    int ow = pixel - line * out_w;
    int image = line / out_h;
    int oh = line - image * out_h;
    V r0 = V(0), r1 = r0, r2 = r0, r3 = r0;
    for (; pixel < end; pixel++) {
        int ih = oh * stride_h - pad_top + fh * dilation_h;
        int iw = ow * stride_w - pad_left + fw * dilation_w;
        if (ih >= 0 && ih < in_h && iw >= 0 && iw < in_w) {
            vec4 x = x_texel((((image * in_h + ih) * in_w + iw) * in_c + ic) >> 2);
            vec4 g = dy_texel(pixel * out_c + oc);
            r0 += x.x * g;
            r1 += x.y * g;
            r2 += x.z * g;
            r3 += x.w * g;
        }
        if (++ow == out_w) {
            ow = 0;
            if (++oh == out_h) {
                oh = 0;
                image++;
            }
        }
    }
    result0 = r0;
    result1 = r1;
    result2 = r2;
    result3 = r3;
}
