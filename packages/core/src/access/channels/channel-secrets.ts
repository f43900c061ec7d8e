import { Recent } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import { asciiBytes, asciiText, type KeyWrapping, requireWrapping } from "../../keys/index.ts";
import type { Channel } from "../../storage/index.ts";

const remembered = 10_000;

/** Seals what a secure session hands out and stores; good for the one database only. */
export class ChannelSecrets {
  /** Keys of channels by what they are wrapped for and their wrapped text; they are in memory with every request anyway. */
  private readonly keys = new Recent<string, Uint8Array>(remembered);

  /** @param wrapping `null` without a master key: then there are no secure sessions. */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  /** The `Secure-Token` of a session: its id, opaque to the client. */
  sealSessionId(alias: string, sessionId: string): string {
    return requireWrapping(this.wrapping).wrap(asciiBytes(sessionId), `secure token|${alias}`);
  }

  /** The session id in a `Secure-Token`; `null` for whatever this server did not seal for this database. */
  openSessionId(alias: string, token: string): string | null {
    const bytes = this.wrapping?.unwrap(token, `secure token|${alias}`);
    return bytes === undefined ? null : asciiText(bytes);
  }

  wrapKey(alias: string, symmetricKey: Uint8Array): string {
    return requireWrapping(this.wrapping).wrap(symmetricKey, `channel key|${alias}`);
  }

  /** The symmetric key of a channel; 314 when it cannot be unwrapped. */
  unwrapKey(alias: string, { wrappedKey }: Channel): Uint8Array {
    const purpose = `channel key|${alias}`;
    // Another database could be made to hold the same text, and there it is worth nothing.
    const name = `${purpose} ${wrappedKey}`;
    const known = this.keys.get(name);
    if (known !== undefined) return known;
    const key = this.wrapping?.unwrap(wrappedKey, purpose);
    if (key === undefined)
      throw new ServiceError(314, { detail: "The key of the session was wrapped under another master key." });
    this.keys.set(name, key);
    return key;
  }
}
