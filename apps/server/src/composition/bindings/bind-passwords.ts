import { setTimeout as pause } from "node:timers/promises";
import {
  AskForReset,
  ChangeOwnPassword,
  ChangePassword,
  ConfirmReset,
  CustomPasswordReset,
  OwnPasswordReset,
  PasswordMessages,
  PasswordNotice,
  PasswordPolicy,
  PrepareResetMail,
  ReplacePassword,
} from "@sallyport/core";
import { ListedBreachedPasswords } from "@sallyport/crypto";
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
