import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type * as Stripper from "@swc/wasm-typescript";
import { Heartbeat, type Invoke, LEASES_PER_WORKER, SendBuffer, type ToWorker, type WorkerData } from "./messages.ts";
import { Sandbox } from "./sandbox.ts";
import { SandboxRun } from "./sandbox-run.ts";

/** Idle sandboxes at most: those of executions that wait, and a nested one. Making one takes 30 ms. */
const MAX_IDLE = LEASES_PER_WORKER + 1;

const { engine, niceness, heartbeat: shared } = workerData as WorkerData;
// On Linux a thread has a priority of its own; elsewhere this would be the whole process.
if (process.platform === "linux" && niceness > 0) setPriority(0, niceness);

const port = parentPort as MessagePort;
const heartbeat = new Heartbeat(shared);
const buffer = new SendBuffer(port);
/** Invocations that have not begun, those with `isNext` first. */
const queue: Invoke[] = [];
const runs = new Map<number, { readonly run: SandboxRun; readonly sandbox: Sandbox }>();

const idle: Sandbox[] = [await Sandbox.create(engine)];
let isCreating = false;

port.on("message", (messages: readonly ToWorker[]) => {
  buffer.hold(() => {
    for (const message of messages) hear(message);
    beginAll();
  });
});
buffer.put({ type: "ready" });

function hear(message: ToWorker): void {
  if (message.type === "invoke") {
    const at = message.isNext ? queue.findIndex(({ isNext }) => !isNext) : -1;
    queue.splice(at === -1 ? queue.length : at, 0, message);
  } else if (message.type === "answer") {
    if (runs.get(message.id)?.run.answer(message) === true) end(message.id);
  } else {
    for (const id of message.ids) {
      const at = queue.findIndex((each) => each.id === id);
      if (at !== -1) queue.splice(at, 1);
      end(id);
    }
    buffer.put({ type: "dropped", id: message.id });
  }
}

/** Begins one after the other. What arrives meanwhile comes before those that have not begun. */
function beginAll(): void {
  while (queue.length > 0) {
    const sandbox = idle.pop();
    if (sandbox === undefined) {
      if (!isCreating) void createSandbox();
      return;
    }
    begin(queue.shift() as Invoke, sandbox);
    for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
      for (const message of more.message as readonly ToWorker[]) hear(message);
    }
  }
}

async function createSandbox(): Promise<void> {
  isCreating = true;
  idle.push(await Sandbox.create(engine));
  isCreating = false;
  buffer.hold(beginAll);
}

function begin(message: Invoke, sandbox: Sandbox): void {
  const { id, isNext, at, module, language } = message;
  const waited = isNext ? 0 : Math.max(0, Date.now() - at);
  if (!isNext) heartbeat.begin(id, waited);
  try {
    const code = language === "ts" ? stripTypes(module.name, module.code) : module.code;
    const run = new SandboxRun(sandbox, { ...message, module: { ...module, code } }, waited, heartbeat, buffer);
    runs.set(id, { run, sandbox });
    if (run.start()) end(id);
  } catch (error) {
    idle.push(sandbox);
    if (!(error instanceof TypeScriptFault)) throw error;
    const { message: text, trace, isUnfit } = error;
    const fault = { kind: "invalid", message: text, trace, code: undefined, isUnfit } as const;
    buffer.put({ type: "failed", id, waited, cpu: 0, lines: [], ...fault });
  }
}

function end(id: number): void {
  const found = runs.get(id);
  runs.delete(id);
  if (found !== undefined && idle.length < MAX_IDLE && found.sandbox.reset()) idle.push(found.sandbox);
}

/** What the stripper throws; it counts columns from 0. */
interface StripperMessage {
  readonly message?: unknown;
  readonly startLine?: unknown;
  readonly startColumn?: unknown;
}

/** A text that is no TypeScript. `isUnfit`: it broke the stripper, which cannot be used again. */
class TypeScriptFault extends SyntaxError {
  override readonly name = "TypeScriptFault";
  readonly trace: string | undefined;
  readonly isUnfit: boolean;

  constructor(module: string, thrown: unknown) {
    const isUnfit = thrown instanceof Error;
    const { message, startLine, startColumn } = thrown as StripperMessage;
    super(isUnfit ? "nests too deep to be read" : typeof message === "string" ? message : "is no TypeScript");
    const isKnown = typeof startLine === "number" && typeof startColumn === "number";
    this.trace = isKnown ? `    at ${module}:${startLine}:${startColumn + 1}` : undefined;
    this.isUnfit = isUnfit;
  }
}

/** Makes JavaScript of TypeScript: types become blanks, so that lines and columns stay. */
function stripTypes(name: string, text: string): string {
  // Loaded on first use: it is large, and few workers need it.
  const { transformSync }: typeof Stripper = createRequire(import.meta.url)("@swc/wasm-typescript");
  try {
    return transformSync(text, { filename: `${name}.ts`, mode: "strip-only", module: true }).code;
  } catch (error) {
    throw new TypeScriptFault(name, error);
  }
}
