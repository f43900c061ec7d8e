import { readFileSync } from "node:fs";
import type { RunningServer } from "../src/index.ts";
import { logIn } from "./cases/run-cases.ts";
import { startDemoServer } from "./demo-server.ts";
import { appKey } from "./subject.ts";

const guide = readFileSync(new URL("../../../docs/guides/queries.md", import.meta.url), "utf8");

/** The rows of the tables whose second column is JSON, cell by cell. */
function rows(
  pattern: RegExp,
): readonly { readonly className: string; readonly json: string; readonly expected: string }[] {
  return Array.from(guide.matchAll(pattern), ([, className = "", json = "", expected = ""]) => ({
    className,
    json,
    expected,
  }));
}

const filters = rows(/^\| (\w+) \| `(\{.*?\})` \| (\d+) \|/gm);
const orders = rows(/^\| (\w+) \| `(\[.*?\])` \| ([^|]+) \|$/gm);
const [, path = "", answer = "{}"] = /^```http\nGET (\S+)\n```\n\n```json\n(.*?)^```/ms.exec(guide) ?? [];

describe("the guide to queries", () => {
  let server: RunningServer;
  let sessionid: string;
  beforeAll(async () => {
    server = await startDemoServer("memory");
    sessionid = await logIn(server, "admin");
  }, 60_000);
  afterAll(() => server.close());

  const get = async (at: string) => {
    const { status, data } = (await (
      await fetch(server.url + at, { headers: { appkey: appKey, sessionid } })
    ).json()) as ReturnType<typeof JSON.parse>;
    return data ?? status;
  };
  const list = (className: string, query: object) =>
    get(`/v1/objects/${className}?perPage=1&query=${encodeURIComponent(JSON.stringify(query))}`);

  test("has examples, of every operator", () => {
    const operators = [
      "$eq",
      "$ne",
      "$gt",
      "$gte",
      "$lt",
      "$lte",
      "$in",
      "$nin",
      "$like",
      "$contains",
      "$exists",
      "$and",
      "$or",
      "$not",
    ];
    expect(operators.filter((operator) => !filters.some(({ json }) => json.includes(`"${operator}"`)))).toEqual([]);
    expect(orders).toHaveLength(3);
  });

  test.each(filters)("$className where $json", async ({ className, json, expected }) => {
    expect(await list(className, { where: JSON.parse(json) })).toMatchObject({ "~Count": Number(expected) });
  });

  test.each(orders)("$className sorted by $json", async ({ className, json, expected }) => {
    expect(await list(className, { sort: JSON.parse(json) })).toMatchObject({
      "~Elements": [{ [className === "Invoice" ? "Number" : "Name"]: expected }],
    });
  });

  test("shows an answer as it is", async () => {
    // Ids and times are of the server that was asked, and the cursor holds an id.
    const comparable = (value: unknown) =>
      JSON.parse(JSON.stringify(value), (name, member) =>
        /^~(?:ObjectID|UUID|StoreTime|Cursor)$/.test(name) ? name : member,
      );
    expect(comparable(await get(path))).toEqual(comparable(JSON.parse(answer)));
  });
});
