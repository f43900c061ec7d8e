import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { runInProcess } from "@sallyport/test-kit/commands/run-in-process";
import { mainCommand } from "../src/main-command.ts";
import { runCommandLine } from "../src/run-command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "sallyport-completion-"));
afterAll(() => rmSync(folder, { recursive: true }));

const run = (line: string) =>
  runInProcess(() => runCommandLine(line.split(" ")), { environment: {}, folder, input: "" });

/** The words that can follow each command, by its own words. */
function following(command: Command, path: readonly string[] = []): [string, string[]][] {
  const flags = command.options.flatMap(({ long }) => (long ? [long] : []));
  const next = [...command.commands.map((each) => each.name()), ...flags, "--help"];
  return [[path.join(" "), next], ...command.commands.flatMap((each) => following(each, [...path, each.name()]))];
}

const everywhere = following(mainCommand());

/** The lines with which a shell shows what it completes after these words. */
const shells: Readonly<Record<string, readonly [program: string, flags: string, of: (words: string) => string]>> = {
  bash: [
    "bash",
    "-c",
    (words) =>
      `COMP_WORDS=(sallyport ${words} ""); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _sallyport; echo "\${COMPREPLY[@]}"`,
  ],
  zsh: [
    "zsh",
    "-fc",
    (words) => `words=(sallyport ${words} ""); CURRENT=\${#words}; _describe() { echo "\${next[@]%%:*}" }; _sallyport`,
  ],
  fish: [
    "fish",
    "-Nc",
    (words) =>
      `echo (complete -C "sallyport ${words} " | string replace -r '\\t.*' '') (complete -C "sallyport ${words} --" | string replace -r '\\t.*' '')`,
  ],
};

describe.each(Object.entries(shells))("completion of %s", (shell, [program, flags, of]) => {
  test("is printed, and the help tells how to install it", async () => {
    const { code, stdout } = await run(`completion ${shell}`);
    expect([code, stdout.includes("sallyport")]).toEqual([0, true]);
    expect((await run("completion --help")).stdout).toContain(`sallyport completion ${shell}`);
  });

  const isInstalled = spawnSync(program, ["--version"]).error === undefined;
  (isInstalled ? test : test.skip)(
    "offers the commands and options of each place",
    async () => {
      // Fish takes a while for each.
      const all = shell === "fish" ? everywhere.filter((_place, index) => index % 10 < 2) : everywhere;
      const script = join(folder, shell);
      const empty = join(folder, "empty", shell);
      mkdirSync(empty, { recursive: true });
      writeFileSync(script, (await run(`completion ${shell}`)).stdout);
      const lines = all.map(([path]) => of(path.trim()));
      const prelude = shell === "zsh" ? "compdef() { :; }; " : "";
      const { stdout, stderr } = spawnSync(program, [flags, `${prelude}source ${script}\n${lines.join("\n")}`], {
        encoding: "utf8",
        cwd: empty,
        env: { PATH: process.env["PATH"], HOME: folder },
      });
      expect(stderr).toBe("");
      const offered = stdout.trimEnd().split("\n");
      expect(offered).toHaveLength(all.length);
      const sorted = (words: Iterable<string>) => [...new Set(words)].toSorted();
      for (const [index, [path, next]] of all.entries())
        expect([path, sorted((offered[index] ?? "").split(" "))]).toEqual([path, sorted(next)]);
    },
    60_000,
  );
});

test("another shell is a wrong usage", async () => {
  expect(await run("completion tcsh")).toMatchObject({ code: 2, stderr: expect.stringContaining("bash, zsh, fish") });
});
