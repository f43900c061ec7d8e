import { ofDatabase } from "@sallyport/storage";
import { type Call, faults } from "@sallyport/testing/faults";
import { description } from "../cases/declared.ts";
import { faultsAt, type Outcome, type Place, type Row } from "./fault-table.ts";
import { factorOperations } from "./factor-operations.ts";
import { macroOperations } from "./macro-operations.ts";
import { modelOperations } from "./model-operations.ts";
import { objectOperations } from "./object-operations.ts";
import { passwordOperations } from "./password-operations.ts";
import { sessionOperations } from "./session-operations.ts";
import type { FaultFixture } from "./fault-fixture.ts";
import type { WriteOperation } from "./write-operation.ts";
import { onFaultyServers } from "./on-faulty-servers.ts";

/** Words of drivers, the wrapper's and real ones. */
const leaks = /open sesame|secrets|node_modules|DriverError|insert into|select |ECONN/;

/** Milliseconds for some hundreds of requests on a busy machine. */
const timeout = 300_000;

/**
 * For storage faults at every call of a writing request: a success is complete, a failure is complete or absent,
 * and no answer contains the driver's words.
 */
onFaultyServers("requests at a failing storage", (fixture) => {
  const operations = [
    ...objectOperations,
    ...sessionOperations,
    ...factorOperations,
    ...passwordOperations,
    ...modelOperations,
    ...macroOperations,
  ];

  test.each(operations.map((operation) => [operation.title, operation] as const))(
    "is consistent after every fault: a request that %s",
    async (_title, operation) => {
      // The first request also loads what the server caches.
      await callsOf(fixture(), operation);
      const calls = await callsOf(fixture(), operation);
      const wrong: unknown[] = [];
      let strikes = 0;
      for (const [index, call] of calls.entries()) {
        for (const row of faultsAt(index)) {
          if (row.leavesOut?.(call)) continue;
          wrong.push(...(await runWithFault(fixture(), operation, calls, index, row)));
          strikes += 1;
        }
      }
      expect(wrong).toEqual([]);
      expect(strikes).toBeGreaterThan(calls.length * 3);
      // The next request is served like the first one.
      expect(await callsOf(fixture(), operation)).toHaveLength(calls.length);
    },
    timeout,
  );

  const locking = operations.filter(({ locks }) => locks !== undefined);
  test.each(locking.map((operation) => [operation.title, operation] as const))(
    "answers 713 at a lock: a request that %s",
    async (_title, operation) => {
      const { script, send } = fixture();
      const { request, state } = await operation.prepare(fixture());
      script.add({ call: operation.locks ?? "commit", fault: faults.locked });
      const { code, status } = await send(request);
      script.clear();
      expect({ code, status, state: await state() }).toEqual({ code: 713, status: 500, state: "absent" });
    },
  );
});

/**
 * Occasional calls: the server caches the model, macros, its keys and the time, and aligns indexes and takes due
 * records in the background.
 */
const isIncidental = ({ name, within, args }: Call) =>
  ["alignIndexes", "now", "records.claim"].includes(name) ||
  (name === "admission.admit" && args[0] === ofDatabase) ||
  (name.startsWith("records.") && (args[0] === "keyRing" || args[0] === "macro")) ||
  (name === "model.load" && within === "itself");

/** The calls of a request without faults. */
async function callsOf(fixture: FaultFixture, operation: WriteOperation): Promise<readonly Call[]> {
  const { request, state } = await operation.prepare(fixture);
  const before = await state();
  let code: number | undefined;
  const calls = await fixture.script.record(async () => {
    code = (await fixture.send(request)).code;
  });
  expect({ before, code, after: await state() }).toEqual({ before: "absent", code: 0, after: "whole" });
  expect(calls.map(({ name }) => name)).toContain(operation.done);
  return calls.filter((call) => !isIncidental(call));
}

function placeOf(calls: readonly Call[], index: number, { done }: WriteOperation): Place {
  const last = calls.findLastIndex(({ name }) => name === done);
  if (index === last || (done === "batch" && calls[index]?.within === "batch")) return "at";
  return index < last ? "before" : "behind";
}

/** Makes one call of a request fail; returns the violations. */
async function runWithFault(
  fixture: FaultFixture,
  operation: WriteOperation,
  calls: readonly Call[],
  index: number,
  row: Row,
): Promise<unknown[]> {
  const call = calls[index] as Call;
  const isAlike = (other: Call) => other.name === call.name && other.within === call.within && !isIncidental(other);
  const { request, state } = await operation.prepare(fixture);
  const nth = calls.slice(0, index + 1).filter(isAlike).length;
  const scripted = fixture.script.add({ call: isAlike, nth, fault: row.fault() });
  const { status, code, text } = await fixture.send(request);
  fixture.script.clear();
  const actual = {
    code,
    state: await state(),
    struck: scripted.injections > 0,
    leak: leaks.exec(text)?.[0],
    declared: description.declares(request.method, request.path, status, code),
  };
  const wanted = {
    ...expectedOutcome(operation, call, placeOf(calls, index, operation), row),
    struck: true,
    leak: undefined,
    declared: true,
  };
  if (JSON.stringify(actual) === JSON.stringify(wanted)) return [];
  return [{ call: `${call.within}: ${call.name} (${index + 1} of ${calls.length})`, fault: row.title, actual, wanted }];
}

function expectedOutcome(
  { failure, refusal, refusedCall }: WriteOperation,
  call: Call,
  place: Place,
  { outcome, isRefusal }: Row,
): Outcome {
  const { code, state } = outcome(call, place);
  const isInside = call.within === "transaction" || call.name === "transaction";
  const isWrite = refusedCall === undefined ? isInside || place === "at" : call.name === refusedCall;
  if (isRefusal === true && isWrite) return { code: failure ?? refusal ?? code, state };
  return { code: code !== 0 && isInside ? (failure ?? code) : code, state };
}
