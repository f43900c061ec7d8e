import { unanswered } from "./provider-failure.ts";

/** What others may wait for, too, waited for no longer than the own time lasts. */
export function inTime<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(unanswered("the provider did not answer in time"));
    if (signal.aborted) late();
    signal.addEventListener("abort", late, { once: true });
    work
      .then(resolve, reject)
      .finally(() => signal.removeEventListener("abort", late))
      .catch(reject);
  });
}
