import { SallyportAdmin } from "@sallyport/client/admin";
import type { RunningServer } from "../../src/index.ts";
import { call } from "../client.ts";
import { type EmptyDatabases, startEmptyOn } from "../empty-databases.ts";
import { testedEngines, withoutLockout } from "../engines.ts";
import { repositoriesOf } from "../repositories-of.ts";
import { codeOf, setUpTicket } from "./administration-fixture.ts";

const first = { name: "ada", password: "a word of my own" };
const path = "/admin/v1/console/setUp";

const stranger = ({ url }: RunningServer, alias: string) => new SallyportAdmin({ baseUrl: url, alias, appKey: "" });

/** The first administrator of a database without users. Each test has its own database. */
describe.each(testedEngines)("set-up on %s", (engine) => {
  let databases: EmptyDatabases;
  const server = () => databases.servers[0] as RunningServer;
  const other = () => databases.servers[1] as RunningServer;
  beforeAll(async () => {
    databases = await startEmptyOn(engine, {
      aliases: ["race", "tickets", "answers", "refusals"],
      environment: withoutLockout,
      count: 2,
    });
  }, 120_000);
  afterAll(() => databases.close());

  const usersOf = async (alias: string) =>
    (await repositoriesOf(server(), alias).accounts.list("database", null, 10)).map(({ loginName }) => loginName);

  test("creates one administrator of several at the same time, who then logs in", async () => {
    const ticket = (await setUpTicket(server(), "race")) as string;
    const names = ["ada", "bea", "cia", "dea"];
    const answers = await Promise.allSettled(
      names.map((name, index) =>
        stranger(index % 2 === 0 ? server() : other(), "race").console.setUp({ ...first, ticket, name }),
      ),
    );
    const refused = answers.flatMap((answer) => (answer.status === "rejected" ? [answer.reason.code] : []));
    expect(refused).toEqual([302, 302, 302]);
    const winner = answers.findIndex(({ status }) => status === "fulfilled");
    expect(await usersOf("race")).toEqual([names[winner]]);

    const { appKey, name } = (answers[winner] as PromiseFulfilledResult<{ appKey: string; name: string }>).value;
    const admin = new SallyportAdmin({ baseUrl: other().url, alias: "race", appKey });
    const { user } = await admin.logIn({ user: names[winner] as string, password: first.password });
    const { items } = await admin.audit.read({ limit: 500 });
    expect(items.map(({ type, outcome }) => [type, outcome])).toEqual(
      expect.arrayContaining([
        ["setUpTicket.issued", 0],
        ["account.created", 0],
        ["appKey.created", 0],
        ["setUpTicket.refused", 302],
      ]),
    );
    expect(items.find(({ type }) => type === "account.created")).toMatchObject({
      actorId: null,
      subjectId: user["~ObjectID"],
      requestId: expect.stringMatching(/./),
    });
    expect((await admin.appKeys.list()).items).toEqual([expect.objectContaining({ name, scope: "admin" })]);
    await admin.users.create({ name: "bob", password: "quite another word" });
  });

  test("a new ticket ends the former, and an old one ends by itself", async () => {
    const { records } = repositoriesOf(server(), "tickets");
    const [former, latest] = [await setUpTicket(server(), "tickets"), await setUpTicket(other(), "tickets")];
    const setUp = (ticket: string | null) =>
      codeOf(stranger(server(), "tickets").console.setUp({ ...first, ticket: ticket ?? "" }));
    expect(await setUp(former)).toBe(302);
    const [record, ...others] = await records.list<string>("setUpTicket", { after: null, limit: 10 });
    expect(others).toEqual([]);
    expect(JSON.stringify(record)).not.toContain(latest);
    await records.put("setUpTicket", record?.id as string, record?.value as string, { lifetime: 1 });
    while ((await records.get("setUpTicket", [record?.id as string])).length > 0);
    expect(await setUp(latest)).toBe(302);
    expect(await usersOf("tickets")).toEqual([]);
    expect(await setUp(await setUpTicket(server(), "tickets"))).toBe(0);
    expect(await setUpTicket(server(), "tickets")).toBeNull();
  });

  test("every refusal has the same answer, also of a right ticket once there is a user", async () => {
    const ticket = (await setUpTicket(server(), "answers")) as string;
    const post = (body: object, alias = "answers") =>
      call(server(), `/${alias}${path}`, { method: "POST", body: { ...first, ticket, ...body } });
    const before = await Promise.all(
      [{ ticket: "wrong" }, { ticket: "" }, { ticket: 1 }, { ticket: "x".repeat(500) }].map((body) => post(body)),
    );
    const elsewhere = await post({}, "refusals");
    await createByOperator("answers");
    expect(await stranger(server(), "answers").console.needsSetUp()).toBe(false);
    const answers = [...before, elsewhere, await post({}), await post({ password: "short" })];
    for (const { status, code, body } of answers)
      expect({ status, code, message: body.status.statusMessage }).toEqual({
        status: 403,
        code: "302",
        message: answers[0]?.body.status.statusMessage,
      });
    expect(await usersOf("answers")).toEqual(["zoe"]);
  });

  test("a refused name or password does not use up the ticket", async () => {
    const console = stranger(server(), "refusals").console;
    const ticket = (await setUpTicket(server(), "refusals")) as string;
    expect(await console.needsSetUp()).toBe(true);
    expect(await codeOf(console.setUp({ ...first, ticket, password: "short" }))).toBe(320);
    expect(await codeOf(console.setUp({ ...first, ticket, name: " " }))).toBe(307);
    expect(await codeOf(console.setUp({ ...first, ticket, email: "nobody" }))).toBe(307);
    expect(await usersOf("refusals")).toEqual([]);
    await console.setUp({ ...first, ticket, email: "ada@example.com" });
    expect(await console.needsSetUp()).toBe(false);
  });

  /** Creates a user, as the machine of the server can. */
  async function createByOperator(alias: string): Promise<void> {
    const { accounts, objects } = repositoriesOf(server(), alias);
    const [user] = await objects.insert([{ className: "User", attributes: { Name: "zoe" } }]);
    await accounts.create({ userId: user?.id as string, loginName: "zoe", secret: "" }, "zoe");
  }
});

test("the set-up needs TLS or loopback, also where plain HTTP is allowed", async () => {
  const environment = { TRUSTED_PROXIES: "127.0.0.1", ALLOW_INSECURE_TRANSPORT: "true" };
  const { servers, close } = await startEmptyOn("memory", { aliases: [""], environment });
  const [server] = servers as [RunningServer];
  const ticket = await setUpTicket(server);
  const codeOver = async (protocol: string) => {
    const headers = { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": protocol };
    return (await call(server, path, { method: "POST", headers, body: { ...first, ticket } })).code;
  };
  expect([await codeOver("http"), await codeOver("https")]).toEqual(["307", "0"]);
  await close();
});
