export { DeleteObject, type DeleteObjectInput } from "./delete-object.ts";
export type { Departure } from "./departure.ts";
export type { DepartureRepository, ReferrerQuery } from "./departure-repository.ts";
export type { HeldObject } from "./held-object.ts";
export type { LinkTarget } from "./link-target.ts";
export type { Referrer } from "./referrer.ts";
export type { Restoration } from "./restoration.ts";
export { RestoreObject } from "./restore-object.ts";
