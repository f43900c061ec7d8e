import { linesOf, violationsOf } from "../require-intact.ts";
import { accountDamages } from "./account-damages.ts";
import { sqlEngines } from "./damaged-database.ts";
import type { Damage, Damages } from "./damage.ts";
import { fileDamages } from "./file-damages.ts";
import { objectDamages } from "./object-damages.ts";
import { openScene, type Scene } from "./scene.ts";
import { besideWriters } from "./writers.ts";

const damages: Damages = [...objectDamages, ...accountDamages, ...fileDamages];

describe.each(sqlEngines)("verification on %s", (engine) => {
  let scene: Scene;
  beforeAll(async () => {
    scene = await openScene(engine);
  }, 120_000);
  afterAll(() => scene.close());

  const found = async () => linesOf(await violationsOf(scene.database, { files: { fast: false } }));

  test("a whole database has no violation", async () => {
    expect(await found()).toEqual([]);
  });

  test("a database in use has no violation", async () => {
    const violations = await besideWriters(scene, async () => {
      const all: string[] = [];
      for (let check = 0; check < 3; check += 1) all.push(...(await found()));
      return all;
    });
    expect(violations).toEqual([]);
    expect(await found()).toEqual([]);
  }, 120_000);

  const possible = damages.map((each) => each.filter(({ on = sqlEngines }) => on.includes(engine)));
  const rounds = Array.from({ length: Math.max(...possible.map(({ length }) => length)) }, (_, round) =>
    possible.flatMap((each) => each[round] ?? []),
  );

  describe.each(rounds.map((round) => ({ round })))("violations", ({ round }) => {
    let violations: readonly string[] = [];
    beforeAll(async () => {
      for (const { damage } of round) await damage(scene);
      violations = await found();
      for (const { repair } of round.toReversed()) await repair(scene);
    }, 60_000);

    test.each(round as Damage[])("$about", ({ finding }) => {
      expect(violations).toContainEqual(expect.stringMatching(finding));
    });

    test("are gone after the repair", async () => {
      expect(await found()).toEqual([]);
    });
  });
});
