export { anyPort, type AppKey, type AppKeyRepository, listingsOf, type NewAppKey } from "./app-key-repository.ts";
export { type Application, Applications, KnownApplications, type NewApplication } from "./applications.ts";
export { isReturnAddress, listsReturnAddress, longestReturnAddress } from "./return-address.ts";
