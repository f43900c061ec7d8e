/** What the prelude can tell the thread: the one function of it within reach of the sandbox. Every argument is a name or JSON, or empty for nothing. */
export type Send = (kind: "call" | "log" | "done" | "failed", first: string, second?: string) => void;

/** Why an entry failed, as the sandbox tells it. */
export interface Failure {
  readonly kind: "threw" | "refused" | "result" | "invalid";
  readonly message: string;
  readonly code?: number;
  readonly trace?: string;
}
