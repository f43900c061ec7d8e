export { object } from "../objects/index.ts";
