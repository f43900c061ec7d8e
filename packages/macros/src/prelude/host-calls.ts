import { Refusal } from "../authoring/refusal.ts";
import { parse, stringify } from "./primordials.ts";

/** The one function of the worker that the sandbox can call. Every argument is a name or JSON, or empty for nothing. */
type Send = (kind: "call" | "log" | "done" | "failed", first: string, second?: string) => void;

/** Why an invocation failed, as the sandbox tells it. */
export interface Failure {
  readonly kind: "threw" | "refused" | "result" | "invalid";
  readonly message: string;
  readonly code?: number;
  readonly trace?: string;
}

interface Waiting {
  readonly name: string;
  readonly argument: string;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  next: Waiting | undefined;
}

let send: Send;
let first: Waiting | undefined;
let last: Waiting | undefined;

/** Called once, before any module of a user is loaded. */
export function connect(given: Send): void {
  send = given;
}

/** The texts are JSON because the engine cuts a text at its first zero. */
export function tell(kind: "log" | "done" | "failed", text: string, second?: string): void {
  send(kind, text, second);
}

/** Settles the pending call, and sends the next one. */
export function answered(text: string | undefined, code: number | undefined): void {
  const call = first;
  if (call === undefined) return;
  first = call.next;
  if (first === undefined) last = undefined;
  else send("call", first.name, first.argument);
  if (code !== undefined) call.reject(new Refusal(code, text === undefined ? "" : (parse(text) as string)));
  else call.resolve(text === undefined ? undefined : parse(text));
}

/** Asks the host. Calls wait here, in the sandbox's own memory, until the ones before them are answered. */
export function ask(name: string, argument: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const text = stringify(argument ?? null);
    const call: Waiting = { name, argument: text, resolve, reject, next: undefined };
    if (last === undefined) {
      first = last = call;
      send("call", name, text);
    } else {
      last.next = call;
      last = call;
    }
  });
}
