export {
  type Application,
  applicationKind,
  Applications,
  KnownApplications,
  type NewApplication,
} from "./applications.ts";
export {
  acceptAppKey,
  acceptKeyText,
  CreateAppKey,
  type CreateAppKeyInput,
  safeAppKeyLength,
  setAppKeyEnabled,
} from "./create-app-key.ts";
export { CreateApplication, requireApplications } from "./create-application.ts";
export { isReturnAddress, listsReturnAddress, longestReturnAddress, withParameter } from "./return-address.ts";
