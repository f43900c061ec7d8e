import { timingSafeEqual } from "node:crypto";
import type { TimeTokens } from "@sallyport/core";
import { generateSecret, generateSync, generateURI } from "otplib";

const period = 30;

/** Accepted clock drift, in time steps. */
const tolerance = 1;

export class OtplibTimeTokens implements TimeTokens {
  newSecret(): string {
    return generateSecret({ length: 20 });
  }

  address({ secret, issuer, label }: Parameters<TimeTokens["address"]>[0]): string {
    return generateURI({ secret, issuer, label, algorithm: "sha1", digits: 6, period });
  }

  stepOf(secret: string, token: string, at: number, after: number): number | null {
    const now = Math.floor(at / 1_000 / period);
    const steps = Array.from({ length: 2 * tolerance + 1 }, (_, index) => now - tolerance + index)
      .filter((step) => step >= 0)
      // Every step is compared, so that the duration does not reveal the matching one.
      .map((step) => ({ step, same: isSame(tokenOf(secret, step), token) }));
    return steps.find(({ step, same }) => same && step > after)?.step ?? null;
  }
}

function tokenOf(secret: string, step: number): string {
  return generateSync({ secret, strategy: "totp", algorithm: "sha1", digits: 6, period, epoch: step * period });
}

function isSame(expected: string, actual: string): boolean {
  const [one, other] = [Buffer.from(expected), Buffer.from(actual)];
  return one.length === other.length && timingSafeEqual(one, other);
}
