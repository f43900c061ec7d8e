export { createInterface } from "node:readline";
export { table } from "./table.ts";
