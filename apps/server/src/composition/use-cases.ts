import { setTimeout as pause } from "node:timers/promises";
import * as core from "@sallyport/core";
import { decodeUtf8 } from "@sallyport/http";
import type { RecordQuota } from "@sallyport/storage";
import type { Container, ServiceIdentifier } from "inversify";
import type { Configuration } from "../configuration/index.ts";
import { ServedDatabaseExaminer } from "../doctor/database-examiner.ts";
import { nextSteps } from "../reference/error-texts.ts";
import { macroLimits } from "../macros/macro-folders.ts";
import { bind, classFactory, classFactoryByName, components, type Factory, functionFactory } from "./components.ts";

const { configuration, cursorSealing, digests, openPasswordSession, factorSecrets, gate, hasher } = components;
const { indexKeeper, keyRings, macroReports, macroRunner, macroRuntime, objectHooks, queueMail, changeNotice } =
  components;
const { passwordPolicy, passwordResets, proveFactor, providerSealing, random, registeredProviders } = components;
const { replacePassword, serializeOwnUser, slowQueries, hashes, writeFileObject } = components;

const openFile = new core.OpenFile();

/** All use cases of routes and commands, by name. This is the only place in the server that lists them. */
const useCases = {
  logIn: classFactory(core.LogIn, [openPasswordSession]),
  logInWithToken: classFactory(core.LogInWithToken, [openPasswordSession, components.tokens]),
  logInSecurely: classFactory(core.LogInSecurely, [openPasswordSession, components.channelSecrets, random]),
  logInCustomUser: classFactory(core.LogInCustomUser, [gate, components.authenticateByHook, serializeOwnUser]),
  logOut: classFactory(core.LogOut, [components.licenceMessages]),
  reserveSeats: classFactory(core.ReserveSeats, [gate, components.checkSecondFactors, components.licenceMessages]),
  releaseSeats: classFactory(core.ReleaseSeats, [components.licenceMessages]),
  logInAdministrator: classFactory(core.LogInAdministrator, [openPasswordSession, digests]),
  logOutAdministrator: functionFactory(() => new core.LogOut(core.noLicenceMessages), []),
  giveProof: classFactory(core.GiveProof, [gate, components.verifyPassword, proveFactor]),

  startProviderLogIn: functionFactory(
    (configured, ...needs) => new core.StartProviderLogIn(...needs, quotaOf(configured)),
    [configuration, registeredProviders, providerSealing, digests, random],
  ),
  finishProviderLogIn: classFactoryByName(
    core.FinishProviderLogIn,
    {
      providers: registeredProviders,
      sealing: providerSealing,
      logInWithProvider: components.logInWithProvider,
      digests,
      random,
    },
    (configured: Configuration) => ({ quota: quotaOf(configured) }),
  ),
  exchangeReturnCode: classFactory(core.ExchangeReturnCode, [
    registeredProviders,
    providerSealing,
    components.logInWithProvider,
    digests,
  ]),
  logInAndLink: classFactory(core.LogInAndLink, [openPasswordSession, digests, random, changeNotice]),
  listOwnLinks: classFactory(core.ListOwnLinks, []),
  removeOwnLinks: classFactory(core.RemoveOwnLinks, []),
  listProviders: functionFactory(
    ({ oAuthProviders }, ...needs) => new core.ListProviders(...needs, oAuthProviders),
    [configuration, components.supportedProviders, providerSealing, components.callbackAddresses],
  ),
  putProvider: classFactory(core.PutProvider, [providerSealing]),
  administerProviders: functionFactory(
    ({ oAuthProviders }, known, sealing, addresses) =>
      new core.AdministerProviders(
        known,
        new core.ListProviders(known, sealing, addresses, oAuthProviders),
        new core.PutProvider(sealing),
      ),
    [configuration, components.supportedProviders, providerSealing, components.callbackAddresses],
  ),
  explainAbsence: classFactory(core.ExplainAbsence, [components.syncSchemas]),
  examineDatabase: functionFactory(
    (configured, served, engines, rings, known, sealing, addresses) => {
      const listProviders = new core.ListProviders(known, sealing, addresses, configured.oAuthProviders);
      const { configurations: databases } = served;
      const parts = { configuration: configured, databases, engines, keyRings: rings, listProviders };
      return new core.ExamineDatabase(new ServedDatabaseExaminer(parts));
    },
    [
      configuration,
      components.databases,
      components.engines,
      keyRings,
      components.supportedProviders,
      providerSealing,
      components.callbackAddresses,
    ],
  ),
  explainRefusal: functionFactory(() => new core.ExplainRefusal(nextSteps), []),
  changeUser: functionFactory((hooks) => new core.ChangeUser(new core.UpdateObject(hooks)), [objectHooks]),
  putGroup: functionFactory(
    (hooks) => new core.PutGroup(new core.CreateObject(hooks), new core.UpdateObject(hooks)),
    [objectHooks],
  ),

  changePassword: functionFactory(
    (rings, credentials, digest, own, custom) => {
      const messages = { keyRings: rings, credentials, digests: digest, decodeText: decodeUtf8, pause };
      return new core.ChangePassword({ messages: new core.PasswordMessages(messages), own, custom });
    },
    [keyRings, components.credentialsCipher, digests, components.changeOwnPassword, components.changeCustomPassword],
  ),
  requestPasswordReset: classFactoryByName(
    core.RequestPasswordReset,
    { queueMail, digests, resets: passwordResets },
    ({ mail, passwords }: Configuration) => ({ language: mail.language, perNetwork: passwords.resetsPerIp }),
  ),
  confirmReset: classFactoryByName(core.ConfirmReset, {
    hasher,
    digests,
    policy: passwordPolicy,
    passwords: replacePassword,
    resets: passwordResets,
    notice: changeNotice,
  }),
  confirmCustomPassword: classFactoryByName(core.ConfirmCustomPassword, {
    gate,
    digests,
    replace: replacePassword,
    notice: changeNotice,
  }),

  readSecondFactor: classFactory(core.ReadSecondFactor, [factorSecrets]),
  enrolSecondFactor: classFactory(core.EnrolSecondFactor, [factorSecrets, components.timeTokens, digests, random]),
  confirmSecondFactor: classFactory(core.ConfirmSecondFactor, [proveFactor]),
  removeSecondFactor: classFactory(core.RemoveSecondFactor, [proveFactor]),
  validateSecondFactor: classFactory(core.ValidateSecondFactor, [proveFactor]),

  getObject: classFactory(core.GetObject, [objectHooks]),
  listObjects: classFactory(core.ListObjects, [digests, cursorSealing, slowQueries, objectHooks]),
  createObject: classFactory(core.CreateObject, [objectHooks]),
  updateObject: classFactory(core.UpdateObject, [objectHooks]),
  updateObjects: classFactory(core.UpdateObjects, [objectHooks]),
  deleteObject: functionFactory((hooks) => new core.DeleteObject(hooks, core.administratorGuard), [objectHooks]),
  restoreObject: classFactory(core.RestoreObject, [objectHooks]),
  listRecycled: classFactory(core.ListRecycled, [cursorSealing]),
  listSyncSchemas: classFactory(core.ListSyncSchemas, [components.syncSchemas]),
  pullChanges: functionFactory(
    (after, ...needs) => new core.PullChanges(...needs, new core.ChangeWatch(after)),
    [components.after, components.syncSchemas, cursorSealing],
  ),
  purgeRecycled: classFactory(core.PurgeRecycled, []),
  getReaders: classFactory(core.GetReaders, []),
  setReaders: classFactory(core.SetReaders, []),
  getLock: classFactory(core.GetLock, []),
  lockObject: classFactory(core.LockObject, []),
  unlockObject: classFactory(core.UnlockObject, []),

  beginUpload: classFactory(core.BeginUpload, [hashes, random]),
  readUpload: classFactory(core.ReadUpload, [hashes]),
  storeChunk: classFactory(core.StoreChunk, [hashes, random]),
  finishUpload: classFactory(core.FinishUpload, [writeFileObject, hashes, random]),
  cancelUpload: classFactory(core.CancelUpload, [random]),
  storeFile: classFactory(core.StoreFile, [writeFileObject, hashes, random]),
  openFile: functionFactory(() => openFile, []),
  createFileLink: functionFactory((links) => new core.CreateFileLink(links, openFile), [components.fileLinks]),
  openFileLink: functionFactory((links) => new core.OpenFileLink(links, openFile), [components.fileLinks]),
  listFiles: classFactory(core.ListFiles, []),
  collectFiles: classFactory(core.CollectFiles, []),
  checkFiles: classFactory(core.CheckFiles, [hashes]),
  verifyDatabase: classFactory(core.VerifyDatabase, [hashes]),
  dumpFiles: classFactory(core.DumpFiles, [hashes]),
  restoreFiles: classFactory(core.RestoreFiles, [random, hashes]),

  readStructure: classFactory(core.ReadStructure, []),
  listReadableClasses: classFactory(core.ListReadableClasses, []),
  putClass: classFactory(core.PutClass, [indexKeeper]),
  removeClass: classFactory(core.RemoveClass, [indexKeeper]),

  executeOnce: functionFactory(
    (hooks, wrapping) => new core.ExecuteOnce(new core.GetObject(hooks), wrapping),
    [objectHooks, components.keyWrapping],
  ),
  executeMacro: classFactory(core.ExecuteMacro, [macroRunner, macroReports]),
  listExecutableMacros: classFactory(core.ListExecutableMacros, []),
  putMacro: functionFactory(
    (runtime, configured) => new core.PutMacro(new core.ModuleInspector(runtime, macroLimits(configured))),
    [macroRuntime, configuration],
  ),

  // The changes of a push wait for nothing.
  pushChanges: functionFactory(
    (schemas, operations, cursors, after) =>
      new core.PushChanges(schemas, operations, new core.PullChanges(schemas, cursors, new core.ChangeWatch(after))),
    [components.syncSchemas, components.executeOperations, cursorSealing, components.after],
  ),
  writeSynced: classFactory(core.WriteSynced, [components.syncSchemas, components.executeOperations]),

  createUser: classFactory(core.CreateUser, [passwordPolicy, components.createAccount]),
  setUserPassword: classFactory(core.SetUserPassword, [passwordPolicy, hasher, replacePassword]),
  addCustomUser: functionFactory(
    ({ passwords }, ...needs) => new core.AddCustomUser(...needs, passwords.customUserMinLength),
    [configuration, passwordPolicy, components.createAccount],
  ),
  setCustomPassword: functionFactory(
    ({ passwords }, ...needs) => new core.SetCustomPassword(...needs, passwords.customUserMinLength),
    [configuration, passwordPolicy, hasher, replacePassword],
  ),
  createAppKey: classFactory(core.CreateAppKey, [random, digests]),
  createApplication: classFactory(core.CreateApplication, [factorSecrets]),
  rotateKey: classFactory(core.RotateKey, [components.keySupply]),
  resealSecrets: classFactory(core.ResealSecrets, [components.keyWrapping]),
};

