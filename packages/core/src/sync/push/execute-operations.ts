import { OutdatedModelError, refusedAs, ServiceError, UuidTakenError } from "@sallyport/storage";
import { hooksOfDeletions, hooksOfSaves } from "../../objects/index.ts";
import { countItems, inTransaction, requestLimits } from "../../request/index.ts";
import {
  isFinal,
  noted,
  type OperationResult,
  OperationResults,
  type PushedOperation,
  RepeatedOperationError,
} from "./operation-results.ts";
import {
  findingTaken,
  namedUuids,
  type OperationWriter,
  type PushContext,
  writeOperation,
  type Writes,
  writeTogether,
} from "./operation-writer.ts";
import type { SchemaView } from "../schema-view.ts";
import { type PutOperation, type SyncOperation, SyncConflictError, type WrittenOperation } from "./sync-operation.ts";

export interface Push {
  readonly operations: readonly PushedOperation[];
  /** Whether all operations succeed or none has an effect. */
  readonly atomic: boolean;
  /** Whether no further operation starts. */
  readonly isLate: () => boolean;
}

/** A result, with the object if the client cannot compute it. A repeated operation has none. */
export interface ExecutedOperation extends OperationResult {
  readonly object: WrittenOperation["object"];
  /** Whether it was executed by an earlier request. */
  readonly isRepeated: boolean;
}

/** How often other requests can execute operations of this one first. */
const attempts = 5;

/** Codes of a database that cannot be reached: the next operation would wait in vain. */
const unreachable: ReadonlySet<number> = new Set([607, 704]);

/** Executes one operation without an id. Errors: see `writeOperation`. */
export async function executeOperation(
  context: PushContext,
  view: SchemaView,
  operation: SyncOperation,
): Promise<WrittenOperation> {
  const writes = await writesOf(context, view);
  try {
    const writing = withWorker(context, writes, (ready) =>
      findingTaken(ready, () =>
        inTransaction(ready, (inside) => writeOperation({ context: inside, writes }, operation)),
      ),
    );
    return await refusedAs(operation.op === "put" ? 713 : 718, writing);
  } catch (error) {
    throw noted(error);
  }
}

/**
 * Executes operations in order, and returns their results in that order. Repeated ones get their results again. An
 * atomic push throws the first error.
 */
