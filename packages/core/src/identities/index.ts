export { AssignProviderUser } from "./assign-provider-user.ts";
export type { BrowserCookie } from "./provider-state.ts";
export { CallbackAddresses, type RegisteredProvider, RegisteredProviders } from "./registered-providers.ts";
export { EnterWithProvider, type ProviderOutcome } from "./enter-with-provider.ts";
export { type CallbackInput, type FinishedLogIn, FinishProviderLogIn } from "./finish-provider-log-in.ts";
export {
  type IdentityLink,
  identityLinkId,
  identityLinkKind,
  type IdentityLinkRecord,
  linkOwner,
  type ProviderIdentity,
  type ProviderType,
  providerTypes,
} from "./identity-links.ts";
export {
  type AuthorizationAnswer,
  type AuthorizationRequest,
  type CallbackParameters,
  type IdentityProvider,
  type ProviderData,
  type ProviderProfile,
  providerTypeOf,
} from "./identity-provider.ts";
export { ListOwnLinks, RemoveOwnLinks } from "./own-links.ts";
export { type LinkingInput, LinkNotice, LogInLinking, type NewLink } from "./log-in-linking.ts";
export { ProviderEntries, type ProviderEntry } from "./provider-entries.ts";
export { ProviderSealing } from "./provider-sealing.ts";
export { PutProvider, type PutProviderInput, removeProvider } from "./put-provider.ts";
export { type ListedLink, listLinks, removeLink } from "./remove-link.ts";
export { TradeReturnCode, type TradeInput } from "./trade-return-code.ts";
export {
  type LogInsUnderWay,
  type StartedLogIn,
  type StartInput,
  StartProviderLogIn,
} from "./start-provider-log-in.ts";
