import {
  AskAuthenticator,
  ChangeCustomPassword,
  ConfirmCustomPassword,
  CreateCustomAccount,
  KeepAuthenticatedUser,
  LogInCustomUser,
  SettleCustomPassword,
  VerifyCustomPassword,
} from "@sallyport/core";
import type { Container } from "inversify";
import { identifiers } from "../identifiers.ts";

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
