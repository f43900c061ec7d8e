import { MemoryStorage } from "@sallyport/storage-memory";
import type { Repositories } from "@sallyport/storage";

export const minute = 60_000;
export const hour = 60 * minute;

export interface StoreFixture {
  readonly storage: MemoryStorage;
  readonly r: Repositories;
  /** Moves the storage's clock, not the process's. */
  advance(milliseconds: number): void;
}

/** A migrated, empty database in memory. */
export async function openStoreFixture(): Promise<StoreFixture> {
  let offset = 0;
  const storage = new MemoryStorage({ clockOffset: () => offset });
  await storage.migrate();
  return {
    storage,
    r: storage.repositories,
    advance: (milliseconds) => {
      offset += milliseconds;
    },
  };
}

/**
 * Starts the same call this many times before the first is answered; returns the answers in the order of the starts.
 */
export function concurrently<T>(times: number, call: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: times }, (_, index) => call(index)));
}

/** How often each answer was given. */
export function tally(answers: readonly (string | boolean)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[String(answer)] = (counts[String(answer)] ?? 0) + 1;
  return counts;
}

/** Texts that break concatenation in place of parameters. All are well-formed Unicode without a zero character. */
export const hostileTexts: readonly string[] = [
  "'; drop table sessions; --",
  '" or ""="',
  "' or '1'='1",
  "\\' or 1=1 --",
  "$1 $2 ?? ? :name {0} %s %d",
  "a%b_c*d",
  "back\\slash \\u0041 \\n",
  "`tick` $(command) ${template}",
  "<script>alert(1)</script>",
  "__proto__",
  "constructor",
  "toString",
  "null",
  "NaN",
  " leading and trailing ",
  "line\nbreak\r\ntab\t\u0001\u001f\u007f",
  "\u200bzero width\ufeff",
  "\u202eright to left",
  "e\u0301 is not \u00e9",
  "\u{1f469}\u200d\u{1f680} \u{10ffff}",
  "ﬁ ß İ ı ſ K",
  "{}[],:\"'",
];

/** Texts that no storage accepts; a search for them finds nothing. */
export const unstorableTexts: readonly string[] = ["\0", "demo\0", "\0demo", "\ud800", "demo\udc00"];
