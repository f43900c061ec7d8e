import type { StorageCapabilities } from "@sallyport/core";
import type { Subject } from "./subject.ts";

/** One clause of a contract, executable. */
export interface Check {
  readonly section: string;
  /** What an adapter does that fulfils it; unique in the kit. */
  readonly name: string;
  /** The capability, or the limit, without which the check means nothing. */
  readonly needs: keyof StorageCapabilities | null;
  /** Whether the subject's storage is migrated before the check runs. */
  readonly migrated: boolean;
  /** Throws if the subject breaks the contract. */
  readonly run: (subject: Subject) => Promise<unknown>;
}

/** The checks of a section, written as a table from names to what they do. */
export function checksOf(
  section: string,
  runs: { readonly [name: string]: Check["run"] },
  { needs = null, migrated = true }: Partial<Pick<Check, "needs" | "migrated">> = {},
): readonly Check[] {
  return Object.entries(runs).map(([name, run]) => ({ section, name, needs, migrated, run }));
}

/** The checks of a section that begin alike: each gets what comes of that beside its subject. */
export function checksAfter<Begun>(
  section: string,
  begin: (subject: Subject) => Promise<Begun>,
  runs: { readonly [name: string]: (subject: Subject & Begun) => Promise<void> },
  options?: Parameters<typeof checksOf>[2],
): readonly Check[] {
  const whole = Object.entries(runs).map(([name, run]): [string, Check["run"]] => [
    name,
    async (subject) => run({ ...subject, ...(await begin(subject)) }),
  ]);
  return checksOf(section, Object.fromEntries(whole), options);
}
