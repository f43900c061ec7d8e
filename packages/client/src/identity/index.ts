export * from "./log-ins.ts";
export * from "./passwords.ts";
export * from "./seats.ts";
export * from "./second-factor.ts";
