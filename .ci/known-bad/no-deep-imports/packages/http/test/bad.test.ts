export { code } from "../../storage/src/errors/index.ts";
