import { randomBytes } from "node:crypto";
import type { Digest } from "@sallyport/storage";
import type { FactorKey, FoundFactor, NewSecondFactor, SecondFactors } from "../../src/index.ts";

/** A new digest. */
export function freshDigest(): Digest {
  return randomBytes(32).toString("hex");
}

/** A factor to begin with. */
export function factorOf(subject: string, more: Partial<NewSecondFactor> = {}): NewSecondFactor {
  return { subject, appName: "field", sealedSecret: `sealed for ${subject}`, recoveryCodes: [], ...more };
}

/** A begun factor as it is read. */
export function pendingFactor(factor: NewSecondFactor): FoundFactor {
  return { ...factor, confirmed: false, lastStep: -1, version: expect.any(Number) as unknown as number };
}

/** The factor of this subject and app name, which must exist. */
export async function found(factors: SecondFactors, { subject, appName }: FactorKey): Promise<FoundFactor> {
  const [factor] = await factors.find(subject, [appName]);
  if (factor === undefined) throw new Error(`There is no factor of ${subject} for ${appName}.`);
  return factor;
}
