import { type Attempt, ServiceError } from "@sallyport/core";
import type { Call, CallName, FaultScript } from "./fault-script.ts";
import { errorOf, type Fault } from "./fault.ts";

/** Makes a call with these arguments. */
export type Run = (given: readonly unknown[]) => Promise<unknown>;

/** What stands between those who call and the repository. */
export type Inject = (call: Call, run: Run) => Promise<unknown>;

/** The repositories, with every call of a method played. */
export function scriptedRepositories<R extends object>(repositories: R, within: Call["within"], inject: Inject): R {
  return withEachMember(repositories, (repository, area) => {
    if (typeof repository !== "object" || repository === null) return repository;
    return withEachMember(repository, (method, name) => {
      if (typeof method !== "function") return method;
      const run: Run = (given) => Reflect.apply(method, repository, given) as Promise<unknown>;
      return (...given: unknown[]) => inject({ name: `${area}.${name}` as CallName, given, within }, run);
    });
  });
}

/** The object as it is, but for what stands in for its members: also for those of its class, and for those that come later. */
export function withEachMember<T extends object>(object: T, standIn: (member: unknown, name: string) => unknown): T {
  return new Proxy(object, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      return typeof name === "string" ? standIn(member, name) : member;
    },
  });
}

/** The arguments of a call, with so many elements of the first one. */
export function firstElements({ name, given: [list, ...others] }: Call, count: number): readonly unknown[] {
  if (!Array.isArray(list)) throw new TypeError(`${name} takes no list, so no part of it can be done.`);
  return [list.slice(0, count), ...others];
}

type Breaking = Exclude<Fault, { kind: "slow" }>;

/** A transaction whose calls can fail: after the first failure it does nothing any more, and cannot be kept. */
export class FaultyUnit {
  /** Whether it lost against another one, and may run again. */
  conflicted = false;
  private failure: { readonly error: unknown; readonly endsAll: boolean } | undefined;
  /** Its end is done, and nobody is told. */
  private unanswered: { readonly error: unknown } | undefined;

  constructor(private readonly script: FaultScript) {}

  /** Notes what ends it, and returns the error of that. */
  fail(fault: Breaking): unknown {
    const error = errorOf(fault);
    this.failure ??= { error, endsAll: fault.kind === "loss" || fault.kind === "conflict" || endsTransaction(error) };
    this.conflicted ||= fault.kind === "conflict";
    return error;
  }

  /** Lets it be done, and its caller not know. */
  loseAnswer(fault: Breaking): void {
    this.unanswered ??= { error: errorOf(fault) };
  }

  /** Throws if it cannot be kept. */
  check(): void {
    if (this.failure !== undefined) throw this.failure.error;
  }

  /** Throws if it was kept, and nobody is to know. */
  checkAnswer(): void {
    if (this.unanswered !== undefined) throw this.unanswered.error;
  }

  /** A call of a transaction. */
  async call(call: Call, run: Run): Promise<unknown> {
    this.check();
    const fault = this.script.inject(call);
    if (fault === undefined) return run(call.given);
    if (fault.kind === "slow") {
      await fault.latch.pass();
      return run(call.given);
    }
    if (fault.kind === "loss" && fault.when !== "before") {
      const answer = await run(call.given);
      const error = this.fail(fault);
      if (fault.when === "after") return answer;
      throw error;
    }
    if (fault.kind === "partial") await run(firstElements(call, fault.elements));
    throw this.fail(fault);
  }

  /** A part of a transaction: what broke in it is undone with it, unless it ends the transaction. */
  async part<T>(part: () => Promise<T>, attempt: Attempt): Promise<T> {
    this.check();
    try {
      return await attempt(async () => {
        const result = await part();
        this.check();
        return result;
      });
    } catch (error) {
      if (this.failure?.endsAll === false) this.failure = undefined;
      throw error;
    }
  }

  /** A call of those that are asked for together: it must be passed on at once, and travels with the end of them all. */
  async joinedCall(call: Call, run: Run): Promise<unknown> {
    const fault = this.script.inject(call);
    if (fault === undefined) return run(call.given);
    if (fault.kind === "slow") {
      const [answer] = await Promise.all([run(call.given), fault.latch.pass()]);
      return answer;
    }
    if (fault.kind === "loss" && fault.when === "during") {
      this.loseAnswer(fault);
      return run(call.given);
    }
    if (fault.kind === "partial") run(firstElements(call, fault.elements)).catch(() => {});
    throw this.fail(fault);
  }

  /** The end of a transaction whose work is done; throws if it is not to be kept. */
  async commit(): Promise<void> {
    this.check();
    const fault = this.script.inject({ name: "commit", given: [], within: "transaction" });
    if (fault === undefined) return;
    if (fault.kind === "slow") return fault.latch.pass();
    if (fault.kind !== "loss" || fault.when === "before") throw this.fail(fault);
    if (fault.when === "during") this.loseAnswer(fault);
  }
}

/** Whether no part of a transaction goes on after this error of a call. */
function endsTransaction(error: unknown): boolean {
  return error instanceof ServiceError && [607, 704, 706].includes(error.code);
}
