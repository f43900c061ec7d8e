import {
  type Attributes,
  type ObjectId,
  type Repositories,
  type Restoration,
  ServiceError,
  type SessionPolicy,
  type StoredObject,
} from "@sallyport/storage";
import { minute } from "../../fixtures/policy.ts";
import { newSession } from "../../fixtures/visitor.ts";
import { nonexistentId, uuidOf, withIds } from "../object-names.ts";
import type { ReplayedHistory } from "./replayed-history.ts";
import { type InputAttributes, maxResults, type WritingStep } from "./step.ts";

const lifetimes: Pick<SessionPolicy, "idleTimeout" | "absoluteLifetime"> = {
  idleTimeout: 10 * minute,
  absoluteLifetime: 120 * minute,
};

/** Runs a step and returns its result, with ids. Rejects if the storage refuses it. */
export async function takeStep(r: Repositories, step: WritingStep, history: ReplayedHistory): Promise<unknown> {
  const idOf = (number: number): ObjectId => history.idOf(number) ?? nonexistentId;
  const digestOf = (number: number | null) => (number === null ? null : history.digestOf(number));
  switch (step.kind) {
    case "insert": {
      const number = history.ids.push(null) - 1;
      const { attributes, links } = written(step.attributes, history);
      const created = await r.objects.insert([
        { className: "Item", attributes, links, uuid: uuidOf(number), readers: step.readers },
      ]);
      history.ids[number] = created[0]?.id ?? null;
      return created.map(comparedMembers);
    }
    case "update": {
      const { readers } = step;
      const change = {
        id: idOf(step.object),
        ...written(step.attributes, history),
        expectedVersions: step.versions,
        ...(readers === undefined ? {} : { readers }),
      };
      return (await r.objects.update([change], { session: digestOf(step.session) })).map(comparedMembers);
    }
    case "delete":
      return deleteObjects(r, step.objects.map(idOf), step.recycled);
    case "restore":
      return restoreObjects(r, idOf(step.object));
    case "lock":
      return r.locks.take(idOf(step.object), history.digestOf(step.session), step.atMost);
    case "unlock":
      return r.locks.release(idOf(step.object), digestOf(step.session));
    case "open": {
      history.sessions += 1;
      const digest = history.digestOf(history.sessions - 1);
      const { limit, perUserLimit, perDevice } = step;
      const opened = newSession({ digest, userId: step.user, deviceId: step.device });
      return r.sessions.open(opened, { ...lifetimes, limit, perUserLimit, perDevice });
    }
    case "end":
      return r.sessions.end({ digest: history.digestOf(step.session) });
    case "endAll":
      return r.sessions.end({ userId: step.user });
  }
}

function written(
  input: InputAttributes,
  { ids }: ReplayedHistory,
): { attributes: Attributes; links: Restoration["links"] } {
  const attributes = withIds(input, ids);
  return { attributes, links: linksOf(attributes) };
}

function linksOf({ Thing: thing, Things: things }: Attributes): Restoration["links"] {
  return {
    ...(thing === undefined ? {} : { Thing: typeof thing === "string" ? [thing] : [] }),
    ...(things === undefined ? {} : { Things: (things ?? []) as ObjectId[] }),
  };
}

async function deleteObjects(
  { deletion }: Repositories,
  ids: readonly ObjectId[],
  recycled: boolean,
): Promise<unknown> {
  const lockedRows = await deletion.lock(ids);
  const objects = lockedRows.map(({ object }) => object.id);
  const [root] = objects;
  if (root === undefined) return [];
  if (!recycled) await deletion.clear(await deletion.referrers(objects, { attributes: null, limit: maxResults }));
  await deletion.delete(objects, { recycled, root });
  return lockedRows.map(({ object: { id, version }, lockedBy }) => ({ id, version, lockedBy }));
}

async function restoreObjects({ deletion }: Repositories, id: ObjectId): Promise<unknown> {
  const group = await deletion.recycledWith(id);
  const linked = group.flatMap(({ attributes }) => Object.values(linksOf(attributes)).flat());
  const targets = await deletion.targets([...new Set(linked)]);
  const remaining = new Set(targets.flatMap((target) => (target.exists ? target.id : [])));
  const restorations = group.map(({ id: each, attributes }): Restoration => {
    const { Thing: thing, Things: things } = attributes;
    const lost = typeof thing === "string" && !remaining.has(thing);
    const remainingThings = Array.isArray(things)
      ? things.filter((target) => remaining.has(target as ObjectId))
      : undefined;
    const changed = {
      ...(lost ? { Thing: null } : {}),
      ...(remainingThings === undefined ? {} : { Things: remainingThings }),
    };
    return { id: each, attributes: changed, links: linksOf({ ...attributes, ...changed }) };
  });
  return (await deletion.restore(restorations)).map(comparedMembers);
}

/** The members of an object that all storages must agree on. */
export function comparedMembers({ id, version, attributes, readers }: StoredObject) {
  return { id, version, attributes, readers };
}

/** The error code of a `ServiceError`; rethrows other errors. */
export function refusalOf(error: unknown): number {
  if (error instanceof ServiceError) return error.code;
  throw error;
}
