import { ConformanceError } from "./assert/index.ts";

/** How long a check may take, in milliseconds; one that takes longer hangs. */
export const timeLimit = 30_000;

/** Waits for work, but not for ever. */
export async function withinLimit<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new ConformanceError(`It did not come to an end within ${timeLimit / 1000} s.`)), timeLimit);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}
