export { createAdapter, CreateError } from "./create-adapter.ts";
