export { AcceptProviderUser, AssignProviderUser, type NewProviderUser } from "./assign-provider-user.ts";
export { LogInWithProvider, type ProviderOutcome } from "./log-in-with-provider.ts";
export { type CallbackInput, type FinishedLogIn, FinishProviderLogIn } from "./finish-provider-log-in.ts";
export * from "./identity-provider.ts";
export * from "./log-in-and-link.ts";
export {
  type BrowserCookie,
  ProviderSealing,
  providerStates,
  returnCodeLifetime,
  returnCodes,
  stateLifetime,
} from "./provider-state.ts";
export * from "./put-provider.ts";
export * from "./registered-providers.ts";
export { type ListedLink, listLinks, ListOwnLinks, removeLink, RemoveOwnLinks } from "./links.ts";
export * from "./start-provider-log-in.ts";
export * from "./exchange-return-code.ts";
