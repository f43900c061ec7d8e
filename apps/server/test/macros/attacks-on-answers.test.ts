import { type Agent, type ClassContent, ref, startTestService, type TestService } from "@sallyport/testing";

/** Milliseconds. */
const timeout = 120_000;

type Response = Awaited<ReturnType<Agent["get"]>>;

const statusOf = ({ status, body }: Response) => `${status}/${body.status.internalStatus}`;

describe("attacks on answers", () => {
  /** Attempts of hooks to make an answer exceed its size limit. */

  const most = 2 * 1024 * 1024;

  const rights = [{ group: "*", permissions: ["read"] }] as const;
  const classes: ClassContent[] = [
    { name: "Leaf", attributes: [{ name: "Title", type: "string" }], rights },
    {
      name: "Page",
      attributes: [
        { name: "Title", type: "string" },
        { name: "Leaf", type: "reference", target: "Leaf" },
      ],
      rights,
    },
  ];
  const leaf = { name: "leaf", className: "Leaf", attributes: { Title: "leaf" } };
  const page = (number: number) => ({ className: "Page", attributes: { Title: String(number), Leaf: ref("leaf") } });

  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({
      databases: {
        "": { classes, users: [{ name: "demo" }], objects: [leaf, ...Array.from({ length: 10 }, (_, n) => page(n))] },
      },
      configuration: { limits: { maxResponseBytes: most }, macros: { timeout: "30s" } },
    });
  });
  afterEach(() => service.reset());
  afterAll(() => service.close());

  const put = (name: string, className: string, run: string) => {
    const text = `import { defineHook } from "@sallyport/macros";\nexport default defineHook({ on: "xRestApi_BuildSerialization", classes: ["${className}"], run(obj, json) { ${run} } });`;
    return service.seed({ macros: { [name]: text } });
  };

  async function pages(withLeaf: boolean): Promise<string> {
    const serialization = JSON.stringify({ type: "custom", fields: withLeaf ? ["Title", "Leaf.Title"] : ["Title"] });
    const response = await service.as("demo").get("/v1/objects/Page").query({ serialization });
    if (response.status === 200)
      expect(response.body.data["~Elements"][0]).toMatchObject({
        Title: "0",
        ...(withLeaf ? { Leaf: { Title: "leaf" } } : {}),
      });
    expect(JSON.stringify(response.body).length).toBeLessThan(most + 10_000);
    return statusOf(response);
  }

  const long = (kilobytes: number) => `"x".repeat(${kilobytes * 1_000})`;

  test.each<readonly [string, string, readonly (readonly [string, string])[]]>([
    ["little", "200/0", [["Page", `json.More = ${long(10)};`]]],
    [
      "as much as fits, one after the other",
      "200/0",
      [
        ["Page", `json.A = ${long(80)};`],
        ["Page", `json.B = ${long(80)};`],
      ],
    ],
    [
      "too much, one after the other",
      "400/307",
      [
        ["Page", `json.A = ${long(80)};`],
        ["Page", `json.B = ${long(80)};`],
        ["Page", `json.C = ${long(80)};`],
      ],
    ],
    ["much to an object that occurs ten times", "400/307", [["Leaf", `json.More = ${long(300)};`]]],
    [
      "much to an object that occurs ten times, through its parent",
      "500/710",
      [
        ["Page", `json.Leaf.More = ${long(80)};`],
        ["Leaf", `json.More = ${long(80)};`],
        ["Page", `json.Copy = json.Leaf; json.Again = json.Leaf;`],
      ],
    ],
    [
      "members that they remove again",
      "200/0",
      [
        ["Page", `json.A = ${long(80)};`],
        ["Page", "delete json.A;"],
        ["Page", `json.B = ${long(80)};`],
        ["Page", "delete json.B;"],
        ["Page", `json.C = ${long(80)};`],
      ],
    ],
  ])(
    "hooks add %s",
    async (_what, expected, hooks) => {
      for (const [index, [className, run]] of hooks.entries()) await put(`Grow${index}`, className, run);
      // Without repeated objects, nothing is measured a second time.
      expect(await pages(hooks.some(([className]) => className === "Leaf"))).toBe(expected);
    },
    timeout,
  );
});
