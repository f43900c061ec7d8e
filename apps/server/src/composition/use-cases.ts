import { setTimeout as pause } from "node:timers/promises";
import {
  AddCustomUser,
  AskForReset,
  ChangePassword,
  ConfirmCustomPassword,
  ConfirmReset,
  ConfirmSecondFactor,
  CreateAppKey,
  CreateApplication,
  CreateObject,
  CreateUser,
  DeleteObject,
  EnrolSecondFactor,
  ExecuteMacro,
  FinishProviderLogIn,
  GetLock,
  GetObject,
  GetReaders,
  LinkNotice,
  ListExecutableMacros,
  ListObjects,
  ListOwnLinks,
  ListProviders,
  ListReadableClasses,
  ListRecycled,
  LockObject,
  LogIn,
  LogInCustomUser,
  LogInLinking,
  LogInSecurely,
  LogInWithToken,
  LogOut,
  ModuleInspector,
  PasswordMessages,
  PurgeRecycled,
  PutClass,
  PutMacro,
  PutProvider,
  ReadSecondFactor,
  ReadStructure,
  type RecordRoom,
  RemoveClass,
  RemoveOwnLinks,
  RemoveSecondFactor,
  RestoreObject,
  RotateKey,
  SetCustomPassword,
  SetReaders,
  SetUserPassword,
  StartProviderLogIn,
  TradeReturnCode,
  UnlockObject,
  UpdateObject,
  UpdateObjects,
  ValidateSecondFactor,
} from "@sallyport/core";
import { decodeUtf8 } from "@sallyport/http";
import type { Container, MapToResolvedValueInjectOptions, ServiceIdentifier } from "inversify";
import type { Configuration } from "../configuration/index.ts";
import { macroLimits } from "../macros/macro-limits.ts";
import { parts } from "./parts.ts";

/** How a use case is made: of parts of the container, in the order in which its constructor or factory takes them. */
type UseCase<T> = (container: Container, identifier: ServiceIdentifier<T>) => void;

function of<T, Needs extends unknown[]>(
  Made: new (...needs: Needs) => T,
  needs: MapToResolvedValueInjectOptions<Needs>,
): UseCase<T> {
  return by((...given: Needs) => new Made(...given), needs);
}

function by<T, Needs extends unknown[]>(
  make: (...needs: Needs) => T,
  needs: MapToResolvedValueInjectOptions<Needs>,
): UseCase<T> {
  return (container, identifier) => void container.bind(identifier).toResolvedValue(make, needs);
}

const { configuration, cursorSealing, digests, enterWithPassword, factorSecrets, gate, hasher } = parts;
const { indexKeeper, keyRings, macroReports, macroRunner, macroRuntime, objectHooks, orderMail, passwordNotice } =
  parts;
const { passwordPolicy, passwordResets, proveFactor, providerSealing, random, registeredProviders } = parts;
const { replacePassword, serializeOwnUser, settleCustomPassword, slowQueries } = parts;

