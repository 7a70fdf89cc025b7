// Types of uPlot's own file, which the site serves here.
import uPlot from "uplot";
export default uPlot;
