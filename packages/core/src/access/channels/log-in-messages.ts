import { type BlockLimits, type Digest, type Digests, ServiceError } from "@sallyport/storage";
import type { KeyRings, ServerKeyPair } from "../../keys/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import type {
  AnswerCipher,
  ClientKey,
  ClientKeyParser,
  CredentialsCipher,
  HybridCipher,
  HybridMessage,
} from "./channel-ciphers.ts";
import type { BlockBudget, LogInWork } from "./block-budget.ts";
import { refusalPause, replayLimits, ReplayRecord } from "./message-rules.ts";

/** An encrypted AES key stays bound to its client without a practical limit on uses or time. */
const keyBinding = { uses: 2 ** 31 - 1, within: 100 * 365 * 86_400_000 };

export interface LogInMessageParts {
  readonly keyRings: KeyRings;
  readonly clientKeys: ClientKeyParser;
  readonly credentials: CredentialsCipher;
  readonly hybrid: HybridCipher;
  readonly answers: AnswerCipher;
  readonly budget: Pick<BlockBudget, "run">;
  readonly digests: Digests;
  /** Parses UTF-8 JSON. Returns `undefined` for invalid UTF-8, invalid JSON, a non-object or a duplicate member. */
  readonly parseObject: (text: Uint8Array) => Readonly<Record<string, unknown>> | undefined;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

export interface OpenedLogIn {
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * Binds the message to its client key and counts the use. Throws 310 if another client key used it, or after too many
   * uses or too much time. The gate calls it after the password check, so that forged messages are not stored.
   */
  readonly checkReplay: () => Promise<void>;
  /** Encrypts the answer for the client, in the scheme of the request. */
  readonly seal: (answer: Uint8Array) => Promise<string>;
}

/** The keys of both sides. */
interface KeyPairs {
  /** The accepted keys of the server. */
  readonly accepted: ServerKeyPair[];
  readonly clientKey: ClientKey;
}

/** The decrypted message, and what identifies its ciphertext. */
interface Contents {
  readonly keyId: string;
  /** Digest of the encrypted AES key, if any. A message spliced from a captured one needs the same key again. */
  readonly keyBlock?: Digest;
  readonly blocks: readonly Digest[];
  readonly plain: Uint8Array;
}

/**
 * Decrypts encrypted log-ins. The first use with the right password binds a message to the client key, so a captured
 * message is useless with another key. Every decryption failure is 310, with the same text and timing. An unusable
 * client key is 309.
 */
export class LogInMessages {
  private readonly replays = new ReplayRecord();

  constructor(private readonly parts: LogInMessageParts) {}

  async openCredentials(
    context: AppKeyContext,
    body: { readonly publicKey: string; readonly credentials: string },
  ): Promise<OpenedLogIn> {
    const { credentials, answers } = this.parts;
    const shape = { publicKey: body.publicKey, length: body.credentials.length };
    return this.openOrRefuse(context, shape, async ({ accepted, clientKey }, { inTurn, timed }) => {
      const opened = await inTurn((spent) => credentials.open(body.credentials, accepted, spent));
      const parsed = opened && timed(() => this.parse(context, clientKey, opened));
      return parsed && { ...parsed, seal: (answer) => answers.seal(clientKey, opened.padding, answer) };
    });
  }

  async openHybrid(context: AppKeyContext, body: HybridMessage & { readonly publicKey: string }): Promise<OpenedLogIn> {
    const { hybrid } = this.parts;
    const shape = { publicKey: body.publicKey, length: body.aesKey.length };
    return this.openOrRefuse(context, shape, async ({ accepted, clientKey }, { inTurn, timed }) => {
      const opened = await inTurn((spent) => hybrid.open(body, accepted, spent));
      const parsed = opened && timed(() => this.parse(context, clientKey, { ...opened, blocks: [opened.digest] }));
      return parsed && { ...parsed, seal: async (answer) => hybrid.seal(clientKey, answer) };
    });
  }

  private async keysOf({ database }: AppKeyContext, publicKey: string, timed: LogInWork["timed"]): Promise<KeyPairs> {
    const accepted = await this.parts.keyRings.accepted("rsa", database);
    const serverKeyIds = accepted.map(({ keyId }) => keyId);
    const clientKey = timed(() => this.parts.clientKeys.parse(publicKey, serverKeyIds));
    if (clientKey === undefined) throw new ServiceError(309);
    return { accepted, clientKey };
  }

  private parse(
    context: AppKeyContext,
    clientKey: ClientKey,
    contents: Contents,
  ): Omit<OpenedLogIn, "seal"> | undefined {
    const fields = this.parts.parseObject(contents.plain);
    if (fields === undefined) return undefined;
    const checkReplay = async () => {
      if (await this.isFresh(context, clientKey, contents)) return;
      await this.replays.add(context);
      throw new ServiceError(310);
    };
    return { fields, checkReplay };
  }

  private async isFresh(
    { r }: AppKeyContext,
    { digest }: ClientKey,
    { keyId, keyBlock, blocks }: Contents,
  ): Promise<boolean> {
    const register = async (digests: readonly Digest[], clientKey: Digest, limits: BlockLimits) =>
      (await r.channels.registerBlocks({ blocks: digests, clientKey, keyId }, limits)) !== "refused";
    // A derived owner: a block sent as credentials is never valid as an AES key, or vice versa.
    const keyOwner = this.parts.digests.sha256(`AES key of ${digest}`);
    return (
      (keyBlock === undefined || (await register([keyBlock], keyOwner, keyBinding))) &&
      register(blocks, digest, replayLimits)
    );
  }

  private async openOrRefuse(
    context: AppKeyContext,
    { publicKey, length }: { readonly publicKey: string; readonly length: number },
    open: (keys: KeyPairs, work: LogInWork) => Promise<OpenedLogIn | undefined>,
  ): Promise<OpenedLogIn> {
    const { budget, digests } = this.parts;
    // A known client is recognised by the text of its key, before the key is parsed.
    const message = { clientKey: digests.sha256(publicKey), length };
    const { outcome, succeeded } = await budget.run(context, message, async (work) => {
      const keys = await this.keysOf(context, publicKey, work.timed);
      const startedAt = Date.now();
      const opened = await open(keys, work);
      if (opened !== undefined) return opened;
      await this.parts.pause(refusalPause(Date.now() - startedAt));
      throw new ServiceError(310);
    });
    const { seal } = outcome;
    return {
      ...outcome,
      seal: (answer) => {
        succeeded();
        return seal(answer);
      },
    };
  }
}
