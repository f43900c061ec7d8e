import { bySql, type Damage, type Damages } from "./damage.ts";
import type { Scene } from "./scene.ts";

const binned = ({ numbers }: Scene) => `oid = ${numbers.binned}`;

/** The swept objects of the scene: none. */
const unsweep = "delete from swept_objects";

/** Damage of objects, and of what is stored beside them. */
export const objectDamages: Damages = [
  [
    bySql("a link that is gone", {
      damage: ({ numbers }) => `delete from links where target = ${numbers.ada}`,
      repair: ({ numbers }) =>
        `insert into links (target, source, attribute) values (${numbers.ada}, ${numbers.first}, 'Customer')`,
      finding: /^links: The object \w+ has references that are not stored/,
    }),
  ],
  [
    bySql("a link without a reference", {
      damage: ({ numbers }) =>
        `insert into links (target, source, attribute) values (${numbers.ada}, ${numbers.second}, 'Customer')`,
      repair: ({ numbers }) => `delete from links where target = ${numbers.ada} and source = ${numbers.second}`,
      finding: /^links: The links of the object \w+ differ/,
    }),
    bySql("an object of no class", {
      damage: ({ numbers }) => `update objects set class = 'Nothing' where oid = ${numbers.second}`,
      repair: "update objects set class = 'Invoice' where class = 'Nothing'",
      finding: /^objects: The object \w+ is of the unknown class Nothing/,
    }),
  ],
  [
    bySql("a link to an object that is deleted permanently", {
      damage: (scene) => `update tombstones set attributes = null, root = -1 where ${binned(scene)}`,
      repair: (scene) => `update tombstones set attributes = '{"Name":"Binned"}', root = oid where ${binned(scene)}`,
      finding: /^links: The object \w+ has a link to \w+, which is deleted/,
    }),
    bySql("a deletion without its first object", {
      damage: (scene) => `update tombstones set root = ${scene.numbers.ada} where ${binned(scene)}`,
      repair: (scene) => `update tombstones set root = oid where ${binned(scene)}`,
      finding: /^tombstones: The recycled objects of the deletion \w+ have lost/,
    }),
    bySql("an object without a stamp", {
      damage: (scene) => `update tombstones set deleted_by = stamp, stamp = 0 where ${binned(scene)}`,
      repair: (scene) => `update tombstones set stamp = deleted_by, deleted_by = null where ${binned(scene)}`,
      finding: /^stamps: The object \w+ has no stamp/,
      // Triggers of Postgres stamp each row in every session.
      on: ["MariaDB"],
    }),
    bySql("an object of version 0", {
      damage: (scene) => `update tombstones set deleted_by = version, version = 0 where ${binned(scene)}`,
      repair: (scene) => `update tombstones set version = deleted_by, deleted_by = null where ${binned(scene)}`,
      finding: /^objects: The object \w+ has the version 0/,
    }),
  ],
  [
    bySql("a stamp of former readers above that of the object", {
      damage: ({ numbers }) =>
        `insert into former_readers (oid, stamp, class, changed_at) select oid, stamp + 1000000, class, stored_at from objects where oid = ${numbers.ada}`,
      repair: ({ numbers }) => `delete from former_readers where oid = ${numbers.ada}`,
      finding: /^stamps: The stamps of the former readers/,
    }),
    bySql("former readers of another class", {
      damage: ({ numbers }) =>
        `insert into former_readers (oid, stamp, class, changed_at) select oid, 1, 'Invoice', stored_at from objects where oid = ${numbers.ada}`,
      repair: ({ numbers }) => `delete from former_readers where oid = ${numbers.ada}`,
      finding: /^formerReaders: The former readers of the object \w+ name another class/,
    }),
    bySql("former readers of no object", {
      damage: ({ numbers }) =>
        `insert into former_readers (oid, stamp, class, changed_at) select 1000000000000, 1, class, stored_at from objects where oid = ${numbers.ada}`,
      repair: "delete from former_readers where oid = 1000000000000",
      finding: /^formerReaders: Former readers are kept of the object \w+, which is unknown/,
    }),
  ],
  [
    bySql("a swept object that lives", {
      damage: ({ numbers }) =>
        `insert into swept_objects (oid, uuid) select oid, uuid from objects where oid = ${numbers.ada}`,
      repair: unsweep,
      finding: /^objects: The object \w+ is stored twice/,
    }),
    bySql("a UUID that two objects have", {
      damage: ({ numbers }) =>
        `insert into swept_objects (oid, uuid) select 1000000000000, uuid from objects where oid = ${numbers.ada}`,
      repair: unsweep,
      finding: /^objects: Several objects have the same UUID/,
    }),
    bySql("an object above the highest id", {
      damage: ({ numbers }) =>
        `insert into swept_objects (oid, uuid) select 1000000000000, uuid from objects where oid = ${numbers.ada}`,
      repair: unsweep,
      finding: /^objects: The object \w+ is above the highest id/,
    }),
  ],
  [
    bySql("a wrong count of objects", {
      damage: "update object_counts set objects = objects + 1 where class = 'Customer'",
      repair: "update object_counts set objects = objects - 1 where class = 'Customer'",
      finding: /^counts: The count of the class Customer is \d+ instead of \d+/,
    }),
  ],
  [
    {
      about: "a value column with another value",
      on: ["MariaDB"],
      ...valueColumn((column) => `${column} = 'Eve'`),
      finding: /^values: The object \w+ is not found by its value of Name/,
    },
    {
      about: "a value column without the value",
      on: ["MariaDB"],
      ...valueColumn((column) => `${column} = null`),
      finding: /^values: The object \w+ is not found by its value of Name/,
    },
  ],
];

/** Changes the column that keeps the names of customers on MariaDB. */
function valueColumn(set: (column: string) => string): Pick<Damage, "damage" | "repair"> {
  const change = async ({ sql, numbers }: Scene, assignment: (column: string) => string) => {
    const [rows] = (await sql("select number from value_columns where attribute = 'Name' and type = 'string'")) as [
      readonly { readonly number: number }[],
    ];
    if (rows[0] === undefined) throw new Error("There is no index of names.");
    await sql(`update objects set ${assignment(`value_${rows[0].number}`)} where oid = ${numbers.ada}`);
  };
  return {
    damage: (scene) => change(scene, set),
    repair: (scene) => change(scene, (column) => `${column} = 'Ada'`),
  };
}
