import { Argon2PasswordHasher, NodeDigests, NodeRandomSource } from "@sallyport/crypto";
import type { Container } from "inversify";
import type { Configuration } from "../../configuration/index.ts";
import { CountedPasswordHasher } from "../../operations/counted-password-hasher.ts";
import { identifiers } from "../identifiers.ts";

/** Digests, random identifiers and password hashes. */
export function bindSecrets(container: Container): void {
  container.bind(identifiers.digests).toDynamicValue(() => new NodeDigests());
  container.bind(identifiers.random).toDynamicValue(() => new NodeRandomSource());
  container.bind(identifiers.hasher).toResolvedValue(createHasher, [identifiers.configuration]);
}

async function createHasher({ passwords }: Configuration): Promise<CountedPasswordHasher> {
  const { argon2, concurrency, queueLimit } = passwords;
  const options = { ...argon2, queueLimit, ...(concurrency === undefined ? {} : { concurrency }) };
  return new CountedPasswordHasher(await Argon2PasswordHasher.create(options));
}
