import { setTimeout as pause } from "node:timers/promises";
import {
  AddCustomUser,
  AskAuthenticator,
  AskForReset,
  ChangeCustomPassword,
  ChangeOwnPassword,
  ChangePassword,
  CheckSecondFactors,
  ConfirmCustomPassword,
  ConfirmReset,
  ConfirmSecondFactor,
  CreateCustomAccount,
  CreateUser,
  CustomPasswordReset,
  EnrolSecondFactor,
  FactorProofs,
  FactorSecrets,
  KeepAuthenticatedUser,
  LogInCustomUser,
  OwnPasswordReset,
  PasswordMessages,
  PasswordNotice,
  PasswordPolicy,
  PrepareResetMail,
  ProveFactor,
  ReadSecondFactor,
  RemoveSecondFactor,
  ReplacePassword,
  SetCustomPassword,
  SettleCustomPassword,
  SetUserPassword,
  ValidateSecondFactor,
  VerifyCustomPassword,
} from "@sallyport/core";
import { ListedBreachedPasswords, OtplibTimeTokens } from "@sallyport/crypto";
import { decodeUtf8 } from "@sallyport/http";
import type { Container } from "inversify";
import { identifiers } from "../identifiers.ts";

/** What passwords have to be, and the ways to another one. */
export function bindPasswords(container: Container): void {
  const {
    configuration,
    digests,
    random,
    hasher,
    gate,
    keyRings,
    credentialsCipher,
    orderMail,
    passwordPolicy,
    replacePassword,
    passwordNotice,
  } = identifiers;
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
    .bind(identifiers.createUser)
    .toResolvedValue((...parts) => new CreateUser(...parts), [passwordPolicy, identifiers.createAccount]);
  container
    .bind(identifiers.setUserPassword)
    .toResolvedValue((...parts) => new SetUserPassword(...parts), [passwordPolicy, hasher, replacePassword]);
  container
    .bind(identifiers.resetMail)
    .toResolvedValue((...parts) => new PrepareResetMail(...parts), [digests, random, identifiers.passwordResets]);
  container
    .bind(passwordNotice)
    .toResolvedValue((order, { mail }) => new PasswordNotice(order, mail.language), [orderMail, configuration]);
  container
    .bind(identifiers.changeOwnPassword)
    .toResolvedValue(
      (throttled, hashing, digest, policy, replace, notice) =>
        new ChangeOwnPassword({ gate: throttled, hasher: hashing, digests: digest, policy, replace, notice }),
      [gate, hasher, digests, passwordPolicy, replacePassword, passwordNotice],
    );
  container.bind(identifiers.changePassword).toResolvedValue(
    (rings, credentials, digest, own, custom) => {
      const messages = new PasswordMessages({
        keyRings: rings,
        credentials,
        digests: digest,
        decodeText: decodeUtf8,
        pause,
      });
      return new ChangePassword({ messages, own, custom });
    },
    [keyRings, credentialsCipher, digests, identifiers.changeOwnPassword, identifiers.changeCustomPassword],
  );
  container.bind(identifiers.passwordResets).toResolvedValue(
    (replace, settle, hooks, { passwords }) => ({
      own: new OwnPasswordReset(replace),
      custom: new CustomPasswordReset(settle, hooks, passwords.customLength),
    }),
    [replacePassword, identifiers.settleCustomPassword, identifiers.objectHooks, configuration],
  );
  container.bind(identifiers.askForReset).toResolvedValue(
    (order, { mail, passwords }, { custom }, digest) =>
      new AskForReset({
        orderMail: order,
        digests: digest,
        language: mail.language,
        customReset: custom,
        perNetwork: passwords.resetsPerNetwork,
      }),
    [orderMail, configuration, identifiers.passwordResets, digests],
  );
  container
    .bind(identifiers.confirmReset)
    .toResolvedValue(
      (hashing, digest, policy, passwords, resets, notice) =>
        new ConfirmReset({ hasher: hashing, digests: digest, policy, passwords, resets, notice }),
      [hasher, digests, passwordPolicy, replacePassword, identifiers.passwordResets, passwordNotice],
    );
}

/** What a password alone does not open. */
export function bindSecondFactors(container: Container): void {
  const { digests, random, keyWrapping, gate, timeTokens, factorSecrets, factorProofs, proveFactor } = identifiers;
  container.bind(timeTokens).toDynamicValue(() => new OtplibTimeTokens());
  container.bind(factorSecrets).toResolvedValue((...parts) => new FactorSecrets(...parts), [keyWrapping, digests]);
  container
    .bind(factorProofs)
    .toResolvedValue((...parts) => new FactorProofs(...parts), [factorSecrets, timeTokens, digests]);
  container
    .bind(identifiers.checkSecondFactors)
    .toResolvedValue((proofs) => new CheckSecondFactors(proofs), [factorProofs]);
  container.bind(proveFactor).toResolvedValue((...parts) => new ProveFactor(...parts), [gate, factorProofs]);
  container
    .bind(identifiers.readSecondFactor)
    .toResolvedValue((secrets) => new ReadSecondFactor(secrets), [factorSecrets]);
  container
    .bind(identifiers.enrolSecondFactor)
    .toResolvedValue((...parts) => new EnrolSecondFactor(...parts), [factorSecrets, timeTokens, digests, random]);
  container
    .bind(identifiers.confirmSecondFactor)
    .toResolvedValue((prove) => new ConfirmSecondFactor(prove), [proveFactor]);
  container
    .bind(identifiers.removeSecondFactor)
    .toResolvedValue((prove) => new RemoveSecondFactor(prove), [proveFactor]);
  container
    .bind(identifiers.validateSecondFactor)
    .toResolvedValue((prove) => new ValidateSecondFactor(prove), [proveFactor]);
}

/** Those who are no database users: how they come in, and what becomes of their passwords. */
export function bindCustomUsers(container: Container): void {
  const {
    digests,
    random,
    hasher,
    gate,
    serializeOwnUser,
    objectHooks,
    createCustomAccount,
    verifyCustomPassword,
    askAuthenticator,
    logInCustomUser,
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
    .bind(logInCustomUser)
    .toResolvedValue((...parts) => new LogInCustomUser(...parts), [gate, askAuthenticator, serializeOwnUser]);
  container
    .bind(settleCustomPassword)
    .toResolvedValue((replace) => new SettleCustomPassword(replace), [identifiers.replacePassword]);
  container
    .bind(identifiers.addCustomUser)
    .toResolvedValue(
      (policy, create, { passwords }) => new AddCustomUser(policy, create, passwords.customLength),
      [identifiers.passwordPolicy, createCustomAccount, identifiers.configuration],
    );
  container
    .bind(identifiers.setCustomPassword)
    .toResolvedValue(
      (policy, hashing, settle, { passwords }) =>
        new SetCustomPassword(policy, hashing, settle, passwords.customLength),
      [identifiers.passwordPolicy, hasher, settleCustomPassword, identifiers.configuration],
    );
  container.bind(identifiers.changeCustomPassword).toDynamicValue(async ({ getAsync }) => {
    const { passwords, mail } = await getAsync(identifiers.configuration);
    return new ChangeCustomPassword({
      gate: await getAsync(gate),
      hasher: await getAsync(hasher),
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
  container
    .bind(identifiers.confirmCustomPassword)
    .toResolvedValue(
      (throttled, digest, settle, notice) =>
        new ConfirmCustomPassword({ gate: throttled, digests: digest, settle, notice }),
      [gate, digests, settleCustomPassword, identifiers.passwordNotice],
    );
}
