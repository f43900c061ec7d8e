export { acceptHook, type HookDeclaration, type HookEvent, hookEvents } from "./accept-hook.ts";
export * from "./inspected-library.ts";
export * from "./macro-fault.ts";
export * from "./macro-library.ts";
export * from "./macro-reports.ts";
export * from "./macro-runtime.ts";
export * from "./macro-store.ts";
export * from "./macro.ts";
export { acceptDeclaration, type InspectedText, ModuleInspector } from "./module-inspector.ts";
