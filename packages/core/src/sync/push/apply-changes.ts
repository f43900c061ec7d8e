import { OutdatedModelError, refusedAs, ServiceError, UuidTakenError } from "@sallyport/storage";
import { hooksOfDeletions, hooksOfSaves } from "../../objects/index.ts";
import { countItems, inTransaction, requestLimits } from "../../request/index.ts";
import {
  isFinal,
  noted,
  type ChangeResult,
  ChangeResults,
  type PushedChange,
  RepeatedChangeError,
} from "./change-results.ts";
import {
  findingTaken,
  namedUuids,
  type ChangeWriter,
  type PushContext,
  writeDeviceChange,
  type Writes,
  writeTogether,
} from "./change-writer.ts";
import type { SchemaView } from "../schema-view.ts";
import { type PutChange, type DeviceChange, SyncConflictError, type WrittenChange } from "./device-change.ts";

export interface Push {
  readonly changes: readonly PushedChange[];
  /** Whether all changes succeed or none has an effect. */
  readonly atomic: boolean;
  /** Whether no further change starts. */
  readonly isLate: () => boolean;
}

/** A result, with the object if the client cannot compute it. A repeated change has none. */
export interface AppliedChange extends ChangeResult {
  readonly object: WrittenChange["object"];
  /** Whether it was applied by an earlier request. */
  readonly isRepeated: boolean;
}

/** How often other requests can apply changes of this one first. */
const attempts = 5;

/** Codes of a database that cannot be reached: the next change would wait in vain. */
const unreachable: ReadonlySet<number> = new Set([607, 704]);

/** Applies one change without an id. Errors: see `writeDeviceChange`. */
export async function applyChange(
  context: PushContext,
  view: SchemaView,
  change: DeviceChange,
): Promise<WrittenChange> {
  const writes = await writesOf(context, view);
  try {
    const writing = withWorker(context, writes, (ready) =>
      findingTaken(ready, () =>
        inTransaction(ready, (inside) => writeDeviceChange({ context: inside, writes }, change)),
      ),
    );
    return await refusedAs(change.op === "put" ? 713 : 718, writing);
  } catch (error) {
    throw noted(error);
  }
}

/**
 * Applies changes in order, and returns their results in that order. Repeated ones get their results again. An
 * atomic push throws the first error.
 */
export async function applyChanges(
  context: PushContext,
  view: SchemaView,
  push: Push,
): Promise<readonly AppliedChange[]> {
  const writes = await writesOf(context, view);
  const results = new ChangeResults(context, view);
  let stored = await results.find(push.changes);
  const beyondRate = await refusedByRate(context, push, stored);
  return withWorker(context, writes, async (ready) => {
    for (let attempt = 1; ; attempt += 1) {
      const done = new Map<PushedChange, AppliedChange>();
      for (const [change, error] of beyondRate) done.set(change, refusal(change, error));
      for (const [change, result] of stored) done.set(change, { ...result, object: null, isRepeated: true });
      try {
        await applyPending(ready, { writes, push, results, done });
        return push.changes.map((each) => done.get(each) as AppliedChange);
      } catch (error) {
        if (!(error instanceof RepeatedChangeError) || attempt === attempts) throw error;
        stored = await results.find(push.changes);
      }
    }
  });
}

async function writesOf(context: PushContext, view: SchemaView): Promise<Writes & { readonly needsWorker: boolean }> {
  const isHooked = (await hooksOfSaves(context, view.classes, view)) !== null;
  const needsWorker =
    isHooked || typeof view.schema.conflicts !== "string" || (await hooksOfDeletions(context)) !== null;
  const { tombstones } = context.database.policy.sync;
  // Deletions by devices are known as long as their tombstones.
  return { view, isHooked, needsWorker, lifetime: tombstones === 0 ? null : tombstones };
}

