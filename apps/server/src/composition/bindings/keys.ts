import { setTimeout as pause } from "node:timers/promises";
import {
  ChannelSecrets,
  ChannelTraffic,
  CredentialReader,
  CursorSealing,
  KeyRings,
  LogInMessages,
  OutgoingNumbers,
  Tokens,
} from "@sallyport/core";
import {
  AesCbcHybridCipher,
  AesCtrChannelCipher,
  AesGcmKeyWrapping,
  Argon2PasswordHasher,
  ForgeClientKeyParser,
  JwtTokenSigner,
  JwtTokenVerifier,
  NodeDigests,
  NodeRandomSource,
  NodeServerKeys,
  RsaAnswerCipher,
  RsaCredentialsCipher,
} from "@sallyport/crypto";
import { parseUniqueObject } from "@sallyport/http";
import type { Container } from "inversify";
import type { Configuration } from "../../configuration/index.ts";
import { CountedPasswordHasher } from "../../operations/metrics.ts";
import { identifiers } from "../identifiers.ts";
import { masterKeyOf, suppliedKeys } from "../supplied-files.ts";

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

/** Keys of the server, tokens, and the ciphers of encrypted log-ins and traffic. */
export function bindKeys(container: Container): void {
  const { configuration, digests, random, keyWrapping, keySupply, keyRings } = identifiers;
  const { channelSecrets, credentialsCipher, tokens } = identifiers;
  container.bind(keyWrapping).toResolvedValue(
    async (configured) => {
      const masterKey = await masterKeyOf(configured);
      return masterKey === null ? null : new AesGcmKeyWrapping(masterKey);
    },
    [configuration],
  );
  container.bind(identifiers.cursorSealing).toResolvedValue(
    (wrapping, source) =>
      new CursorSealing({
        wrapping,
        wrappingBy: (secret) => new AesGcmKeyWrapping(Buffer.from(secret, "base64url")),
        random: source,
      }),
    [keyWrapping, random],
  );
  container.bind(keySupply).toResolvedValue(
    (configured, wrapping) => {
      const serverKeys = new NodeServerKeys();
      const rsaBits = Number(configured.encryption.rsaBits) as 2048 | 3072 | 4096;
      return { wrapping, serverKeys, rsaBits, supplied: suppliedKeys(configured, serverKeys) };
    },
    [configuration, keyWrapping],
  );
  container.bind(keyRings).toResolvedValue((supply) => new KeyRings(supply), [keySupply]);
  container.bind(channelSecrets).toResolvedValue((wrapping) => new ChannelSecrets(wrapping), [keyWrapping]);
  container
    .bind(credentialsCipher)
    .toResolvedValue(
      ({ encryption }) => new RsaCredentialsCipher({ legacyPkcs1: encryption.legacyPkcs1 }),
      [configuration],
    );
  container.bind(identifiers.logInMessages).toResolvedValue(
    (rings, credentials, digest) =>
      new LogInMessages({
        keyRings: rings,
        digests: digest,
        credentials,
        hybrid: new AesCbcHybridCipher(credentials),
        clientKeys: new ForgeClientKeyParser(),
        answers: new RsaAnswerCipher(),
        parseObject: parseUniqueObject,
        pause,
      }),
    [keyRings, credentialsCipher, digests],
  );
  container
    .bind(identifiers.channelTraffic)
    .toResolvedValue(
      (secrets) => new ChannelTraffic(secrets, new OutgoingNumbers(), new AesCtrChannelCipher()),
      [channelSecrets],
    );
  container.bind(tokens).toResolvedValue(
    (rings, source, digest, { applicationName }) =>
      new Tokens({
        keyRings: rings,
        digests: digest,
        signer: new JwtTokenSigner(),
        verifier: new JwtTokenVerifier(),
        random: source,
        issuer: applicationName,
        now: Date.now,
      }),
    [keyRings, random, digests, configuration],
  );
  container
    .bind(identifiers.credentialReader)
    .toResolvedValue((...parts) => new CredentialReader(...parts), [digests, tokens, channelSecrets]);
}
