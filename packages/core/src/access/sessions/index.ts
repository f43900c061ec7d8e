export * from "./app-names.ts";
export * from "./credential-reader.ts";
export * from "./enter-with-password.ts";
export { isEnrolling } from "./is-enrolling.ts";
export * from "./log-in.ts";
export * from "./log-out.ts";
