import { jest } from "@jest/globals";
import type { Command } from "commander";
import { mainCommand } from "../src/main-command.ts";
import { logInApp, output, sallyport, startAndLogIn, stopServer } from "./served-command-line.ts";

jest.setTimeout(60_000);

beforeAll(startAndLogIn);
afterAll(stopServer);

test("every table fits 80 columns with long content", async () => {
  const long = (start: string) => `${start}-${"abcdefghij".repeat(4)}`;
  const [user, group, device, app] = ["user", "group", "device", "app"].map(long);
  for (const [line, input = ""] of [
    [`group create ${group} --description ${long("text")}`],
    [`user create ${user} --group ${group} Sales --email ${long("mail")}@example.com`, "a-Long-password-7\n"],
    [`custom-user create ${long("custom")} --user ${user} --email ${long("mail")}@example.com`, "a-Long-password-7\n"],
    [`app create ${app} --seats 3 --second-factor optional`],
    [
      `app-key create ${long("key")} --app-name ${app} demo-app --origin https://${long("origin").slice(0, 60)}.example`,
    ],
    [`device register ${device} --user ${user}`],
    [`ban add --user ${user} --device ${device} --until 2h --reason ${long("reason")}`],
    [`ban add --address 2001:db8:1111:2222:3333:4444:5555:6666 --reason ${long("reason")}`],
    [`app forbid ${app} --group ${group} --reason ${long("reason")}`],
    [`class rights Customer *=read ${group}=read,create,write,delete Sales=read,write`],
    [`sync put ${long("schema")} --class Customer Invoice --conflicts macro:${"Echo"}`],
  ] as const)
    await output(line, input);
  expect(await logInApp("reader", { device: { deviceId: long("phone") } })).toBe("0");
  const lists = mainCommand().commands.flatMap((noun) =>
    noun.commands.filter((verb) => /^(?:list|rules|links|show)$/.test(verb.name())).map((verb) => [noun.name(), verb]),
  ) as readonly (readonly [string, Command])[];
  const lines = lists
    .filter(([, verb]) => verb.registeredArguments.every(({ required }) => !required))
    .map(([noun, verb]) => `${noun} ${verb.name()}`);
  lines.push(`second-factor list ${user}`, "audit list --by-address", "macro history Echo");
  expect(lines.length).toBeGreaterThan(18);
  for (const line of lines) {
    const { stdout } = await sallyport(line);
    expect([line, stdout.split("\n").filter((each) => [...each].length > 80)]).toEqual([line, []]);
  }
  const { stdout } = await sallyport("session list");
  expect(stdout).toContain("(no room for ");
  expect(stdout).toContain("127.0.0.1");
});
