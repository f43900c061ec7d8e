import { ServiceError } from "../errors/service-error.ts";
import type { KeyWrapping } from "../keys/key-wrapping.ts";
import type { Letter, MailOrder } from "./mail.ts";

/** What stands in the outbox: an order as it was given, or the letter that it has become. */
export type OutboxContent = { readonly order: MailOrder } | { readonly letter: Letter };

/** Seals what waits in the outbox of one database under the master key: names, addresses and codes are not for readers of tables. */
export class SealedOrders {
  /** @param wrapping `null` without a master key */
  constructor(private readonly wrapping: KeyWrapping | null) {}

  /** 712 without a master key. */
  seal(alias: string, content: OutboxContent): string {
    if (this.wrapping === null) throw new ServiceError(712, { detail: "There is no master key." });
    return this.wrapping.wrap(bytesOf(JSON.stringify(content)), purposeOf(alias));
  }

  /** `undefined` for what was sealed under another master key, or for another database. */
  open(alias: string, sealed: string): OutboxContent | undefined {
    const bytes = this.wrapping?.unwrap(sealed, purposeOf(alias));
    if (bytes === undefined) return undefined;
    return JSON.parse(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join("")) as OutboxContent;
  }
}

function purposeOf(alias: string): string {
  return `outbox|${alias}`;
}

/** JSON in ASCII, which its own escapes make of everything else. */
function bytesOf(json: string): Uint8Array {
  const ascii = json.replaceAll(/[^\0-~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return Uint8Array.from(ascii, (character) => character.codePointAt(0) ?? 0);
}
