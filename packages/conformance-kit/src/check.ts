import type { StorageCapabilities } from "@sallyport/storage";
import type { Subject } from "./subject.ts";

/** One executable clause of a contract. */
export interface Check {
  readonly section: string;
  /** The required behaviour of the adapter; unique in the kit. */
  readonly name: string;
  /** The capability or limit that the check requires; `null`: none. */
  readonly needs: keyof StorageCapabilities | null;
  /** Whether the storage is migrated before the check runs. */
  readonly migrated: boolean;
  /** Throws if the subject breaks the contract. */
  readonly run: (subject: Subject) => Promise<unknown>;
}

/** Builds the checks of a section from a table of names and functions. */
export function checksOf(
  section: string,
  runs: { readonly [name: string]: Check["run"] },
  { needs = null, migrated = true }: Partial<Pick<Check, "needs" | "migrated">> = {},
): readonly Check[] {
  return Object.entries(runs).map(([name, run]) => ({ section, name, needs, migrated, run }));
}

/** Builds the checks of a section with a common setup. Its result extends the subject of each check. */
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
