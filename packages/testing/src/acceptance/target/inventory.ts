import type { SallyportClient } from "@sallyport/client";
import { SallyportAdmin } from "@sallyport/client/admin";
import { type Target, Visit } from "./visit.ts";

/** Numbers of objects of each class, of recycled objects and of live sessions, as far as a user can see them. */
export type Inventory = ReadonlyMap<string, number>;

/** The account that counts. With an app key of scope `admin`, it counts sessions, too. */
export interface Observer extends Target {
  readonly administrationKey: string | undefined;
}

/** Counts everything that a run could leave behind. */
export async function takeInventory(observer: Observer): Promise<Inventory> {
  const found = new Map<string, number>();
  const client = await new Visit(observer).logIn("session");
  try {
    for (const { name } of (await client.getStructure()).classes)
      found.set(`objects of ${name}`, await client.countObjects(name));
    found.set("recycled objects", await countTrash(client));
    // The session of this client is among them.
    if (observer.administrationKey !== undefined) found.set("sessions", await countSessions(observer));
  } finally {
    await client.logOut();
  }
  return found;
}

async function countTrash(client: SallyportClient): Promise<number> {
  let count = 0;
  let cursor: string | undefined;
  do {
    const page = await client.listTrash(cursor === undefined ? {} : { cursor });
    count += page["~Elements"].length;
    cursor = page["~Cursor"];
  } while (cursor !== undefined);
  return count;
}

interface SessionPage {
  readonly items: readonly unknown[];
  readonly next: string | null;
}

async function countSessions({ url, alias, user, password, administrationKey = "" }: Observer): Promise<number> {
  const admin = new SallyportAdmin({ baseUrl: url, alias, appKey: administrationKey });
  await admin.logIn({ user, password });
  try {
    let count = 0;
    let after: string | null = null;
    do {
      const page: SessionPage = await admin.sessions.list(after === null ? {} : { after });
      count += page.items.length;
      after = page.next;
    } while (after !== null);
    return count;
  } finally {
    await admin.logOut();
  }
}

/** The counts that have changed, one line each. Sessions of others may end at any time. */
export function leftBehind(before: Inventory, after: Inventory): string[] {
  return [...after].flatMap(([what, count]) => {
    const earlier = before.get(what) ?? 0;
    const differs = what === "sessions" ? count > earlier : count !== earlier;
    return differs ? [`${what}: ${earlier} before, ${count} after`] : [];
  });
}
