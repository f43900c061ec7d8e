export {
  type Application,
  applicationKind,
  Applications,
  findApplications,
  administrationAppName,
  ApplicationCache,
  type NewApplication,
  type SeatChange,
} from "./applications.ts";
export * from "./app-key-scope.ts";
export {
  builtInAppKey,
  builtInDigest,
  type ConsoleKey,
  createConsoleKey,
  isConsoleKey,
  listedKeys,
  removeExpiredConsoleKeys,
} from "./console-keys.ts";
export * from "./create-app-key.ts";
export * from "./create-application.ts";
export * from "./return-address.ts";
