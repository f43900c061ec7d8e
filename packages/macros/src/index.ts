export * from "./authoring/index.ts";
export { QuickJsMacroRuntime, type QuickJsMacroRuntimeOptions } from "./quickjs-macro-runtime.ts";
