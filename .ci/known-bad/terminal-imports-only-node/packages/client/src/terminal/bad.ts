export { client } from "../index.ts";
