export { type Comparison, ConformanceError } from "./conformance-error.ts";
export { equal, equalInAnyOrder, equalToOneOf } from "./equal.ts";
export { failsWith, rethrows } from "./fails-with.ts";
export { isTrue } from "./is-true.ts";
