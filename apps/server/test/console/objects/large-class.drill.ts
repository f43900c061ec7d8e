import { SallyportClient } from "@sallyport/client";
import type { Page, Request } from "playwright-core";
import { administrator, OpenConsole } from "../open-console.ts";
import { openPostgresFixture, type PostgresFixture } from "../../postgres-fixture.ts";

const count = 1_000_000;
const rounds = 5;

/** The code of the object with this number. Codes have the order of numbers. */
const codeOf = (number: number): string => `R-${String(number).padStart(7, "0")}`;

/** Prints what the console adds to the time of the server, in a class of a million objects. */
describe("a class of a million objects in the console", () => {
  let postgres: PostgresFixture;
  let opened: OpenConsole;
  let page: Page;
  beforeAll(async () => {
    postgres = await openPostgresFixture();
    const server = await postgres.demo();
    const client = new SallyportClient({ baseUrl: server.url, appKey: "demo-app-key" });
    await client.logIn({ mode: "session", ...administrator, appNames: ["demo-app"] });
    await client.putClass("Reading", {
      title: "Code",
      attributes: [
        { name: "Code", type: "string", indexed: true },
        { name: "Value", type: "number", indexed: true },
        { name: "Place", type: "string" },
        { name: "At", type: "date" },
      ],
      rights: [{ group: "*", permissions: ["read"] }],
    });
    await client.logOut();
    await postgres.sql.query(
      `insert into sallyport_demo.objects (uuid, class, stored_at, attributes)
       select gen_random_uuid(), 'Reading', now(), jsonb_build_object('Code', 'R-' || lpad(n::text, 7, '0'),
         'Value', ${count} - n, 'Place', 'Place ' || n % 100, 'At', '2026-01-01T00:00:00.000Z')
       from generate_series(1, ${count}) n order by n`,
    );
    await postgres.sql.query("vacuum analyze sallyport_demo.objects");
    opened = await OpenConsole.onServers({ servers: [server], close: () => postgres.close() });
    page = await opened.logIn();
  }, 600_000);
  afterAll(() => opened.close());
  afterEach(() => expect(opened.reports.splice(0)).toEqual([]));

  const show = async (parameters: Readonly<Record<string, string>>) => {
    await page.evaluate(`location.hash = "#/classes/Reading?${new URLSearchParams(parameters)}"`);
  };
  const row = (number: number) => page.getByRole("gridcell", { name: codeOf(number), exact: true });

  /** Milliseconds from an act until a row is there, besides those that the server has taken for rows. */
  const added = async (act: () => Promise<void>, number: number): Promise<number> => {
    const lists: Request[] = [];
    const note = (request: Request) => {
      if (/\/v1\/objects\/Reading\?/.test(request.url())) lists.push(request);
    };
    page.on("requestfinished", note);
    const begun = performance.now();
    await act();
    await row(number).waitFor();
    const taken = performance.now() - begun;
    page.off("requestfinished", note);
    return taken - lists.reduce((sum, request) => sum + request.timing().responseEnd, 0);
  };

  const shows = (name: string, numberOf: (round: number) => number, act: (round: number) => Promise<void>) =>
    test(name, async () => {
      const figures: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        await page.goto(`${opened.address}#/`);
        await page.getByRole("heading", { level: 1, name: `Welcome, ${administrator.user}` }).waitFor();
        if (name !== "opens") {
          await show({ sort: "Code" });
          await row(1).waitFor();
        }
        figures.push(await added(() => act(round), numberOf(round)));
      }
      console.log(`${name}: ${figures.map(Math.round).join(", ")} ms`);
      expect(figures).toHaveLength(rounds);
    });

  shows(
    "opens",
    () => 1,
    () => show({ sort: "Code" }),
  );
  shows(
    "sorts",
    () => count,
    () => show({ sort: "Value" }),
  );
  shows(
    "filters",
    (round) => 1_001 + round,
    (round) => show({ sort: "Code", filter: JSON.stringify({ Code: { $gt: codeOf(1_000 + round) } }) }),
  );
  shows(
    "scrolls to row 1,000",
    () => 1_000,
    async () => {
      // As far as rows are loaded, again and again.
      const step = `{
        const grid = document.querySelector("[role=grid]");
        grid.scrollTop += 1_000;
      }`;
      while ((await row(1_000).count()) === 0) await page.evaluate(step);
    },
  );
});
