import { setTimeout as pause } from "node:timers/promises";
import * as core from "@sallyport/core";
import { decodeUtf8 } from "@sallyport/http";
import type { Container, ServiceIdentifier } from "inversify";
import type { Configuration } from "../configuration/index.ts";
import { macroLimits } from "../macros/macro-folders.ts";
import { bind, by, from, of, parts, type Recipe } from "./parts.ts";

const { configuration, cursorSealing, digests, openPasswordSession, factorSecrets, gate, hasher } = parts;
const { indexKeeper, keyRings, macroReports, macroRunner, macroRuntime, objectHooks, queueMail, changeNotice } = parts;
const { passwordPolicy, passwordResets, proveFactor, providerSealing, random, registeredProviders } = parts;
const { replacePassword, serializeOwnUser, slowQueries } = parts;

/** All use cases of routes and commands, by name. This is the only place in the server that lists them. */
const useCases = {
  logIn: of(core.LogIn, [openPasswordSession]),
  logInWithToken: of(core.LogInWithToken, [openPasswordSession, parts.tokens]),
  logInSecurely: of(core.LogInSecurely, [openPasswordSession, parts.channelSecrets, random]),
  logInCustomUser: of(core.LogInCustomUser, [gate, parts.authenticateByHook, serializeOwnUser]),
  logOut: of(core.LogOut, []),

  startProviderLogIn: by(
    (configured, ...needs) => new core.StartProviderLogIn(...needs, quotaOf(configured)),
    [configuration, registeredProviders, providerSealing, digests, random],
  ),
  finishProviderLogIn: from(
    core.FinishProviderLogIn,
    {
      providers: registeredProviders,
      sealing: providerSealing,
      logInWithProvider: parts.logInWithProvider,
      digests,
      random,
    },
    (configured: Configuration) => ({ quota: quotaOf(configured) }),
  ),
  exchangeReturnCode: of(core.ExchangeReturnCode, [
    registeredProviders,
    providerSealing,
    parts.logInWithProvider,
    digests,
  ]),
  logInAndLink: of(core.LogInAndLink, [openPasswordSession, digests, random, changeNotice]),
  listOwnLinks: of(core.ListOwnLinks, []),
  removeOwnLinks: of(core.RemoveOwnLinks, []),
  listProviders: by(
    ({ oAuthProviders }, ...needs) => new core.ListProviders(...needs, oAuthProviders),
    [configuration, parts.supportedProviders, providerSealing, parts.callbackAddresses],
  ),
  putProvider: of(core.PutProvider, [providerSealing]),

  changePassword: by(
    (rings, credentials, digest, own, custom) => {
      const messages = { keyRings: rings, credentials, digests: digest, decodeText: decodeUtf8, pause };
      return new core.ChangePassword({ messages: new core.PasswordMessages(messages), own, custom });
    },
    [keyRings, parts.credentialsCipher, digests, parts.changeOwnPassword, parts.changeCustomPassword],
  ),
  requestPasswordReset: from(
    core.RequestPasswordReset,
    { queueMail, digests, resets: passwordResets },
    ({ mail, passwords }: Configuration) => ({ language: mail.language, perNetwork: passwords.resetsPerIp }),
  ),
  confirmReset: from(core.ConfirmReset, {
    hasher,
    digests,
    policy: passwordPolicy,
    passwords: replacePassword,
    resets: passwordResets,
    notice: changeNotice,
  }),
  confirmCustomPassword: from(core.ConfirmCustomPassword, {
    gate,
    digests,
    replace: replacePassword,
    notice: changeNotice,
  }),

  readSecondFactor: of(core.ReadSecondFactor, [factorSecrets]),
  enrolSecondFactor: of(core.EnrolSecondFactor, [factorSecrets, parts.timeTokens, digests, random]),
  confirmSecondFactor: of(core.ConfirmSecondFactor, [proveFactor]),
  removeSecondFactor: of(core.RemoveSecondFactor, [proveFactor]),
  validateSecondFactor: of(core.ValidateSecondFactor, [proveFactor]),

  getObject: of(core.GetObject, [objectHooks]),
  listObjects: of(core.ListObjects, [digests, cursorSealing, slowQueries, objectHooks]),
  createObject: of(core.CreateObject, [objectHooks]),
  updateObject: of(core.UpdateObject, [objectHooks]),
  updateObjects: of(core.UpdateObjects, [objectHooks]),
  deleteObject: of(core.DeleteObject, [objectHooks]),
  restoreObject: of(core.RestoreObject, [objectHooks]),
  listRecycled: of(core.ListRecycled, [cursorSealing]),
  purgeRecycled: of(core.PurgeRecycled, []),
  getReaders: of(core.GetReaders, []),
  setReaders: of(core.SetReaders, []),
  getLock: of(core.GetLock, []),
  lockObject: of(core.LockObject, []),
  unlockObject: of(core.UnlockObject, []),

  readStructure: of(core.ReadStructure, []),
  listReadableClasses: of(core.ListReadableClasses, []),
  putClass: of(core.PutClass, [indexKeeper]),
  removeClass: of(core.RemoveClass, [indexKeeper]),

  executeMacro: of(core.ExecuteMacro, [macroRunner, macroReports]),
  listExecutableMacros: of(core.ListExecutableMacros, []),
  putMacro: by(
    (runtime, configured) => new core.PutMacro(new core.ModuleInspector(runtime, macroLimits(configured))),
    [macroRuntime, configuration],
  ),

  createUser: of(core.CreateUser, [passwordPolicy, parts.createAccount]),
  setUserPassword: of(core.SetUserPassword, [passwordPolicy, hasher, replacePassword]),
  addCustomUser: by(
    ({ passwords }, ...needs) => new core.AddCustomUser(...needs, passwords.customUserMinLength),
    [configuration, passwordPolicy, parts.createAccount],
  ),
  setCustomPassword: by(
    ({ passwords }, ...needs) => new core.SetCustomPassword(...needs, passwords.customUserMinLength),
    [configuration, passwordPolicy, hasher, replacePassword],
  ),
  createAppKey: of(core.CreateAppKey, [random, digests]),
  createApplication: of(core.CreateApplication, [factorSecrets]),
  rotateKey: of(core.RotateKey, [parts.keySupply]),
};

