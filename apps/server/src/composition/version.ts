import { createRequire } from "node:module";

/** Of the package, and so of the service. */
export const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };
