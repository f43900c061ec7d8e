import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { generateKeyPairSync } from "node:crypto";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { providerTypes, type ProviderType } from "@sallyport/core";
import { startFakeProviders, type FakeProviders, logIn } from "@sallyport/test-kit/providers/fake-providers";
import { errorReportOf } from "./error-report-of.ts";

let world: FakeProviders;

beforeAll(async () => {
  world = await startFakeProviders();
});

afterAll(() => world.close());

const accepting = (type: ProviderType, data: unknown) => {
  try {
    return world.providers().get(type)!.accept(data);
  } catch (error) {
    return error;
  }
};

describe.each(providerTypes)("additional data of %s", (type) => {
  test("are accepted without surrounding blanks and unknown members", () => {
    const data = world.dataOf(type);
    const padded = Object.fromEntries(Object.entries(data).map(([name, value]) => [name, ` ${value}\n`]));
    expect(accepting(type, { ...padded, note: "of the operator" })).toEqual(data);
  });

  test.each([null, undefined, "text", 1, [], [{}]])("are refused as %p", (data) => {
    expect(accepting(type, data)).toMatchObject({ code: 608, detail: "The additional data is not an object." });
  });

  test("are refused with the name of a missing or invalid member", () => {
    const data = world.dataOf(type);
    for (const name of Object.keys(data)) {
      for (const value of [undefined, null, "", "  ", 7, true, {}, [data[name]]]) {
        expect(accepting(type, { ...data, [name]: value })).toMatchObject({
          code: 608,
          detail: `${name} is missing in the additional data.`,
        });
      }
    }
  });

  test("are refused with invalid characters, without repeating them", () => {
    const data = world.dataOf(type);
    for (const name of Object.keys(data)) {
      for (const value of ["hidden\u0000value", "hidden\r\nvalue", `hidden${"x".repeat(5_000)}`]) {
        const error = accepting(type, { ...data, [name]: value });
        expect(error).toMatchObject({ code: 608, detail: expect.stringContaining(name) });
        expect(errorReportOf(error)).not.toContain("hidden");
      }
    }
  });
});

test.each(["google", "facebook", "microsoft"] as const)(
  "a secret that %s refuses is 608 when the user returns",
  async (type) => {
    const data = { ...world.dataOf(type), clientSecret: "another-secret" };
    await expect(logIn(world.providers().get(type)!, data, "anna")).rejects.toMatchObject({ code: 608 });
  },
);

test("a key that Apple does not know is 608 when the user returns", async () => {
  const data = { ...world.dataOf("apple"), keyIdentifier: "OTHER12345" };
  await expect(logIn(world.providers().get("apple")!, data, "anna")).rejects.toMatchObject({ code: 608 });
});

describe("Apple's key file", () => {
  const inFolder = (name: string) => join(dirname(world.keyPath), name);
  const acceptingFile = (keyPath: string) => accepting("apple", { ...world.dataOf("apple"), keyPath });

  test("is refused when everyone may read it", async () => {
    await chmod(world.keyPath, 0o604);
    const error = acceptingFile(world.keyPath);
    await chmod(world.keyPath, 0o640);
    expect(error).toMatchObject({ code: 608, detail: "The file at keyPath is readable by all users of the machine." });
    expect(acceptingFile(world.keyPath)).toEqual({ ...world.dataOf("apple") });
    await chmod(world.keyPath, 0o600);
  });

  test("is refused when it contains no valid key", async () => {
    const rsa = generateKeyPairSync("rsa", { modulusLength: 1_024 }).privateKey.export({
      type: "pkcs8",
      format: "pem",
    });
    const otherCurve = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export({
      type: "pkcs8",
      format: "pem",
    });
    const publicOnly = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({
      type: "spki",
      format: "pem",
    });
    for (const [name, content] of Object.entries({
      rsa,
      otherCurve,
      publicOnly,
      empty: "",
      text: "hidden",
      long: "x".repeat(20_000),
    })) {
      const path = inFolder(name);
      await writeFile(path, content, { mode: 0o600 });
      const error = acceptingFile(path);
      expect(error).toMatchObject({ code: 608 });
      expect(errorReportOf(error)).not.toContain("hidden");
    }
  });

  test("is refused when it is missing, a directory, or a relative path", async () => {
    await mkdir(inFolder("directory"));
    await symlink(inFolder("nothing"), inFolder("dangling"));
    for (const path of [
      inFolder("nothing"),
      inFolder("directory"),
      inFolder("dangling"),
      "AuthKey.p8",
      "./AuthKey.p8",
      "/dev/zero",
    ]) {
      expect(acceptingFile(path)).toMatchObject({ code: 608 });
    }
  });

  test("is not awaited when it is a pipe", () => {
    const path = inFolder("pipe");
    execFileSync("mkfifo", ["-m", "600", path]);
    expect(acceptingFile(path)).toMatchObject({ code: 608, detail: "keyPath is not a key file." });
  });

  test("is read again at every log-in", async () => {
    const path = inFolder("replaced.p8");
    const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({
      type: "pkcs8",
      format: "pem",
    });
    await writeFile(path, other, { mode: 0o600 });
    const data = { ...world.dataOf("apple"), keyPath: path };
    await expect(logIn(world.providers().get("apple")!, data, "anna")).rejects.toMatchObject({ code: 608 });
  });
});

test.each([
  "http://sallyport.example",
  "ftp://sallyport.example",
  "https://a@sallyport.example",
  "https://sallyport.example/?a=b",
  "https://sallyport.example/#a",
  "sallyport.example",
  "/",
])("Apple's serverAddress %s is refused", (serverAddress) => {
  const provider = world.providers({ fakeProviders: null }).get("apple")!;
  expect(() => provider.accept({ ...world.dataOf("apple"), serverAddress })).toThrow(
    expect.objectContaining({ code: 608 }),
  );
  const accepted = provider.accept({
    ...world.dataOf("apple"),
    serverAddress: "https://sallyport.example:8443/base//",
  });
  expect(accepted["serverAddress"]).toBe("https://sallyport.example:8443/base");
});

test("an entry for one directory of Microsoft refuses users of another", async () => {
  const provider = world.providers().get("microsoft")!;
  const data = { ...world.dataOf("microsoft"), tenant: "11111111-1111-4111-8111-111111111111" };
  expect(await logIn(provider, data, "ben")).toMatchObject({ name: "Ben" });
  await expect(logIn(provider, data, "chloe")).rejects.toMatchObject({
    code: 324,
    detail: "The id token has another issuer.",
  });
});
