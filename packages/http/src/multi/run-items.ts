import { AnswerTooLargeError, inTransaction, ServiceError, type SessionContext } from "@sallyport/core";
import { failureOf, failureText, JsonText, successText } from "../envelope.ts";
import type { RouteInput, Success } from "../routes/route.ts";
import { Item, type ItemParts } from "./item.ts";

/** Reads that are asked for together, which storage sends in one trip where it can. */
const readsAtOnce = 10;

/**
 * Does the items in their order, each as a request of its own: what one of them is refused changes nothing for the others. Reads in a
 * row are asked for together; not where hooks run in them, which would take more than their share of threads.
 */
export async function runSeparately(
  given: readonly unknown[],
  context: SessionContext,
  parts: ItemParts,
  note: RouteInput<unknown, unknown>["note"],
): Promise<JsonText> {
  const results = new Results(context.database.answerBytes, parts.deadline);
  const items = given.map((each) => new Item(each, parts));
  const atOnce = (await parts.hooks.current(context)) === null ? readsAtOnce : 1;
  let current = context;
  for (const group of inGroups(items, atOnce)) {
    const hindrance = results.hindrance;
    const begun = hindrance === null ? await Promise.allSettled(begin(group, current)) : [];
    for (const [index, item] of group.entries()) {
      try {
        if (hindrance !== null) throw hindrance;
        results.requireRoom();
        results.succeed(await successOf(item, begun[index], current), item);
      } catch (error) {
        item.failed(error);
        results.fail(failureOf(error), parts.settings.debugMessages);
      }
    }
    if (group.some((item) => item.is("changesModel"))) current = await withModelOfNow(current);
  }
  note(items.map((item) => item.record()));
  return results.toJson();
}

/** Together they take into memory what one answer may take. */
function begin(group: readonly Item[], context: SessionContext): Promise<Success>[] {
  const { database } = context;
  const share =
    group.length === 1
      ? context
      : { ...context, database: database.within(Math.floor(database.answerBytes / group.length)) };
  return group.map((item) => item.run(share));
}

/** What takes more than its share is read again, alone. */
function successOf(
  item: Item,
  begun: PromiseSettledResult<Success> | undefined,
  context: SessionContext,
): Success | Promise<Success> {
  if (begun?.status === "fulfilled") return begun.value;
  if (item.isRead && begun?.reason instanceof AnswerTooLargeError) return item.run(context);
  throw begun?.reason;
}

/** All items come in by one admission; but what comes behind a change of the model is for the changed one. */
async function withModelOfNow(context: SessionContext): Promise<SessionContext> {
  const { idleTimeout } = context.database.policy.sessions;
  try {
    const { modelGeneration } = await context.r.admission.admit({ appKey: null, session: null, idleTimeout });
    return { ...context, modelGeneration };
  } catch {
    // What is done has to be told. Whoever comes next hears for himself what is wrong with the storage.
    return context;
  }
}

/**
 * Does all items in one transaction, in their order; the first that fails undoes the others, and the request fails with its code.
 * What can be refused by looking at the items is refused before the transaction begins.
 */
export async function runInTransaction(
  given: readonly unknown[],
  context: SessionContext,
  parts: ItemParts,
  note: RouteInput<unknown, unknown>["note"],
): Promise<JsonText> {
  const items = given.map((each) => new Item(each, parts));
  let current: number | null = null;
  const inTurn = async (work: (item: Item) => void | Promise<void>): Promise<void> => {
    for (const [index, item] of items.entries()) {
      current = index;
      await work(item);
    }
    current = null;
  };
  const doAll = (inside: SessionContext): Promise<JsonText> =>
    inTransaction(inside, async (joined) => {
      const results = new Results(context.database.answerBytes, parts.deadline);
      await inTurn(async (item) => {
        if (results.hindrance !== null) throw results.hindrance;
        results.succeed(await item.run(joined), item);
      });
      return results.toJson();
    });
  try {
    await inTurn((item) => item.requirePrepared());
    const data = await (await preparation(items, context, parts))(context, doAll);
    note(items.map((item) => item.record()));
    return data;
  } catch (error) {
    const failure = failureOf(error);
    note(items.map((item) => ({ ...item.record(), status: failure.status, code: failure.code })));
    throw current === null ? error : failureAt(current, failure);
  }
}

