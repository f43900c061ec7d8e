export * from "./reseal-secrets.ts";
export * from "./sealed-texts.ts";
