import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFaultFixture, type FaultFixture } from "./fault-fixture.ts";
import { tuned } from "../test-environment.ts";

/** A request for a new password, for any name. */
describe("request for a new password", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-mail-"));
  let fixture: FaultFixture;
  beforeAll(async () => {
    const rarely = tuned({ mail: { pollInterval: 600_000 } });
    fixture = await openFaultFixture("memory", {}, { MAIL_DIR: folder, ...rarely });
    const { accounts } = fixture.storage.repositories;
    const { account } = await accounts.find({ realm: "database", loginName: "demo" }, []);
    await accounts.change(account?.userId ?? "", { email: "demo@mail.example" });
    await accounts.change((await accounts.find({ realm: "database", loginName: "reader" }, [])).account?.userId ?? "", {
      disabled: true,
    });
  }, 60_000);
  afterAll(async () => {
    await fixture.close();
    rmSync(folder, { recursive: true });
  });

  const ask = (user: string) =>
    fixture.send({ method: "POST", path: "/v1/resetPassword", sessionId: null, body: { user } });
  /** The calls to the storage, except for the name itself, which is sealed. */
  const callsOf = async (user: string) => {
    const calls = await fixture.script.record(() => ask(user));
    // Claims are background work.
    const own = calls.filter(({ name }) => name !== "records.claim");
    return own.map(({ name, within, args }) => ({
      name,
      within,
      args: name === "records.putWithin" ? [args[0], args[3]] : args.length,
    }));
  };

  test("makes the same storage calls for every name, and reads no accounts", async () => {
    await ask("demo");
    const known = await callsOf("demo");
    expect(known.map(({ name }) => name)).toEqual([
      "admission.admit",
      "records.count",
      "throttle.attempt",
      "throttle.fail",
      "throttle.attempt",
      "throttle.fail",
      "records.putWithin",
      "audit.append",
    ]);
    for (const user of [
      "an unknown name",
      "reader",
      "admin",
      "DEMO",
      "x".repeat(1_024),
      "demo\r\nBcc: all@mail.example",
      "\0",
    ]) {
      expect(await callsOf(user)).toEqual(known);
    }
  });
});
