export * from "./catalogue.ts";
export * from "./findings.ts";
export * from "./service-error.ts";
