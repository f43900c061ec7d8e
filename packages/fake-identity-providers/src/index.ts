export { type AnswerFault, answerFaults, marker } from "./answer.ts";
export { type TokenFault, tokenFaults } from "./id-token.ts";
export { accountNamed, accountsOf, type FakeAccount, fakeAccounts } from "./fake-account.ts";
export {
  type DebugFault,
  debugFaults,
  type Endpoint,
  endpoints,
  type FakeClient,
  type ProviderFaults,
} from "./fake-provider.ts";
export { type Callback, callbackRequest, type CallbackRequest, cookieOf, signIn } from "./pages.ts";
export * from "./start-fake-identity-providers.ts";
export { type RegisteredFakes, type RegisteredFakesOptions, startRegisteredFakes } from "./start-registered-fakes.ts";
