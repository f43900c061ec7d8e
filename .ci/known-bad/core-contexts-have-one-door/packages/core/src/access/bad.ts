export { object } from "../objects/object.ts";
