import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const command = join(import.meta.dirname, "../../../.ci/schemas.mjs");

/** Runs `.ci/schemas.mjs`, which compares the schemas of all versions with the current one. */
function check(...options: string[]): Promise<{ ok: boolean; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [command, "--check", ...options], (error, _stdout, stderr) =>
      resolve({ ok: error === null, stderr }),
    );
  });
}

test("accepts unchanged migrations and numbered functions", async () => {
  expect(await check()).toEqual({ ok: true, stderr: "" });
});

test.each([
  [
    "a changed migration",
    /create table (?:if not exists )?\S*settings\S* \(/,
    "$& extra integer,",
    "migration 0001-access has changed",
  ],
  ["a changed function with the same number", /SP315/, "SP316", "functions open_session 1 has changed"],
  [
    "a function with a lower number",
    /^-- functions open_session 1$/m,
    "-- functions open_session 2",
    "open_session 2 is missing",
  ],
  ["a lost migration", /^-- migration 0002-objects$/m, "-- migration 0002-things", "migration 0002-things is missing"],
])("reports %s", async (_title, place, other, fault) => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-schemas-"));
  cpSync(join(import.meta.dirname, "schemas"), folder, { recursive: true });
  for (const file of readdirSync(folder).map((name) => join(folder, name))) {
    const text = readFileSync(file, "utf8");
    expect(place.test(text)).toBe(true);
    writeFileSync(file, text.replace(place, other));
  }
  const { ok, stderr } = await check("--folder", folder);
  rmSync(folder, { recursive: true });
  expect(ok).toBe(false);
  for (const dialect of ["postgres", "mariadb"])
    expect(stderr).toMatch(new RegExp(`^\\S+\\.${dialect}\\.sql: .*${fault}$`, "m"));
  expect(stderr).toContain("npm run schemas");
});
