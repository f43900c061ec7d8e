import {
  type Digests,
  type ObjectId,
  type Repositories,
  seesAll,
  type StoredObject,
  type StoredRecord,
} from "@sallyport/storage";
import type { Model } from "../model/index.ts";
import { isUserClass, reservationOf, reservedNames } from "../objects/index.ts";
import { liveObject, objectPages } from "./object-pages.ts";
import { atOneVersion } from "./at-one-version.ts";
import type { Violation } from "./violation.ts";

const pageSize = 500;

/** Compares the reserved user names with the names of user objects. The transaction of a name writes both. */
export async function* verifyUserNames(
  r: Repositories,
  model: Model,
  digests: Digests,
): AsyncGenerator<Violation, void, undefined> {
  const keyOf = ({ attributes: { Name: name } }: StoredObject) =>
    typeof name === "string" ? reservationOf(name, digests) : null;
  const isHolder = ({ id }: StoredRecord<ObjectId>, user: StoredObject | undefined) =>
    user !== undefined && isUserClass(model, user.className) && keyOf(user) === id;
  for await (const page of reservationPages(r)) {
    const holders = await r.objects.get(
      page.map(({ value }) => value),
      seesAll,
      Number.MAX_SAFE_INTEGER,
    );
    const users = new Map(holders.map((user) => [user.id, user]));
    for (const { id } of page.filter((each) => !isHolder(each, users.get(each.value)))) {
      const finding = await atOneVersion(
        async () => (await r.records.get(reservedNames, [id]))[0],
        async (reserved) =>
          isHolder(reserved, await liveObject(r, reserved.value))
            ? null
            : `A user name is reserved for ${reserved.value}, which does not have it.`,
      );
      if (finding !== null) yield { invariant: "names", finding };
    }
  }
  const isReserved = async (keys: readonly string[]) =>
    new Set((await r.records.get(reservedNames, keys)).map(({ id }) => id));
  const classes = Array.from(model.all(), ({ definition }) => definition.name);
  for await (const page of objectPages(
    r,
    classes.filter((name) => isUserClass(model, name)),
  )) {
    const reserved = await isReserved(page.flatMap((user) => keyOf(user) ?? []));
    const isMissing = (user: StoredObject) => keyOf(user) !== null && !reserved.has(keyOf(user) ?? "");
    for (const { id } of page.filter(isMissing)) {
      const finding = await atOneVersion(
        () => liveObject(r, id),
        async (user) => {
          const key = keyOf(user);
          return key === null || (await isReserved([key])).has(key)
            ? null
            : `The name of the user ${id} is not reserved.`;
        },
      );
      if (finding !== null) yield { invariant: "names", finding };
    }
  }
}

async function* reservationPages({
  records,
}: Repositories): AsyncGenerator<readonly StoredRecord<ObjectId>[], void, undefined> {
  for (let after: string | null = null; ; ) {
    const page: StoredRecord<ObjectId>[] = await records.list(reservedNames, { after, limit: pageSize });
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.id ?? null;
  }
}
