import { setPriority } from "node:os";
import { type MessagePort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { Entry } from "./entry.ts";
import {
  type Enter,
  EXECUTIONS_OF_THREAD,
  type FromThread,
  Outbox,
  type Ready,
  type Rested,
  type ToThread,
} from "./messages.ts";
import { Pulse } from "./pulse.ts";
import { Sandbox } from "./sandbox.ts";

/** Sandboxes that are kept for the next entries: those of executions that wait for the host, and those inside of them. To make one takes 30 ms. */
const MOST_KEPT = EXECUTIONS_OF_THREAD + 1;

// Piscina wraps what it is given.
const { wasmModule, niceness } = (Array.isArray(workerData) ? workerData.at(-1) : workerData) as {
  wasmModule: WebAssembly.Module;
  niceness: number;
};

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

/** An entry that can begin as soon as it is its turn. */
interface Prepared {
  readonly message: Enter;
  /** JavaScript of a module that is inspected. */
  readonly code: string | undefined;
}

/** Runs what a seat asks for, until it is let go. */
export function serve({ port, pulse: shared }: Service): Promise<void> {
  const pulse = new Pulse(shared);
  const outbox = new Outbox<FromThread | Ready | Rested>(port);
  /** Those that go before the ones that wait for their turn. */
  const next = new Map<number, Prepared>();
  const waiting = new Map<number, Prepared>();
  /** Entries of modules of which JavaScript is being made. */
  const prepared = new Set<number>();
  const entries = new Map<number, { readonly entry: Entry; readonly sandbox: Sandbox }>();
  let isMaking = false;

  return new Promise((resolve, reject) => {
    const end = (id: number): void => {
      const found = entries.get(id);
      entries.delete(id);
      if (found !== undefined) giveBack(found.sandbox);
    };

    const forget = (id: number): void => {
      next.delete(id);
      waiting.delete(id);
      prepared.delete(id);
      end(id);
    };

    const prepare = async (message: Enter): Promise<void> => {
      const { id, module, language } = message;
      prepared.add(id);
      try {
        const code = language === "ts" ? await stripTypes(module.name, module.code) : module.code;
        if (prepared.delete(id)) waiting.set(id, { message, code });
      } catch (error) {
        if (!prepared.delete(id)) return;
        const { message: text } = error as Error;
        outbox.put({
          type: "failed",
          id,
          waited: 0,
          cpu: 0,
          lines: [],
          kind: "invalid",
          message: text,
          trace: error instanceof TypeScriptFault ? error.trace : undefined,
          code: undefined,
          isUnfit: error instanceof StripperBroke,
        });
      }
    };

    const work = (): void => outbox.hold(beginAll);

    const make = async (): Promise<void> => {
      isMaking = true;
      free.push(await Sandbox.create(wasmModule));
      isMaking = false;
      work();
    };

    const hear = (message: ToThread): void => {
      if (message.type === "enter") {
        if (message.language !== undefined) prepare(message).then(work).catch(reject);
        else (message.isNext ? next : waiting).set(message.id, { message, code: undefined });
      } else if (message.type === "answer") {
        if (entries.get(message.id)?.entry.answer(message) === true) end(message.id);
      } else if (message.type === "drop") forget(message.id);
      else if (message.type === "rest") {
        for (const id of message.ids) forget(id);
        outbox.put({ type: "rested", id: message.id });
      } else {
        next.clear();
        waiting.clear();
        prepared.clear();
        for (const id of entries.keys()) end(id);
        port.close();
        resolve();
      }
    };

    const begin = ({ message, code }: Prepared, sandbox: Sandbox): void => {
      const entry = new Entry(sandbox, message, code, pulse, outbox);
      entries.set(message.id, { entry, sandbox });
      if (entry.start()) end(message.id);
    };

    /** Begins one after the other. What is said meanwhile comes before those that have not begun. */
    const beginAll = (): void => {
      for (;;) {
        const queue = next.size > 0 ? next : waiting;
        const [first] = queue;
        if (first === undefined) return;
        const sandbox = free.pop();
        if (sandbox === undefined) {
          if (!isMaking) make().catch(reject);
          return;
        }
        queue.delete(first[0]);
        begin(first[1], sandbox);
        for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
          for (const message of more.message as readonly ToThread[]) hear(message);
        }
      }
    };

    port.on("message", (messages: readonly ToThread[]) => {
      outbox.hold(() => {
        for (const message of messages) hear(message);
        beginAll();
      });
    });
    outbox.put({ type: "ready" });
  });
}

/** A text for which the stripper itself broke; it cannot be used again. */
class StripperBroke extends Error {
  override readonly name = "StripperBroke";
}

/** What the stripper tells of a fault; it counts columns from 0. */
interface Told {
  readonly message?: unknown;
  readonly startLine?: unknown;
  readonly startColumn?: unknown;
}

/** What is wrong with a text, and where, as the engine says it of JavaScript. */
class TypeScriptFault extends SyntaxError {
  override readonly name = "TypeScriptFault";
  readonly trace: string | undefined;

  constructor(module: string, { message, startLine, startColumn }: Told) {
    super(typeof message === "string" ? message : "is no TypeScript");
    const known = typeof startLine === "number" && typeof startColumn === "number";
    this.trace = known ? `    at ${module}:${startLine}:${startColumn + 1}` : undefined;
  }
}

/** Makes JavaScript of TypeScript: types become blanks, so that lines and columns stay. Throws what is wrong with the text. */
async function stripTypes(name: string, text: string): Promise<string> {
  // Large, and few threads ever need it.
  const { default: stripper } = await import("@swc/wasm-typescript");
  try {
    return stripper.transformSync(text, { filename: `${name}.ts`, mode: "strip-only", module: true }).code;
  } catch (error) {
    // What it has to say is no error but an object with a message.
    if (error instanceof Error) throw new StripperBroke("nests too deep to be read", { cause: error });
    throw new TypeScriptFault(name, error as Told);
  }
}
