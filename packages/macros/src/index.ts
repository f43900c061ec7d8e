export * from "./authoring/index.ts";
export type { QuickJsMacroRuntimeOptions } from "./pool/worker-pool.ts";
export { QuickJsMacroRuntime } from "./quickjs-macro-runtime.ts";
