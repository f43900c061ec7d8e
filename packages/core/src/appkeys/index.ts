export { anyPort, type AppKey, listingsOf } from "./app-key.ts";
export type { AppKeyRepository, NewAppKey } from "./app-key-repository.ts";
export type { Application } from "./application.ts";
export type { ApplicationRepository, NewApplication } from "./application-repository.ts";
export { KnownApplications } from "./known-applications.ts";
export { isReturnAddress, listsReturnAddress, longestReturnAddress } from "./return-address.ts";
