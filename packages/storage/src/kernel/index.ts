export { compareKeys } from "./keys.ts";
export * from "./kernel.ts";
export { KernelStorage } from "./kernel-storage.ts";
