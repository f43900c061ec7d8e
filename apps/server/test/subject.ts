export const appKey = "demo-app-key";

/** A server under test, wherever it runs. */
export interface Subject {
  /** Address without a trailing slash. */
  readonly url: string;
}
