export { Agent, type AgentOptions } from "./agents/agent.ts";
export type { AgentMode } from "./agents/open-session.ts";
export { type AgentOf, describeEachMode, type EachModeOptions } from "./agents/describe-each-mode.ts";
export type { Duration } from "./clock/duration.ts";
export type { ServiceClock, ServiceTimer, ServiceTimers } from "./clock/service-clock.ts";
export type { FailureParts, PlannedFailure, RouteFailures } from "./failures/route-failures.ts";
export type { ReceivedResponse } from "./matchers/received-response.ts";
export { stable, type StableResponse } from "./matchers/stable.ts";
export { logInModes } from "./modes.ts";
export type { BrowserResponse } from "./providers/browser.ts";
export type { ProviderName } from "./providers/fake-providers.ts";
export {
  type Persona,
  personas,
  type ProviderLogInOptions,
  TestProvider,
  type TestProviders,
} from "./providers/test-provider.ts";
export type { LicenceMessage } from "./traps/licence-receiver.ts";
export { LicenceTrap } from "./traps/licence-trap.ts";
export { MailTrap, type WaitOptions } from "./traps/mail-trap.ts";
export type { TrappedMail } from "./traps/trapped-mail.ts";
export {
  type AppContent,
  type AppKeyContent,
  type ClassContent,
  type ContentReference,
  type CustomUserContent,
  type DatabaseContent,
  type ObjectContent,
  ref,
  type UserContent,
} from "./service/database-content.ts";
export {
  type ConnectedUser,
  type ConnectOptions,
  connectTestService,
} from "./service/connect-test-service.ts";
export { openTestService } from "./service/open-test-service.ts";
export type { Recording, RecordOptions } from "./record/recording.ts";
export { startTestService, type TestServiceOptions } from "./service/start-test-service.ts";
export type { AnsweredRequest, ExplainedStep, Explanation } from "./service/answered-request.ts";
export type { AuditedEvent, ServiceInside, TestService } from "./service/test-service.ts";
