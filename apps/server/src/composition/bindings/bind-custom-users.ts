import { CreateCustomAccount, LogInCustomUser, VerifyCustomPassword } from "@sallyport/core";
import type { Container } from "inversify";
import { identifiers } from "../identifiers.ts";

/** Those who are no database users: how they come in, and what becomes of their passwords. */
export function bindCustomUsers(container: Container): void {
  const { digests, random, hasher, gate, serializeOwnUser, createCustomAccount, verifyCustomPassword, logInCustomUser } = identifiers;
  container.bind(createCustomAccount).toResolvedValue((...parts) => new CreateCustomAccount(...parts), [hasher, digests, random]);
  container.bind(verifyCustomPassword).toResolvedValue((...parts) => new VerifyCustomPassword(...parts), [hasher, digests]);
  container.bind(logInCustomUser).toResolvedValue((...parts) => new LogInCustomUser(...parts), [gate, verifyCustomPassword, serializeOwnUser]);
}
