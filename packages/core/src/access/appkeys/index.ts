export {
  type Application,
  applicationKind,
  Applications,
  KnownApplications,
  type NewApplication,
} from "./applications.ts";
export * from "./create-app-key.ts";
export * from "./create-application.ts";
export * from "./return-address.ts";
