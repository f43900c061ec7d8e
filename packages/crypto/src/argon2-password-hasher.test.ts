import { jest } from "@jest/globals";
import argon2 from "@node-rs/argon2";
import { Argon2PasswordHasher } from "./passwords.ts";

const verify = jest.spyOn(argon2, "verify");

const cheap = { memoryCost: 64, timeCost: 1 };
const usable = "$argon2id$v=19$m=64,t=1,p=1$LNbJx1OP8eHq1xii9QbjnQ$q2c9piKGSbueA+vVxNpFOserIr6lC9gsVpteDZh2ar4";

beforeEach(() => verify.mockClear());
afterAll(() => verify.mockRestore());

test("verifies the hashed password, and no other", async () => {
  const hasher = await Argon2PasswordHasher.create(cheap);
  const encoded = await hasher.hash("fe01ce2a7fbac8fafaed7c982a04e229");
  expect(await hasher.verify(encoded, "fe01ce2a7fbac8fafaed7c982a04e229", null)).toBe(true);
  expect(await hasher.verify(encoded, "FE01CE2A7FBAC8FAFAED7C982A04E229", null)).toBe(false);
  expect(await hasher.verify(encoded, "", null)).toBe(false);
});

test("salts every hash and writes its parameters into it", async () => {
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 128, timeCost: 3, parallelism: 2 });
  const [one, other] = await Promise.all([hasher.hash("same"), hasher.hash("same")]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=128,t=3,p=2\$/);
  expect(one).not.toBe(other);
});

test("uses 19456 KiB, two passes and one lane by default", async () => {
  const hasher = await Argon2PasswordHasher.create();
  expect(await hasher.hash("any")).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test("verifies hashes with other parameters", async () => {
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 128, timeCost: 2 });
  expect(await hasher.verify(usable, "x", null)).toBe(true);
});

test("refuses parameters that argon2 refuses", async () => {
  await expect(Argon2PasswordHasher.create({ memoryCost: 1 })).rejects.toThrow("Memory cost is too small");
});

test("verifies against a decoy of the same parameters without a user", async () => {
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 128, timeCost: 3 });
  expect(await hasher.verify(null, "any", null)).toBe(false);
  expect(verify).toHaveBeenCalledTimes(1);
  expect(verify.mock.lastCall?.[0]).toMatch(/^\$argon2id\$v=19\$m=128,t=3,p=1\$/);
});

test("verifies against the given decoy without a user", async () => {
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 128, timeCost: 3 });
  expect(await hasher.verify(null, "x", usable)).toBe(false);
  expect(verify).toHaveBeenCalledTimes(1);
  expect(verify.mock.lastCall?.[0]).toBe(usable);
});

test("verifies against its own decoy when the given one is unusable", async () => {
  const hasher = await Argon2PasswordHasher.create(cheap);
  expect(await hasher.verify(null, "x", "plain")).toBe(false);
  expect(verify.mock.lastCall?.[0]).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
});

test.each([
  ["more memory", { ...cheap, memoryCost: 65 }, true],
  ["less memory", { ...cheap, memoryCost: 63 }, true],
  ["more passes", { ...cheap, timeCost: 2 }, true],
  ["more lanes", { ...cheap, parallelism: 2 }, true],
  ["the same parameters", cheap, false],
])("reports a hash as outdated when the current parameters have %s: %#", async (_name, parameters, outdated) => {
  const hasher = await Argon2PasswordHasher.create(parameters);
  expect(hasher.isOutdated(usable)).toBe(outdated);
});

test.each([
  ["nothing", ""],
  ["text", "plain"],
  ["another kind of hash", "$2b$10$abcdefghijklmnopqrstuv"],
  ["an unknown version", usable.replace("v=19", "v=99")],
  ["impossible parameters", usable.replace("m=64", "m=1")],
  ["a broken end", `${usable}=`],
])("verifies against the decoy when the stored hash is %s", async (_name, encoded) => {
  const hasher = await Argon2PasswordHasher.create(cheap);
  expect(await hasher.verify(encoded, "x", null)).toBe(false);
  expect(verify).toHaveBeenCalledTimes(2);
  expect(verify.mock.lastCall?.[0]).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
});

test("does not report a failure of the library as a wrong password", async () => {
  const hasher = await Argon2PasswordHasher.create(cheap);
  verify.mockRejectedValueOnce(new Error("no memory"));
  await expect(hasher.verify(usable, "x", null)).rejects.toThrow("no memory");
});

test("hashes and verifies in one bounded queue", async () => {
  const hasher = await Argon2PasswordHasher.create({ ...cheap, concurrency: 1, queueLimit: 2 });
  const work = [hasher.verify(usable, "x", null), hasher.hash("y"), hasher.verify(null, "z", null)];
  await expect(hasher.hash("too much")).rejects.toMatchObject({ code: 706 });
  expect(verify).toHaveBeenCalledTimes(1);
  await Promise.all(work);
  expect(verify).toHaveBeenCalledTimes(2);
});
