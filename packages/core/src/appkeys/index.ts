export { anyPort, type AppKey, type AppKeyRepository, listingsOf, type NewAppKey } from "./app-key-repository.ts";
export {
  type Application,
  type ApplicationRepository,
  KnownApplications,
  type NewApplication,
} from "./application-repository.ts";
export { isReturnAddress, listsReturnAddress, longestReturnAddress } from "./return-address.ts";
