import { Refusal } from "../authoring/refusal.ts";
import { indexOf, isFinite, parse, stringify, toText } from "./primordials.ts";

/** The only worker function that the sandbox can call. Each argument is a name, JSON, or empty for `undefined`. */
type Send = (kind: "call" | "log" | "done" | "failed", first: string, second?: string) => void;

/** The failure of an invocation, as reported to the worker. */
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

/** Called once, before any user module is loaded. */
export function connect(sender: Send): void {
  send = sender;
}

/** `text` and `second` are JSON, because the engine truncates strings at the first NUL. */
export function notifyHost(kind: "log" | "done" | "failed", text: string, second?: string): void {
  send(kind, text, second);
}

/** Settles the pending call and sends the next one. */
export function answered(text: string | undefined, code: number | undefined): void {
  const call = first;
  if (call === undefined) return;
  first = call.next;
  if (first === undefined) last = undefined;
  else send("call", first.name, first.argument);
  if (code !== undefined) call.reject(new Refusal(code, text === undefined ? "" : (parse(text) as string)));
  else call.resolve(text === undefined ? undefined : parse(text));
}

function refuseNotFinite(name: string, value: unknown): unknown {
  if (typeof value === "number" && !isFinite(value))
    throw new TypeError(`The value of ${name} is ${toText(value)}, which JSON cannot hold.`);
  return value;
}

/** Calls the host. A number that is not finite is a `TypeError`. One call is pending at a time; the others queue in the sandbox's own memory. */
export function callHost(name: string, argument: unknown): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const text = stringify(argument ?? null);
    // JSON writes `NaN` and infinite numbers as `null`.
    if (indexOf(text, "null") !== -1) stringify(argument, refuseNotFinite);
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
