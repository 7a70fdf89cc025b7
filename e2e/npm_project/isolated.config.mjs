import tfpy from "tfpy/vite";

export default { plugins: [tfpy({ isolated: true })] };
