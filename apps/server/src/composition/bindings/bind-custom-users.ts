import { AskAuthenticator, CreateCustomAccount, KeepAuthenticatedUser, LogInCustomUser, VerifyCustomPassword } from "@sallyport/core";
import type { Container } from "inversify";
import { identifiers } from "../identifiers.ts";

/** Those who are no database users: how they come in, and what becomes of their passwords. */
export function bindCustomUsers(container: Container): void {
  const { digests, random, hasher, gate, serializeOwnUser, objectHooks, createCustomAccount, verifyCustomPassword, askAuthenticator, logInCustomUser } = identifiers;
  container.bind(createCustomAccount).toResolvedValue((...parts) => new CreateCustomAccount(...parts), [hasher, digests, random]);
  container.bind(verifyCustomPassword).toResolvedValue((...parts) => new VerifyCustomPassword(...parts), [hasher, digests]);
  container
    .bind(askAuthenticator)
    .toResolvedValue((hooks, hash, source, accounts) => new AskAuthenticator(hooks, new KeepAuthenticatedUser(hash, source), accounts), [objectHooks, hasher, random, verifyCustomPassword]);
  container.bind(logInCustomUser).toResolvedValue((...parts) => new LogInCustomUser(...parts), [gate, askAuthenticator, serializeOwnUser]);
}