/** Maximum number of pending log-ins: at a provider, or returned with a code that is not exchanged yet. */
function quotaOf({ providers: { maxPendingLogins } }: Configuration): RecordQuota {
  return { perOwner: maxPendingLogins.perIp, total: maxPendingLogins.total };
}

type Table = typeof useCases;
type ComponentOf<Name extends keyof Table> = Table[Name] extends Factory<infer T> ? T : never;
const names = Object.keys(useCases) as (keyof Table)[];

/** The identifiers of the use cases, by name. */
export const useCaseIdentifiers = Object.fromEntries(names.map((name) => [name, Symbol(name)])) as unknown as {
  readonly [Name in keyof Table]: ServiceIdentifier<ComponentOf<Name>>;
};

/** Binds each use case, and all of them together for the routes. */
export function bindUseCases(container: Container): void {
  for (const name of names) bindUseCase(container, name);
  container.bind(components.useCases).toDynamicValue(async ({ getAsync }) => {
    const made: Record<string, unknown> = {};
    for (const name of names) made[name] = await getAsync<unknown>(useCaseIdentifiers[name]);
    return {
      ...(made as { readonly [Name in keyof Table]: ComponentOf<Name> }),
      logInMessages: await getAsync(components.logInMessages),
      keyRings: await getAsync(keyRings),
      objectHooks: await getAsync(objectHooks),
    };
  });
}

function bindUseCase<Name extends keyof Table>(container: Container, name: Name): void {
  bind(container, useCaseIdentifiers[name], useCases[name] as Factory<ComponentOf<Name>>);
}
