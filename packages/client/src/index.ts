export type { ApiDescription, ReadersData, Serialization, SerializationField } from "@sallyport/contract";
export { SallyportClient } from "./client.ts";
export type { ClientOptions } from "./client-options.ts";
export type { ClientKeyPair } from "./crypto/client-key-pair.ts";
export type { RsaKey } from "./crypto/rsa-key.ts";
export type { RsaPadding } from "./crypto/rsa-padding.ts";
export * from "./errors/index.ts";
export type {
  Device,
  EncryptedLogInOptions,
  KeyOptions,
  LogInDoor,
  LogInFields,
  LogInOptions,
  PlainLogInOptions,
  SecureLogInOptions,
} from "./logins/log-in-options.ts";
export type { LogInResult } from "./logins/log-in-result.ts";
export type { Lock } from "./locks/lock.ts";
export type { ExecuteOptions } from "./macros/execute-macro.ts";
export { definitionOf } from "./model/definition-of.ts";
export type {
  AttributeDefinition,
  ClassDefinition,
  ClassRight,
  ClassStructure,
  ModelStructure,
} from "./model/structure.ts";
export type { MultiItem, MultiOptions, MultiResult } from "./multi/multi-item.ts";
export type { Attributes, BusinessObject, ObjectPage, RecyclerPage } from "./objects/business-object.ts";
export type { CountOptions, ListOptions, ObjectOptions, PageOptions, RecyclerOptions } from "./objects/list-options.ts";
export { type ReadBefore, versionOf } from "./objects/version.ts";
export type {
  ConditionOptions,
  DeleteOptions,
  PurgeOptions,
  ReadersOptions,
  UpdateOptions,
} from "./objects/write-options.ts";
export type { Filter, MatchQuery, ObjectQuery, Operand, Operators } from "./objects/object-query.ts";
export type { CallOptions } from "./requests/call-options.ts";
export type { Answer, AnswerHead, BytesAnswer, RequestOptions } from "./requests/request-options.ts";
export type { ClientSession, LogInMode } from "./sessions/client-session.ts";
export type { CallLimits } from "./transport/deadline.ts";
export type { IncomingMessage, OutgoingMessage } from "./transport/message.ts";
export type { QueryValues } from "./transport/service-address.ts";
export type { Fetch, Method } from "./transport/transport.ts";
