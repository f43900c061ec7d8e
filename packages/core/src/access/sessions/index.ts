export { acceptAppNames } from "./app-names.ts";
export * from "./credential-reader.ts";
export { admitGrant, type Grant, sessionGrant, userGrant } from "./grants.ts";
export * from "./log-in.ts";
export * from "./log-out.ts";
export * from "./resting-sessions.ts";
export * from "./seats.ts";
export * from "./session-traffic.ts";
export { sessionFindings } from "./session-findings.ts";
