import type {
  CreateAccount,
  Digests,
  Gate,
  GetObject,
  ListObjects,
  LogIn,
  LogOut,
  RandomSource,
  SerializeOwnUser,
  VerifyPassword,
} from "@sallyport/core";
import type { Application, DatabaseDirectory, HttpSettings, RequestObserver, Route } from "@sallyport/http";
import type { ServiceIdentifier } from "inversify";
import type { Logger } from "pino";
import type { Configuration } from "../configuration/index.ts";
import type { CountedPasswordHasher } from "../operations/counted-password-hasher.ts";
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
  hasher: named<CountedPasswordHasher>("hasher"),
  engines: named<StorageEngines>("engines"),
  databases: named<DatabaseDirectory>("databases"),
  demoSeeder: named<DemoSeeder>("demoSeeder"),
  preparation: named<DatabasePreparation>("preparation"),
  sweeper: named<Sweeper>("sweeper"),
  gate: named<Gate>("gate"),
  verifyPassword: named<VerifyPassword>("verifyPassword"),
  createAccount: named<CreateAccount>("createAccount"),
  serializeOwnUser: named<SerializeOwnUser>("serializeOwnUser"),
  logIn: named<LogIn>("logIn"),
  logOut: named<LogOut>("logOut"),
  getObject: named<GetObject>("getObject"),
  listObjects: named<ListObjects>("listObjects"),
  httpSettings: named<HttpSettings>("httpSettings"),
  routes: named<readonly Route[]>("routes"),
  metrics: named<Metrics>("metrics"),
  operations: named<ServerOperations>("operations"),
  observer: named<RequestObserver>("observer"),
  application: named<Application>("application"),
} as const;
