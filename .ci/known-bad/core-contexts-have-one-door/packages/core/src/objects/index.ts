export { object } from "./object.ts";
