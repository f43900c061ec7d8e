import { randomUUID } from "node:crypto";
import { type ClassDefinition, CreateAccount, objectNumber, type Repositories } from "@sallyport/core";
import { Argon2PasswordHasher, NodeDigests } from "@sallyport/crypto";
import { createPostgresKnex, KnexStorage } from "@sallyport/storage-knex";
import { articleAttributes, contactAttributes, orderAttributes } from "../postgres/sample-attributes.ts";
import { password } from "./password.ts";

/** A migrated schema with an app key, an app name, a user and two classes. */
export interface PreparedSchema {
  readonly schema: string;
  readonly appKey: string;
  readonly appKeyId: string;
  /** Object number of the user whose secret the others share; its group may read. */
  readonly userId: number;
  /** Object id of the group. */
  readonly groupId: string;
}

export const appName = "bench";

/** Migrates a schema, with indexes of these attributes of `Contact`, and makes in it, through the product's own packages, what a log-in needs. */
export async function prepareSchema(url: string, schema: string, indexed: readonly string[]): Promise<PreparedSchema> {
  const pool = { max: 2, acquireTimeout: 5_000, maxPendingAcquires: 10 };
  const { knex, close } = createPostgresKnex({ url, pool, connectTimeout: 5_000, statementTimeout: 30_000 });
  const storage = new KnexStorage({ knex, schema, onClose: close });
  try {
    await storage.migrate();
    return await prepare(storage.repositories, schema, indexed);
  } finally {
    await storage.close();
  }
}

async function prepare(r: Repositories, schema: string, indexed: readonly string[]): Promise<PreparedSchema> {
  const digests = new NodeDigests();
  const appKey = `bench-${randomUUID()}`;
  const digest = digests.sha256(appKey);
  await r.appKeys.create({ name: "bench", appNames: null, origins: [] }, digest);
  await r.applications.create({ name: appName, seats: null });
  const admitted = await r.admission.admit({ appKey: digest, session: null, idleTimeout: 60_000 });

  const [group] = await r.objects.insert([{ className: "UserGroup", attributes: { Name: "readers" } }]);
  const groupId = group?.id ?? "";
  const [user] = await r.objects.insert([
    { className: "User", attributes: { Name: "first", Groups: [groupId] }, links: { Groups: [groupId] } },
  ]);
  const userId = user?.id ?? "";
  const createAccount = new CreateAccount(await Argon2PasswordHasher.create(), digests);
  await createAccount.run(r.accounts, {
    userId,
    loginName: "first",
    password,
    administrator: false,
    clientHash: "md5",
  });

  const { generation } = await r.model.load();
  const contact = classOf("Contact", contactAttributes, groupId, indexed);
  const order = classOf("Order", orderAttributes, groupId);
  const put = [
    classOf("Article", articleAttributes, groupId),
    contact,
    { ...order, attributes: [...order.attributes, toContact] },
  ];
  await r.model.change({ put }, generation);
  return { schema, appKey, appKeyId: admitted.appKey?.id ?? "", userId: objectNumber(userId), groupId };
}

const toContact = { name: "Contact", type: "reference", target: "Contact" } as const;

function classOf(
  name: string,
  sample: Readonly<Record<string, string | number | boolean>>,
  group: string,
  indexed: readonly string[] = [],
): ClassDefinition {
  const attributes = Object.entries(sample).map(([attribute, value]) => ({
    name: attribute,
    type: attribute === "Since" ? ("date" as const) : (typeof value as "string" | "number" | "boolean"),
    indexed: indexed.includes(attribute),
  }));
  return { name, base: null, attributes, rights: [{ group, permissions: ["read", "create", "write"] }] };
}
