import type { Digest, Digests, RandomSource } from "../../digests/index.ts";
import { ServiceError } from "../../errors/index.ts";
import { asciiBytes, asciiText, type KeyWrapping, requireWrapping } from "../../keys/index.ts";
import type { Repositories } from "../../storage/index.ts";
import { type FactorKey, type FoundFactor, type SecondFactor, SecondFactors } from "./second-factors.ts";

const purpose = "second factor";

/** Seals shared secrets under the master key, each for its owner and app name: in the row of another it is worth nothing. */
export class FactorSecrets {
  /** @param wrapping `null` without a master key: then there are no second factors. */
  constructor(
    private readonly wrapping: KeyWrapping | null,
    private readonly digests: Digests,
  ) {}

  get usable(): boolean {
    return this.wrapping !== null;
  }

  seal(key: FactorKey, secret: string): string {
    return this.required().wrap(asciiBytes(this.nameOf(key) + secret), purpose);
  }

  /** The shared secret; 705 without the master key that sealed it, and if it was sealed for somebody else. */
  open(factor: SecondFactor): string {
    const bytes = this.required().unwrap(factor.sealedSecret, purpose);
    const text = bytes === undefined ? "" : asciiText(bytes);
    const name = this.nameOf(factor);
    if (!text.startsWith(name))
      throw new ServiceError(705, { detail: "The secret of a second factor was not sealed here, for whom it is." });
    return text.slice(name.length);
  }

  private nameOf({ subject, appName }: FactorKey): string {
    return this.digests.sha256(`${subject}\0${appName}`);
  }

  private required(): KeyWrapping {
    return requireWrapping(this.wrapping, "There is no master key, and so no second factor.");
  }
}

const count = 10;

/** The digits of Base32: none of them is taken for another. */
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Four groups of four digits, 80 bits. */
const groups = /.{4}(?=.)/g;

/** As somebody types it: in either case, with hyphens and blanks anywhere. */
const typed = /^[A-Za-z2-7 -]{16,40}$/;

export function newRecoveryCodes(random: RandomSource): string[] {
  return Array.from({ length: count }, () => {
    // 32 divides 256, so every digit is as likely as any other.
    const text = Array.from(random.bytes(16), (byte) => digits[byte % digits.length]).join("");
    return text.replaceAll(groups, "$&-");
  });
}

/** What is kept of a recovery code; `null` for a text that is none. */
export function recoveryDigest(digests: Digests, text: string): Digest | null {
  if (!typed.test(text)) return null;
  const code = text.replaceAll(/[ -]/g, "").toUpperCase();
  return code.length === 16 ? digests.sha256(code) : null;
}

/** Port: time-based one-time tokens as authenticators show them: RFC 6238 with HMAC-SHA-1, six digits and steps of 30 seconds. */
export interface TimeTokens {
  /** A new shared secret, 160 bits, as Base32 without padding. */
  newSecret(): string;

  /** What authenticators read from a QR code: an `otpauth://` address that holds the secret. */
  address(shared: { readonly secret: string; readonly issuer: string; readonly label: string }): string;

  /**
   * The time step of which the text is the token, if it is at most one away from that of the time, and later than `after`; of
   * several the earliest. `null` if there is none. Takes the same time whatever the text.
   *
   * @param at milliseconds since 1970
   */
  stepOf(secret: string, token: string, at: number, after: number): number | null;
}

/** Spends the proof of a factor; `false` if another request was faster. */
export type SpendProof = (r: Pick<Repositories, "records">) => Promise<boolean>;

/** Says what a text proves: that a factor is at hand, or one of its recovery codes. */
export class FactorProofs {
  constructor(
    private readonly secrets: FactorSecrets,
    private readonly tokens: TimeTokens,
    private readonly digests: Digests,
  ) {}

  /**
   * How the first of the texts that proves the factor is spent; `null` if none of them does. Before a factor is confirmed its recovery
   * codes prove nothing.
   *
   * @param at when the texts were given, in milliseconds since 1970 by the storage's clock
   */
  find(factor: FoundFactor, texts: readonly string[], at: number): SpendProof | null {
    const secret = this.secrets.open(factor);
    const found = texts.map((text) => this.stepOf(factor, secret, text, at) ?? this.codeOf(factor, text));
    return found.find((spend) => spend !== null) ?? null;
  }

  private stepOf(factor: FoundFactor, secret: string, text: string, at: number): SpendProof | null {
    const step = this.tokens.stepOf(secret, text, at, factor.lastStep);
    return step === null ? null : ({ records }) => new SecondFactors(records).accept(factor, step);
  }

  private codeOf(factor: FoundFactor, text: string): SpendProof | null {
    const code = factor.confirmed ? recoveryDigest(this.digests, text) : null;
    return code === null || !factor.recoveryCodes.includes(code)
      ? null
      : ({ records }) => new SecondFactors(records).recover(factor, code);
  }
}

/** How many texts are looked at; each of them costs three digests for each factor. */
const most = 10;

/** The tokens that a text holds: one, or several with commas between them for app names that ask for one each. Blank is none. */
export function shownTokens(text: string | null): string[] {
  if (text === null || text.trim() === "") return [];
  return text.split(",", most);
}
