export { Database } from "@sallyport/core";
export { join } from "node:path";
