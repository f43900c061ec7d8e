export { compareKeys } from "./keys.ts";
export type * from "./kernel.ts";
export { KernelStorage } from "./kernel-storage.ts";
