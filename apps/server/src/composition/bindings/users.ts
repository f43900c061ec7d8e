import { setTimeout as pause } from "node:timers/promises";
import * as core from "@sallyport/core";
import { ListedBreachedPasswords, OtplibTimeTokens } from "@sallyport/crypto";
import type { Configuration } from "../../configuration/index.ts";
import { classFactory, classFactoryByName, components, type Factories, functionFactory } from "../components.ts";

const { checkSecondFactors, configuration, digests, factorProofs, factorSecrets, gate, hasher, objectHooks } =
  components;
const { changeNotice, queueMail, passwordPolicy, random, replacePassword } = components;

/** The log-in gate, authentication and passwords. */
export const userFactories = {
  gate: functionFactory(
    (licences, { passwords: { queueLimit } }, ...needs) =>
      // No network takes more than half of the queue of password hashes.
      new core.Gate(...needs, pause, licences, Math.max(1, Math.ceil(queueLimit / 2))),
    [components.licenceMessages, components.tuning, digests, random, checkSecondFactors],
  ),
  verifyPassword: classFactory(core.VerifyPassword, [hasher, digests]),
  createAccount: classFactory(core.CreateAccount, [hasher, digests, random]),
  serializeOwnUser: classFactory(core.SerializeOwnUser, [objectHooks]),
  openPasswordSession: classFactory(core.OpenPasswordSession, [
    gate,
    components.verifyPassword,
    components.serializeOwnUser,
  ]),

  passwordPolicy: functionFactory(
    (...needs) => new core.PasswordPolicy(...needs, new ListedBreachedPasswords()),
    [hasher, digests],
  ),
  replacePassword: functionFactory(({ passwords }) => new core.ReplacePassword(passwords.history), [configuration]),
  resetMail: classFactory(core.PrepareResetMail, [digests, random, components.passwordResets]),
  changeNotice: functionFactory(
    (queue, { mail }) => new core.ChangeNotice(queue, mail.language),
    [queueMail, configuration],
  ),
  changeOwnPassword: classFactoryByName(core.ChangeOwnPassword, {
    gate,
    digests,
    policy: passwordPolicy,
    replace: replacePassword,
    notice: changeNotice,
  }),
  passwordResets: functionFactory(
    (hooks, { passwords }) => ({
      own: core.ownPasswordReset,
      custom: core.customPasswordReset(hooks, passwords.customUserMinLength),
    }),
    [objectHooks, configuration],
  ),

  timeTokens: classFactory(OtplibTimeTokens, []),
  factorSecrets: classFactory(core.FactorSecrets, [components.keyWrapping, digests]),
  factorProofs: classFactory(core.FactorProofs, [factorSecrets, components.timeTokens, digests]),
  checkSecondFactors: classFactory(core.CheckSecondFactors, [factorProofs]),
  proveFactor: classFactory(core.ProveFactor, [gate, factorProofs]),

  verifyCustomPassword: classFactory(core.VerifyCustomPassword, [hasher, digests]),
  authenticateByHook: functionFactory(
    (hooks, hash, source, accounts) =>
      new core.AuthenticateByHook(hooks, new core.StoreAuthenticatedUser(hash, source), accounts),
    [objectHooks, hasher, random, components.verifyCustomPassword],
  ),
  changeCustomPassword: classFactoryByName(
    core.ChangeCustomPassword,
    {
      gate,
      digests,
      random,
      policy: passwordPolicy,
      replace: replacePassword,
      queueMail,
      hooks: objectHooks,
    },
    ({ passwords, mail }: Configuration) => ({ minLength: passwords.customUserMinLength, language: mail.language }),
  ),
} satisfies Factories;
