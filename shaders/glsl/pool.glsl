// Maximum or mean over windows of a volume; the mean counts only elements inside.
V value(int i) {
    int pixel = i / channels;
    int c = i - pixel * channels;
    int line = pixel / out_w;
    int left = (pixel - line * out_w) * stride_w - pad_left;
    int plane = line / out_h;
    int top = (line - plane * out_h) * stride_h - pad_top;
    int batch = plane / out_d;
    int front = (plane - batch * out_d) * stride_d - pad_front;
#ifdef KIND_MAX
    V result = V(T_LOWEST);
#else
    V result = V(0);
    float count = 0.0;
#endif
    for (int fd = 0; fd < filter_d; fd++) {
        int id = front + fd * dilation_d;
        if (id < 0 || id >= in_d) continue;
        for (int fh = 0; fh < filter_h; fh++) {
            int ih = top + fh * dilation_h;
            if (ih < 0 || ih >= in_h) continue;
            for (int fw = 0; fw < filter_w; fw++) {
                int iw = left + fw * dilation_w;
                if (iw < 0 || iw >= in_w) continue;
                V x = x_value((((batch * in_d + id) * in_h + ih) * in_w + iw) * channels + c);
#ifdef KIND_MAX
                result = maximum(result, x);
#else
                result += x;
                count += 1.0;
#endif
            }
        }
    }
#ifdef KIND_MAX
    return result;
#else
    return result / count;
#endif
}