/** Maximum number of pending log-ins: at a provider, or returned with a code that is not exchanged yet. */
function quotaOf({ providers: { maxPendingLogins } }: Configuration): core.RecordQuota {
  return { perOwner: maxPendingLogins.perIp, total: maxPendingLogins.total };
}

type Table = typeof useCases;
type PartOf<Name extends keyof Table> = Table[Name] extends Recipe<infer T> ? T : never;
const names = Object.keys(useCases) as (keyof Table)[];

/** The identifiers of the use cases, by name. */
export const useCaseIdentifiers = Object.fromEntries(names.map((name) => [name, Symbol(name)])) as unknown as {
  readonly [Name in keyof Table]: ServiceIdentifier<PartOf<Name>>;
};

/** Binds each use case, and all of them together for the routes. */
export function bindUseCases(container: Container): void {
  for (const name of names) bindUseCase(container, name);
  container.bind(parts.useCases).toDynamicValue(async ({ getAsync }) => {
    const made: Record<string, unknown> = {};
    for (const name of names) made[name] = await getAsync<unknown>(useCaseIdentifiers[name]);
    return {
      ...(made as { readonly [Name in keyof Table]: PartOf<Name> }),
      logInMessages: await getAsync(parts.logInMessages),
      keyRings: await getAsync(keyRings),
      objectHooks: await getAsync(objectHooks),
    };
  });
}

function bindUseCase<Name extends keyof Table>(container: Container, name: Name): void {
  bind(container, useCaseIdentifiers[name], useCases[name] as Recipe<PartOf<Name>>);
}
