import type { Digests } from "../../digests/index.ts";
import type { Repositories } from "../../storage/index.ts";
import { type FactorSecrets, recoveryDigest, type TimeTokens } from "./factor-secrets.ts";
import { type FoundFactor, SecondFactors } from "./second-factors.ts";

/** Spends what proved a factor; `false` if somebody else was faster. */
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
