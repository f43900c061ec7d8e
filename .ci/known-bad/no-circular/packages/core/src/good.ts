export { first } from "./bad.ts";
