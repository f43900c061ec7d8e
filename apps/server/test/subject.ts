export const appKey = "demo-app-key";

/** A server under test, in this process or deployed. */
export interface Subject {
  /** Address without a trailing slash. */
  readonly url: string;
}
