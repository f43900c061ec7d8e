import { CpuClock } from "./cpu-clock.ts";
import type { Answer, Called, Done, Failed, Heartbeat, Invoke, SendBuffer } from "./messages.ts";
import { type Sandbox, SandboxExhausted } from "./sandbox.ts";

/** Maximum nesting of results and of host call arguments. */
const MAX_DEPTH = 64;

/** Maximum UTF-8 bytes of a host call argument: the largest object and its envelope. */
const MAX_ARGUMENT_BYTES = 2 * 1024 * 1024;

const MAX_FRAMES = 12;
const MAX_STATUS = 500;

const OUT_OF_MEMORY = { kind: "memory", message: "ran out of memory" } as const;

type Fault = Pick<Failed, "kind" | "message"> & Partial<Pick<Failed, "trace" | "code">>;

/** One invocation in its sandbox: validates the module's messages and meters its usage. */
export class SandboxRun {
  private readonly clock: CpuClock;
  private readonly deadline: number;
  private readonly lines = new LogLines();
  private hostCalls = 0;
  private nestedCalls = 0;
  private fault: Fault | undefined;
  private done: Pick<Done, "result" | "status"> | undefined;
  private call: Pick<Called, "name" | "argument"> | undefined;
  private isWaiting = false;

  constructor(
    private readonly sandbox: Sandbox,
    private readonly invoke: Invoke,
    private readonly waited: number,
    private readonly heartbeat: Heartbeat,
    private readonly buffer: SendBuffer,
  ) {
    this.clock = new CpuClock(invoke.limits.cpu);
    this.deadline = performance.now() + invoke.limits.timeout;
  }

  /** Returns whether the invocation has ended. */
  start(): boolean {
    const { argument, page, limits } = this.invoke;
    return this.run(() => {
      if (argument.length + (page === undefined ? 0 : page.text.length + page.ends.byteLength) > limits.memory)
        throw new SandboxExhausted();
      this.sandbox.invoke(
        this.invoke,
        (kind, first, second) => this.receive(kind, first, second),
        () => this.isOver(),
      );
    });
  }

  /** Continues with the host's answer. Returns whether the invocation has ended. */
  answer({ text, code, charge, nestedCalls }: Answer): boolean {
    this.isWaiting = false;
    this.clock.charge(charge);
    this.nestedCalls += nestedCalls;
    return this.run(() => this.sandbox.answer(text, code));
  }

  private run(begin: () => void): boolean {
    this.clock.start();
    this.heartbeat.current = this.invoke.id;
    try {
      begin();
      while (!this.isAtEnd && this.sandbox.hasJobs) {
        this.sandbox.runJobs();
        this.isOver();
      }
    } catch (error) {
      // The prelude itself can fail when memory is exhausted or the engine is interrupted.
      if (!(error instanceof SandboxExhausted)) this.sandbox.discard();
      this.fault ??= OUT_OF_MEMORY;
    }
    this.clock.stop();
    this.heartbeat.current = 0;
    return this.conclude();
  }

  private get isAtEnd(): boolean {
    return this.fault !== undefined || this.done !== undefined;
  }

  private isOver(): boolean {
    this.buffer.sendOld();
    const isCancelled = this.heartbeat.beat(this.invoke.id);
    if (this.fault !== undefined) return true;
    if (isCancelled) this.fault = { kind: "ended", message: "was cancelled" };
    else if (this.sandbox.isTooLarge) this.fault = OUT_OF_MEMORY;
    else if (this.clock.isOver())
      this.fault = { kind: "cpu", message: `used more than ${Math.ceil(this.invoke.limits.cpu)} ms of CPU time` };
    else if (performance.now() > this.deadline)
      this.fault = { kind: "timeout", message: `took longer than ${this.invoke.limits.timeout} ms` };
    return this.fault !== undefined;
  }

  private receive(kind: string, first: string, second: string | undefined): void {
    if (this.isAtEnd) return;
    if (kind === "log") this.lines.add(textIn(first));
    else if (kind === "call") this.receiveCall(first, second ?? "");
    else if (kind === "failed") this.fault = faultIn(first);
    else this.receiveResult(first, second);
  }

  private receiveCall(name: string, argument: string): void {
    const { hostCalls } = this.invoke.limits;
    if (this.hostCalls + this.nestedCalls >= hostCalls)
      this.fault = { kind: "hostCalls", message: `called the server more than ${hostCalls} times` };
    else if (Buffer.byteLength(argument) > MAX_ARGUMENT_BYTES)
      this.fault = { kind: "threw", message: `${name}: the argument is larger than ${MAX_ARGUMENT_BYTES} bytes` };
    else if (isDeeper(argument, MAX_DEPTH))
      this.fault = { kind: "threw", message: `${name}: the argument is nested more than ${MAX_DEPTH} levels deep` };
    else {
      this.hostCalls += 1;
      this.call = { name, argument };
    }
  }

