export { code } from "../../core/src/errors/index.ts";
