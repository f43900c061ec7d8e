import { randomFillSync } from "node:crypto";
import type { MacroFaultKind } from "@sallyport/core";
import { CpuClock } from "./cpu-clock.ts";
import type { Answer, Enter, FromThread, Outbox } from "./messages.ts";
import type { Pulse } from "./pulse.ts";
import { type Sandbox, SandboxExhausted } from "./sandbox.ts";

/** Results and arguments of host calls nest at most so deep. */
const DEEPEST = 64;

/** UTF-8 bytes of the argument of one host call: an object as large as one may be, and what is around it. The server reads it in one go. */
const LONGEST_ARGUMENT = 2 * 1024 * 1024;

const MOST_FRAMES = 12;
const LONGEST_STATUS = 500;

interface Fault {
  readonly kind: MacroFaultKind | "refused";
  readonly message: string;
  readonly trace?: string | undefined;
  readonly code?: number | undefined;
}

/** One entry while it runs in its sandbox: what it says is judged, what it uses is counted. */
export class Entry {
  private readonly sandbox: Sandbox;
  private readonly given: Enter;
  private readonly code: string | undefined;
  private readonly outbox: Pick<Outbox<FromThread>, "put" | "sendOld">;
  private readonly pulse: Pulse;
  private readonly clock: CpuClock;
  private readonly deadline: number;
  private readonly lines = new LogLines();
  private waited = 0;
  private hostCalls = 0;
  private callsInside = 0;
  private fault: Fault | undefined;
  private done: { readonly result: string; readonly status: string | undefined } | undefined;
  private call: { readonly name: string; readonly argument: string } | undefined;
  private waits = false;

  constructor(
    sandbox: Sandbox,
    given: Enter,
    code: string | undefined,
    pulse: Pulse,
    outbox: Pick<Outbox<FromThread>, "put" | "sendOld">,
  ) {
    this.sandbox = sandbox;
    this.given = given;
    this.code = code;
    this.outbox = outbox;
    this.pulse = pulse;
    this.clock = new CpuClock(given.limits.cpu);
    this.deadline = performance.now() + given.limits.timeout;
  }

  /** Whether it has come to its end. */
  start(): boolean {
    const { id, isNext, at, module, driver, argument, page, limits } = this.given;
    if (!isNext) {
      this.waited = Math.max(0, Date.now() - at);
      this.pulse.begin(id, this.waited);
    }
    return this.run(() => {
      if (argument.length + (page === undefined ? 0 : page.text.length + page.ends.byteLength) > limits.memory)
        throw new SandboxExhausted();
      this.sandbox.enter({
        module: this.code === undefined ? module : { ...module, code: this.code },
        driver,
        argument,
        page,
        memory: limits.memory,
        seed: randomFillSync(new Int32Array(4)),
        listener: (kind, first, second) => this.hear(kind, first, second),
        interrupt: () => this.isOver(),
      });
    });
  }

  /** Goes on with the host's answer. Whether it has come to its end. */
  answer({ text, code, charge, callsInside }: Answer): boolean {
    this.waits = false;
    this.clock.charge(charge);
    this.callsInside += callsInside;
    return this.run(() => this.sandbox.answer(text, code));
  }

  private run(begin: () => void): boolean {
    this.clock.start();
    this.pulse.current = this.given.id;
    try {
      begin();
      while (!this.isAtEnd && this.sandbox.hasJobs) {
        this.sandbox.runJobs();
        this.isOver();
      }
    } catch (error) {
      // The engine gave up in the middle of the prelude, which it does for want of memory or because it was stopped.
      if (!(error instanceof SandboxExhausted)) this.sandbox.discard();
      this.fault ??= { kind: "memory", message: "ran out of memory" };
    }
    this.clock.stop();
    this.pulse.current = 0;
    return this.conclude();
  }

  private get isAtEnd(): boolean {
    return this.fault !== undefined || this.done !== undefined;
  }

  private isOver(): boolean {
    this.outbox.sendOld();
    const isStopped = this.pulse.beat(this.given.id);
    if (this.fault !== undefined) return true;
    if (isStopped) this.fault = { kind: "ended", message: "was ended" };
    else if (this.sandbox.isTooLarge) this.fault = { kind: "memory", message: "ran out of memory" };
    else if (this.clock.isOver())
      this.fault = { kind: "cpu", message: `ran longer than ${Math.ceil(this.given.limits.cpu)} ms` };
    else if (performance.now() > this.deadline)
      this.fault = { kind: "timeout", message: `took longer than ${this.given.limits.timeout} ms` };
    return this.fault !== undefined;
  }

  private hear(kind: string, first: string, second: string | undefined): void {
    if (this.isAtEnd) return;
    if (kind === "log") this.lines.add(textIn(first));
    else if (kind === "call") this.hearCall(first, second ?? "");
    else if (kind === "failed") this.fault = faultIn(first);
    else this.hearDone(first, second);
  }

