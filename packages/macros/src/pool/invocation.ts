import { isErrorCode, type JsonValue, ServiceError } from "@sallyport/storage";
import {
  isRefusalCode,
  MacroFault,
  type MacroFaultKind,
  type MacroHost,
  type MacroInvocation,
  MacroRefusal,
} from "@sallyport/core";
import type {
  Answer,
  Called,
  Done,
  Failed,
  Heartbeat,
  InvocationMessage,
  Invoke,
  ToWorker,
} from "../worker/messages.ts";
import { decodeResult, encodeArgument } from "./page-transfer.ts";

/** Milliseconds after a limit in which the worker can still report it. */
const GRACE = 250;

/** The result that the worker reports. */
export interface Ended extends Pick<Done, "status" | "hostCalls" | "code"> {
  readonly result: JsonValue | undefined;
}

/** Limits of an invocation. A nested invocation cannot exceed the remainder of the outer one. */
export type Budget = Pick<Invoke["limits"], "cpu" | "timeout" | "hostCalls">;

export interface InvocationOptions {
  readonly call: MacroInvocation;
  readonly host: MacroHost;
  readonly budget: Budget;
  /** Set for an inspection. */
  readonly language: "js" | "ts" | undefined;
  readonly lease: object;
  /** Whether it goes to the front of the worker's queue. */
  readonly isNext: boolean;
  /** Called when the invocation starts to wait for the host. */
  readonly onWait: () => void;
}

/** The worker of an invocation. */
interface Slot {
  readonly heartbeat: Heartbeat;
  post(message: ToWorker): void;
  /** Terminates the worker because of the invocation `id`. */
  kill(id: number): void;
}

/** The server's side of one invocation: answers its calls, enforces its time limit and settles once. */
export class Invocation {
  readonly ended: Promise<Ended>;
  /** Milliseconds of CPU time, with nested invocations. */
  cpu = 0;
  /** Number of host calls, with nested invocations. */
  calls = 0;
  /** Whether the worker was lost before the invocation began. */
  isUntouched = false;
  /** Send time in milliseconds since 1970. */
  private sentAt = 0;
  private knownWait: number | undefined;
  private deadline = Infinity;
  private timer: NodeJS.Timeout | undefined;
  private charge = 0;
  private nestedCalls = 0;
  isHostBusy = false;
  private isLate = false;
  private isSettled = false;
  /** The pending failure. It takes effect when the host call ends. */
  private fault: MacroFault | undefined;
  private resolve!: (ended: Ended) => void;
  private reject!: (error: unknown) => void;

