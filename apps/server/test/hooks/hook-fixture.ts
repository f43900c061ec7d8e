import type { LogInMode } from "@sallyport/client";
import { type ClassDefinition, seesAll } from "@sallyport/storage";
import { MacroStore } from "@sallyport/core";
import type { RunningServer } from "../../src/index.ts";
import { createObject, senderOf } from "../client.ts";
import { sessionsOf } from "../open-session.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { storedServerKeys } from "../secure/stored-keys.ts";

export const everything = ["read", "create", "write", "delete"] as const;

/** The classes of one mode: everyone has all rights on all but the last of them. */
const classesOf = (mode: LogInMode): ClassDefinition[] => [
  {
    name: `Book_${mode}`,
    base: null,
    attributes: [
      { name: "Title", type: "string", mandatory: true },
      { name: "Pages", type: "number" },
      { name: "Note", type: "string" },
      { name: "Author", type: "reference", target: `Author_${mode}`, onDelete: "cascade" },
    ],
    rights: [{ group: "*", permissions: everything }],
  },
  {
    name: `Author_${mode}`,
    base: null,
    attributes: [
      { name: "Name", type: "string" },
      { name: "Secret", type: "reference", target: `Secret_${mode}` },
    ],
    rights: [{ group: "*", permissions: everything }],
  },
  {
    name: `Trace_${mode}`,
    base: null,
    attributes: [{ name: "Text", type: "string" }],
    rights: [{ group: "*", permissions: everything }],
  },
  { name: `Secret_${mode}`, base: null, attributes: [{ name: "Word", type: "string" }], rights: [] },
];

/** Of requested objects, and of nested ones and those in log-ins. */
export const metaFields = ["~ClassName", "~ObjectID", "~UUID", "~StoreTime"];
export const nestedMetaFields = ["~ClassName", "~ObjectID", "~StoreTime"];

/** Settings of the server. */
export const hookEnvironment: Readonly<Record<string, string>> = {
  ...storedServerKeys,
  THROTTLE_IP_MAX_FAILURES: "1000",
  MAX_RESPONSE_BYTES: String(2 * 1_048_576),
};

/** The classes, the sessions and the hooks of one mode. */
export function hookFixture(server: () => RunningServer, mode: LogInMode) {
  const sessions = sessionsOf(server, mode, "demo", "admin");
  beforeAll(async () => {
    const { model } = repositories();
    const classes = classesOf(mode);
    while ((await model.change({ put: classes }, (await model.load()).generation)) === "stale");
  });
  afterEach(async () => {
    const { macros } = await new MacroStore(repositories()).load();
    await remove(...macros.map(({ name }) => name));
  });

  const repositories = () => repositoriesOf(server());
  const send = senderOf(server);
  const encoded = (value: unknown) => encodeURIComponent(JSON.stringify(value));

  const put = async (name: string, on: string, classes: readonly string[] | null, run: string, more = "") => {
    const declared = classes === null ? "" : `classes: ${JSON.stringify(classes)},`;
    const text = `import { defineHook, refuse } from "@sallyport/macros";\nexport default defineHook({ on: "${on}", ${declared} ${more}\n  ${run}\n});\n`;
    await new MacroStore(repositories()).put({ name, text, language: "js", changedBy: "test" }, null);
  };
  const remove = async (...names: string[]) => {
    for (const name of names)
      await new MacroStore(repositories()).remove(name, { changedBy: "test", expectedVersion: null });
  };

  const book = `Book_${mode}`;
  const author = `Author_${mode}`;
  const trace = `Trace_${mode}`;
  const secret = `Secret_${mode}`;

  const create = (className: string, attributes: object) =>
    createObject(server(), sessions.demo, className, attributes);
  const get = async (id: string, serialization: object = {}) =>
    (await send(sessions.demo, `/v1/object/${id}?serialization=${encoded(serialization)}`)).body.data;
  const list = (className: string, query: object, more = "") =>
    send(sessions.demo, `/v1/objects/${className}?query=${encoded(query)}${more}`);
  const stored = async (id: string) => (await repositories().objects.get([id], seesAll))[0];
  const count = (className: string) => repositories().objects.count({ classes: [className] }, seesAll);

  return {
    server,
    mode,
    sessions,
    repositories,
    send,
    encoded,
    put,
    remove,
    book,
    author,
    trace,
    secret,
    create,
    get,
    list,
    stored,
    count,
  };
}

export type HookFixture = ReturnType<typeof hookFixture>;