export async function executeOperations(
  context: PushContext,
  view: SchemaView,
  push: Push,
): Promise<readonly ExecutedOperation[]> {
  const writes = await writesOf(context, view);
  const results = new OperationResults(context, view);
  let stored = await results.find(push.operations);
  const beyondRate = await refusedByRate(context, push, stored);
  return withWorker(context, writes, async (ready) => {
    for (let attempt = 1; ; attempt += 1) {
      const done = new Map<PushedOperation, ExecutedOperation>();
      for (const [operation, error] of beyondRate) done.set(operation, refusal(operation, error));
      for (const [operation, result] of stored) done.set(operation, { ...result, object: null, isRepeated: true });
      try {
        await execute(ready, { writes, push, results, done });
        return push.operations.map((each) => done.get(each) as ExecutedOperation);
      } catch (error) {
        if (!(error instanceof RepeatedOperationError) || attempt === attempts) throw error;
        stored = await results.find(push.operations);
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

type Results = Map<PushedOperation, ExecutedOperation>;

/** One attempt to execute a push. */
interface Run {
  readonly writes: Writes;
  readonly push: Push;
  readonly results: OperationResults;
  /** The results so far. */
  readonly done: Results;
}

async function execute(context: PushContext, run: Run): Promise<void> {
  const { writes, push, done } = run;
  const { operations, atomic } = push;
  if (atomic)
    for (const [index, each] of operations.entries()) {
      const error = done.get(each)?.error ?? null;
      if (error !== null) throw placed(index, error);
    }
  const pending = operations.filter((each) => !done.has(each));
  if (pending.length === 0) return;
  if (!atomic && writes.isHooked) return oneByOne(context, run, pending);
  try {
    const written = await inTransaction(context, (inside) => together(inside, run, pending));
    for (const [operation, result] of written) done.set(operation, result);
  } catch (error) {
    const failure = noted(error);
    if (
      atomic ||
      error instanceof RepeatedOperationError ||
      error instanceof OutdatedModelError ||
      isUnreachable(failure)
    )
      throw failure;
    // Something of one operation, such as a lock, can end the transaction of all.
    await oneByOne(context, run, pending);
  }
}

/** Executes operations in one transaction. A refused one is undone alone, unless the push is atomic. */
async function together(
  context: PushContext,
  { writes, push, results }: Run,
  pending: readonly PushedOperation[],
): Promise<Results> {
  const done: Results = new Map();
  await writeAll({ context, writes, push, done }, pending);
  // Sent at once, answered in order. Each must be awaited.
  const keeping: Promise<void>[] = [];
  for (const [operation, result] of done)
    if (isStored(result)) keeping.push(results.keep(context.r, operation, result));
  for (const each of await Promise.allSettled(keeping)) if (each.status === "rejected") throw each.reason;
  return done;
}

/** Executes operations in transactions of their own. */
async function oneByOne(context: PushContext, run: Run, pending: readonly PushedOperation[]): Promise<void> {
  let ending: ServiceError | null = null;
  for (const operation of pending) {
    if (ending === null && run.push.isLate()) ending = late();
    const result: ExecutedOperation =
      ending === null ? await alone(context, run, operation) : refusal(operation, ending);
    run.done.set(operation, result);
    if (isUnreachable(result.error)) ending ??= result.error;
  }
}

async function alone(context: PushContext, run: Run, operation: PushedOperation): Promise<ExecutedOperation> {
  try {
    const done = await inTransaction(context, (inside) => together(inside, run, [operation]));
    return done.get(operation) as ExecutedOperation;
  } catch (error) {
    if (!(error instanceof RepeatedOperationError)) return refusal(operation, noted(error));
    const known = (await run.results.find([operation])).get(operation);
    return known === undefined ? refusal(operation, error) : { ...known, object: null, isRepeated: true };
  }
}

/** Operations in one transaction, with their results so far. */
interface Batch extends OperationWriter {
  readonly push: Push;
  readonly done: Results;
}

/** Puts that do not depend on one another are written together. */
async function writeAll(batch: Batch, operations: readonly PushedOperation[]): Promise<void> {
  let group: Put[] = [];
  let uuids = new Set<string>();
  for (const each of operations) {
    const { operation } = each;
    if (operation instanceof ServiceError) {
      settle(batch, each, operation);
      continue;
    }
    if (operation.op === "delete" || namedUuids(operation.fields).some((uuid) => uuids.has(uuid))) {
      await writeGroup(batch, group);
      [group, uuids] = [[], new Set()];
    }
    if (operation.op === "delete") {
      await writeOne(batch, each, operation);
      continue;
    }
    group.push([each, operation]);
    uuids.add(operation.uuid);
  }
  await writeGroup(batch, group);
}

/**
 * Halves a group that cannot be written as a whole, down to the operation that is refused. If other requests have
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
    for (const [index, [operation, put]] of puts.entries()) {
      const result = results[index] ?? null;
      if (result === null) await writeOne(batch, operation, put);
      else settle(batch, operation, result);
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

async function writeOne(batch: Batch, pushed: PushedOperation, operation: SyncOperation): Promise<void> {
  if (batch.push.isLate()) return refuse(batch, [[pushed, operation]], late());
  let result: WrittenOperation | ServiceError;
  try {
    result = await findingTaken(batch.context, () => writeOperation(batch, operation));
  } catch (error) {
    const failure = noted(error);
    if (!(failure instanceof ServiceError) || failure instanceof OutdatedModelError) throw error;
    result = failure;
  }
  settle(batch, pushed, result);
}

function refuse(
  batch: Batch,
  operations: readonly (readonly [PushedOperation, SyncOperation])[],
  error: ServiceError,
): void {
  for (const [operation] of operations) settle(batch, operation, error);
}

function settle({ push, done }: Batch, operation: PushedOperation, result: WrittenOperation | ServiceError): void {
  const isRefused = result instanceof ServiceError;
  if (isRefused && push.atomic) throw placed(push.operations.indexOf(operation), result);
  done.set(
    operation,
    isRefused ? refusal(operation, result) : { uuid: operation.uuid, error: null, ...result, isRepeated: false },
  );
}

type Put = readonly [PushedOperation, PutOperation];

/** Refuses operations beyond a request rate. An operation with a result does not count again. */
async function refusedByRate(
  context: PushContext,
  { operations, atomic }: Push,
  stored: ReadonlyMap<PushedOperation, OperationResult>,
): Promise<ReadonlyMap<PushedOperation, ServiceError>> {
  const { rates } = await requestLimits(context);
  const pending = operations.filter((each) => !stored.has(each));
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

function refusal(operation: PushedOperation, error: unknown): ExecutedOperation {
  const failure = failureOf(error);
  const conflict = failure instanceof SyncConflictError ? failure : null;
  return {
    uuid: operation.uuid,
    error: failure,
    outcome: conflict?.outcome ?? null,
    object: conflict?.object ?? null,
    isRepeated: false,
  };
}

function isStored({ error }: ExecutedOperation): boolean {
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
