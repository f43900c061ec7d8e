import type { SyncStorage } from "../storage.ts";

/** An open storage for one check. */
export interface OpenStorage {
  readonly storage: SyncStorage;
  /** Opens the same storage again, as another tab, another process or the next start would. */
  readonly reopen?: (() => Promise<SyncStorage>) | undefined;
  /** Closes everything and removes the data. */
  destroy(): Promise<void>;
}

/** A storage for the checks. */
export interface StorageUnderTest {
  /** The name in reports. */
  readonly name: string;
  /** Set if the data ends with its handle, as in memory: there is no `reopen`, and its checks are skipped. */
  readonly hasOneHandle?: boolean | undefined;
  /** Creates an empty storage for a check. */
  create(): Promise<OpenStorage>;
}

export interface StorageSubject {
  readonly storage: SyncStorage;
  readonly reopen: () => Promise<SyncStorage>;
}

/** One executable clause of the contract of storages. */
export interface StorageCheck {
  /** Unique among the checks. */
  readonly name: string;
  readonly needsReopen: boolean;
  readonly run: (subject: StorageSubject) => Promise<void>;
}

type Run = StorageCheck["run"];

export function checksOf(table: Readonly<Record<string, Run | { readonly reopened: Run }>>): StorageCheck[] {
  return Object.entries(table).map(([name, check]) =>
    typeof check === "function"
      ? { name, needsReopen: false, run: check }
      : { name, needsReopen: true, run: check.reopened },
  );
}

/** Throws unless both are equal as JSON. */
export function equal(actual: unknown, expected: unknown, what: string): void {
  const [found, expectedText] = [JSON.stringify(actual) ?? "undefined", JSON.stringify(expected) ?? "undefined"];
  if (found !== expectedText) throw new Error(`${what}: expected ${shortened(expectedText)}, got ${shortened(found)}.`);
}

const shortened = (text: string) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

/** Lets other work run. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

/** Throws unless the call rejects. */
export async function rejects(call: () => Promise<unknown>, what: string): Promise<void> {
  try {
    await call();
  } catch {
    return;
  }
  throw new Error(`${what} must reject.`);
}
