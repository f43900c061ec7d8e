export { accountNamed, accountsOf, type ImitatedAccount, imitatedAccounts } from "./imitated-account.ts";
export type { ImitatedClient } from "./imitated-client.ts";
export {
  type AnswerFault,
  answerFaults,
  type DebugFault,
  debugFaults,
  type Endpoint,
  endpoints,
  type Misbehaviour,
  type TokenFault,
  tokenFaults,
} from "./misbehaviour.ts";
export { marker } from "./routes/answer.ts";
export { type Callback, signIn } from "./sign-in.ts";
export {
  type ProviderImitation,
  type ProviderImitationOptions,
  startProviderImitation,
} from "./start-provider-imitation.ts";
