import { setTimeout as pause } from "node:timers/promises";
import * as core from "@sallyport/core";
import { ListedBreachedPasswords, OtplibTimeTokens } from "@sallyport/crypto";
import type { Configuration } from "../../configuration/index.ts";
import { by, from, of, parts, type Recipes } from "../parts.ts";

const { checkSecondFactors, configuration, digests, factorProofs, factorSecrets, gate, hasher, objectHooks } = parts;
const { changeNotice, queueMail, passwordPolicy, random, replacePassword } = parts;

/** The log-in gate, authentication and passwords. */
export const userParts = {
  gate: by((...needs) => new core.Gate(...needs, pause), [digests, random, checkSecondFactors]),
  verifyPassword: of(core.VerifyPassword, [hasher, digests]),
  createAccount: of(core.CreateAccount, [hasher, digests, random]),
  serializeOwnUser: of(core.SerializeOwnUser, [objectHooks]),
  openPasswordSession: of(core.OpenPasswordSession, [gate, parts.verifyPassword, parts.serializeOwnUser]),

  passwordPolicy: by((...needs) => new core.PasswordPolicy(...needs, new ListedBreachedPasswords()), [hasher, digests]),
  replacePassword: by(({ passwords }) => new core.ReplacePassword(passwords.history), [configuration]),
  resetMail: of(core.PrepareResetMail, [digests, random, parts.passwordResets]),
  changeNotice: by((queue, { mail }) => new core.ChangeNotice(queue, mail.language), [queueMail, configuration]),
  changeOwnPassword: from(core.ChangeOwnPassword, {
    gate,
    digests,
    policy: passwordPolicy,
    replace: replacePassword,
    notice: changeNotice,
  }),
  passwordResets: by(
    (hooks, { passwords }) => ({
      own: core.ownPasswordReset,
      custom: core.customPasswordReset(hooks, passwords.customUserMinLength),
    }),
    [objectHooks, configuration],
  ),

  timeTokens: of(OtplibTimeTokens, []),
  factorSecrets: of(core.FactorSecrets, [parts.keyWrapping, digests]),
  factorProofs: of(core.FactorProofs, [factorSecrets, parts.timeTokens, digests]),
  checkSecondFactors: of(core.CheckSecondFactors, [factorProofs]),
  proveFactor: of(core.ProveFactor, [gate, factorProofs]),

  verifyCustomPassword: of(core.VerifyCustomPassword, [hasher, digests]),
  authenticateByHook: by(
    (hooks, hash, source, accounts) =>
      new core.AuthenticateByHook(hooks, new core.StoreAuthenticatedUser(hash, source), accounts),
    [objectHooks, hasher, random, parts.verifyCustomPassword],
  ),
  changeCustomPassword: from(
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
} satisfies Recipes;
