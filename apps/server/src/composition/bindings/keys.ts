import { setTimeout as pause } from "node:timers/promises";
import * as core from "@sallyport/core";
import * as crypto from "@sallyport/crypto";
import { parseUniqueObject } from "@sallyport/http";
import type { Configuration } from "../../configuration/index.ts";
import { CountedPasswordHasher } from "../../operations/metrics.ts";
import { by, from, of, parts, type Recipes } from "../parts.ts";
import { masterKeyOf, suppliedKeys } from "../supplied-files.ts";

const { channelSecrets, configuration, credentialsCipher, digests, keyRings, keySupply, keyWrapping, random } = parts;

/** Digests, password hashes, server keys, tokens, and ciphers of encrypted log-ins and traffic. */
export const keyParts = {
  digests: of(crypto.NodeDigests, []),
  random: of(crypto.NodeRandomSource, []),
  hasher: by(
    async ({ passwords: { argon2, hashConcurrency: concurrency, hashQueueLimit: queueLimit } }) => {
      const options = { ...argon2, queueLimit, ...(concurrency === undefined ? {} : { concurrency }) };
      return new CountedPasswordHasher(await crypto.Argon2PasswordHasher.create(options));
    },
    [configuration],
  ),

  keyWrapping: by(
    async (configured) => {
      const masterKey = await masterKeyOf(configured);
      return masterKey === null ? null : new crypto.AesGcmKeyWrapping(masterKey);
    },
    [configuration],
  ),
  cursorSealing: from(core.CursorSealing, { wrapping: keyWrapping, random }, () => ({
    wrappingBy: (secret: string) => new crypto.AesGcmKeyWrapping(Buffer.from(secret, "base64url")),
  })),
  keySupply: by(
    (configured, wrapping) => {
      const serverKeys = new crypto.NodeServerKeys();
      const rsaBits = Number(configured.encryption.rsaBits) as 2048 | 3072 | 4096;
      return { wrapping, serverKeys, rsaBits, supplied: suppliedKeys(configured, serverKeys) };
    },
    [configuration, keyWrapping],
  ),
  keyRings: of(core.KeyRings, [keySupply]),
  channelSecrets: of(core.ChannelSecrets, [keyWrapping]),
  credentialsCipher: by(
    ({ encryption: { legacyPkcs1 } }) => new crypto.RsaCredentialsCipher({ legacyPkcs1 }),
    [configuration],
  ),
  logInMessages: by(
    (rings, credentials, digest) =>
      new core.LogInMessages({
        keyRings: rings,
        digests: digest,
        credentials,
        hybrid: new crypto.AesCbcHybridCipher(credentials),
        clientKeys: new crypto.ForgeClientKeyParser(),
        answers: new crypto.RsaAnswerCipher(),
        parseObject: parseUniqueObject,
        pause,
      }),
    [keyRings, credentialsCipher, digests],
  ),
  channelTraffic: by(
    (secrets) => new core.ChannelTraffic(secrets, new core.OutgoingNumbers(), new crypto.AesCtrChannelCipher()),
    [channelSecrets],
  ),
  tokens: from(core.Tokens, { keyRings, digests, random }, ({ applicationName }: Configuration) => ({
    signer: new crypto.JwtTokenSigner(),
    verifier: new crypto.JwtTokenVerifier(),
    issuer: applicationName,
    now: Date.now,
  })),
  credentialReader: of(core.CredentialReader, [digests, parts.tokens, channelSecrets]),
} satisfies Recipes;
