export { type AnswerFault, answerFaults, marker } from "./answer.ts";
export { type TokenFault, tokenFaults } from "./id-token.ts";
export { accountNamed, accountsOf, type ImitatedAccount, imitatedAccounts } from "./imitated-account.ts";
export {
  type DebugFault,
  debugFaults,
  type Endpoint,
  endpoints,
  type ImitatedClient,
  type Misbehaviour,
} from "./imitation.ts";
export { type Callback, signIn } from "./pages.ts";
export * from "./start-provider-imitation.ts";
