export { demoCredentials } from "../demo/index.ts";
export type { AnsweredRequest } from "./answered-requests.ts";
export { administrationRoutes, type ContractRoute, contractRoutes } from "./contract-routes.ts";
export { type Fault, failureHeader } from "./failure-plan.ts";
export { checkContent, checkOptions, refuseUnknown } from "./options.ts";
export type { Seed } from "./seed.ts";
export type { TestStorage } from "./storages/test-storages.ts";
export { mergedSettings, startTestServer, type TestServer, type TestServerOptions } from "./test-server.ts";
export {
  callbackRequest,
  cookieOf,
  type RegisteredFakes,
  signIn as signInAtFake,
  startRegisteredFakes,
} from "@sallyport/fake-identity-providers";
export type { Mail, Mailer, MailOutcome } from "@sallyport/core";
export type { RecordedAuditEvent } from "@sallyport/storage";
