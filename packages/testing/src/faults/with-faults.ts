import type { Attempt, BatchRepositories, Repositories, Storage } from "@sallyport/storage";
import type { Call, CallName, FaultScript, OwnCall } from "./fault-script.ts";
import { errorOf, type Fault } from "./fault.ts";
import { FaultyUnit, firstElements, scriptedRepositories, type Run, withEachMember } from "./faulty-unit.ts";

type Loss = Extract<Fault, { kind: "loss" }>;

/** Attempts per unit, as the port promises. */
const attempts = 3;

const callsOfItsOwn: ReadonlySet<string> = new Set<OwnCall>([
  "migrate",
  "alignIndexes",
  "readyIndexes",
  "health",
  "now",
]);

/**
 * Wraps the storage and injects the faults of the script. Calls without a fault, their answers and their errors pass
 * unchanged. The capabilities and `close` are those of the storage.
 */
export function withFaults(storage: Storage, script: FaultScript): Storage {
  const repositories = scriptedRepositories(storage.repositories, "itself", (call, run) =>
    alone(script, call, run, (args) => partially(storage, call.name, args)),
  );
  const replaced: Partial<Storage> = {
    repositories,
    transaction: (work) => transaction(storage, script, work),
    batch: (work) => batch(storage, script, work),
  };
  return withEachMember(storage, (member, name) => {
    if (Object.hasOwn(replaced, name)) return replaced[name as keyof Storage];
    if (typeof member !== "function") return member;
    const run: Run = (args) => Reflect.apply(member, storage, args) as Promise<unknown>;
    if (!callsOfItsOwn.has(name)) return (...args: unknown[]) => run(args);
    return (...args: unknown[]) => alone(script, { name: name as OwnCall, args, within: "itself" }, run);
  });
}

/** A standalone call. `runPartially` runs it with other arguments and rolls it back. */
async function alone(script: FaultScript, call: Call, run: Run, runPartially?: Run): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const reset = script.savepoint();
    const fault = script.inject(call);
    if (fault?.kind === "slow") await fault.latch.pass();
    if (fault === undefined || fault.kind === "slow") return run(call.args);
    if (fault.kind === "loss" && fault.when !== "before") {
      const answer = await run(call.args);
      if (fault.when === "after") return answer;
    }
    if (fault.kind === "partial") await runPartially?.(firstElements(call, fault.elements));
    if (fault.kind !== "conflict" || attempt === attempts) throw errorOf(fault);
    reset();
  }
}

/** Runs a call in a transaction and rolls it back. */
async function partially(storage: Storage, name: CallName, args: readonly unknown[]): Promise<void> {
  const rollbackSignal = new Error("rolled back");
  const [area = "", method = ""] = name.split(".");
  try {
    await storage.transaction(async (r) => {
      const repository = r[area as keyof Repositories] as unknown as Readonly<
        Record<string, (...args: readonly unknown[]) => Promise<unknown>>
      >;
      await repository[method]?.(...args);
      throw rollbackSignal;
    });
  } catch (error) {
    if (error !== rollbackSignal) throw error;
  }
}

/** Retries a unit after conflicts. `begin` makes one attempt. It calls `begun` whenever the storage starts the work. */
async function again<T>(
  script: FaultScript,
  name: OwnCall,
  begin: (fault: Loss | undefined, started: () => FaultyUnit) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const reset = script.savepoint();
    // The current attempt: the storage can also retry the work.
    let unit = new FaultyUnit(script);
    const started = () => {
      unit = new FaultyUnit(script);
      return unit;
    };
    try {
      const fault = script.inject({ name, args: [], within: "itself" });
      if (fault?.kind === "slow") await fault.latch.pass();
      const later = fault?.kind === "loss" && fault.when !== "before" ? fault : undefined;
      if (fault !== undefined && fault.kind !== "slow" && later === undefined) throw unit.fail(fault);
      const result = await begin(later, started);
      unit.checkAnswer();
      return result;
    } catch (error) {
      if (!unit.conflicted || attempt === attempts) throw error;
    }
    reset();
  }
}

function transaction<T>(
  storage: Storage,
  script: FaultScript,
  work: (r: Repositories, attempt: Attempt) => Promise<T>,
): Promise<T> {
  return again(script, "transaction", (fault, started) =>
    storage.transaction(async (r, attempt) => {
      const unit = started();
      if (fault !== undefined) unit.fail(fault);
      const done = await work(
        scriptedRepositories(r, "transaction", (call, send) => unit.call(call, send)),
        (nested) => unit.nested(nested, attempt),
      );
      await unit.commit();
      return done;
    }),
  );
}

function batch<T>(storage: Storage, script: FaultScript, work: (r: BatchRepositories) => Promise<T>): Promise<T> {
  return again(script, "batch", (fault, started) =>
    storage.batch(async (r) => {
      const unit = started();
      if (fault?.when === "during") unit.loseAnswer(fault);
      const done = await work(scriptedRepositories(r, "batch", (call, send) => unit.joinedCall(call, send)));
      unit.check();
      return done;
    }),
  );
}
