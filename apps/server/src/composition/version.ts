import { createRequire } from "node:module";

/** Version of the package and of the service. */
export const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };
