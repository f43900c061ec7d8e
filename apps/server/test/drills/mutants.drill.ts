import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const script = fileURLToPath(new URL("../../../../.ci/mutants.mjs", import.meta.url));
const areas = ["gate", "secure mode", "rights", "record store"];

/**
 * The percentage of mutants that the tests must kill. It only rises. A code change draws other mutants, one of which
 * may be equivalent.
 */
const floor = 95;

interface Outcome {
  readonly path: string;
  readonly line: number;
  readonly was: string;
  readonly replacement: string;
  readonly short: { readonly killer: string | null };
}

test(
  "the tests kill mutants of the gate, secure mode, rights and the record store",
  async () => {
    const directory = await mkdtemp(join(tmpdir(), "sallyport-score-"));
    const file = join(directory, "outcomes.json");
    const chosen = areas.flatMap((area) => ["--area", area]);
    await promisify(execFile)(process.execPath, [script, "--seed", "7", "--count", "45", "--json", file, ...chosen]);
    const outcomes = JSON.parse(await readFile(file, "utf8")) as readonly Outcome[];
    await rm(directory, { recursive: true });
    const survivors = outcomes.filter(({ short }) => short.killer === null);
    const score = 100 * (1 - survivors.length / outcomes.length);
    // The survivors come first, so that a failure names them.
    expect({ survivors: score < floor ? survivors : [], tried: outcomes.length }).toEqual({ survivors: [], tried: 20 });
  },
  3 * 3_600_000,
);
