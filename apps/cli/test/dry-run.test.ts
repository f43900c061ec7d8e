import { jest } from "@jest/globals";
import { mainCommand } from "../src/main-command.ts";
import { output, sallyport, startAndLogIn, stopServer } from "./served-command-line.ts";

jest.setTimeout(60_000);

beforeAll(startAndLogIn);
afterAll(stopServer);

/** Changes that are refused, or that `--dry-run` only describes. */
describe("changes that are not made", () => {
  test.each([
    "user disable admin",
    "user change admin --administrator no",
    "ban add --user admin",
    "ban add --address 127.0.0.1",
    "ban add --user admin --dry-run",
    "app-key disable console",
  ])("%s would take the own access", async (line) => {
    const { code, stderr } = await sallyport(line);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/access|app key of the request/) });
  });

  test("a second factor that does not exist is told", async () => {
    const { code, stderr } = await sallyport("second-factor remove reader --app-name demo-app");
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: "reader" has no second factor for "demo-app".\n' });
    expect((await sallyport("second-factor remove reader --dry-run")).stderr).toContain("has no second factor.");
  });

  /** Prepares what a dry run of each command names. */
  const prepared = [
    ["custom-user create dry --user reader", "a-Long-password-9\n"],
    ["device register dry-1 --user reader", ""],
    ["ban add --user another-user --until 2h", ""],
    ["provider add google", '{"clientId":"1","clientSecret":"hidden-secret"}'],
    ["sync put dry --class Customer", ""],
    ["app create dry", ""],
    ["app forbid dry --user reader", ""],
    ["app-key create dry", ""],
  ] as const;
  const dryRuns: readonly (readonly [line: string, told: string | RegExp])[] = [
    ["user disable reader", /^User "reader" would be disabled\. \d+ sessions? would end\. Nothing was changed\./],
    ["custom-user disable dry", /^Custom user "dry" would be disabled\. 0 sessions/],
    ["custom-user remove dry", /^Custom user "dry" would be removed\. 0 sessions/],
    ["device forget dry-1 --user reader", /^It would remove device "dry-1"/],
    ["ban add --user another-user", /^It would ban user "another-user"\. 0 sessions/],
    ["ban remove --user another-user", /^It would remove the ban of user "another-user" until/],
    ["provider remove google", /^It would remove provider "google"\. The 0 accounts/],
    ["sync remove dry", /^It would remove schema "dry" \(Customer\)/],
    ["app forbid dry --user reader", /^It would forbid "dry" for user "reader"\. 0 sessions/],
    ["app allow dry --user reader", /^It would allow "dry"/],
    ["app clear-rule dry --user reader", /^It would remove the rule about "dry"/],
    ["app-key disable dry", /^It would disable app key "dry"\. Its 0 sessions/],
    ["session end --user admin", /^It would end the sessions of "admin"\. \d+ sessions? would end\.[^]*^\w+ +admin /m],
    ["session end --app-key dry", /^It would end the sessions of app key "dry"\. 0 sessions/],
    ["session end --device none", /^It would end the sessions of device "none"\. 0 sessions/],
    ["session end 0123456789abcdef", /^It would end these sessions\. 0 sessions/],
  ];

  test("every dry run tells the effect, and sends nothing that changes", async () => {
    await output("user create another-user", "a-Long-password-8\n");
    for (const [line, input] of prepared) await output(line, input);
    const sent = jest.spyOn(globalThis, "fetch");
    for (const [line, told] of dryRuns) expect(await output(`${line} --dry-run`)).toEqual(expect.stringMatching(told));
    // A rehearsal is answered by the server, and stores nothing.
    const changes = sent.mock.calls
      .map(([address, init]) => `${init?.method ?? "GET"} ${String(address)} ${String(init?.body)}`)
      .filter((call) => !call.startsWith("GET ") && !call.includes('"rehearse":true'));
    sent.mockRestore();
    expect(changes).toEqual([]);
    const named = new Set(dryRuns.map(([line]) => line.split(" ").slice(0, 2).join(" ")));
    const offered = mainCommand().commands.flatMap((noun) =>
      noun.commands
        .filter((verb) => verb.options.some(({ long }) => long === "--dry-run"))
        .map((verb) => `${noun.name()} ${verb.name()}`),
    );
    expect(offered.filter((name) => !named.has(name))).toEqual(["second-factor remove", "provider unlink"]);
    expect(await output("ban list")).toContain("another-user");
    for (const line of ["custom-user remove dry", "sync remove dry", "provider remove google"]) await output(line);
  });
});
