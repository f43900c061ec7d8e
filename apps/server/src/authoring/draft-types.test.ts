import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { draftedHooks, draftOf } from "./macro-drafts.ts";

const compiler = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
const types = resolve(import.meta.dirname, "../../../../packages/macros/dist/authoring/index.d.ts");

test("what authors begin with has no fault of type, with the settings of the guide", () => {
  const folder = mkdtempSync(join(tmpdir(), "sallyport-drafts-"));
  try {
    const settings = {
      target: "ES2023",
      module: "NodeNext",
      strict: true,
      noEmit: true,
      allowJs: true,
      checkJs: true,
      types: [],
      paths: { "@sallyport/macros": [types] },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: settings }));
    for (const language of ["ts", "js"] as const) {
      for (const hook of [null, ...draftedHooks]) {
        for (const { file, text } of draftOf({
          name: `${hook ?? "macro"}_${language}`,
          hook,
          classes: ["Invoice"],
          language,
        }))
          writeFileSync(join(folder, file), text);
      }
    }
    const { status, stdout } = spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" });
    expect({ status, stdout }).toEqual({ status: 0, stdout: "" });
    writeFileSync(
      join(folder, "Wrong.ts"),
      'import { defineMacro } from "@sallyport/macros";\nexport default defineMacro({ acess: "everyone", run: () => 1 });',
    );
    expect(spawnSync(process.execPath, [compiler, "-p", folder], { encoding: "utf8" }).stdout).toContain(
      "'acess' does not exist",
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);
