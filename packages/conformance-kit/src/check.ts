import type { StorageCapabilities } from "@sallyport/storage";
import type { Declared } from "./open-under-test.ts";
import type { Subject } from "./subject.ts";

/** A requirement of a check: a capability or limit of the storage, or that it implements a kernel. */
export type Need = keyof StorageCapabilities | "kernel";

/** One executable clause of a contract. */
export interface Check {
  readonly section: string;
  /** The required behaviour of the adapter; unique in the kit. */
  readonly name: string;
  /** `null`: nothing. */
  readonly needs: Need | null;
  /** The capability that the check requires of a kernel, beside `needs`. */
  readonly needsOfKernel?: keyof StorageCapabilities | null;
  /** Whether the storage is migrated before the check runs. */
  readonly migrated: boolean;
  /** Throws if the subject breaks the contract. */
  readonly run: (subject: Subject) => Promise<unknown>;
}

/** Builds the checks of a section from a table of names and functions. */
export function checksOf(
  section: string,
  runs: { readonly [name: string]: Check["run"] },
  { needs = null, migrated = true, needsOfKernel = null }: Partial<Omit<Check, "section" | "name" | "run">> = {},
): readonly Check[] {
  return Object.entries(runs).map(([name, run]) => ({ section, name, needs, needsOfKernel, migrated, run }));
}

/** The requirement of a check that the adapter lacks; `null` if the check applies. */
export function missingFor(
  { needs, needsOfKernel = null }: Pick<Check, "needs" | "needsOfKernel">,
  { kind, capabilities }: Declared,
): Need | null {
  const isMissing = (need: Need | null) =>
    need !== null && (need === "kernel" ? kind !== "kernel" : !capabilities[need]);
  if (isMissing(needs)) return needs;
  return kind === "kernel" && isMissing(needsOfKernel) ? needsOfKernel : null;
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