/** Runs the work with a worker if it can need one. No transaction must wait for it. */
function withWorker<T>(
  context: PushContext,
  { needsWorker }: { readonly needsWorker: boolean },
  work: (context: PushContext) => Promise<T>,
): Promise<T> {
  return needsWorker ? context.services.macroRunner.withLease(context, work) : work(context);
}

type Results = Map<PushedChange, AppliedChange>;

/** One attempt to apply a push. */
interface Run {
  readonly writes: Writes;
  readonly push: Push;
  readonly results: ChangeResults;
  /** The results so far. */
  readonly done: Results;
}

async function applyPending(context: PushContext, run: Run): Promise<void> {
  const { writes, push, done } = run;
  const { changes, atomic } = push;
  if (atomic)
    for (const [index, each] of changes.entries()) {
      const error = done.get(each)?.error ?? null;
      if (error !== null) throw placed(index, error);
    }
  const pending = changes.filter((each) => !done.has(each));
  if (pending.length === 0) return;
  if (!atomic && writes.isHooked) return oneByOne(context, run, pending);
  try {
    const written = await inTransaction(context, (inside) => together(inside, run, pending));
    for (const [change, result] of written) done.set(change, result);
  } catch (error) {
    const failure = noted(error);
    if (atomic || error instanceof RepeatedChangeError || error instanceof OutdatedModelError || isUnreachable(failure))
      throw failure;
    // Something of one change, such as a lock, can end the transaction of all.
    await oneByOne(context, run, pending);
  }
}

/** Applies changes in one transaction. A refused one is undone alone, unless the push is atomic. */
async function together(
  context: PushContext,
  { writes, push, results }: Run,
  pending: readonly PushedChange[],
): Promise<Results> {
  const done: Results = new Map();
  await writeAll({ context, writes, push, done }, pending);
  // Sent at once, answered in order. Each must be awaited.
  const storing: Promise<void>[] = [];
  for (const [change, result] of done) if (isStored(result)) storing.push(results.store(context.r, change, result));
  for (const each of await Promise.allSettled(storing)) if (each.status === "rejected") throw each.reason;
  return done;
}

/** Applies changes in transactions of their own. */
async function oneByOne(context: PushContext, run: Run, pending: readonly PushedChange[]): Promise<void> {
  let ending: ServiceError | null = null;
  for (const change of pending) {
    if (ending === null && run.push.isLate()) ending = late();
    const result: AppliedChange = ending === null ? await alone(context, run, change) : refusal(change, ending);
    run.done.set(change, result);
    if (isUnreachable(result.error)) ending ??= result.error;
  }
}

async function alone(context: PushContext, run: Run, change: PushedChange): Promise<AppliedChange> {
  try {
    const done = await inTransaction(context, (inside) => together(inside, run, [change]));
    return done.get(change) as AppliedChange;
  } catch (error) {
    if (!(error instanceof RepeatedChangeError)) return refusal(change, noted(error));
    const stored = (await run.results.find([change])).get(change);
    return stored === undefined ? refusal(change, error) : { ...stored, object: null, isRepeated: true };
  }
}

/** Changes in one transaction, with their results so far. */
interface Batch extends ChangeWriter {
  readonly push: Push;
  readonly done: Results;
}

/** Puts that do not depend on one another are written together. */
async function writeAll(batch: Batch, changes: readonly PushedChange[]): Promise<void> {
  let group: Put[] = [];
  let uuids = new Set<string>();
  for (const each of changes) {
    const { change } = each;
    if (change instanceof ServiceError) {
      settle(batch, each, change);
      continue;
    }
    if (change.op === "delete" || namedUuids(change.fields).some((uuid) => uuids.has(uuid))) {
      await writeGroup(batch, group);
      [group, uuids] = [[], new Set()];
    }
    if (change.op === "delete") {
      await writeOne(batch, each, change);
      continue;
    }
    group.push([each, change]);
    uuids.add(change.uuid);
  }
  await writeGroup(batch, group);
}

/**
 * Halves a group that cannot be written as a whole, down to the change that is refused. If other requests have
 * created objects of the group, it is first written again as a whole.
 */
