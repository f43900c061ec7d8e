import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jest } from "@jest/globals";
import { type RealPostgres, type ScratchDatabase, startRealPostgres } from "@sallyport/test-kit/databases/postgres";
import { openProviderFixture, type ProviderFixture } from "../providers/provider-fixture.ts";
import { runCommand, runOperator } from "./run-command.ts";
import { type Ended } from "./server-process.ts";

describe("provider commands", () => {
  jest.setTimeout(240_000);

  const folder = mkdtempSync(join(tmpdir(), "sallyport-provider-commands-"));
  const masterKey = Buffer.alloc(32, 1).toString("base64");
  let postgres: RealPostgres;
  let scratch: ScratchDatabase;
  let fixture: ProviderFixture;

  beforeAll(async () => {
    fixture = await openProviderFixture();
    postgres = await startRealPostgres();
    scratch = await postgres.createDatabase();
    const databases = ["", "second"].map((alias) => ({
      alias,
      storage: { url: scratch.url, schema: alias || "one", migrateOnStart: true },
    }));
    write("sallyport.config.json", {
      databases,
      server: { publicUrl: "https://service.example/api/" },
      oAuthProviders: [{ name: "Google" }],
      providers: { fakeUrl: fixture.fakes.url },
    });
    write("user.txt", "a long password");
    expect(await run("migrate")).toMatchObject({ code: 0 });
    expect(await operate("app", "create", "sales")).toMatchObject({ code: 0 });
    expect(await operate("user", "create", "guest", "--password-file", "user.txt")).toMatchObject({ code: 0 });
  });
  afterAll(async () => {
    await scratch.drop();
    await postgres.stop();
    await fixture.close();
    rmSync(folder, { recursive: true });
  });

  const environment = { NODE_ENV: "production", MASTER_KEY: masterKey };
  const run = (...args: string[]): Promise<Ended> => runCommand(args, environment, folder);
  const operate = (...args: string[]): Promise<Ended> =>
    runOperator(["--alias", "second", ...args], environment, folder);
  const provider = (verb: string, ...args: string[]) =>
    verb === "test" ? run("provider", verb, ...args, "--alias", "second") : operate("provider", verb, ...args);
  const refused = (words: string) => ({ code: 1, stdout: "", stderr: `error: ${words}\n` });

  function write(file: string, content: unknown): string {
    writeFileSync(join(folder, file), typeof content === "string" ? content : JSON.stringify(content));
    return file;
  }

  test("providers are registered, tested, listed and shown by commands, without secrets", async () => {
    expect(await provider("list")).toEqual({ code: 0, stdout: "", stderr: "There are no providers.\n" });
    expect(await provider("add", "google", "--data-file", "none")).toEqual({
      ...refused("The file none cannot be read."),
      code: 2,
    });
    const bad = await provider("add", "google", "--data-file", write("bad.json", '{"clientSecret": "hush'));
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining("must be JSON") });
    expect(bad.stderr).not.toContain("hush");
    const incomplete = await provider(
      "add",
      "google",
      "--data-file",
      write("part.json", { clientSecret: "hush-hush" }),
    );
    expect(incomplete).toMatchObject({ code: 1, stderr: expect.stringContaining("clientId is missing") });
    expect(incomplete.stderr).not.toContain("hush");

    const data = write("google.json", fixture.dataOf("google"));
    expect(await provider("add", "google", "--data-file", data, "--app-name", "buying")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no app name "buying"'),
    });
    expect(await provider("add", "google", "--data-file", data, "--default-user", "nobody")).toEqual(
      refused('There is no user "nobody".'),
    );
    expect(await provider("test", "google")).toEqual(
      refused('The provider google is not registered. Run "sallyport --local provider add google" first.'),
    );
    expect(
      await provider("add", "google", "--data-file", data, "--app-name", "sales", "--default-user", "guest"),
    ).toEqual({
      code: 0,
      stdout: [
        'Registered provider "google". It takes effect with the next request.',
        "Register this callback URL at the provider:\n  https://service.example/api/second/v1/google/callback",
        "",
      ].join("\n"),
      stderr: "",
    });
    expect(await provider("test", "google")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("The provider google works."),
    });

    const shown = await provider("show", "google");
    expect(JSON.parse(shown.stdout)).toMatchObject({
      type: "google",
      enabled: true,
      defaultUser: "guest",
      appNames: ["sales"],
      fault: null,
      data: { clientId: "sallyport.apps", clientSecret: "***" },
    });
    expect((await provider("list")).stdout).toMatch(/^TYPE .*\ngoogle +google +enabled +guest +sales/);
  });

  test("a wrong provider configuration is reported without a log-in", async () => {
    fixture.fakes.injectFaults("google", { answers: { keys: "serverError" } });
    expect(await provider("test", "google")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: The provider is unavailable or overloaded\.$/m),
    });
    fixture.fakes.clearFaults();
    await provider(
      "add",
      "google",
      "--data-file",
      write("wrong.json", { clientId: "sallyport.apps", clientSecret: "wrong-secret" }),
    );
    const wrong = await provider("test", "google");
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^error: The provider does not accept the client id or its secret/),
    });
    expect(wrong.stderr).not.toContain("wrong-secret");

    expect(
      await provider("add", "facebook", "--data-file", write("facebook.json", fixture.dataOf("facebook"))),
    ).toMatchObject({ code: 0, stdout: expect.stringContaining("does not enable it") });
    expect(await provider("remove", "google")).toMatchObject({
      code: 0,
      stdout: 'Removed provider "google".\n',
    });
  });

  test("linked accounts are listed, and unlinked by their id", async () => {
    expect(await provider("links")).toEqual({ code: 0, stdout: "", stderr: "There are no linked accounts.\n" });
    expect(await provider("unlink", randomUUID())).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("There is no linked account with this id."),
    });
  });
});
