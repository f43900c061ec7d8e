import { parseAddress, usualPort } from "@sallyport/storage-knex/server-address";
import type { Configuration, DatabaseConfiguration, StorageConfiguration } from "./configuration.ts";
import { durationText } from "./field-kinds.ts";
import { factsOf, schemaAt } from "./fields.ts";
import { configurationSchema } from "./schema/configuration-schema.ts";

/** The effective configuration in file form, with masked secrets. */
export function maskedConfiguration(configuration: Configuration): object {
  const {
    databases,
    demo: _demo,
    demoMasterKeyFile: _demoKey,
    demoFolder: _demoFolder,
    production: _production,
    file: _file,
    secretFiles: _secretFiles,
    warnings: _warnings,
    oAuthProviders,
    ...rest
  } = configuration;
  return {
    ...(spell(rest, []) as object),
    oAuthProviders: oAuthProviders.map((name) => ({ name })),
    databases: databases.map(spellDatabase),
  };
}

function spell(value: unknown, path: readonly string[]): unknown {
  const schema = schemaAt(configurationSchema, path);
  const facts = schema === undefined ? undefined : factsOf(schema);
  if (facts !== undefined) return facts.secret ? "***" : facts.kind.toFile(value);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .map(([name, member]) => [name, spell(member, [...path, name])]),
  );
}

function spellDatabase({
  alias,
  name,
  timeZone,
  clientHash,
  sessions,
  locks,
  objects,
  devices,
  throttle,
  audit,
  explanations,
  sync,
  storage,
  migrateOnStart,
}: DatabaseConfiguration): object {
  const policy = {
    sessions: spell(sessions, ["sessions"]),
    locks: spell(locks, ["locks"]),
    objects: spell(objects, ["objects"]),
    devices: spell(devices, ["devices"]),
    throttle: spell(throttle, ["throttle"]),
    audit: spell(audit, ["audit"]),
    explanations: spell(explanations, ["explanations"]),
    sync: spell(sync, ["sync"]),
  };
  const common = { alias, name, timeZone, clientHash, ...policy };
  return storage === null ? common : { ...common, storage: spellStorage(storage, migrateOnStart) };
}

function spellStorage(storage: StorageConfiguration, migrateOnStart: boolean): object {
  if (storage.engine === "memory") return storage;
  if (storage.engine === "module") return { ...storage, options: "***", migrateOnStart };
  const statementTimeout = durationText(storage.statementTimeout);
  if (storage.engine === "embedded") return { ...storage, statementTimeout, migrateOnStart };
  const { engine, url, readUrls, schema, pool, afterLossyFailover } = storage;
  return {
    engine,
    url: maskedUrl(url),
    ...(readUrls.length === 0 ? {} : { readUrls: readUrls.map(maskedUrl) }),
    schema,
    pool: { ...pool, acquireTimeout: durationText(pool.acquireTimeout) },
    statementTimeout,
    ...(afterLossyFailover === undefined ? {} : { afterLossyFailover }),
    migrateOnStart,
  };
}

/** A connection string without its password and parameters. */
export function maskedUrl(url: string): string {
  const { engine, user, hosts, database } = parseAddress(url);
  const [scheme] = url.split(":");
  const places = hosts.map(({ host, port }) => {
    const name = host.startsWith("/") ? encodeURIComponent(host) : host.includes(":") ? `[${host}]` : host;
    return port === usualPort[engine] ? name : `${name}:${port}`;
  });
  const credentials = user === "" ? "" : `${encodeURIComponent(user)}:***@`;
  return `${scheme}://${credentials}${places.join()}/${encodeURIComponent(database)}`;
}
