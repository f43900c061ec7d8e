import { type Digest, type Digests, type RandomSource, type Repositories, ServiceError } from "@sallyport/storage";
import { asciiBytes, asciiText, type KeyWrapping, requireWrapping, type SealedUse } from "../../keys/index.ts";
import { type FactorKey, type FoundFactor, type SecondFactor, SecondFactors } from "./second-factors.ts";

const purpose: SealedUse = "second factor";

/** Seals shared secrets under the master key, bound to owner and app name. A secret copied to another row does not open. */
export class FactorSecrets {
  /** @param wrapping `null` without a master key: second factors are unavailable. */
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

  /** Returns the shared secret. Throws 705 if another master key sealed it, or if it belongs to another factor. */
  open(factor: SecondFactor): string {
    const bytes = this.required().unwrap(factor.sealedSecret, purpose);
    const text = bytes === undefined ? "" : asciiText(bytes);
    const name = this.nameOf(factor);
    if (!text.startsWith(name))
      throw new ServiceError(705, {
        detail: "The secret of the second factor was encrypted with another master key or for another owner.",
      });
    return text.slice(name.length);
  }

  private nameOf({ subject, appName }: FactorKey): string {
    return this.digests.sha256(`${subject}\0${appName}`);
  }

  private required(): KeyWrapping {
    return requireWrapping(this.wrapping, "Second factors require a master key, and none is configured.");
  }
}

const count = 10;

/** The Base32 alphabet, without ambiguous characters. */
const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Splits the 16 digits (80 bits) into groups of four. */
const groups = /.{4}(?=.)/g;

/** A typed code, in either case, with any hyphens and blanks. */
const typed = /^[A-Za-z2-7 -]{16,40}$/;

export interface RecoveryCode {
  /** With hyphens, as the user reads it. */
  readonly text: string;
  /** As it is stored. */
  readonly digest: Digest;
}

export function newRecoveryCodes(random: RandomSource, digests: Digests): RecoveryCode[] {
  return Array.from({ length: count }, () => {
    // 32 divides 256, so all digits are equally likely.
    const code = Array.from(random.bytes(16), (byte) => digits[byte % digits.length]).join("");
    return { text: code.replaceAll(groups, "$&-"), digest: digests.sha256(code) };
  });
}

/** Returns the stored digest of a recovery code, or `null` for a malformed one. */
function recoveryDigest(digests: Digests, text: string): Digest | null {
  if (!typed.test(text)) return null;
  const code = text.replaceAll(/[ -]/g, "").toUpperCase();
  return code.length === 16 ? digests.sha256(code) : null;
}

/** Port: time-based one-time passwords (RFC 6238) with HMAC-SHA-1, six digits and 30-second steps. */
export interface TimeTokens {
  /** Returns a new 160-bit shared secret in Base32 without padding. */
  newSecret(): string;

  /** Returns the `otpauth://` address with the secret, for a QR code. */
  address(shared: { readonly secret: string; readonly issuer: string; readonly label: string }): string;

  /**
   * Returns the earliest matching time step, at most one step from `at` and later than `after`, or `null`. Takes the
   * same time for any text.
   *
   * @param at milliseconds since 1970
   */
  stepOf(secret: string, token: string, at: number, after: number): number | null;
}

/** Consumes the proof of a factor. Returns `false` if a concurrent request has consumed it. */
export type ConsumeProof = (r: Pick<Repositories, "records">) => Promise<boolean>;

/** Verifies tokens and recovery codes of a factor. */
export class FactorProofs {
  constructor(
    private readonly secrets: FactorSecrets,
    private readonly tokens: TimeTokens,
    private readonly digests: Digests,
  ) {}

  /**
   * Returns the function that consumes the first matching text, or `null` if none matches. The recovery codes of an
   * unconfirmed factor do not match.
   *
   * @param at when the client sent the texts, in milliseconds since 1970 by the storage's clock
   */
  find(factor: FoundFactor, texts: readonly string[], at: number): ConsumeProof | null {
    const secret = this.secrets.open(factor);
    const proofs = texts.map((text) => this.stepOf(factor, secret, text, at) ?? this.codeOf(factor, text));
    return proofs.find((consume) => consume !== null) ?? null;
  }

  private stepOf(factor: FoundFactor, secret: string, text: string, at: number): ConsumeProof | null {
    const step = this.tokens.stepOf(secret, text, at, factor.lastStep);
    return step === null ? null : ({ records }) => new SecondFactors(records).accept(factor, step);
  }

  private codeOf(factor: FoundFactor, text: string): ConsumeProof | null {
    const code = factor.confirmed ? recoveryDigest(this.digests, text) : null;
    return code === null || !factor.recoveryCodes.includes(code)
      ? null
      : ({ records }) => new SecondFactors(records).recover(factor, code);
  }
}

/** Maximum number of texts to check. Each costs three digests per factor. */
const maxTokens = 10;

/** Splits a text into tokens: one, or several separated by commas for several app names. Blank: none. */
export function parseTokens(text: string | null): string[] {
  if (text === null || text.trim() === "") return [];
  return text.split(",", maxTokens);
}

/** Services of second factors. */
export interface FactorServices {
  readonly factorSecrets: FactorSecrets;
  readonly factorProofs: FactorProofs;
  readonly timeTokens: TimeTokens;
  readonly random: RandomSource;
}