type Prepared = (context: SessionContext, work: (context: SessionContext) => Promise<JsonText>) => Promise<JsonText>;

/** Nobody is to wait for a place for his macros and hooks while he holds a connection. */
async function preparation(
  items: readonly Item[],
  context: SessionContext,
  { hooks, macros }: ItemParts,
): Promise<Prepared> {
  const active = await hooks.current(context);
  if (active !== null) return (given, work) => active.prepared(given, work);
  if (items.some((item) => item.is("executesMacro"))) return (given, work) => macros.prepared(given, work);
  return (given, work) => work(given);
}

/** Outside of the transaction, which has to see the errors of storage as they are. */
function failureAt(index: number, failure: ServiceError): ServiceError {
  const { code, detail, retryAfter } = failure;
  const place = `at /${index}`;
  return new ServiceError(code, {
    detail: detail === undefined ? place : `${place}: ${detail}`,
    cause: failure,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** The items in their order: reads in a row together, at most so many, and everything else alone. */
export function* inGroups(items: readonly Item[], most: number): Generator<readonly Item[], void, undefined> {
  let group: Item[] = [];
  for (const item of items) {
    const joins = group.length < most && item.isRead && group.every(({ isRead }) => isRead);
    if (group.length > 0 && !joins) {
      yield group;
      group = [];
    }
    group.push(item);
  }
  if (group.length > 0) yield group;
}

/** The results of a multi request, written as they come, so that they take no more room than one answer may. */
class Results {
  private readonly written: string[] = [];
  private bytes = 0;

  /** `most`: bytes of all of them; `deadline`: `performance.now()` after which nothing more is begun. */
  constructor(
    private readonly most: number,
    private readonly deadline: number,
  ) {}

  /** Why nothing more is begun: they have taken all the room (307) or all the time (706); `null` while there is some of both. */
  get hindrance(): ServiceError | null {
    if (this.bytes >= this.most) return tooLarge();
    return performance.now() > this.deadline
      ? new ServiceError(706, { retryAfter: 1, detail: "The multi request took too long." })
      : null;
  }

  /** 307 when they have taken all the room. */
  requireRoom(): void {
    if (this.bytes >= this.most) throw tooLarge();
  }

  /**
   * What was read has to fit, else 307. What was written has happened, and is told whatever room it takes; of an object, if
   * there is no room, the meta-fields are.
   */
  succeed(success: Success, item: Pick<Item, "isRead" | "is">): void {
    const text = resultText(200, successText(success));
    const bytes = Buffer.byteLength(text);
    if (this.bytes + bytes <= this.most) return this.add(text, bytes);
    if (item.isRead) throw tooLarge();
    const shortened = item.is("versioned")
      ? resultText(200, successText({ ...success, data: withoutAttributes(success.data) }))
      : text;
    this.add(shortened, Buffer.byteLength(shortened));
  }

  fail(failure: ServiceError, debugMessages: boolean): void {
    const text = resultText(failure.status, failureText(failure, debugMessages));
    this.add(text, Buffer.byteLength(text));
  }

  toJson(): JsonText {
    return new JsonText(`[${this.written.join(",")}]`);
  }

  private add(text: string, bytes: number): void {
    this.written.push(text);
    this.bytes += bytes;
  }
}

/** An item is answered as it would be alone: with a status and an envelope. */
function resultText(httpStatus: number, envelope: string): string {
  return `{"httpStatus":${httpStatus},"result":${envelope}}`;
}

/** The meta-fields of an object; anything else as it is. */
function withoutAttributes(data: unknown): unknown {
  if (typeof data !== "object" || data === null || !("~ObjectID" in data)) return data;
  return Object.fromEntries(Object.entries(data).filter(([name]) => name.startsWith("~")));
}

function tooLarge(): ServiceError {
  return new ServiceError(307, { detail: "The answer to all items would be too large." });
}
