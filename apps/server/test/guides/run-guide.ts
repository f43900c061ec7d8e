import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { RunningServer } from "../../src/index.ts";
import { startDemoServer } from "../demo-server.ts";
import { isFullRun } from "@sallyport/test-kit/scope";

export const has = (command: string) => spawnSync(command, ["--version"]).status === 0;

/** The shells for the requests of guides: in the full run all available ones, else the first. */
export const shells: readonly string[] = ["bash", "zsh"].filter(has).slice(0, isFullRun ? 2 : 1);

interface Block {
  readonly language: string;
  readonly text: string;
}

/** Ids, times, secrets and index states vary; everything else must match the guide. */
function withoutChance(answer: string): unknown {
  const text = answer
    .replaceAll(/"(~(?:ObjectID|UUID|StoreTime|DeletedBy|Cursor))":"[^"]+"/g, '"$1":"any"')
    .replaceAll(/\d{8}T\d{6}[+-]\d\d:\d\d/g, "then")
    .replaceAll(/"(uploadId|syncVersion|oldestSyncVersion|database|checksum|objectId)":"[^"]+"/g, '"$1":"any"')
    .replaceAll(/"indexState":"(?:ready|building)"/g, '"indexState":"any"')
    .replaceAll(/"(secret|otpauthUrl)":"[^"]+"|"(recoveryCodes)":\[[^\]]*\]/g, '"$1$2":"any"');
  return JSON.parse(text);
}

/**
 * Sends the requests of a guide in sequence, and compares the answers with the printed ones: at least this many; from a
 * server with these settings.
 */
export function runGuide(page: string, answers = 7, environment: Readonly<Record<string, string>> = {}): void {
  const guide = readFileSync(resolve(import.meta.dirname, "../../../../docs/guides", page), "utf8");
  describe.each(shells)(`requests of ${page} in %s`, (shell) => {
    let server: RunningServer;
    let folder: string;
    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "sallyport-guide-"));
      if (!has("curl")) await symlink(resolve(import.meta.dirname, "stand-in-curl.mjs"), join(folder, "curl"));
      server = await startDemoServer("memory", environment);
    }, 60_000);
    afterAll(async () => {
      await server.close();
      await rm(folder, { recursive: true });
    });

    const blocks: Block[] = Array.from(guide.matchAll(/^```(\w+)\n(.*?)^```$/gms), ([, language = "", text = ""]) => ({
      language,
      text,
    }));
    const shown = blocks.filter(
      ({ language }, index) => language === "json" || (language === "text" && blocks[index - 1]?.language === "sh"),
    );

    test("are answered as printed", async () => {
      const requests = blocks
        .filter(({ language }) => language === "sh")
        .map(({ text }) => text.replace("http://127.0.0.1:8080", server.url));
      // Every request except the preparation is followed by an answer on its own line.
      const script = requests.map((text, index) => (index === 0 ? text : `${text}echo\n`)).join("");
      const variables = { ...process.env, PATH: `${process.env["PATH"]}${delimiter}${folder}` };
      const { stdout, stderr } = await promisify(execFile)(shell, ["-c", script], { env: variables });
      expect(stderr).toBe("");
      const answered = stdout.trimEnd().split("\n");
      const comparable = (text: string, index: number) =>
        shown[index]?.language === "text" ? text.trimEnd() : withoutChance(text);
      expect(answered.map(comparable)).toEqual(shown.map(({ text }, index) => comparable(text, index)));
      expect(shown.length).toBeGreaterThanOrEqual(answers);
      // A process for each request is slow without curl.
    }, 60_000);
  });
}
