export * from "./catalogue.ts";
export * from "./service-error.ts";
