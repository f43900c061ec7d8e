import type { Digests } from "@sallyport/storage";
import type { KeyRings } from "../../keys/index.ts";
import { NetworkSemaphore } from "../../capacity/index.ts";
import type { SessionContext } from "../../request/index.ts";
import type { CredentialsCipher, OpenedCredentials } from "./channel-ciphers.ts";
import { maxPerNetwork, refusalPause, replayLimits, ReplayRecord } from "./message-rules.ts";

export interface PasswordMessageParts {
  readonly keyRings: KeyRings;
  readonly credentials: CredentialsCipher;
  readonly digests: Digests;
  /** Decodes UTF-8. Returns `undefined` for invalid input. */
  readonly decodeText: (bytes: Uint8Array) => string | undefined;
  readonly pause: (milliseconds: number) => Promise<unknown>;
}

/**
 * Decrypts texts that the client of a session has encrypted like credentials. The first use binds a message to its
 * session, so a captured message is useless elsewhere. All failures take the same time.
 */
export class PasswordMessages {
  private readonly semaphore = new NetworkSemaphore(
    maxPerNetwork,
    "Too many encrypted passwords of this network are in progress.",
  );
  private readonly replays = new ReplayRecord();

  constructor(private readonly parts: PasswordMessageParts) {}

  /** Returns each decrypted text, or `undefined` for one that cannot be decrypted or was used elsewhere or too often. */
  async open(context: SessionContext, texts: readonly string[]): Promise<(string | undefined)[]> {
    return this.semaphore.run(context.origin.network, async () => {
      const startedAt = Date.now();
      const opened = await this.openAll(context, texts);
      if (opened.includes(undefined)) await this.parts.pause(refusalPause(Date.now() - startedAt));
      return opened;
    });
  }

  private async openAll(context: SessionContext, texts: readonly string[]): Promise<(string | undefined)[]> {
    const { keyRings, credentials, decodeText } = this.parts;
    const accepted = await keyRings.accepted("rsa", context.database);
    const messages = await Promise.all(texts.map((text) => credentials.open(text, accepted)));
    const opened: (string | undefined)[] = [];
    for (const message of messages) {
      const text = message && decodeText(message.plain);
      opened.push(
        message !== undefined && text !== undefined && (await this.isFresh(context, message)) ? text : undefined,
      );
    }
    return opened;
  }

  private async isFresh(context: SessionContext, { blocks, keyId }: OpenedCredentials): Promise<boolean> {
    // The derived owner prevents reuse of a message between password changes and log-ins.
    const clientKey = this.parts.digests.sha256(`passwords of ${context.sessionDigest}`);
    if ((await context.r.channels.registerBlocks({ blocks, clientKey, keyId }, replayLimits)) !== "refused")
      return true;
    await this.replays.add(context);
    return false;
  }
}
