export { createAdapter } from "./create-adapter.ts";
export { CreateError } from "./create-error.ts";
