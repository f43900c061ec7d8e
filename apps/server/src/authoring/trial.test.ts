import type { MacroRuntime } from "@sallyport/core";
import { pino } from "pino";
import { createContainer } from "../composition/create-container.ts";
import { identifiers } from "../composition/identifiers.ts";
import { demoMacros, loadConfiguration } from "../configuration/index.ts";
import { RecordedRuntime } from "./recorded-runtime.ts";
import { Trial, type TrialRequest } from "./trial.ts";

const content = {
  databases: [{ name: "demo", storage: { engine: "memory" } }],
  macros: { directory: demoMacros(), watch: false, timeout: "1m", niceness: 0 },
};
const configuration = loadConfiguration({ content, environment: { ARGON2_MEMORY_COST: "8", ARGON2_TIME_COST: "1" } });

let trial: Trial;
let close: () => Promise<void>;
let sessions: () => Promise<number>;

beforeEach(async () => {
  const container = createContainer(configuration, pino({ enabled: false }));
  let runtime: RecordedRuntime | undefined;
  container.onActivation(
    identifiers.macroRuntime,
    (_context, recorded: MacroRuntime) => (runtime = new RecordedRuntime(recorded)),
  );
  const database = (await container.getAsync(identifiers.databases)).get("");
  if (!database) throw new Error("There is no database.");
  await database.storage.migrate();
  await (await container.getAsync(identifiers.demoSeeder)).seed(database);
  const [executeMacro, digests, random] = [
    await container.getAsync(identifiers.executeMacro),
    container.get(identifiers.digests),
    container.get(identifiers.random),
  ];
  trial = new Trial({ database, executeMacro, digests, random, runtime: runtime as RecordedRuntime });
  sessions = () => database.storage.repositories.sessions.count();
  close = async () => {
    await runtime?.close();
    await container.get(identifiers.engines).close();
  };
});

afterEach(() => close());

const transfer: TrialRequest = {
  macro: "TransferInvoice",
  user: "demo",
  input: { invoice: "6S", customer: "30" },
  skipChecker: false,
  commit: false,
};
const known = { code: 307, detail: "The invoice is this customer's already." };

test("what a trial does is taken back, its session too", async () => {
  for (let time = 0; time < 2; time += 1) {
    await expect(trial.run(transfer)).resolves.toMatchObject({ data: { number: "2025-00026" }, error: undefined });
  }
  await expect(sessions()).resolves.toBe(0);
});

test("what a trial does is kept when it is asked for, but for its session", async () => {
  await expect(trial.run({ ...transfer, commit: true })).resolves.toMatchObject({
    data: { number: "2025-00026" },
    error: undefined,
  });
  await expect(trial.run({ ...transfer, commit: true })).resolves.toMatchObject({ data: undefined, error: known });
  await expect(trial.run(transfer)).resolves.toMatchObject({ error: known });
  await expect(sessions()).resolves.toBe(0);
});

test("it tells what was asked for, and in which session", async () => {
  const { recording, message } = await trial.run(transfer);
  expect(recording.calls.map(({ name, argument }) => [name, argument])).toMatchObject([
    ["objects.get", { id: "6S" }],
    ["objects.get", { id: "6S", hold: true }],
    ["objects.get", { id: "30", hold: true }],
    ["objects.find", { className: "Invoice" }],
    ["objects.update", { id: "6S", attributes: { Customer: "30" }, version: 1 }],
  ]);
  expect(recording.lines).toEqual([
    {
      macro: "TransferInvoice",
      text: 'transferred {"invoice":"2025-00026","from":"Velvetstone Looms","to":"Juniperfall Airships"}',
    },
  ]);
  expect(message).toBe("Juniperfall Airships owes 2025-00026 now");
  const who = await trial.run({
    macro: "WhoAmI",
    user: "admin",
    appNames: ["demo-seats"],
    input: undefined,
    skipChecker: false,
    commit: false,
  });
  expect(who).toMatchObject({
    data: { user: "admin", groups: ["Administrators"], administrator: true, apps: ["demo-seats"] },
  });
});

test.each([
  ["a user who is none", { user: "nobody" }, 'There is no user "nobody".'],
  ["an app that is none", { appNames: ["nothing"] }, 'There is no app "nothing".'],
  [
    "a macro that is none",
    { macro: "TransferInvoce" },
    'There is no macro "TransferInvoce". Did you mean "TransferInvoice"?',
  ],
  [
    "one that is like no other",
    { macro: "Zzz" },
    'There is no macro "Zzz". There are: CountObjects, Echo, OpenInvoices, OverdueInvoices, TransferInvoice, WhoAmI.',
  ],
])("%s is told in plain words", async (_title, differing, words) => {
  await expect(trial.run({ ...transfer, ...differing })).rejects.toMatchObject({ name: "TrialError", message: words });
});
