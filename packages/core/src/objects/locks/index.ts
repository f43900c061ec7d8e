export * from "./lock-object.ts";
