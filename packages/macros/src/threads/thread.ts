import { setPriority } from "node:os";
import { type MessagePort, workerData } from "node:worker_threads";
import { Entry } from "./entry.ts";
import { EXECUTIONS_OF_THREAD } from "./executions-of-thread.ts";
import type { Enter, FromThread, Ready, Rested, ToThread } from "./messages.ts";
import { Pulse } from "./pulse.ts";
import { Sandbox } from "./sandbox.ts";
import { StripperBroke, stripTypes, TypeScriptFault } from "./strip-types.ts";

/** Sandboxes that are kept for the next entries: those of executions that wait for the host, and those inside of them. To make one takes 30 ms. */
const MOST_KEPT = EXECUTIONS_OF_THREAD + 1;

// Piscina wraps what it is given.
const { wasmModule, niceness } = (Array.isArray(workerData) ? workerData.at(-1) : workerData) as { wasmModule: WebAssembly.Module; niceness: number };

// On Linux a thread has a priority of its own; elsewhere this would be the whole process.
if (process.platform === "linux" && niceness > 0) setPriority(0, niceness);

const free: Sandbox[] = [await Sandbox.create(wasmModule)];

function giveBack(sandbox: Sandbox): void {
  if (free.length < MOST_KEPT && sandbox.reset()) free.push(sandbox);
}

/** What a seat gives its thread: where its messages come from, and the words that they share. */
export interface Service {
  readonly port: MessagePort;
  readonly pulse: SharedArrayBuffer;
}

/** Runs what a seat asks for, until it is let go. */
export function serve({ port, pulse: shared }: Service): Promise<void> {
  let isOver = false;
  /** Entries that are being made ready. */
  const starting = new Set<number>();
  const pulse = new Pulse(shared);
  const entries = new Map<number, { readonly entry: Entry; readonly sandbox: Sandbox }>();
  const post = (message: FromThread | Ready | Rested): void => port.postMessage(message);

  const end = (id: number): void => {
    const found = entries.get(id);
    entries.delete(id);
    if (found !== undefined) giveBack(found.sandbox);
  };

  const forget = (id: number): void => {
    starting.delete(id);
    end(id);
  };

  const enter = async (message: Enter): Promise<void> => {
    const { id, module, language } = message;
    let code: string | undefined;
    starting.add(id);
    try {
      if (language !== undefined) code = language === "ts" ? await stripTypes(module.name, module.code) : module.code;
    } catch (error) {
      const { message: text } = error as Error;
      starting.delete(id);
      post({ type: "failed", id, cpu: 0, lines: [], kind: "invalid", message: text, trace: error instanceof TypeScriptFault ? error.trace : undefined, code: undefined, isUnfit: error instanceof StripperBroke });
      return;
    }
    const sandbox = free.pop() ?? (await Sandbox.create(wasmModule));
    if (!starting.delete(id) || isOver) {
      giveBack(sandbox);
      return;
    }
    const entry = new Entry(sandbox, message, code, pulse, post);
    entries.set(id, { entry, sandbox });
    if (entry.start()) end(id);
  };

  post({ type: "ready" });
  return new Promise((resolve, reject) => {
    port.on("message", (message: ToThread) => {
      if (message.type === "enter") enter(message).catch(reject);
      else if (message.type === "answer") {
        if (entries.get(message.id)?.entry.answer(message) === true) end(message.id);
      } else if (message.type === "drop") forget(message.id);
      else if (message.type === "rest") {
        for (const id of message.ids) forget(id);
        post({ type: "rested", id: message.id });
      } else {
        isOver = true;
        for (const id of entries.keys()) end(id);
        port.close();
        resolve();
      }
    });
  });
}
