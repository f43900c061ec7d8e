export { anyJson } from "./any-json.ts";
export { checkJsonLimits, jsonLimits } from "./json-limits.ts";
export { parseJsonParameter } from "./json-parameter.ts";
export { parseFields } from "./parse-fields.ts";
export { refusedWith } from "./refused-with.ts";
