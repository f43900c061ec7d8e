import type {
  AlignIndexes,
  ChannelSecrets,
  ChannelTraffic,
  CreateAccount,
  CreateObject,
  CredentialReader,
  DeleteObject,
  Digests,
  EnterWithPassword,
  Gate,
  GetLock,
  GetObject,
  KeyRings,
  KeySupply,
  KeyWrapping,
  ListObjects,
  ListReadableClasses,
  LockObject,
  LogIn,
  LogInMessages,
  LogInSecurely,
  LogInWithToken,
  LogOut,
  PutClass,
  PutMacro,
  RandomSource,
  ReadStructure,
  RemoveClass,
  RemoveMacro,
  RestoreObject,
  RotateKey,
  SerializeOwnUser,
  SlowQueries,
  Tokens,
  UnlockObject,
  UpdateObject,
  UpdateObjects,
  VerifyPassword,
} from "@sallyport/core";
import type { RsaCredentialsCipher } from "@sallyport/crypto";
import type { Application, DatabaseDirectory, HttpSettings, Playground, PublishedKeys, RequestObserver, Route, UseCases } from "@sallyport/http";
import type { ServiceIdentifier } from "inversify";
import type { Logger } from "pino";
import type { Configuration } from "../configuration/index.ts";
import type { CountedPasswordHasher } from "../operations/counted-password-hasher.ts";
import type { IndexKeeper } from "../operations/index-keeper.ts";
import type { Metrics } from "../operations/metrics.ts";
import type { ServerOperations } from "../operations/server-operations.ts";
import type { Sweeper } from "../operations/sweeper.ts";
import type { DatabasePreparation } from "./databases/database-preparation.ts";
import type { DemoSeeder } from "./databases/demo-seeder.ts";
import type { StorageEngines } from "./storages/storage-engines.ts";

function named<T>(name: string): ServiceIdentifier<T> {
  return Symbol(name);
}

/** Everything that the container knows. */
export const identifiers = {
  configuration: named<Configuration>("configuration"),
  logger: named<Logger>("logger"),
  digests: named<Digests>("digests"),
  random: named<RandomSource>("random"),
  keyWrapping: named<KeyWrapping | null>("keyWrapping"),
  keySupply: named<KeySupply>("keySupply"),
  keyRings: named<KeyRings>("keyRings"),
  rotateKey: named<RotateKey>("rotateKey"),
  putMacro: named<PutMacro>("putMacro"),
  removeMacro: named<RemoveMacro>("removeMacro"),
  channelSecrets: named<ChannelSecrets>("channelSecrets"),
  credentialsCipher: named<RsaCredentialsCipher>("credentialsCipher"),
  logInMessages: named<LogInMessages>("logInMessages"),
  channelTraffic: named<ChannelTraffic>("channelTraffic"),
  tokens: named<Tokens>("tokens"),
  credentialReader: named<CredentialReader>("credentialReader"),
  hasher: named<CountedPasswordHasher>("hasher"),
  engines: named<StorageEngines>("engines"),
  databases: named<DatabaseDirectory>("databases"),
  demoSeeder: named<DemoSeeder>("demoSeeder"),
  preparation: named<DatabasePreparation>("preparation"),
  sweeper: named<Sweeper>("sweeper"),
  alignIndexes: named<AlignIndexes>("alignIndexes"),
  indexKeeper: named<IndexKeeper>("indexKeeper"),
  gate: named<Gate>("gate"),
  verifyPassword: named<VerifyPassword>("verifyPassword"),
  createAccount: named<CreateAccount>("createAccount"),
  serializeOwnUser: named<SerializeOwnUser>("serializeOwnUser"),
  enterWithPassword: named<EnterWithPassword>("enterWithPassword"),
  logIn: named<LogIn>("logIn"),
  logInWithToken: named<LogInWithToken>("logInWithToken"),
  logInSecurely: named<LogInSecurely>("logInSecurely"),
  logOut: named<LogOut>("logOut"),
  getObject: named<GetObject>("getObject"),
  listObjects: named<ListObjects>("listObjects"),
  listReadableClasses: named<ListReadableClasses>("listReadableClasses"),
  createObject: named<CreateObject>("createObject"),
  deleteObject: named<DeleteObject>("deleteObject"),
  restoreObject: named<RestoreObject>("restoreObject"),
  updateObject: named<UpdateObject>("updateObject"),
  updateObjects: named<UpdateObjects>("updateObjects"),
  getLock: named<GetLock>("getLock"),
  lockObject: named<LockObject>("lockObject"),
  unlockObject: named<UnlockObject>("unlockObject"),
  readStructure: named<ReadStructure>("readStructure"),
  putClass: named<PutClass>("putClass"),
  removeClass: named<RemoveClass>("removeClass"),
  publishedKeys: named<PublishedKeys>("publishedKeys"),
  playground: named<Playground | null>("playground"),
  useCases: named<UseCases>("useCases"),
  httpSettings: named<HttpSettings>("httpSettings"),
  routes: named<readonly Route[]>("routes"),
  metrics: named<Metrics>("metrics"),
  operations: named<ServerOperations>("operations"),
  observer: named<RequestObserver>("observer"),
  slowQueries: named<SlowQueries>("slowQueries"),
  application: named<Application>("application"),
} as const;
