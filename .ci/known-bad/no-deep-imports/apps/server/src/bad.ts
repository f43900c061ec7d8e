export { word } from "../../../packages/core/src/index.ts";
