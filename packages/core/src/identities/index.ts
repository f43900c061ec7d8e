export { AcceptProviderUser, type NewProviderUser } from "./accept-provider-user.ts";
export { AssignProviderUser } from "./assign-provider-user.ts";
export { EnterWithProvider, type ProviderOutcome } from "./enter-with-provider.ts";
export { type CallbackInput, type FinishedLogIn, FinishProviderLogIn } from "./finish-provider-log-in.ts";
export {
  type AuthorizationAnswer,
  type AuthorizationRequest,
  type CallbackParameters,
  type IdentityProvider,
  type ProviderData,
  type ProviderProfile,
  providerTypeOf,
} from "./identity-provider.ts";
export { type LinkingInput, LinkNotice, LogInLinking, type NewLink } from "./log-in-linking.ts";
export { ListOwnLinks, RemoveOwnLinks } from "./own-links.ts";
export { ProviderEntries, type ProviderEntry, providerEntryKind } from "./provider-entries.ts";
export { ProviderSealing } from "./provider-sealing.ts";
export type { BrowserCookie } from "./provider-state.ts";
export { PutProvider, type PutProviderInput, removeProvider } from "./put-provider.ts";
export { CallbackAddresses, type RegisteredProvider, RegisteredProviders } from "./registered-providers.ts";
export { type ListedLink, listLinks, removeLink } from "./remove-link.ts";
export {
  type LogInsUnderWay,
  type StartedLogIn,
  type StartInput,
  StartProviderLogIn,
} from "./start-provider-log-in.ts";
export { type TradeInput, TradeReturnCode } from "./trade-return-code.ts";
export { type ListedProvider, ListProviders } from "./list-providers.ts";