  constructor(
    readonly id: number,
    private readonly slot: Slot,
    private readonly options: InvocationOptions,
  ) {
    this.ended = new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
    });
  }

  get lease(): object {
    return this.options.lease;
  }

  /** The budget of a nested invocation: its own limits, capped by the remainder of this one. */
  budgetOf(limits: Budget): Budget {
    const { cpu, hostCalls } = this.options.budget;
    return {
      cpu: Math.min(limits.cpu, Math.max(1, cpu - this.cpu)),
      timeout: Math.min(limits.timeout, Math.max(1, this.timeLeft)),
      hostCalls: Math.min(limits.hostCalls, Math.max(0, hostCalls - this.calls)),
    };
  }

  /** Whether a heartbeat is expected for it. */
  get isRunning(): boolean {
    return !this.isSettled && !this.isHostBusy;
  }

  /** Whether the worker is stripping its types, or will do so. */
  get isStripping(): boolean {
    return this.options.language === "ts" && !this.isCurrent;
  }

  /** Milliseconds of silence to tolerate from the worker. Type stripping sends no heartbeat. */
  get maxSilence(): number {
    const { cpu, timeout } = this.options.budget;
    return this.isStripping ? timeout : cpu + GRACE;
  }

  /** Milliseconds in the worker's queue. */
  get waited(): number {
    if (this.options.isNext) return 0;
    const { begun, waited } = this.slot.heartbeat;
    // If a later invocation has begun, this one has too, and its message is still in transit.
    return this.knownWait ?? (begun === this.id ? waited : Date.now() - this.sentAt);
  }

  begin(): void {
    const { call, budget, isNext, language } = this.options;
    const { module, driver, argument, limits } = call;
    this.sentAt = Date.now();
    this.slot.post({
      type: "invoke",
      id: this.id,
      isNext,
      at: this.sentAt,
      module,
      ...(language === undefined ? {} : { language }),
      driver,
      ...encodeArgument(driver, argument),
      limits: { ...budget, memory: limits.memory, resultBytes: limits.resultBytes },
    });
  }

  /** Starts the time limit. */
  startClock(): void {
    const { timeout } = this.options.budget;
    this.deadline = performance.now() + timeout;
    this.timer = setTimeout(() => this.timeIsUp(), timeout);
  }

  receive(message: InvocationMessage): void {
    if (this.isSettled) return;
    this.knownWait = message.waited;
    this.cpu = message.cpu;
    for (const line of message.lines) this.options.host.log(line);
    if (message.type === "call") void this.answer(message);
    else if (message.type === "failed") {
      // The worker may not have noticed the timeout that caused the cancellation.
      this.fail(message.kind === "ended" && this.isLate ? this.timeout() : errorOf(this.module, message));
      if (message.isUnfit === true) this.slot.kill(this.id);
    } else this.finish(message);
  }

  /** Adds the usage of a nested invocation. */
  addCharge({ cpu, calls }: Pick<Invocation, "cpu" | "calls">): void {
    this.charge += cpu;
    this.cpu += cpu;
    this.nestedCalls += calls;
    this.calls += calls;
  }

  /** Fails the invocation, after a host call that is in progress. */
  lose(kind: MacroFaultKind, message: string): void {
    this.isUntouched = this.knownWait === undefined && !this.hasBegun;
    this.fault ??= new MacroFault(kind, this.module, message, { cpu: this.cpu });
    if (!this.isHostBusy) this.fail(this.fault);
  }

  private get module(): string {
    return this.options.call.module.name;
  }

  private get isCurrent(): boolean {
    return this.slot.heartbeat.current === this.id;
  }

  private get hasBegun(): boolean {
    return this.options.isNext || this.slot.heartbeat.begun >= this.id;
  }

  private finish({ result, status, hostCalls, code }: Done): void {
    const { driver, argument } = this.options.call;
    try {
      const decoded = decodeResult(driver, argument, result);
      this.settle(() => this.resolve({ result: decoded, status, hostCalls, code }));
    } catch (error) {
      this.fail(new MacroFault("result", this.module, "the result is not JSON", { cpu: this.cpu, cause: error }));
    }
  }

  private async answer({ name, argument }: Called): Promise<void> {
    const { host, onWait } = this.options;
    this.isHostBusy = true;
    onWait();
    this.calls += 1;
    let answer: Pick<Answer, "text" | "code">;
    try {
      const value = await host.answer({ name, argument: JSON.parse(argument) as JsonValue });
      answer = { text: value === undefined ? undefined : JSON.stringify(value), code: undefined };
    } catch (error) {
      if (!(error instanceof ServiceError) || !host.isCatchable(error)) {
        this.abandon(error);
        return;
      }
      answer = { text: JSON.stringify(error.detail ?? ""), code: error.code };
    }
    if (this.fault !== undefined) {
      this.abandon(this.fault);
      return;
    }
    this.isHostBusy = false;
    const { charge, nestedCalls } = this;
    [this.charge, this.nestedCalls] = [0, 0];
    this.slot.post({ type: "answer", id: this.id, charge, nestedCalls, ...answer });
  }

  private get timeLeft(): number {
    return this.deadline + this.waited - performance.now();
  }

  private timeIsUp(): void {
    if (this.hasBegun && this.timeLeft > 1) {
      // The time in the queue does not count.
      this.timer = setTimeout(() => this.timeIsUp(), this.timeLeft);
      return;
    }
    if (this.isHostBusy) {
      // A failed invocation must not leave a host call in progress.
      this.fault ??= this.timeout();
      return;
    }
    if (!this.isCurrent) {
      // The running invocation must not be terminated because of a queued one.
      this.lose("timeout", this.lateness);
      this.drop();
      return;
    }
    this.isLate = true;
    this.slot.heartbeat.cancel(this.id);
    this.timer = setTimeout(() => {
      if (!this.isRunning) return;
      const { isCurrent } = this;
      this.lose("timeout", this.lateness);
      if (isCurrent) this.slot.kill(this.id);
    }, GRACE);
  }

  private get lateness(): string {
    return `took longer than ${Math.round(this.options.budget.timeout)} ms`;
  }

  private timeout(): MacroFault {
    return new MacroFault("timeout", this.module, this.lateness, { cpu: this.cpu });
  }

  private abandon(error: unknown): void {
    this.isHostBusy = false;
    this.drop();
    this.fail(error);
  }

  private drop(): void {
    this.slot.post({ type: "drop", id: 0, ids: [this.id] });
  }

  private fail(error: unknown): void {
    this.settle(() => this.reject(error));
  }

  private settle(how: () => void): void {
    if (this.isSettled) return;
    this.isSettled = true;
    clearTimeout(this.timer);
    how();
  }
}

const NUMBER = /^\d{1,7}$/;

/** The first position of a module in a stack trace. A frame ends in `name:line:column`, with or without a bracket. */
function positionIn(trace: string, module: string): { readonly line: number; readonly column: number } | undefined {
  for (const frame of trace.split("\n")) {
    const at = frame.lastIndexOf(`${module}:`);
    if (at === -1 || (at > 0 && !" (".includes(frame.charAt(at - 1)))) continue;
    const [line = "", column = ""] = frame
      .slice(at + module.length + 1)
      .replace(/\)$/, "")
      .split(":");
    if (NUMBER.test(line)) return { line: Number(line), column: NUMBER.test(column) ? Number(column) : 1 };
  }
  return undefined;
}

function errorOf(module: string, { kind, message, trace, code, cpu }: Failed): MacroFault | MacroRefusal {
  if (kind !== "refused") {
    const position = trace === undefined ? {} : positionIn(trace, module);
    return new MacroFault(kind, module, message, { trace, cpu, ...position });
  }
  if (code !== undefined && isRefusalCode(code)) return new MacroRefusal(code, message === "" ? undefined : message);
  const reason =
    code !== undefined && isErrorCode(code) ? "which is not about the request" : "which is not an error code";
  return new MacroFault("threw", module, `refused with ${code}, ${reason}`, { cpu });
}
