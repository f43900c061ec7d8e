export { marker } from "./answer.ts";
export { accountNamed, accountsOf, type ImitatedAccount, imitatedAccounts } from "./imitated-account.ts";
export type { ImitatedClient } from "./imitation.ts";
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
export { type Callback, signIn } from "./pages.ts";
export {
  type ProviderImitation,
  type ProviderImitationOptions,
  startProviderImitation,
} from "./start-provider-imitation.ts";