  private hearCall(name: string, argument: string): void {
    const { hostCalls } = this.given.limits;
    if (this.hostCalls + this.callsInside >= hostCalls)
      this.fault = { kind: "hostCalls", message: `called the host more than ${hostCalls} times` };
    else if (Buffer.byteLength(argument) > LONGEST_ARGUMENT)
      this.fault = { kind: "threw", message: `${name}: more than ${LONGEST_ARGUMENT} bytes` };
    else if (isDeeper(argument, DEEPEST))
      this.fault = { kind: "threw", message: `${name}: nesting deeper than ${DEEPEST}` };
    else {
      this.hostCalls += 1;
      this.call = { name, argument };
    }
  }

  private hearDone(result: string, status: string | undefined): void {
    const { resultBytes } = this.given.limits;
    if (this.call !== undefined || this.waits) {
      this.fault = { kind: "pending", message: "ended before the server had answered its calls: an await is missing" };
    } else if (Buffer.byteLength(result) > resultBytes) {
      this.fault = { kind: "resultBytes", message: `the result is larger than ${resultBytes} bytes` };
    } else if (isDeeper(result, DEEPEST)) {
      this.fault = { kind: "result", message: `the result nests deeper than ${DEEPEST}` };
    } else this.done = { result, status: status === undefined ? undefined : textIn(status).slice(0, LONGEST_STATUS) };
  }

  /** Says where the entry stands: at its end, or waiting for the host. */
  private conclude(): boolean {
    const { id } = this.given;
    const { waited } = this;
    const cpu = this.clock.total();
    if (!this.isAtEnd && this.call !== undefined) {
      const { name, argument } = this.call;
      this.call = undefined;
      this.waits = true;
      this.outbox.put({ type: "call", id, waited, cpu, lines: this.lines.take(), name, argument });
      return false;
    }
    if (!this.isAtEnd && this.waits) return false;
    const lines = this.lines.close();
    if (this.done !== undefined && this.fault === undefined) {
      this.outbox.put({
        type: "done",
        id,
        waited,
        cpu,
        lines,
        ...this.done,
        hostCalls: this.hostCalls,
        code: this.code,
      });
      return true;
    }
    const { kind, message, trace, code } = this.fault ?? {
      kind: "pending",
      message: "waits for what nobody will settle",
    };
    this.outbox.put({ type: "failed", id, waited, cpu, lines, kind, message, trace, code });
    return true;
  }
}

/** A text that the prelude says as JSON. */
function textIn(json: string): string {
  return String(JSON.parse(json));
}

/** The first frames of a trace that are not the prelude's. */
function ownFrames(trace: string | undefined): string | undefined {
  const frames = trace
    ?.split("\n")
    .filter((frame) => frame.trim() !== "" && !/\(?\/(?:prelude|authoring|schema)\//.test(frame));
  return frames === undefined || frames.length === 0 ? undefined : frames.slice(0, MOST_FRAMES).join("\n");
}

/** What the prelude says of a failure. It comes from inside of the sandbox and may be anything. */
function faultIn(text: string): Fault {
  const given = JSON.parse(text) as Record<string, unknown>;
  const textOf = (name: string, longest: number) =>
    typeof given[name] === "string" ? (given[name] as string).slice(0, longest) : undefined;
  const message = textOf("message", 2_100) ?? "failed";
  const trace = ownFrames(textOf("trace", 4_100));
  const { code } = given;
  if (given["kind"] === "refused" && typeof code === "number") return { kind: "refused", code, message };
  if (given["kind"] === "invalid" || given["kind"] === "result") return { kind: given["kind"], message, trace };
  if (message === "InternalError: out of memory") return { kind: "memory", message: "ran out of memory", trace };
  if (message === "InternalError: stack overflow" || message.startsWith("RangeError: Maximum call stack"))
    return { kind: "stack", message: "ran out of stack", trace };
  return { kind: "threw", message, trace };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Whether JSON nests deeper than `deepest`. Reads the text alone: what is too deep is never built. */
function isDeeper(json: string, deepest: number): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index += 1) {
    const character = json.charCodeAt(index);
    if (character === QUOTE) {
      index += 1;
      for (
        let inside = json.charCodeAt(index);
        inside !== QUOTE && index < json.length;
        inside = json.charCodeAt(index)
      ) {
        index += inside === BACKSLASH ? 2 : 1;
      }
    } else if (character === 0x5b || character === 0x7b) {
      depth += 1;
      if (depth > deepest) return true;
    } else if (character === 0x5d || character === 0x7d) depth -= 1;
  }
  return false;
}

const LONGEST_LINE = 2_000;
const MOST_LINES = 200;
const MOST_CHARACTERS = 65_536;

/** The lines that an entry writes, as many as may be. */
class LogLines {
  private lines: string[] = [];
  private written = 0;
  private characters = 0;
  private leftOut = 0;

  add(line: string): void {
    const text = line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line;
    if (this.written === MOST_LINES || this.characters + text.length > MOST_CHARACTERS) {
      this.leftOut += 1;
      return;
    }
    this.written += 1;
    this.characters += text.length;
    this.lines.push(text);
  }

  /** Those since the last time. */
  take(): readonly string[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }

  /** The last ones, and how many there would have been. */
  close(): readonly string[] {
    const lines = this.take();
    return this.leftOut === 0 ? lines : [...lines, `${this.leftOut} more lines were left out`];
  }
}
