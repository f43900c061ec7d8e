export { AssignProviderUser } from "./assign-provider-user.ts";
export type { BrowserCookie } from "./browser-cookie.ts";
export { CallbackAddresses } from "./callback-addresses.ts";
export { EnterWithProvider, type ProviderOutcome } from "./enter-with-provider.ts";
export { type CallbackInput, type FinishedLogIn, FinishProviderLogIn } from "./finish-provider-log-in.ts";
export {
  type IdentityLink,
  type NewIdentityLink,
  type ProviderIdentity,
  type ProviderType,
  providerTypes,
} from "./identity-link.ts";
export type { IdentityLinkRepository } from "./identity-link-repository.ts";
export type {
  AuthorizationAnswer,
  AuthorizationRequest,
  CallbackParameters,
  IdentityProvider,
  ProviderData,
  ProviderProfile,
} from "./identity-provider.ts";
export { ListOwnLinks } from "./list-own-links.ts";
export { LinkNotice, type NewLink } from "./link-notice.ts";
export { type LinkingInput, LogInLinking } from "./log-in-linking.ts";
export type { ProviderEntry } from "./provider-entry.ts";
export { providerTypeOf } from "./provider-name.ts";
export type { ProviderRepository } from "./provider-repository.ts";
export { ProviderSealing } from "./provider-sealing.ts";
export { PutProvider, type PutProviderInput } from "./put-provider.ts";
export { type RegisteredProvider, RegisteredProviders } from "./registered-providers.ts";
export { RemoveLink } from "./remove-link.ts";
export { RemoveOwnLinks } from "./remove-own-links.ts";
export { RemoveProvider } from "./remove-provider.ts";
export { TradeReturnCode, type TradeInput } from "./trade-return-code.ts";
export {
  type LogInsUnderWay,
  type StartedLogIn,
  type StartInput,
  StartProviderLogIn,
} from "./start-provider-log-in.ts";
