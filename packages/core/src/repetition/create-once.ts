import { type ErrorCode, isErrorCode, type JsonValue, type ObjectId, ServiceError } from "@sallyport/storage";
import { type CreateObjectsInput, createObjects, type CreationOutcome, listObjects } from "../objects/index.ts";
import { executeOnceWith, type KeyedContext, type KeyedRequest } from "./execute-once.ts";

/** What is stored of a creation: the id of the object, or the code of its refusal. */
type StoredOutcome = ObjectId | ErrorCode;

/**
 * Creates objects once, in one transaction. A repetition gets the refusals again, and the objects as they are now, or their ids
 * alone if the caller cannot read them any more.
 */
export function createObjectsOnce(
  context: KeyedContext,
  keyed: KeyedRequest,
  input: CreateObjectsInput,
): Promise<readonly CreationOutcome[]> {
  return executeOnceWith(context, keyed, (inside) => createObjects(inside, input), {
    keep: (outcomes) => outcomes.map(stored),
    tell: (outcomes) => tellAgain(context, input, outcomes as readonly StoredOutcome[]),
  });
}

function stored(outcome: CreationOutcome): StoredOutcome {
  return outcome instanceof ServiceError ? outcome.code : (outcome["~ObjectID"] as ObjectId);
}

async function tellAgain(
  context: KeyedContext,
  { className, serialization }: CreateObjectsInput,
  outcomes: readonly StoredOutcome[],
): Promise<readonly CreationOutcome[]> {
  const ids = outcomes.filter((each): each is ObjectId => !isCode(each));
  const list = { page: 0, perPage: Math.max(1, ids.length), cursor: undefined, count: "none" as const, serialization };
  const page = await listObjects(context, { ...list, className, query: { oids: ids } }).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status < 500) return null;
    throw error;
  });
  const elements = new Map(page?.list["~Elements"].map((each) => [each["~ObjectID"], each]));
  return outcomes.map((each) =>
    isCode(each) ? new ServiceError(each) : (elements.get(each) ?? { "~ObjectID": each }),
  );
}

function isCode(outcome: JsonValue): outcome is ErrorCode {
  return isErrorCode(outcome as number);
}
