export { anyPort, type AppKey, type AppKeyRepository, listingsOf, type NewAppKey } from "./app-key-repository.ts";
export { type Application, Applications, KnownApplications, type NewApplication } from "./applications.ts";
export {
  acceptAppKey,
  acceptKeyText,
  CreateAppKey,
  type CreateAppKeyInput,
  safeAppKeyLength,
  setAppKeyEnabled,
} from "./create-app-key.ts";
export { CreateApplication, requireApplications } from "./create-application.ts";
export { isReturnAddress, listsReturnAddress, longestReturnAddress } from "./return-address.ts";
