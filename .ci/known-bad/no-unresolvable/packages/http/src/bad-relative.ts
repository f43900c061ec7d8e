export { word } from "./nowhere.ts";