  private receiveResult(result: string, status: string | undefined): void {
    const { resultBytes } = this.invoke.limits;
    if (this.call !== undefined || this.isWaiting)
      this.fault = { kind: "pending", message: "ended before its calls to the server: an await is missing" };
    else if (Buffer.byteLength(result) > resultBytes)
      this.fault = { kind: "resultBytes", message: `the result is larger than ${resultBytes} bytes` };
    else if (isDeeper(result, MAX_DEPTH))
      this.fault = { kind: "result", message: `the result is nested more than ${MAX_DEPTH} levels deep` };
    else this.done = { result, status: status === undefined ? undefined : textIn(status).slice(0, MAX_STATUS) };
  }

  /** Reports the end or the pending call. Returns whether the invocation has ended. */
  private conclude(): boolean {
    const from = { id: this.invoke.id, waited: this.waited, cpu: this.clock.total() };
    if (!this.isAtEnd && this.call !== undefined) {
      const { call } = this;
      this.call = undefined;
      this.isWaiting = true;
      this.buffer.put({ type: "call", ...from, lines: this.lines.take(), ...call });
      return false;
    }
    if (!this.isAtEnd && this.isWaiting) return false;
    const lines = this.lines.close();
    if (this.done !== undefined && this.fault === undefined) {
      const { language, module } = this.invoke;
      const code = language === undefined ? undefined : module.code;
      this.buffer.put({ type: "done", ...from, lines, ...this.done, hostCalls: this.hostCalls, code });
      return true;
    }
    const fault = this.fault ?? { kind: "pending", message: "waits for a promise that never settles" };
    this.buffer.put({ type: "failed", ...from, lines, trace: undefined, code: undefined, ...fault });
    return true;
  }
}

/** Decodes a JSON string of the prelude. */
function textIn(json: string): string {
  return String(JSON.parse(json));
}

/** The first frames of a stack trace, without those of the prelude. */
function ownFrames(trace: string | undefined): string | undefined {
  const frames = trace
    ?.split("\n")
    .filter((frame) => frame.trim() !== "" && !/\(?\/(?:prelude|authoring|schema)\//.test(frame));
  return frames === undefined || frames.length === 0 ? undefined : frames.slice(0, MAX_FRAMES).join("\n");
}

/** Decodes a failure. The sandbox can send any content. */
function faultIn(text: string): Fault {
  const failure = JSON.parse(text) as Record<string, unknown>;
  const textOf = (name: string, maxLength: number) =>
    typeof failure[name] === "string" ? (failure[name] as string).slice(0, maxLength) : undefined;
  const message = textOf("message", 2_100) ?? "failed";
  const trace = ownFrames(textOf("trace", 4_100));
  const { code } = failure;
  if (failure["kind"] === "refused" && typeof code === "number") return { kind: "refused", code, message };
  if (failure["kind"] === "invalid" || failure["kind"] === "result") return { kind: failure["kind"], message, trace };
  if (message === "InternalError: out of memory") return { ...OUT_OF_MEMORY, trace };
  if (message === "InternalError: stack overflow" || message.startsWith("RangeError: Maximum call stack"))
    return { kind: "stack", message: "exceeded the stack size", trace };
  return { kind: "threw", message, trace };
}

/** Scans the text: JSON that is too deep is never parsed. */
function isDeeper(json: string, deepest: number): boolean {
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index] as string;
    if (character === '"') isInText = !isInText;
    else if (isInText) {
      if (character === "\\") index += 1;
    } else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
    if (depth > deepest) return true;
  }
  return false;
}

const MAX_LINE = 2_000;
const MAX_LINES = 200;
const MAX_CHARACTERS = 65_536;

/** The log lines of an invocation, up to the limits. */
class LogLines {
  private lines: string[] = [];
  private written = 0;
  private characters = 0;
  private leftOut = 0;

  add(line: string): void {
    const text = line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
    if (this.written === MAX_LINES || this.characters + text.length > MAX_CHARACTERS) {
      this.leftOut += 1;
      return;
    }
    this.written += 1;
    this.characters += text.length;
    this.lines.push(text);
  }

  /** Lines since the last call. */
  take(): readonly string[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  /** The remaining lines, then the number of omitted ones. */
  close(): readonly string[] {
    const lines = this.take();
    return this.leftOut === 0 ? lines : [...lines, `${this.leftOut} more log lines were omitted`];
  }
}
