import { jest } from "@jest/globals";
import * as argon2 from "@node-rs/argon2";

const verify = jest.fn(argon2.verify);
jest.unstable_mockModule("@node-rs/argon2", () => ({ ...argon2, verify }));
const { Argon2PasswordHasher } = await import("./argon2-password-hasher.ts");

const cheap = { memoryCost: 64, timeCost: 1 };
const usable = "$argon2id$v=19$m=64,t=1,p=1$LNbJx1OP8eHq1xii9QbjnQ$q2c9piKGSbueA+vVxNpFOserIr6lC9gsVpteDZh2ar4";

beforeEach(() => verify.mockClear());

test("knows the password that it hashed, and no other", async () => {
  const hasher = await Argon2PasswordHasher.create(cheap);
  const encoded = await hasher.hash("fe01ce2a7fbac8fafaed7c982a04e229");
  expect(await hasher.verify(encoded, "fe01ce2a7fbac8fafaed7c982a04e229")).toBe(true);
  expect(await hasher.verify(encoded, "FE01CE2A7FBAC8FAFAED7C982A04E229")).toBe(false);
  expect(await hasher.verify(encoded, "")).toBe(false);
});

test("salts every hash and writes its parameters into it", async () => {
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 128, timeCost: 3, parallelism: 2 });
  const [one, other] = await Promise.all([hasher.hash("same"), hasher.hash("same")]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=128,t=3,p=2\$/);
  expect(one).not.toBe(other);
});

test("takes 19456 KiB, two passes and one lane unless told otherwise", async () => {
  const hasher = await Argon2PasswordHasher.create();
  expect(await hasher.hash("any")).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test("reads hashes made with other parameters", async () => {
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 128, timeCost: 2 });
  expect(await hasher.verify(usable, "x")).toBe(true);
});

test("refuses parameters that argon2 does not take", async () => {
  await expect(Argon2PasswordHasher.create({ memoryCost: 1 })).rejects.toThrow("Memory cost is too small");
});

test("verifies against a decoy of the same parameters when there is no user", async () => {
  const hasher = await Argon2PasswordHasher.create({ memoryCost: 128, timeCost: 3 });
  expect(await hasher.verify(null, "any")).toBe(false);
  expect(verify).toHaveBeenCalledTimes(1);
  expect(verify.mock.lastCall?.[0]).toMatch(/^\$argon2id\$v=19\$m=128,t=3,p=1\$/);
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
  expect(await hasher.verify(encoded, "x")).toBe(false);
  expect(verify).toHaveBeenCalledTimes(2);
  expect(verify.mock.lastCall?.[0]).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
});

test("does not take a failure of the library for a wrong password", async () => {
  const hasher = await Argon2PasswordHasher.create(cheap);
  verify.mockRejectedValueOnce(new Error("no memory"));
  await expect(hasher.verify(usable, "x")).rejects.toThrow("no memory");
});

test("hashes and verifies in one bounded queue", async () => {
  const hasher = await Argon2PasswordHasher.create({ ...cheap, concurrency: 1, queueLimit: 2 });
  const work = [hasher.verify(usable, "x"), hasher.hash("y"), hasher.verify(null, "z")];
  await expect(hasher.hash("too much")).rejects.toMatchObject({ code: 706 });
  expect(verify).toHaveBeenCalledTimes(1);
  await Promise.all(work);
  expect(verify).toHaveBeenCalledTimes(2);
});
