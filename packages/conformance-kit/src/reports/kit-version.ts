import { createRequire } from "node:module";

export const kitVersion = (createRequire(import.meta.url)("../../package.json") as { readonly version: string })
  .version;
