export { type Comparison, ConformanceError } from "./conformance-error.ts";
export { equal, equalInAnyOrder } from "./equal.ts";
export { failsWith } from "./fails-with.ts";
export { isTrue } from "./is-true.ts";
