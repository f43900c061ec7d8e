import { type Attempt, RefusedByStorageError, ServiceError } from "@sallyport/storage";
import type { Call, CallName, FaultScript } from "./fault-script.ts";
import { errorOf, type Fault } from "./fault.ts";

export type Run = (args: readonly unknown[]) => Promise<unknown>;

/** Intercepts a call of a repository. */
export type Inject = (call: Call, run: Run) => Promise<unknown>;

/** The repositories, with every method call passed to `inject`. */
export function scriptedRepositories<R extends object>(repositories: R, within: Call["within"], inject: Inject): R {
  return withEachMember(repositories, (repository, area) => {
    if (typeof repository !== "object" || repository === null) return repository;
    return withEachMember(repository, (method, name) => {
      if (typeof method !== "function") return method;
      const run: Run = (args) => Reflect.apply(method, repository, args) as Promise<unknown>;
      return (...args: unknown[]) => inject({ name: `${area}.${name}` as CallName, args, within }, run);
    });
  });
}

/** A proxy that replaces each member of the object, including inherited and later ones. */
export function withEachMember<T extends object>(
  object: T,
  replacement: (member: unknown, name: string) => unknown,
): T {
  return new Proxy(object, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      return typeof name === "string" ? replacement(member, name) : member;
    },
  });
}

/** The arguments of a call, with the first argument cut to this many elements. */
export function firstElements({ name, args: [list, ...others] }: Call, count: number): readonly unknown[] {
  if (!Array.isArray(list)) throw new TypeError(`${name} has no list argument and cannot be executed in part.`);
  return [list.slice(0, count), ...others];
}

type Breaking = Exclude<Fault, { kind: "slow" }>;

/** A transaction with injected faults. After the first failure it does nothing more and cannot commit. */
export class FaultyUnit {
  /** Whether the unit lost a conflict and can be retried. */
  conflicted = false;
  private failure: { readonly error: unknown; readonly endsAll: boolean } | undefined;
  /** The commit is done, but its answer is lost. */
  private unanswered: { readonly error: unknown } | undefined;

  constructor(private readonly script: FaultScript) {}

  /** Records the failure and returns its error. */
  fail(fault: Breaking): unknown {
    const error = errorOf(fault);
    this.failure ??= { error, endsAll: fault.kind === "loss" || fault.kind === "conflict" || endsTransaction(error) };
    this.conflicted ||= fault.kind === "conflict";
    return error;
  }

  /** Lets the unit complete, and hides the answer from its caller. */
  loseAnswer(fault: Breaking): void {
    this.unanswered ??= { error: errorOf(fault) };
  }

  /** Throws if the unit cannot commit. */
  check(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }

  /** Throws if the unit committed but its answer is lost. */
  checkAnswer(): void {
    if (this.unanswered !== undefined) throw this.unanswered.error;
  }

  async call(call: Call, run: Run): Promise<unknown> {
    this.check();
    const fault = this.script.inject(call);
    if (fault === undefined) return run(call.args);
    if (fault.kind === "slow") {
      await fault.latch.pass();
      return run(call.args);
    }
    if (fault.kind === "loss" && fault.when !== "before") {
      const answer = await run(call.args);
      const error = this.fail(fault);
      if (fault.when === "after") return answer;
      throw error;
    }
    if (fault.kind === "partial") await run(firstElements(call, fault.elements));
    throw this.fail(fault);
  }

  /** A nested transaction. A failure is undone with it, unless it ends the whole transaction. */
  async nested<T>(work: () => Promise<T>, attempt: Attempt): Promise<T> {
    this.check();
    try {
      return await attempt(async () => {
        const result = await work();
        this.check();
        return result;
      });
    } catch (error) {
      if (this.failure?.endsAll === false) this.failure = undefined;
      throw error;
    }
  }

  /** A call of a batch. It must be passed on at once and is sent with the batch. */
  async joinedCall(call: Call, run: Run): Promise<unknown> {
    const fault = this.script.inject(call);
    if (fault === undefined) return run(call.args);
    if (fault.kind === "slow") {
      const [answer] = await Promise.all([run(call.args), fault.latch.pass()]);
      return answer;
    }
    if (fault.kind === "loss" && fault.when === "during") {
      this.loseAnswer(fault);
      return run(call.args);
    }
    if (fault.kind === "partial") run(firstElements(call, fault.elements)).catch(() => {});
    throw this.fail(fault);
  }

  /** Checks a transaction before its commit. Throws if it must not commit. */
  async commit(): Promise<void> {
    this.check();
    const fault = this.script.inject({ name: "commit", args: [], within: "transaction" });
    if (fault === undefined) return;
    if (fault.kind === "slow") return fault.latch.pass();
    if (fault.kind !== "loss" || fault.when === "before") throw this.fail(fault);
    if (fault.when === "during") this.loseAnswer(fault);
  }
}

/** Whether this error ends the whole transaction. */
function endsTransaction(error: unknown): boolean {
  if (!(error instanceof ServiceError) || error instanceof RefusedByStorageError) return false;
  return [607, 704, 706].includes(error.code);
}
