import { MemoryStorage } from "@sallyport/storage-memory";
import { customPasswordReset, noHooks, ownPasswordReset, PrepareResetMail } from "../../src/index.ts";
import { digests, random } from "../fixture.ts";

const minute = 60_000;
const resetMail = new PrepareResetMail(digests, random, {
  own: ownPasswordReset,
  custom: customPasswordReset(noHooks, 8),
});

/** Two users with an address, and a clock that can be put forward. */
async function opened() {
  let offset = 0;
  const storage = new MemoryStorage({ clockOffset: () => offset });
  await storage.migrate();
  const { accounts, objects, records } = storage.repositories;
  for (const loginName of ["anna", "ben"]) {
    const [user] = await objects.insert([{ className: "User", attributes: { Name: loginName } }]);
    await accounts.create(
      { userId: user?.id ?? "", loginName, secret: "none", administrator: false, email: `${loginName}@example.com` },
      loginName,
    );
  }
  return {
    advance: (milliseconds: number) => void (offset += milliseconds),
    ask: (user = "anna") => storage.transaction((r) => resetMail.prepare(r, { user })),
    isGood: async (token: string) => (await records.get("passwordReset", [digests.sha256(token)])).length === 1,
  };
}

test("whoever is asked for again and again is written to ever more rarely, and always has a token that is good", async () => {
  const { advance, ask, isGood } = await opened();
  for (const pause of [1, 2, 4, 8, 15, 15, 15]) {
    const prepared = await ask();
    expect(prepared).toMatchObject({ to: "anna@example.com" });
    expect(await ask()).toBeNull();
    advance(pause * minute - 10_000);
    expect(await ask()).toBeNull();
    expect(await isGood(prepared?.token ?? "")).toBe(true);
    advance(10_000);
  }
});

test("pauses are one user's, and over when nobody asks for a while", async () => {
  const { advance, ask } = await opened();
  for (const pause of [1, 2, 4]) {
    await ask();
    advance(pause * minute);
  }
  expect([await ask(), await ask("ben")]).toEqual([expect.anything(), expect.anything()]);
  advance(60 * minute);
  expect(await ask()).not.toBeNull();
  advance(minute);
  expect(await ask()).not.toBeNull();
});