/** Everything that routes and commands have done, by name. A new use case is named here and nowhere else in the server. */
const useCases = {
  logIn: of(LogIn, [enterWithPassword]),
  logInWithToken: of(LogInWithToken, [enterWithPassword, parts.tokens]),
  logInSecurely: of(LogInSecurely, [enterWithPassword, parts.channelSecrets, random]),
  logInCustomUser: of(LogInCustomUser, [gate, parts.askAuthenticator, serializeOwnUser]),
  logOut: of(LogOut, []),

  startProviderLogIn: by(
    (configured, ...needs) => new StartProviderLogIn(...needs, roomOf(configured)),
    [configuration, registeredProviders, providerSealing, digests, random],
  ),
  finishProviderLogIn: by(
    (configured, providers, sealing, enterWithProvider, ...[digest, source]) =>
      new FinishProviderLogIn({
        providers,
        sealing,
        enterWithProvider,
        digests: digest,
        random: source,
        room: roomOf(configured),
      }),
    [configuration, registeredProviders, providerSealing, parts.enterWithProvider, digests, random],
  ),
  tradeReturnCode: of(TradeReturnCode, [registeredProviders, providerSealing, parts.enterWithProvider, digests]),
  logInLinking: by(
    (order, { mail }, ...needs) => new LogInLinking(...needs, new LinkNotice(order, mail.language)),
    [orderMail, configuration, enterWithPassword, digests, random],
  ),
  listOwnLinks: of(ListOwnLinks, []),
  removeOwnLinks: of(RemoveOwnLinks, []),
  listProviders: by(
    ({ oAuthProviders }, ...needs) => new ListProviders(...needs, oAuthProviders),
    [configuration, parts.knownProviders, providerSealing, parts.callbackAddresses],
  ),
  putProvider: of(PutProvider, [providerSealing]),

  changePassword: by(
    (rings, credentials, digest, own, custom) => {
      const messages = { keyRings: rings, credentials, digests: digest, decodeText: decodeUtf8, pause };
      return new ChangePassword({ messages: new PasswordMessages(messages), own, custom });
    },
    [keyRings, parts.credentialsCipher, digests, parts.changeOwnPassword, parts.changeCustomPassword],
  ),
  askForReset: by(
    (order, { mail, passwords }, { custom }, digest) =>
      new AskForReset({
        orderMail: order,
        digests: digest,
        language: mail.language,
        customReset: custom,
        perNetwork: passwords.resetsPerNetwork,
      }),
    [orderMail, configuration, passwordResets, digests],
  ),
  confirmReset: by(
    (hashing, digest, policy, passwords, resets, notice) =>
      new ConfirmReset({ hasher: hashing, digests: digest, policy, passwords, resets, notice }),
    [hasher, digests, passwordPolicy, replacePassword, passwordResets, passwordNotice],
  ),
  confirmCustomPassword: by(
    (throttled, digest, settle, notice) =>
      new ConfirmCustomPassword({ gate: throttled, digests: digest, settle, notice }),
    [gate, digests, settleCustomPassword, passwordNotice],
  ),

  readSecondFactor: of(ReadSecondFactor, [factorSecrets]),
  enrolSecondFactor: of(EnrolSecondFactor, [factorSecrets, parts.timeTokens, digests, random]),
  confirmSecondFactor: of(ConfirmSecondFactor, [proveFactor]),
  removeSecondFactor: of(RemoveSecondFactor, [proveFactor]),
  validateSecondFactor: of(ValidateSecondFactor, [proveFactor]),

  getObject: of(GetObject, [objectHooks]),
  listObjects: of(ListObjects, [digests, cursorSealing, slowQueries, objectHooks]),
  createObject: of(CreateObject, [objectHooks]),
  updateObject: of(UpdateObject, [objectHooks]),
  updateObjects: of(UpdateObjects, [objectHooks]),
  deleteObject: of(DeleteObject, [objectHooks]),
  restoreObject: of(RestoreObject, [objectHooks]),
  listRecycled: of(ListRecycled, [cursorSealing]),
  purgeRecycled: of(PurgeRecycled, []),
  getReaders: of(GetReaders, []),
  setReaders: of(SetReaders, []),
  getLock: of(GetLock, []),
  lockObject: of(LockObject, []),
  unlockObject: of(UnlockObject, []),

  readStructure: of(ReadStructure, []),
  listReadableClasses: of(ListReadableClasses, []),
  putClass: of(PutClass, [indexKeeper]),
  removeClass: of(RemoveClass, [indexKeeper]),

  executeMacro: of(ExecuteMacro, [macroRunner, macroReports]),
  listExecutableMacros: of(ListExecutableMacros, []),
  putMacro: by(
    (runtime, configured) => new PutMacro(new ModuleInspector(runtime, macroLimits(configured))),
    [macroRuntime, configuration],
  ),

  createUser: of(CreateUser, [passwordPolicy, parts.createAccount]),
  setUserPassword: of(SetUserPassword, [passwordPolicy, hasher, replacePassword]),
  addCustomUser: by(
    (policy, create, { passwords }) => new AddCustomUser(policy, create, passwords.customLength),
    [passwordPolicy, parts.createCustomAccount, configuration],
  ),
  setCustomPassword: by(
    (policy, hashing, settle, { passwords }) => new SetCustomPassword(policy, hashing, settle, passwords.customLength),
    [passwordPolicy, hasher, settleCustomPassword, configuration],
  ),
  createAppKey: of(CreateAppKey, [random, digests]),
  createApplication: of(CreateApplication, [factorSecrets]),
  rotateKey: of(RotateKey, [parts.keySupply]),
};

/** How many log-ins may be under way: away at a provider, or back with a code that is not traded yet. */
function roomOf({ providers: { underWayPerNetwork, underWay } }: Configuration): RecordRoom {
  return { ofOwner: underWayPerNetwork, inAll: underWay };
}

type Table = typeof useCases;
type Made<Name extends keyof Table> = Table[Name] extends UseCase<infer T> ? T : never;
const names = Object.keys(useCases) as (keyof Table)[];

/** The identifiers of the use cases, by their names. */
export const useCaseIdentifiers = Object.fromEntries(names.map((name) => [name, Symbol(name)])) as unknown as {
  readonly [Name in keyof Table]: ServiceIdentifier<Made<Name>>;
};

/** Binds each use case, and all of them together for the routes. */
export function bindUseCases(container: Container): void {
  for (const name of names) bindUseCase(container, name);
  container.bind(parts.useCases).toDynamicValue(async ({ getAsync }) => {
    const made: Record<string, unknown> = {};
    for (const name of names) made[name] = await getAsync<unknown>(useCaseIdentifiers[name]);
    return {
      ...(made as { readonly [Name in keyof Table]: Made<Name> }),
      logInMessages: await getAsync(parts.logInMessages),
      keyRings: await getAsync(keyRings),
      objectHooks: await getAsync(objectHooks),
    };
  });
}

function bindUseCase<Name extends keyof Table>(container: Container, name: Name): void {
  const bind = useCases[name] as UseCase<Made<Name>>;
  bind(container, useCaseIdentifiers[name]);
}
