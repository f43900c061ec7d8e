import { setImmediate as nextTurn } from "node:timers/promises";

/** Does some work, and collects what is thrown meanwhile where nobody can catch it; it would end the process. */
export async function withStrayErrors<T>(
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly strayErrors: readonly unknown[] }> {
  const strayErrors: unknown[] = [];
  const collect = (error: unknown) => void strayErrors.push(error);
  process.on("unhandledRejection", collect).on("uncaughtException", collect);
  try {
    const result = await work();
    // Rejections are told once everything that was ready has run.
    await nextTurn();
    return { result, strayErrors };
  } finally {
    process.off("unhandledRejection", collect).off("uncaughtException", collect);
  }
}
