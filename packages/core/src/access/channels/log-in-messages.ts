import type { Digest, Digests } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import type { KeyRings, ServerKeyPair } from "../../keys/index.ts";
import type { AppKeyContext } from "../../request/index.ts";
import type { BlockLimits } from "../../storage/index.ts";
import type {
  AnswerCipher,
  ClientKey,
  ClientKeyParser,
  CredentialsCipher,
  HybridCipher,
  HybridMessage,
} from "./channel-ciphers.ts";
import { mostOfNetwork, NetworkSemaphore, refusalPause, repetition, ReplayRecord } from "./message-rules.ts";

/** An encrypted AES key belongs to its client for as long as it can be opened, however often it is used. */
const belonging = { uses: 2 ** 31 - 1, within: 100 * 365 * 86_400_000 };

export interface LogInMessageParts {
  readonly keyRings: KeyRings;
  readonly clientKeys: ClientKeyParser;
  readonly credentials: CredentialsCipher;
  readonly hybrid: HybridCipher;
  readonly answers: AnswerCipher;
  readonly digests: Digests;
  /** The object that UTF-8 text stands for; `undefined` if it is not UTF-8, not JSON, no object, or names a member twice. */
  readonly parseObject: (text: Uint8Array) => Readonly<Record<string, unknown>> | undefined;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

export interface OpenedLogIn {
  readonly fields: Readonly<Record<string, unknown>>;
  /**
   * Binds the message to its client key and counts this use; 310 if another client used it, or if it was used too often or too
   * long ago. The gate calls it after the password check, so that made-up messages are not stored.
   */
  readonly claim: () => Promise<void>;
  /** Encrypts the answer for the client, in the manner in which the client encrypted. */
  readonly seal: (answer: Uint8Array) => Promise<string>;
}

interface Contents {
  readonly keyId: string;
  /** Of the AES key, if there is one: whoever cuts up and joins a captured message anew needs it again. */
  readonly keyBlock?: Digest;
  readonly blocks: readonly Digest[];
  readonly plain: Uint8Array;
}

/**
 * Opens encrypted log-ins. A message with the right password is bound to the client key of its first use, so a captured message is
 * useless with another key. Every failure to open a message is 310 with the same text and the same time; an unusable client key
 * is 309.
 */
export class LogInMessages {
  private readonly semaphore = new NetworkSemaphore(mostOfNetwork);
  private readonly replays = new ReplayRecord();

  constructor(private readonly parts: LogInMessageParts) {}

  async openCredentials(
    context: AppKeyContext,
    body: { readonly publicKey: string; readonly credentials: string },
  ): Promise<OpenedLogIn> {
    const { credentials, answers } = this.parts;
    const { accepted, clientKey } = await this.recipients(context, body.publicKey);
    return this.orRefuse(context, async () => {
      const opened = await credentials.open(body.credentials, accepted);
      const understood = opened && this.understand(context, clientKey, opened);
      return understood && { ...understood, seal: (answer) => answers.seal(clientKey, opened.padding, answer) };
    });
  }

  async openHybrid(context: AppKeyContext, body: HybridMessage & { readonly publicKey: string }): Promise<OpenedLogIn> {
    const { hybrid } = this.parts;
    const { accepted, clientKey } = await this.recipients(context, body.publicKey);
    return this.orRefuse(context, async () => {
      const opened = await hybrid.open(body, accepted);
      const understood = opened && this.understand(context, clientKey, { ...opened, blocks: [opened.digest] });
      return understood && { ...understood, seal: async (answer) => hybrid.seal(clientKey, answer) };
    });
  }

  private async recipients(
    { database }: AppKeyContext,
    publicKey: string,
  ): Promise<{ accepted: ServerKeyPair[]; clientKey: ClientKey }> {
    const accepted = await this.parts.keyRings.accepted("rsa", database);
    const clientKey = this.parts.clientKeys.parse(
      publicKey,
      accepted.map(({ keyId }) => keyId),
    );
    if (clientKey === undefined) throw new ServiceError(309);
    return { accepted, clientKey };
  }

  private understand(
    context: AppKeyContext,
    clientKey: ClientKey,
    contents: Contents,
  ): Omit<OpenedLogIn, "seal"> | undefined {
    const fields = this.parts.parseObject(contents.plain);
    if (fields === undefined) return undefined;
    const claim = async () => {
      if (await this.isGoodNow(context, clientKey, contents)) return;
      await this.replays.add(context);
      throw new ServiceError(310);
    };
    return { fields, claim };
  }

  private async isGoodNow(
    { r }: AppKeyContext,
    { digest }: ClientKey,
    { keyId, keyBlock, blocks }: Contents,
  ): Promise<boolean> {
    const claim = async (claimed: readonly Digest[], clientKey: Digest, limits: BlockLimits) =>
      (await r.channels.claimBlocks({ blocks: claimed, clientKey, keyId }, limits)) !== "refused";
    // Under another name, so that what was once sent as credentials is no AES key, and the other way round.
    const keyOwner = this.parts.digests.sha256(`AES key of ${digest}`);
    return (
      (keyBlock === undefined || (await claim([keyBlock], keyOwner, belonging))) && claim(blocks, digest, repetition)
    );
  }

  private orRefuse({ origin }: AppKeyContext, open: () => Promise<OpenedLogIn | undefined>): Promise<OpenedLogIn> {
    return this.semaphore.run(origin.network, async () => {
      const begun = Date.now();
      const opened = await open();
      if (opened !== undefined) return opened;
      await this.parts.pause(refusalPause(Date.now() - begun));
      throw new ServiceError(310);
    });
  }
}
