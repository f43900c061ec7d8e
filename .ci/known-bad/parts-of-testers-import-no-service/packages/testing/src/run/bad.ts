export { service } from "../index.ts";
