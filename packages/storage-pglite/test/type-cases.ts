import type { Knex } from "knex";
import type pg from "pg";
import type { DriverCase } from "./driver-case.ts";

const values: readonly (readonly [type: string, value: unknown])[] = [
  ["int2", -32768],
  ["int4", 2147483647],
  ["int8", "9223372036854775807"],
  ["int8", 42],
  ["numeric", "123456789012345678901234567890.1234567890"],
  ["float8", 0.1],
  ["float8", Number.NaN],
  ["float8", Number.NEGATIVE_INFINITY],
  ["float4", 1.5],
  ["bool", true],
  ["bool", false],
  ["text", ""],
  ["text", "Grüße, 世界 👩‍👩‍👧 'quoted' \\ \" $1 ? \n\t"],
  ["varchar(5)", "truncated"],
  ["char(5)", "ab"],
  ["bytea", Buffer.from([0, 1, 127, 128, 255])],
  ["bytea", Buffer.alloc(0)],
  ["uuid", "0190163d-8694-739b-aea5-966c26f8ad91"],
  ["jsonb", JSON.stringify({ b: [1, 2.5, null, true], a: { ü: "é" } })],
  ["jsonb", "null"],
  ["json", '{"b":1, "a":  2}'],
  ["timestamptz", new Date("2026-02-28T23:59:59.123Z")],
  ["timestamptz", "2026-02-28 23:59:59.123456+05:30"],
  ["timestamptz", "infinity"],
  ["timestamp", "2026-02-28 23:59:59.5"],
  ["date", "2026-02-28"],
  ["time", "23:59:59.999999"],
  ["interval", "1 year 2 months 3 days 04:05:06.789"],
  ["inet", "192.168.0.1/24"],
  ["point", "(1.5,-2)"],
  ["int4range", "[1,10)"],
  ["int8[]", ["1", null, "9223372036854775807"]],
  ["text[]", ['a"b', "c,d", "", null, "NULL", "{}"]],
  ["text[]", []],
  ["uuid[]", ["0190163d-8694-739b-aea5-966c26f8ad91"]],
  ["jsonb[]", ['{"a":1}', "[]"]],
  ["timestamptz[]", ["2026-01-01T00:00:00Z"]],
  [
    "int4[][]",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["text", null],
];

export const typeCases: DriverCase[] = values.map(([type, value], index) => [
  `type ${index}: ${type}`,
  async (knex) => {
    const { rows, fields } = await knex.raw(`select ?::${type} as value`, [value as Knex.RawBinding]);
    return [
      rows,
      fields.map(({ name, dataTypeID, dataTypeSize, dataTypeModifier, format }: pg.FieldDef) => ({
        name,
        dataTypeID,
        dataTypeSize,
        dataTypeModifier,
        format,
      })),
    ];
  },
]);
