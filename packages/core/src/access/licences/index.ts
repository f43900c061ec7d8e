export * from "./deliver-licence-messages.ts";
export * from "./licence-messages.ts";
