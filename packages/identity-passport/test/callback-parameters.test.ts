import { execFileSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { chmod, mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { providerConformance } from "@sallyport/conformance-kit";
import { type ProviderType, providerTypes } from "@sallyport/storage";
import { signIn } from "@sallyport/fake-identity-providers";
import {
  startFakeProviders,
  type FakeProviders,
  logIn,
  requestFor,
} from "@sallyport/test-kit/providers/fake-providers";
import { providerUnderTest } from "@sallyport/test-kit/providers/provider-under-test";
import fc from "fast-check";
import { errorReportOf } from "./error-report-of.ts";

const world = await startFakeProviders();

afterAll(() => world.close());

for (const type of providerTypes) await providerConformance(providerUnderTest(world, type));

describe("callback parameters", () => {
  let world: FakeProviders;

  beforeAll(async () => {
    world = await startFakeProviders();
  });

  afterAll(() => world.close());

  describe.each(providerTypes)("callback of %s", (type) => {
    const provider = () => world.providers().get(type)!;
    const finishing = (parameters: ReadonlyMap<string, string>) => {
      const request = requestFor(type, provider().accept(world.dataOf(type)));
      return provider().finish({ ...request, parameters: new Map([["state", request.state], ...parameters]) });
    };

    test.each<[string, Record<string, string>, string]>([
      ["without a code", {}, "The callback has no code."],
      ["with an empty code", { code: "" }, "The callback has no code."],
      ["with an overlong code", { code: "c".repeat(4_097) }, "The callback has no code."],
      ["of another log-in", { code: "c", state: "another" }, "The callback belongs to another log-in."],
      ["without a state", { code: "c", state: "" }, "The callback belongs to another log-in."],
      [
        "of a user who cancelled",
        { code: "c", error: "access_denied" },
        "The user cancelled the log-in at the provider.",
      ],
      [
        "of a user who cancelled in Apple's way",
        { error: "user_cancelled_authorize" },
        "The user cancelled the log-in at the provider.",
      ],
      [
        "with an error",
        { code: "c", error: "server_error<script>", error_description: "words" },
        "The provider refused the log-in.",
      ],
      [
        "with an error of Facebook's kind",
        { code: "c", error_code: "200", error_message: "words" },
        "The provider refused the log-in.",
      ],
      ["with an unknown code", { code: "c" }, "The provider refused the code."],
    ])("%s is refused", async (_, parameters, detail) => {
      const error = await finishing(new Map(Object.entries(parameters))).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 324, detail });
      expect(errorReportOf(error)).not.toMatch(/words|script/);
    });

    test("with arbitrary parameters is refused, and only checks a code at the provider", async () => {
      const name = fc.oneof(
        fc.constantFrom(
          "code",
          "state",
          "error",
          "error_code",
          "iss",
          "user",
          "id_token",
          "access_token",
          "__proto__",
          "constructor",
          "redirect_uri",
        ),
        fc.string(),
      );
      const value = fc.oneof(
        fc.string({ unit: "binary" }),
        fc.constantFrom("", "{", '{"name":{"firstName":"A"}}', "https://accounts.google.com", "[object Object]"),
        fc.json(),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.tuple(name, value), { selector: ([each]) => each, maxLength: 8 }),
          async (entries) => {
            const error = await finishing(new Map(entries)).catch((thrown: unknown) => thrown);
            expect(error).toMatchObject({ name: "ServiceError", code: 324 });
            expect(error).not.toHaveProperty("cause");
          },
        ),
        { numRuns: 60 },
      );
    });

    test("with another verifier is refused, if the provider supports PKCE", async () => {
      const changed = logIn(provider(), world.dataOf(type), "anna", (answer) => ({
        ...answer,
        codeVerifier: "v".repeat(43),
      }));
      if (type === "apple") expect(await changed).toMatchObject({ name: "Anna" });
      else await expect(changed).rejects.toMatchObject({ code: 324, detail: "The provider refused the code." });
    });

    test("with another callback address is refused", async () => {
      const changed = logIn(provider(), world.dataOf(type), "anna", (answer) => ({
        ...answer,
        redirectUri: `${answer.redirectUri}/x`,
      }));
      await expect(changed).rejects.toMatchObject({ code: 324, detail: "The provider refused the code." });
    });

    test("with the nonce of another log-in is refused", async () => {
      const changed = logIn(provider(), world.dataOf(type), "anna", (answer) => ({ ...answer, nonce: "n".repeat(43) }));
      await expect(changed).rejects.toMatchObject({ code: 324, detail: "The id token belongs to another log-in." });
    });

    test("succeeds once among twenty at once", async () => {
      const one = provider();
      const request = requestFor(type, one.accept(world.dataOf(type)));
      const { parameters } = await signIn(await one.begin(request), "anna");
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, () => one.finish({ ...request, parameters })),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      for (const outcome of outcomes)
        if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: 324 });
    });
  });

  test("a callback that names another issuer is refused before any request", async () => {
    const before = world.fakes.requests.get("/google/token") ?? 0;
    const foreign = logIn(world.providers().get("google")!, world.dataOf("google"), "anna", (answer) => ({
      ...answer,
      parameters: new Map([...answer.parameters, ["iss", "https://other.example"]]),
    }));
    await expect(foreign).rejects.toMatchObject({ code: 324, detail: "The callback comes from another provider." });
    expect(world.fakes.requests.get("/google/token") ?? 0).toBe(before);
    const own = await logIn(world.providers().get("google")!, world.dataOf("google"), "anna", (answer) => ({
      ...answer,
      parameters: new Map([...answer.parameters, ["iss", "https://google.fake.invalid"]]),
    }));
    expect(own).toMatchObject({ name: "Anna" });
  });

  test("Apple's form may contain any name, or none", async () => {
    const named = (user: string | null) =>
      logIn(world.providers().get("apple")!, world.dataOf("apple"), "anna", (answer) => {
        const parameters = new Map(answer.parameters);
        parameters.delete("user");
        return { ...answer, parameters: user === null ? parameters : parameters.set("user", user) };
      });
    for (const user of [null, "", "{", "[]", '{"name":"x"}'])
      expect(await named(user)).toMatchObject({ name: "", surname: "", email: "anna@example.com" });
    expect(await named('{"name":{"firstName":"Ben\\r\\nBcc: x"},"email":"ben@example.com"}')).toMatchObject({
      name: "Ben Bcc: x",
      email: "anna@example.com",
    });
  });
});

describe("additional data", () => {
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
      expect(error).toMatchObject({
        code: 608,
        detail: "The file at keyPath is readable by all users of the machine.",
      });
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
});
