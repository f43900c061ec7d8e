import { filesOf, mutantsOf, randomFrom } from "./find.mjs";

/** Where the code of each area is. */
export const areas = {
  gate: ["packages/core/src/access/gate", "packages/core/src/access/sessions", "packages/http/src/pipeline/admit.ts"],
  "secure mode": [
    "packages/core/src/access/channels",
    "packages/http/src/exchange/secure-exchange.ts",
    "packages/crypto/src/channels",
  ],
  rights: [
    "packages/core/src/model",
    "packages/core/src/objects/object-readers.ts",
    "packages/core/src/objects/prepare-attributes.ts",
    "packages/core/src/objects/write-object.ts",
  ],
  query: [
    "packages/core/src/objects/query",
    "packages/storage/src/repositories/query",
    "packages/storage-knex/src/query",
  ],
  "record store": [
    "packages/storage/src/repositories/records.ts",
    "packages/storage-knex/src/sql-record-repository.ts",
    "packages/storage-knex/src/dialects/postgres/statements/record-statements.ts",
  ],
  archive: [
    "apps/server/src/archive",
    "packages/storage-knex/src/dialects/postgres/archive",
    "packages/core/src/archive",
  ],
  macros: ["packages/core/src/execution", "packages/macros/src/pool", "packages/macros/src/worker"],
  identity: ["packages/core/src/identities", "packages/identity-passport/src"],
  drain: ["apps/server/src/composition/start-server.ts", "packages/http/src/connections"],
};

const overlaps = (one, other) => one.path === other.path && one.start < other.end && other.start < one.end;

/** Mutants that a seed draws, the same number from each area; no two of them are in one place. */
export function draw(root, seed, count) {
  const random = randomFrom(seed);
  const names = Object.keys(areas);
  const lists = new Map(
    names.map((name) => [
      name,
      areas[name].flatMap((place) => filesOf(root, place)).flatMap((path) => mutantsOf(root, path)),
    ]),
  );
  const drawn = [];
  while (drawn.length < count) {
    const area = names[drawn.length % names.length];
    const list = lists.get(area);
    if (list.length === 0) throw new Error(`The area ${area} has no mutants left.`);
    const [mutant] = list.splice(Math.floor(random() * list.length), 1);
    if (!drawn.some((other) => overlaps(mutant, other))) drawn.push({ number: drawn.length + 1, area, ...mutant });
  }
  return drawn;
}
