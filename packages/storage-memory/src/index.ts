export { MemoryKernel, type MemoryKernelOptions } from "./memory-kernel.ts";
export { MemoryStorage, type MemoryStorageOptions } from "./memory-storage.ts";
