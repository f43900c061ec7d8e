import { resolve } from "node:path";
import type { OpenKernel } from "@sallyport/storage";
import { findDriver } from "./driver.ts";
import { SqliteKernel } from "./sqlite-kernel.ts";

export { findDriver, type OpenDriver } from "./driver.ts";
export { SqliteKernel } from "./sqlite-kernel.ts";

/** The entry point for a server with `"engine": "module"` and the options `{ "file": "data.db" }`. */
export const openKernel: OpenKernel = ({ file }, clock) => {
  if (typeof file !== "string" || /^$|^:memory:$|\0/.test(file))
    throw new Error('The option "file" must be the path of a file.');
  return new SqliteKernel(resolve(file), clock, findDriver());
};
