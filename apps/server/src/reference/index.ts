export { checkReference } from "./check-reference.ts";
export { writeReference } from "./write-reference.ts";
