export * from "./catalogue.ts";
export * from "./findings.ts";
export * from "./refused-by-storage.ts";
export * from "./service-error.ts";
