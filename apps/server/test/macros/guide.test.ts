import { execFile } from "node:child_process";
import { readFileSync, mkdirSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve, delimiter, join } from "node:path";
import { promisify } from "node:util";
import { jest } from "@jest/globals";
import type { RunningServer } from "../../src/index.ts";
import { startDemoServer } from "../demo-server.ts";
import { has, shells } from "../guides/run-guide.ts";

describe("macros guide", () => {
  // A program for each command and each request is slow.
  jest.setTimeout(120_000);

  /** No example depends on how long a macro waits for a thread on a busy machine. */
  const limits = { MACRO_TIMEOUT: "1m" };

  const guide = readFileSync(resolve(import.meta.dirname, "../../../../docs/guides/macros.md"), "utf8");
  const main = resolve(import.meta.dirname, "../../dist/package/dist/main.js");

  interface Block {
    readonly language: string;
    /** The file with this content. */
    readonly file: string | undefined;
    readonly text: string;
  }

  const blocks: Block[] = Array.from(
    guide.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms),
    ([, language = "", file, text = ""]) => ({ language, file, text }),
  );

  /** Times vary, and so do the columns beside them. */
  function withoutTimes(text: string): string[] {
    const lines = text.trimEnd().split("\n");
    return lines.map((line) =>
      line
        .replaceAll(/\d+(?:\.\d+)? ms/g, "any ms")
        .replaceAll(/ +/g, " ")
        .trimEnd(),
    );
  }

  describe.each(shells)("examples of macros.md in %s", (shell) => {
    let server: RunningServer;
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "sallyport-macros-guide-"));
      mkdirSync(join(folder, "macros"));
      if (!has("curl"))
        await symlink(resolve(import.meta.dirname, "../guides/stand-in-curl.mjs"), join(folder, "curl"));
      server = await startDemoServer("memory", {
        MACROS_DIR: join(folder, "macros"),
        MACROS_WATCH: "false",
        ...limits,
      });
    });

    afterAll(async () => {
      await server.close();
      await rm(folder, { recursive: true });
    });

    const run = async (script: string) => {
      const command = `sallyport-server() { '${process.execPath}' '${main}' "$@"; }\n`;
      const environment = { PATH: `${process.env["PATH"]}${delimiter}${folder}`, HOME: folder, ...limits };
      const printed = promisify(execFile)(shell, ["-c", `exec 2>&1\n${command}${script}`], {
        cwd: folder,
        env: environment,
      });
      // A command that reports a failure is an example, too.
      return printed.then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      );
    };

    test("print the documented output", async () => {
      let prepared = "";
      let shown = 0;
      for (const [place, { language, file, text }] of blocks.entries()) {
        if (file !== undefined) {
          writeFileSync(join(folder, file), text);
          server.readMacros();
          continue;
        }
        if (language !== "sh") continue;
        const script = text.replace("http://127.0.0.1:8080", server.url);
        const answer = blocks[place + 1];
        if (answer === undefined || answer.file !== undefined || !["text", "json"].includes(answer.language)) {
          prepared += script;
          continue;
        }
        const printed = await run(prepared + script);
        if (answer.language === "json") expect(JSON.parse(printed)).toEqual(JSON.parse(answer.text));
        else expect(withoutTimes(printed)).toEqual(withoutTimes(answer.text));
        shown += 1;
      }
      expect(shown).toBeGreaterThan(5);
    });

    test("work, including the commands of the README", async () => {
      const readme = readFileSync(resolve(import.meta.dirname, "../../../../README.md"), "utf8");
      const commands = Array.from(readme.matchAll(/^ {4}npx (sallyport-server macro .*)$/gm), ([, command]) => command);
      expect(commands.length).toBeGreaterThan(2);
      const printed = await run(`rm -r macros/*\nset -e\n${commands.join("\n")}\necho all of them`);
      expect(printed).toMatch(/^macros\/Hello\.ts\n[^]*\n3 passed, 0 failed\nall of them\n$/);
    });
  });
});
