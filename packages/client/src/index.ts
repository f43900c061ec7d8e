export type {
  ApiDescription,
  DatabaseCalls,
  ReadersData,
  Serialization,
  SerializationField,
} from "@sallyport/contract";
export { type ExecuteOptions, SallyportClient } from "./client.ts";
export type * from "./options.ts";
export type { ClientKeyPair, RsaKey, RsaPadding } from "./crypto/rsa.ts";
export * from "./errors.ts";
export type { LogInResult } from "./log-in.ts";
export {
  type AttributeDefinition,
  type ClassDefinition,
  type ClassRight,
  type ClassStructure,
  definitionOf,
  type ModelStructure,
} from "./model.ts";
export type { MultiItem, MultiOptions, MultiResult } from "./multi.ts";
export type * from "./objects.ts";
export type {
  Answer,
  AnswerHead,
  BytesAnswer,
  CallOptions,
  OnceOptions,
  OperationOptions,
  RequestOptions,
  StreamAnswer,
} from "./requests.ts";
export type { ClientSession, LogInMode } from "./sessions/client-session.ts";
export type { CallLimits } from "./transport/deadline.ts";
export type { QueryValues } from "./transport/service-address.ts";
export type { Fetch, IncomingMessage, Method, OutgoingMessage, PieceOpener } from "./transport/transport.ts";
export { type ConditionOptions, type ObjectOrVersion, versionOf } from "./version.ts";
