import type { Attempt, JointRepositories, Repositories, Storage } from "@sallyport/core";
import type { Call, CallName, FaultScript, OwnCall } from "./fault-script.ts";
import { errorOf } from "./fault.ts";
import { FaultyUnit, firstElements, playedRepositories, type Run, withEachMember } from "./faulty-unit.ts";

/** So often a unit that loses is tried, by the port's promise. */
const attempts = 3;

const callsOfItsOwn: ReadonlySet<string> = new Set<OwnCall>([
  "migrate",
  "alignIndexes",
  "readyIndexes",
  "health",
  "now",
]);

/**
 * The storage, with the faults that the script asks for. What no fault strikes goes to the storage as it is, and its answers and
 * errors come back as they are. Its capabilities and `close` are its own.
 */
export function withFaults(storage: Storage, script: FaultScript): Storage {
  const repositories = playedRepositories(storage.repositories, "itself", (call, run) =>
    alone(script, call, run, (given) => partially(storage, call.name, given)),
  );
  const replaced: Partial<Storage> = {
    repositories,
    transaction: (work) => again(script, () => transaction(storage, script, work)),
    together: (work) => again(script, () => together(storage, script, work)),
  };
  return withEachMember(storage, (member, name) => {
    if (Object.hasOwn(replaced, name)) return replaced[name as keyof Storage];
    if (typeof member !== "function") return member;
    const run: Run = (given) => Reflect.apply(member, storage, given) as Promise<unknown>;
    if (!callsOfItsOwn.has(name)) return (...given: unknown[]) => run(given);
    return (...given: unknown[]) => alone(script, { name: name as OwnCall, given, within: "itself" }, run);
  });
}

/** A call that is a unit by itself. `part` does it with other arguments, and takes that back. */
async function alone(script: FaultScript, call: Call, run: Run, part?: Run): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    const forget = script.mark();
    const fault = script.strike(call);
    if (fault?.kind === "slow") await fault.gate.pass();
    if (fault === undefined || fault.kind === "slow") return run(call.given);
    if (fault.kind === "loss" && fault.when !== "before") {
      const answer = await run(call.given);
      if (fault.when === "after") return answer;
    }
    if (fault.kind === "partial") await part?.(firstElements(call, fault.elements));
    if (fault.kind !== "conflict" || attempt === attempts) throw errorOf(fault);
    forget();
  }
}

/** Does a call in a transaction that is taken back. */
async function partially(storage: Storage, name: CallName, given: readonly unknown[]): Promise<void> {
  const takenBack = new Error("taken back");
  const [area = "", method = ""] = name.split(".");
  try {
    await storage.transaction(async (r) => {
      const repository = r[area as keyof Repositories] as unknown as Readonly<
        Record<string, (...given: readonly unknown[]) => Promise<unknown>>
      >;
      await repository[method]?.(...given);
      throw takenBack;
    });
  } catch (error) {
    if (error !== takenBack) throw error;
  }
}

interface Tried<T> {
  /** The unit that was tried last: the storage itself may have run the work several times. */
  readonly unit: () => FaultyUnit;
  readonly result: Promise<T>;
}

/** Tries a unit again as long as it loses. */
async function again<T>(script: FaultScript, attemptOnce: () => Tried<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const forget = script.mark();
    const { unit, result } = attemptOnce();
    try {
      return await result;
    } catch (error) {
      if (!unit().conflicted || attempt === attempts) throw error;
    }
    forget();
  }
}

function transaction<T>(
  storage: Storage,
  script: FaultScript,
  work: (r: Repositories, attempt: Attempt) => Promise<T>,
): Tried<T> {
  let unit = new FaultyUnit(script);
  const run = async (): Promise<T> => {
    const fault = script.strike({ name: "transaction", given: [], within: "itself" });
    if (fault?.kind === "slow") await fault.gate.pass();
    const losesLater = fault?.kind === "loss" && fault.when !== "before";
    if (fault !== undefined && fault.kind !== "slow" && !losesLater) throw unit.fail(fault);
    const result = await storage.transaction(async (r, attempt) => {
      unit = new FaultyUnit(script);
      if (losesLater) unit.fail(fault);
      const current = unit;
      const done = await work(
        playedRepositories(r, "transaction", (call, send) => current.call(call, send)),
        (part) => current.part(part, attempt),
      );
      await current.commit();
      return done;
    });
    unit.checkAnswer();
    return result;
  };
  return { unit: () => unit, result: run() };
}

function together<T>(storage: Storage, script: FaultScript, work: (r: JointRepositories) => Promise<T>): Tried<T> {
  let unit = new FaultyUnit(script);
  const run = async (): Promise<T> => {
    const fault = script.strike({ name: "together", given: [], within: "itself" });
    if (fault?.kind === "slow") await fault.gate.pass();
    const isDone = fault?.kind === "loss" && fault.when !== "before";
    if (fault !== undefined && fault.kind !== "slow" && !isDone) throw unit.fail(fault);
    const result = await storage.together(async (r) => {
      unit = new FaultyUnit(script);
      if (isDone && fault.when === "during") unit.loseAnswer(fault);
      const current = unit;
      const done = await work(playedRepositories(r, "together", (call, send) => current.joinedCall(call, send)));
      current.check();
      return done;
    });
    unit.checkAnswer();
    return result;
  };
  return { unit: () => unit, result: run() };
}
