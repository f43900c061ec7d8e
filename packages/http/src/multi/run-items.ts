import type { Served } from "../route.ts";
import { AnswerTooLargeError, isRefusedByStorage, ServiceError } from "@sallyport/storage";
import {
  countItems,
  inTransaction,
  requestLimits,
  type SessionContext,
  bindKey,
  executeOnceWith,
} from "@sallyport/core";
import { failureOf, failureText, resultText, successText } from "../envelope.ts";
import { withWorkers } from "../keyed-request.ts";
import { JsonText, type RouteInput, type Success } from "../route.ts";
import { type ItemInput, Item, type ItemParts } from "./item.ts";

/** Maximum number of concurrent reads. Storage pipelines them where it can. */
const readsAtOnce = 10;

/**
 * Runs the items in order. Each is independent: a failed item does not affect the others. Adjacent reads run
 * concurrently, unless hooks run in them: they would take more than a fair share of worker threads.
 */
export async function runSeparately(
  inputs: readonly ItemInput[],
  context: Served<SessionContext>,
  parts: ItemParts,
  note: RouteInput["note"],
): Promise<JsonText> {
  if (parts.keyed !== null) await bindKey(context, parts.keyed);
  const results = new Results(context.database.answerBytes, parts.deadline);
  const items = await countedItems(inputs, context, parts, { together: false });
  const concurrency = (await context.services.objectHooks.current(context)) === null ? readsAtOnce : 1;
  let current = context;
  for (const group of inGroups(items, concurrency)) {
    const limitError = results.limitError;
    const started = limitError === null ? await Promise.allSettled(begin(group, current)) : [];
    for (const [index, item] of group.entries()) {
      try {
        if (limitError !== null) throw limitError;
        results.requireCapacity();
        results.succeed(await successOf(item, started[index], current), item);
      } catch (error) {
        item.failed(error);
        results.fail(failureOf(error), parts.settings.debugMessages, item.hint);
      }
    }
    if (group.some((item) => item.has("model"))) current = await withModelOfNow(current);
  }
  note(items.map((item) => item.record()));
  return results.toJson();
}

/** Prepares the items. Each counts as a request; those beyond a request rate fail with 800. */
async function countedItems(
  inputs: readonly ItemInput[],
  context: Served<SessionContext>,
  parts: ItemParts,
  { together }: { readonly together: boolean },
): Promise<readonly Item[]> {
  const { rates } = await requestLimits(context);
  const { allowed, refusal } = await countItems(context, rates, { count: inputs.length, together });
  return inputs.map((each, index) => new Item(each, index, parts, index < allowed ? null : refusal));
}

/** Concurrent reads share the memory limit of one response. */
function begin(group: readonly Item[], context: Served<SessionContext>): Promise<Success>[] {
  const { database } = context;
  const share =
    group.length === 1
      ? context
      : { ...context, database: database.within(Math.floor(database.answerBytes / group.length)) };
  return group.map((item) => item.run(share));
}

/** A read that exceeds its share runs again, alone. */
function successOf(
  item: Item,
  started: PromiseSettledResult<Success> | undefined,
  context: Served<SessionContext>,
): Success | Promise<Success> {
  if (started?.status === "fulfilled") return started.value;
  if (item.isRead && started?.reason instanceof AnswerTooLargeError) return item.run(context);
  throw started?.reason;
}

/** All items share one admission, but items after a model change need the new generation. */
async function withModelOfNow(context: Served<SessionContext>): Promise<Served<SessionContext>> {
  const { idleTimeout } = context.database.policy.sessions;
  try {
    const { modelGeneration } = await context.r.admission.admit({ appKey: null, session: null, idleTimeout });
    return { ...context, modelGeneration };
  } catch {
    // Completed writes must be reported. The next item meets the storage error itself.
    return context;
  }
}

/**
 * Runs all items in one transaction, in order. The first failure rolls back and fails the request with its code. Errors
 * of the preparation are thrown before the transaction starts.
 */
