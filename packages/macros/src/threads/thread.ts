import { setPriority } from "node:os";
import { type MessagePort, workerData } from "node:worker_threads";
import { Entry } from "./entry.ts";
import type { Enter, FromThread, Ready, Rested, ToThread } from "./messages.ts";
import { Sandbox } from "./sandbox.ts";
import { StripperBroke, stripTypes, TypeScriptFault } from "./strip-types.ts";

/** Sandboxes that are kept for the next entries: that of an execution, and those inside of it. */
const MOST_KEPT = 2;

// Piscina wraps what it is given.
const { wasmModule, niceness } = (Array.isArray(workerData) ? workerData.at(-1) : workerData) as { wasmModule: WebAssembly.Module; niceness: number };

// On Linux a thread has a priority of its own; elsewhere this would be the whole process.
if (process.platform === "linux" && niceness > 0) setPriority(0, niceness);

const free: Sandbox[] = [await Sandbox.create(wasmModule)];

function giveBack(sandbox: Sandbox): void {
  if (free.length < MOST_KEPT && sandbox.reset()) free.push(sandbox);
}

/** What a seat gives its thread: where its messages come from, and the word that says that the thread lives. */
export interface Service {
  readonly port: MessagePort;
  readonly life: Int32Array;
}

/** Runs what a seat asks for, until it is let go. */
export function serve({ port, life }: Service): Promise<void> {
  let isOver = false;
  /** Counts how often the thread was told to rest. */
  let rests = 0;
  const entries = new Map<number, { readonly entry: Entry; readonly sandbox: Sandbox }>();
  const post = (message: FromThread | Ready | Rested): void => port.postMessage(message);
  const beat = (): void => void Atomics.add(life, 0, 1);

  const end = (id: number): void => {
    const found = entries.get(id);
    entries.delete(id);
    if (found !== undefined) giveBack(found.sandbox);
  };

  const endAll = (): void => {
    for (const id of entries.keys()) end(id);
  };

  const enter = async (message: Enter): Promise<void> => {
    const { id, module, language } = message;
    const before = rests;
    let code: string | undefined;
    try {
      if (language !== undefined) code = language === "ts" ? await stripTypes(module.name, module.code) : module.code;
    } catch (error) {
      const { message: text } = error as Error;
      post({ type: "failed", id, cpu: 0, lines: [], kind: "invalid", message: text, trace: error instanceof TypeScriptFault ? error.trace : undefined, code: undefined, isUnfit: error instanceof StripperBroke });
      return;
    }
    const sandbox = free.pop() ?? (await Sandbox.create(wasmModule));
    if (isOver || rests !== before) {
      giveBack(sandbox);
      return;
    }
    const entry = new Entry(sandbox, message, code, beat, post);
    entries.set(id, { entry, sandbox });
    if (entry.start()) end(id);
  };

  post({ type: "ready" });
  return new Promise((resolve, reject) => {
    port.on("message", (message: ToThread) => {
      if (message.type === "enter") enter(message).catch(reject);
      else if (message.type === "answer") {
        if (entries.get(message.id)?.entry.answer(message) === true) end(message.id);
      } else if (message.type === "drop") end(message.id);
      else if (message.type === "rest") {
        rests += 1;
        endAll();
        post({ type: "rested" });
      } else {
        isOver = true;
        endAll();
        port.close();
        resolve();
      }
    });
  });
}
