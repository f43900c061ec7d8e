import type { Digest } from "../digests/digest.ts";
import type { Digests } from "../digests/digests.ts";
import { ServiceError } from "../errors/service-error.ts";
import type { KeyRings } from "../keys/key-rings.ts";
import type { ServerKeyPair } from "../keys/server-key.ts";
import type { AppKeyContext } from "../request/request-context.ts";
import type { AnswerCipher } from "./answer-cipher.ts";
import type { BlockLimits } from "./channel-repository.ts";
import type { ClientKey } from "./client-key.ts";
import type { ClientKeyParser } from "./client-key-parser.ts";
import type { CredentialsCipher } from "./credentials-cipher.ts";
import type { HybridCipher, HybridMessage } from "./hybrid-cipher.ts";
import { mostOfNetwork, refusalPause, repetition } from "./message-rules.ts";
import { PlacesByNetwork } from "./places-by-network.ts";
import { ReplayRecord } from "./replay-record.ts";

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

/** A log-in that came encrypted. */
export interface OpenedLogIn {
  /** The fields, not checked yet. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Encrypts the answer for the client, in the manner in which the client encrypted. */
  readonly seal: (answer: Uint8Array) => Promise<string>;
}

/** What was found in a message, before it is known to be new. */
interface Contents {
  readonly keyId: string;
  /** Of the AES key, if there is one: whoever cuts up and joins a captured message anew needs it again. */
  readonly keyBlock?: Digest;
  readonly blocks: readonly Digest[];
  readonly plain: Uint8Array;
}

/**
 * Opens encrypted log-ins. A message is bound to the client key that it came with first: captured, it is worthless to
 * others. Whatever is wrong with it is 310, all in the same words and the same time; a client key that cannot be used is 309.
 */
export class LogInMessages {
  private readonly places = new PlacesByNetwork(mostOfNetwork);
  private readonly replays = new ReplayRecord();

  constructor(private readonly parts: LogInMessageParts) {}

  /** The body of a secure log-in. */
  async openCredentials(context: AppKeyContext, body: { readonly publicKey: string; readonly credentials: string }): Promise<OpenedLogIn> {
    const { credentials, answers } = this.parts;
    const { accepted, clientKey } = await this.recipients(context, body.publicKey);
    return this.orRefuse(context, async () => {
      const opened = await credentials.open(body.credentials, accepted);
      const fields = opened && (await this.accept(context, clientKey, opened));
      return fields && { fields, seal: (answer) => answers.seal(clientKey, opened.padding, answer) };
    });
  }

  /** The encrypted body of a log-in with a token. */
  async openHybrid(context: AppKeyContext, body: HybridMessage & { readonly publicKey: string }): Promise<OpenedLogIn> {
    const { hybrid } = this.parts;
    const { accepted, clientKey } = await this.recipients(context, body.publicKey);
    return this.orRefuse(context, async () => {
      const opened = await hybrid.open(body, accepted);
      const fields = opened && (await this.accept(context, clientKey, { ...opened, blocks: [opened.digest] }));
      return fields && { fields, seal: async (answer) => hybrid.seal(clientKey, answer) };
    });
  }

  private async recipients({ database }: AppKeyContext, publicKey: string): Promise<{ accepted: ServerKeyPair[]; clientKey: ClientKey }> {
    const accepted = await this.parts.keyRings.accepted("rsa", database);
    const clientKey = this.parts.clientKeys.parse(publicKey, accepted.map(({ keyId }) => keyId));
    if (clientKey === undefined) throw new ServiceError(309);
    return { accepted, clientKey };
  }

  /** The fields of a message that may be used by this client, now. */
  private async accept(context: AppKeyContext, clientKey: ClientKey, contents: Contents): Promise<OpenedLogIn["fields"] | undefined> {
    const fields = this.parts.parseObject(contents.plain);
    if (fields === undefined) return undefined;
    if (await this.isGoodNow(context, clientKey, contents)) return fields;
    await this.replays.add(context);
    return undefined;
  }

  private async isGoodNow({ r }: AppKeyContext, { digest }: ClientKey, { keyId, keyBlock, blocks }: Contents): Promise<boolean> {
    const claim = async (claimed: readonly Digest[], clientKey: Digest, limits: BlockLimits) =>
      (await r.channels.claimBlocks({ blocks: claimed, clientKey, keyId }, limits)) !== "refused";
    // Under another name, so that what was once sent as credentials is no AES key, and the other way round.
    const keyOwner = this.parts.digests.sha256(`AES key of ${digest}`);
    return (keyBlock === undefined || (await claim([keyBlock], keyOwner, belonging))) && claim(blocks, digest, repetition);
  }

  private orRefuse({ origin }: AppKeyContext, open: () => Promise<OpenedLogIn | undefined>): Promise<OpenedLogIn> {
    return this.places.run(origin.network, async () => {
      const begun = Date.now();
      const opened = await open();
      if (opened !== undefined) return opened;
      await this.parts.pause(refusalPause(Date.now() - begun));
      throw new ServiceError(310);
    });
  }
}
