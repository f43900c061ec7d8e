export { call } from "../run/check.ts";
