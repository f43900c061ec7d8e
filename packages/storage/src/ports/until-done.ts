import { ServiceError } from "../errors/index.ts";

const maxAttempts = 1_000;

/**
 * Repeats a change that depends on what it has read, as long as it returns `undefined`: another writer came first. 706 if
 * others come first all the time, or if the storage never keeps a change.
 */
export async function untilDone<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 1; count <= maxAttempts; count += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new ServiceError(706, { detail: "Other writers keep changing the same data.", retryAfter: 1 });
}
