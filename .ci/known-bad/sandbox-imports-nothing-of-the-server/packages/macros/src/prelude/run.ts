export { refuse } from "../authoring/refuse.ts";
