import type { AdapterUnderTest } from "./adapter-under-test.ts";
import { ConformanceError } from "./assert/index.ts";

/** The time limit of a check in milliseconds. */
export function timeLimitOf({ timeLimit = 30_000 }: Pick<AdapterUnderTest, "timeLimit">): number {
  return timeLimit;
}

/** Waits for adapter work. Rejects after the time limit. */
export async function withinLimit<T>(adapter: Pick<AdapterUnderTest, "timeLimit">, work: Promise<T>): Promise<T> {
  const timeLimit = timeLimitOf(adapter);
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new ConformanceError(`The check did not end within ${timeLimit / 1000} s.`)),
      timeLimit,
    );
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
