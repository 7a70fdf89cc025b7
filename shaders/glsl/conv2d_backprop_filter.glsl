// x, dy -> [chunks, filter_h, filter_w, in_c / groups, out_c]: each chunk sums over `chunk` output
// pixels. QUADS: a position is four output channels (out_c counts texels).
V value(int i) {
    int block = i / out_c;
    int oc = i - block * out_c;
    int group_in = in_c / groups;
    int ic = block % group_in + oc / (out_c / groups) * group_in;
    block /= group_in;
    int fw = block % filter_w;
    block /= filter_w;
    int fh = block % filter_h;
    int pixel = block / filter_h * chunk;
    int end = min(pixel + chunk, batch * out_h * out_w);
    int line = pixel / out_w;
    int ow = pixel - line * out_w;
    int image = line / out_h;
    int oh = line - image * out_h;
    V sum = V(0);
    for (; pixel < end; pixel++) {
        int ih = oh * stride_h - pad_top + fh * dilation_h;
        int iw = ow * stride_w - pad_left + fw * dilation_w;
        if (ih >= 0 && ih < in_h && iw >= 0 && iw < in_w) {
            sum += x_at(((image * in_h + ih) * in_w + iw) * in_c + ic) * dy_value(pixel * out_c + oc);
        }
        if (++ow == out_w) {
            ow = 0;
            if (++oh == out_h) {
                oh = 0;
                image++;
            }
        }
    }
    return sum;
}
