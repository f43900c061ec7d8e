import { setTimeout as pause } from "node:timers/promises";
import {
  AskAuthenticator,
  ChangeCustomPassword,
  ChangeOwnPassword,
  CheckSecondFactors,
  CreateAccount,
  CreateCustomAccount,
  CustomPasswordReset,
  EnterWithPassword,
  FactorProofs,
  FactorSecrets,
  Gate,
  KeepAuthenticatedUser,
  OwnPasswordReset,
  PasswordNotice,
  PasswordPolicy,
  PrepareResetMail,
  ProveFactor,
  ReplacePassword,
  SerializeOwnUser,
  SettleCustomPassword,
  VerifyCustomPassword,
  VerifyPassword,
} from "@sallyport/core";
import { ListedBreachedPasswords, OtplibTimeTokens } from "@sallyport/crypto";
import type { Container } from "inversify";
import { identifiers } from "../identifiers.ts";

/** The gate, and how users come in by name and password. */
export function bindEntry(container: Container): void {
  const { digests, random, hasher, gate, verifyPassword, serializeOwnUser } = identifiers;
  container
    .bind(gate)
    .toResolvedValue((...parts) => new Gate(...parts, pause), [digests, random, identifiers.checkSecondFactors]);
  container.bind(verifyPassword).toResolvedValue((...parts) => new VerifyPassword(...parts), [hasher, digests]);
  container
    .bind(identifiers.createAccount)
    .toResolvedValue((...parts) => new CreateAccount(...parts), [hasher, digests]);
  container.bind(serializeOwnUser).toResolvedValue((hooks) => new SerializeOwnUser(hooks), [identifiers.objectHooks]);
  container
    .bind(identifiers.enterWithPassword)
    .toResolvedValue((...parts) => new EnterWithPassword(...parts), [gate, verifyPassword, serializeOwnUser]);
}

/** What passwords have to be, and the ways to another one. */
export function bindPasswords(container: Container): void {
  const { configuration, digests, random, hasher, gate, orderMail, passwordPolicy, replacePassword, passwordNotice } =
    identifiers;
  container
    .bind(passwordPolicy)
    .toResolvedValue(
      (hashing, digest) => new PasswordPolicy(hashing, digest, new ListedBreachedPasswords()),
      [hasher, digests],
    );
  container
    .bind(replacePassword)
    .toResolvedValue(({ passwords }) => new ReplacePassword(passwords.history), [configuration]);
  container
    .bind(identifiers.resetMail)
    .toResolvedValue((...parts) => new PrepareResetMail(...parts), [digests, random, identifiers.passwordResets]);
  container
    .bind(passwordNotice)
    .toResolvedValue((order, { mail }) => new PasswordNotice(order, mail.language), [orderMail, configuration]);
  container
    .bind(identifiers.changeOwnPassword)
    .toResolvedValue(
      (throttled, digest, policy, replace, notice) =>
        new ChangeOwnPassword({ gate: throttled, digests: digest, policy, replace, notice }),
      [gate, digests, passwordPolicy, replacePassword, passwordNotice],
    );
  container.bind(identifiers.passwordResets).toResolvedValue(
    (replace, settle, hooks, { passwords }) => ({
      own: new OwnPasswordReset(replace),
      custom: new CustomPasswordReset(settle, hooks, passwords.customLength),
    }),
    [replacePassword, identifiers.settleCustomPassword, identifiers.objectHooks, configuration],
  );
}

/** What a password alone does not open. */
export function bindSecondFactors(container: Container): void {
  const { digests, keyWrapping, gate, timeTokens, factorSecrets, factorProofs, proveFactor } = identifiers;
  container.bind(timeTokens).toDynamicValue(() => new OtplibTimeTokens());
  container.bind(factorSecrets).toResolvedValue((...parts) => new FactorSecrets(...parts), [keyWrapping, digests]);
  container
    .bind(factorProofs)
    .toResolvedValue((...parts) => new FactorProofs(...parts), [factorSecrets, timeTokens, digests]);
  container
    .bind(identifiers.checkSecondFactors)
    .toResolvedValue((proofs) => new CheckSecondFactors(proofs), [factorProofs]);
  container.bind(proveFactor).toResolvedValue((...parts) => new ProveFactor(...parts), [gate, factorProofs]);
}

/** Those who are no database users: how they come in, and what becomes of their passwords. */
export function bindCustomUsers(container: Container): void {
  const {
    digests,
    random,
    hasher,
    gate,
    objectHooks,
    createCustomAccount,
    verifyCustomPassword,
    askAuthenticator,
    settleCustomPassword,
  } = identifiers;
  container
    .bind(createCustomAccount)
    .toResolvedValue((...parts) => new CreateCustomAccount(...parts), [hasher, digests, random]);
  container
    .bind(verifyCustomPassword)
    .toResolvedValue((...parts) => new VerifyCustomPassword(...parts), [hasher, digests]);
  container
    .bind(askAuthenticator)
    .toResolvedValue(
      (hooks, hash, source, accounts) => new AskAuthenticator(hooks, new KeepAuthenticatedUser(hash, source), accounts),
      [objectHooks, hasher, random, verifyCustomPassword],
    );
  container
    .bind(settleCustomPassword)
    .toResolvedValue((replace) => new SettleCustomPassword(replace), [identifiers.replacePassword]);
  container.bind(identifiers.changeCustomPassword).toDynamicValue(async ({ getAsync }) => {
    const { passwords, mail } = await getAsync(identifiers.configuration);
    return new ChangeCustomPassword({
      gate: await getAsync(gate),
      digests: await getAsync(digests),
      random: await getAsync(random),
      policy: await getAsync(identifiers.passwordPolicy),
      shortest: passwords.customLength,
      settle: await getAsync(settleCustomPassword),
      orderMail: await getAsync(identifiers.orderMail),
      language: mail.language,
      hooks: await getAsync(objectHooks),
    });
  });
}
