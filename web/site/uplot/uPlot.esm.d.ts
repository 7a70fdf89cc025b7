// The site has uPlot's own file here; these are its types.
import uPlot from "uplot";
export default uPlot;