async function writeGroup(batch: Batch, puts: readonly Put[], isAgain = false): Promise<void> {
  const [first] = puts;
  if (first === undefined) return;
  if (puts.length === 1) return writeOne(batch, ...first);
  if (batch.push.isLate()) return refuse(batch, puts, late());
  try {
    const results = await batch.context.unit.attempt(() =>
      writeTogether(
        batch,
        puts.map(([, put]) => put),
      ),
    );
    for (const [index, [change, put]] of puts.entries()) {
      const result = results[index] ?? null;
      if (result === null) await writeOne(batch, change, put);
      else settle(batch, change, result);
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error instanceof OutdatedModelError || error instanceof PlacedError)
      throw error;
    if (error instanceof UuidTakenError && !isAgain) return writeGroup(batch, puts, true);
    const middle = Math.ceil(puts.length / 2);
    await writeGroup(batch, puts.slice(0, middle));
    await writeGroup(batch, puts.slice(middle));
  }
}

async function writeOne(batch: Batch, pushed: PushedChange, change: DeviceChange): Promise<void> {
  if (batch.push.isLate()) return refuse(batch, [[pushed, change]], late());
  let result: WrittenChange | ServiceError;
  try {
    result = await findingTaken(batch.context, () => writeDeviceChange(batch, change));
  } catch (error) {
    const failure = noted(error);
    if (!(failure instanceof ServiceError) || failure instanceof OutdatedModelError) throw error;
    result = failure;
  }
  settle(batch, pushed, result);
}

function refuse(batch: Batch, changes: readonly (readonly [PushedChange, DeviceChange])[], error: ServiceError): void {
  for (const [change] of changes) settle(batch, change, error);
}

function settle({ push, done }: Batch, change: PushedChange, result: WrittenChange | ServiceError): void {
  const isRefused = result instanceof ServiceError;
  if (isRefused && push.atomic) throw placed(push.changes.indexOf(change), result);
  done.set(
    change,
    isRefused ? refusal(change, result) : { uuid: change.uuid, error: null, ...result, isRepeated: false },
  );
}

type Put = readonly [PushedChange, PutChange];

/** Refuses changes beyond a request rate. A change with a result does not count again. */
async function refusedByRate(
  context: PushContext,
  { changes, atomic }: Push,
  stored: ReadonlyMap<PushedChange, ChangeResult>,
): Promise<ReadonlyMap<PushedChange, ServiceError>> {
  const { rates } = await requestLimits(context);
  const pending = changes.filter((each) => !stored.has(each));
  const { allowed, refusal: error } = await countItems(context, rates, { count: pending.length, together: atomic });
  return error === null ? new Map() : new Map(pending.slice(allowed).map((each) => [each, error]));
}

/** The error of an atomic push. */
class PlacedError extends ServiceError {}

function placed(index: number, error: ServiceError): ServiceError {
  const { code, detail, retryAfter } = error;
  const place = `at /ops/${index}`;
  return new PlacedError(code, {
    detail: detail === undefined ? place : `${place}: ${detail}`,
    cause: error,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

function refusal(change: PushedChange, error: unknown): AppliedChange {
  const failure = failureOf(error);
  const conflict = failure instanceof SyncConflictError ? failure : null;
  return {
    uuid: change.uuid,
    error: failure,
    outcome: conflict?.outcome ?? null,
    object: conflict?.object ?? null,
    isRepeated: false,
  };
}

function isStored({ error }: AppliedChange): boolean {
  return error === null || isFinal(error);
}

function isUnreachable(error: unknown): boolean {
  return error instanceof ServiceError && unreachable.has(error.code);
}

function failureOf(error: unknown): ServiceError {
  return error instanceof ServiceError ? error : new ServiceError(799, { cause: error });
}

function late(): ServiceError {
  return new ServiceError(706, { retryAfter: 1, detail: "The push timed out." });
}
