import { createRequire } from "node:module";
import { setPriority } from "node:os";
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type * as Stripper from "@swc/wasm-typescript";
import {
  type Failed,
  Heartbeat,
  type Invoke,
  LEASES_PER_WORKER,
  SendBuffer,
  type ToWorker,
  type WorkerData,
} from "./messages.ts";
import { Sandbox } from "./sandbox.ts";
import { SandboxRun } from "./sandbox-run.ts";

/** Maximum idle sandboxes: one per waiting execution, and one for nesting. A new one takes about 30 ms. */
const MAX_IDLE = LEASES_PER_WORKER + 1;

const { engine, threadPriority, heartbeat: shared } = workerData as WorkerData;
// Only Linux has a priority per thread. Elsewhere this would change the whole process.
if (process.platform === "linux" && threadPriority > 0) setPriority(0, threadPriority);

const port = parentPort as MessagePort;
const heartbeat = new Heartbeat(shared);
const buffer = new SendBuffer(port);
/** Invocations that have not begun, those with `isNext` first. */
const queue: Invoke[] = [];
const runs = new Map<number, { readonly run: SandboxRun; readonly sandbox: Sandbox }>();

const idle: Sandbox[] = [await Sandbox.create(engine)];
let isCreating = false;

port.on("message", (message: ToWorker) => {
  buffer.pauseDuring(() => {
    receive(message);
    receiveAll();
    beginAll();
  });
});
buffer.put({ type: "ready" });

function receive(message: ToWorker): void {
  if (message.type === "invoke") {
    const at = message.isNext ? queue.findIndex(({ isNext }) => !isNext) : -1;
    queue.splice(at === -1 ? queue.length : at, 0, message);
  } else if (message.type === "answer") {
    const isFinished = runs.get(message.id)?.run.answer(message);
    if (isFinished === true) end(message.id);
  } else {
    for (const id of message.ids) {
      const at = queue.findIndex((each) => each.id === id);
      if (at !== -1) queue.splice(at, 1);
      end(id);
    }
    buffer.put({ type: "dropped", id: message.id });
  }
}

/** Begins queued invocations in order. New messages are handled in between. */
function beginAll(): void {
  while (queue.length > 0) {
    const sandbox = idle.pop();
    if (sandbox === undefined) {
      if (!isCreating) void createSandbox();
      return;
    }
    begin(queue.shift() as Invoke, sandbox);
    receiveAll();
  }
}

function receiveAll(): void {
  for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port))
    receive(more.message as ToWorker);
}

async function createSandbox(): Promise<void> {
  isCreating = true;
  idle.push(await Sandbox.create(engine));
  isCreating = false;
  buffer.pauseDuring(beginAll);
}

function begin(message: Invoke, sandbox: Sandbox): void {
  const { id, isNext, at, module, language } = message;
  const waited = isNext ? 0 : Math.max(0, Date.now() - at);
  if (!isNext) heartbeat.begin(id, waited);
  const code = language === "ts" ? stripTypes(module.name, module.code) : module.code;
  if (typeof code !== "string") {
    idle.push(sandbox);
    buffer.put({ type: "failed", id, waited, cpu: 0, lines: [], ...code });
    return;
  }
  const run = new SandboxRun(sandbox, { ...message, module: { ...module, code } }, waited, heartbeat, buffer);
  runs.set(id, { run, sandbox });
  if (run.start()) end(id);
}

function end(id: number): void {
  const finished = runs.get(id);
  runs.delete(id);
  if (finished !== undefined && idle.length < MAX_IDLE && finished.sandbox.reset()) idle.push(finished.sandbox);
}

/** Strips the types of TypeScript, or returns the failure. Types become spaces, so positions stay the same. */
function stripTypes(name: string, text: string): string | Omit<Failed, "type" | "id" | "waited" | "cpu" | "lines"> {
  // Loaded on first use: it is large and rarely needed.
  const { transformSync }: typeof Stripper = createRequire(import.meta.url)("@swc/wasm-typescript");
  try {
    return transformSync(text, { filename: `${name}.ts`, mode: "strip-only", module: true }).code;
  } catch (thrown) {
    // An `Error` means that the stripper itself broke and cannot be reused. It counts columns from 0.
    const isUnfit = thrown instanceof Error;
    const { message: reason, startLine, startColumn } = thrown as Readonly<Record<string, unknown>>;
    const message = isUnfit ? "is nested too deeply" : typeof reason === "string" ? reason : "is not valid TypeScript";
    const hasPosition = typeof startLine === "number" && typeof startColumn === "number";
    const trace = hasPosition ? `    at ${name}:${startLine}:${startColumn + 1}` : undefined;
    return { kind: "invalid", message, trace, code: undefined, isUnfit };
  }
}
