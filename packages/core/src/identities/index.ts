export { acceptProviderUser, assignProviderUser, type NewProviderUser } from "./assign-provider-user.ts";
export { logInWithProvider, type ProviderOutcome } from "./log-in-with-provider.ts";
export { type CallbackInput, type FinishedLogIn, finishProviderLogIn } from "./finish-provider-log-in.ts";
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
export { type ListedLink, listLinks, listOwnLinks, removeLink, removeOwnLinks } from "./links.ts";
export * from "./start-provider-log-in.ts";
export * from "./exchange-return-code.ts";