export async function runInTransaction(
  inputs: readonly ItemInput[],
  context: Served<SessionContext>,
  parts: ItemParts,
  note: RouteInput["note"],
): Promise<JsonText> {
  const { keyed } = parts;
  const items = await countedItems(inputs, context, parts, { together: true });
  let current: number | null = null;
  const inTurn = async (work: (item: Item) => void | Promise<void>): Promise<void> => {
    for (const [index, item] of items.entries()) {
      current = index;
      await work(item);
    }
    current = null;
  };
  const doAll = (inside: Served<SessionContext>): Promise<JsonText> =>
    inTransaction(inside, async (joined) => {
      const results = new Results(context.database.answerBytes, parts.deadline);
      await inTurn(async (item) => {
        if (results.limitError !== null) throw results.limitError;
        results.succeed(await item.run(joined), item);
      });
      return results.toJson();
    });
  // A kept refusal names its item.
  const doKept = async (inside: Served<SessionContext>): Promise<JsonText> => {
    try {
      return await doAll(inside);
    } catch (error) {
      const failure = failureOf(error);
      if (current === null || failure.status >= 500) throw error;
      const index = current;
      current = null;
      throw failureAt(index, failure);
    }
  };
  // The items have been executed, so a read that fails by now fails alone.
  const tellAll = (ready: Served<SessionContext>): Promise<JsonText> =>
    inTransaction(ready, async (joined) => {
      const results = new Results(context.database.answerBytes, parts.deadline);
      for (const item of items) {
        try {
          if (results.limitError !== null) throw results.limitError;
          results.succeed(await joined.unit.attempt(() => item.run(joined)), item);
        } catch (error) {
          const failure = failureOf(error);
          if (failure.status >= 500 || isRefusedByStorage(error)) throw error;
          item.failed(failure);
          results.fail(failure, parts.settings.debugMessages, item.hint);
        }
      }
      return results.toJson();
    });
  try {
    await inTurn((item) => item.requirePrepared());
    const executesMacro = items.some((item) => item.has("macro"));
    const data = await withWorkers(context, executesMacro, (ready) =>
      keyed === null
        ? doAll(ready)
        : executeOnceWith(ready, keyed, doKept, { keep: () => ({}), tell: () => tellAll(ready) }),
    );
    note(items.map((item) => item.record()));
    return data;
  } catch (error) {
    const failure = failureOf(error);
    note(items.map((item) => ({ ...item.record(), status: failure.status, code: failure.code })));
    throw current === null ? error : failureAt(current, failure);
  }
}

/** The failure with the place of its item. The transaction needs the original errors of the storage. */
function failureAt(index: number, failure: ServiceError): ServiceError {
  const { code, detail, retryAfter } = failure;
  const place = `at /${index}`;
  return new ServiceError(code, {
    detail: detail === undefined ? place : `${place}: ${detail}`,
    cause: failure,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Groups the items in order: up to `max` adjacent reads per group, every other item alone. */
export function* inGroups(items: readonly Item[], max: number): Generator<readonly Item[], void, undefined> {
  let group: Item[] = [];
  for (const item of items) {
    const joins = group.length < max && item.isRead && group.every(({ isRead }) => isRead);
    if (group.length > 0 && !joins) {
      yield group;
      group = [];
    }
    group.push(item);
  }
  if (group.length > 0) yield group;
}

/** The results of a multi request. They are serialized at once to respect the size limit of a response. */
class Results {
  private readonly written: string[] = [];
  private bytes = 0;
  private isCompressible = true;

  /** `limit`: maximum total bytes. `deadline`: `performance.now()` after which no item starts. */
  constructor(
    private readonly limit: number,
    private readonly deadline: number,
  ) {}

  /** Why no further item starts: size limit reached (307) or deadline passed (706). `null` if neither applies. */
  get limitError(): ServiceError | null {
    if (this.bytes >= this.limit) return tooLarge();
    return performance.now() > this.deadline
      ? new ServiceError(706, { retryAfter: 1, detail: "The multi request timed out." })
      : null;
  }

  /** Throws 307 if the size limit is reached. */
  requireCapacity(): void {
    if (this.bytes >= this.limit) throw tooLarge();
  }

  /**
   * Throws 307 for a read that exceeds the limit. A write has already happened and is always reported. Of a written
   * object that exceeds the limit, only the meta-fields are reported.
   */
  succeed(success: Success, item: Pick<Item, "isRead" | "is" | "hint">): void {
    this.isCompressible &&= item.is("compressed");
    const text = resultText(200, successText(success, item.hint));
    const bytes = Buffer.byteLength(text);
    if (this.bytes + bytes <= this.limit) return this.add(text, bytes);
    if (item.isRead) throw tooLarge();
    const shortened = item.is("versioned")
      ? resultText(200, successText({ ...success, data: withoutAttributes(success.data) }))
      : text;
    this.add(shortened, Buffer.byteLength(shortened));
  }

  fail(failure: ServiceError, debugMessages: boolean, hint?: string): void {
    const text = resultText(failure.status, failureText(failure, debugMessages, hint));
    this.add(text, Buffer.byteLength(text));
  }

  toJson(): JsonText {
    return new JsonText([`[${this.written.join(",")}]`], this.isCompressible);
  }

  private add(text: string, bytes: number): void {
    this.written.push(text);
    this.bytes += bytes;
  }
}

/** Reduces an object to its meta-fields. Other values are unchanged. */
function withoutAttributes(data: unknown): unknown {
  if (typeof data !== "object" || data === null || !("~ObjectID" in data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([name]) => name.startsWith("~")));
}

function tooLarge(): ServiceError {
  return new ServiceError(307, { detail: "The response of all items would be too large." });
}
