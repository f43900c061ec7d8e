import { setTimeout as pause } from "node:timers/promises";
import * as core from "@sallyport/core";
import * as crypto from "@sallyport/crypto";
import { parseUniqueObject } from "@sallyport/http";
import { type Configuration, processorsPerWorker } from "../../configuration/index.ts";
import { CountedPasswordHasher } from "../../monitoring/metrics.ts";
import { classFactory, classFactoryByName, components, type Factories, functionFactory } from "../components.ts";
import { masterKeyOf, suppliedKeys } from "../supplied-files.ts";

const { channelSecrets, configuration, credentialsCipher, digests, keyRings, keySupply, keyWrapping, random } =
  components;

/** Digests, password hashes, server keys, tokens, and ciphers of encrypted log-ins and traffic. */
export const keyFactories = {
  digests: classFactory(crypto.NodeDigests, []),
  random: classFactory(crypto.NodeRandomSource, []),
  hashes: classFactory(crypto.ThreadHashes, []),
  uploadHashes: classFactoryByName(core.UploadHashes, { hashes: components.hashes, after: components.after }, () => ({
    now: () => performance.now(),
  })),
  hasher: functionFactory(
    async (configured, { passwords: { queueLimit, concurrency } }) => {
      const options = {
        ...configured.passwords.argon2,
        queueLimit,
        // More threads would take the processors from requests without a password.
        concurrency: concurrency ?? Math.min(processorsPerWorker(configured), 3),
      };
      return new CountedPasswordHasher(await crypto.Argon2PasswordHasher.create(options));
    },
    [configuration, components.tuning],
  ),

  keyWrapping: functionFactory(
    async (configured) => {
      const masterKey = await masterKeyOf(configured);
      const { formerMasterKeys = [] } = configured.encryption;
      const former = formerMasterKeys.map((key) => Buffer.from(key, "base64"));
      return masterKey === null ? null : new crypto.AesGcmKeyWrapping(masterKey, former);
    },
    [configuration],
  ),
  fileCipher: functionFactory(
    (wrapping, { files: { encrypt } }) => new crypto.AesGcmFileCipher(wrapping, { encryptsNew: encrypt }),
    [keyWrapping, configuration],
  ),
  syncSchemas: classFactory(core.SyncSchemas, [random]),
  cursorSealing: classFactoryByName(core.CursorSealing, { wrapping: keyWrapping, random }, () => ({
    wrappingBy: (secret: string) => new crypto.AesGcmKeyWrapping(Buffer.from(secret, "base64url")),
  })),
  keySupply: functionFactory(
    (configured, wrapping) => {
      const serverKeys = new crypto.NodeServerKeys();
      const rsaBits = Number(configured.encryption.rsaBits) as 2048 | 3072 | 4096;
      return { wrapping, serverKeys, rsaBits, supplied: suppliedKeys(configured, serverKeys) };
    },
    [configuration, keyWrapping],
  ),
  keyRings: classFactory(core.KeyRings, [keySupply]),
  channelSecrets: classFactory(core.ChannelSecrets, [keyWrapping]),
  credentialsCipher: functionFactory(
    ({ encryption: { legacyPkcs1 } }) => new crypto.RsaCredentialsCipher({ legacyPkcs1 }),
    [configuration],
  ),
  processorBudget: functionFactory(
    ({ server: { unauthenticatedCpuPercent } }) =>
      new core.ProcessorBudget({ share: unauthenticatedCpuPercent / 100, now: () => performance.now() }),
    [configuration],
  ),
  logInMessages: functionFactory(
    (rings, credentials, digest, budget, after) =>
      new core.LogInMessages({
        budget: new core.BlockBudget(new core.KnownClientKeys(digest, pause), {
          budget,
          concurrency: credentials.concurrency,
          after,
        }),
        keyRings: rings,
        digests: digest,
        credentials,
        hybrid: new crypto.AesCbcHybridCipher(credentials),
        clientKeys: new crypto.ForgeClientKeyParser(),
        answers: new crypto.RsaAnswerCipher(),
        parseObject: parseUniqueObject,
        pause,
      }),
    [keyRings, credentialsCipher, digests, components.processorBudget, components.after],
  ),
  channelTraffic: functionFactory(
    (secrets, source) =>
      new core.ChannelTraffic(secrets, new core.OutgoingNumbers(source), new crypto.AesCtrChannelCipher()),
    [channelSecrets, random],
  ),
  tokens: classFactoryByName(
    core.Tokens,
    { keyRings, digests, random, now: components.now },
    ({ applicationName }: Configuration) => ({
      signer: new crypto.JwtTokenSigner(),
      verifier: new crypto.JwtTokenVerifier(),
      issuer: applicationName,
    }),
  ),
  fileLinks: classFactoryByName(core.FileLinks, { keyRings, now: components.now }, () => ({
    wrappingBy: crypto.wrappingByPair(),
  })),
  credentialReader: classFactory(core.CredentialReader, [
    digests,
    components.tokens,
    channelSecrets,
    components.processorBudget,
  ]),
} satisfies Factories;
